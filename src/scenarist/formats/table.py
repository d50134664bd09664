"""CSV and TSV <-> rows: streamed, with errors that name the file, the line and the column that was expected.

Values are text; the caller reads numbers through ``number``, so that a wrong one is named with its place.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.lines import Line, lines


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: its line, its values by column, and where it stands."""

    line: int
    values: dict[str, str]
    path: Path | str

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    @property
    def where(self) -> str:
        """File and line, to begin an error message with."""
        return f"{self.path}, line {self.line}"

    def number(self, column: str) -> int:
        """A value as a whole number."""
        try:
            return int(self.values[column])
        except ValueError as error:
            raise BadInput(f"{self.where}: column {column!r} must be a whole number, not {self[column]!r}") from error


def rows(path: Path, needed: Sequence[str] = (), delimiter: str = ",", encoding: str = "utf-8") -> Iterator[TableRow]:
    """The rows of a table whose first line names its columns; ``needed`` columns must be among them."""
    yield from rows_of(lines(path, encoding), path, needed, delimiter)


def rows_of(lines: Iterable[Line], path: Path | str, needed: Sequence[str], delimiter: str = ",") -> Iterator[TableRow]:
    """The same for lines from anywhere; ``path`` is what errors call them."""
    csv.field_size_limit(1 << 27)
    reader = csv.reader((f"{line.text}\n" for line in lines), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if not header:
            raise BadInput(f"{path}: empty file; expected a first line with the columns {', '.join(needed)}")
        absent = [name for name in needed if name not in header]
        if absent:
            raise BadInput(f"{path}, line 1: missing column {', '.join(absent)}; found {', '.join(header)}")
        for fields in reader:
            if not fields or fields == [""]:
                continue
            if len(fields) != len(header):
                doubt = (
                    "is the file truncated?"
                    if len(fields) < len(header)
                    else f"a cell with {delimiter!r} in it stands in quotes."
                )
                raise BadInput(
                    f"{path}, line {reader.line_num}: expected {len(header)} columns ({', '.join(header)}), got {len(fields)}; {doubt}"
                )
            yield TableRow(reader.line_num, dict(zip(header, fields, strict=True)), path)
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: not a valid table: {error}") from error
