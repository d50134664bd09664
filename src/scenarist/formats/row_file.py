"""Rows <-> a Parquet file that is written bit by bit and appears only when it is whole: the one writer of Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from scenarist.errors import missing_extra
from scenarist.store.home import whole_file

ROWS = 20_000
"""Rows held before they are written as one row group."""
KINDS = {str: "string", bool: "bool_", int: "int64", float: "float64"}


def arrow() -> Any:
    """pyarrow, or the install line."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise missing_extra("pyarrow", "learn", "Writing and reading Parquet") from error
    return pyarrow


class RowFile:
    """A Parquet file to add rows to; a context.

    ``columns`` are a name and its type each: str, int, float, bool, the name of one of Arrow's (``"int32"``), or a list of one.
    ``about`` is the file's own metadata.
    """

    def __init__(self, path: Path, columns: Mapping[str, Any], about: Mapping[str, str]) -> None:
        self._arrow = arrow()

        def arrow_type(kind: Any) -> Any:
            if isinstance(kind, list):
                return self._arrow.list_(arrow_type(kind[0]))
            return getattr(self._arrow, kind if isinstance(kind, str) else KINDS[kind])()

        self.path, self.count = path, 0
        fields = [(name, arrow_type(kind)) for name, kind in columns.items()]
        self._schema = self._arrow.schema(fields, metadata=dict(about))
        self._held: list[Mapping[str, Any]] = []
        self._stack = ExitStack()

    def __enter__(self) -> RowFile:
        temporary = self._stack.enter_context(whole_file(self.path))
        self._writer = self._stack.enter_context(
            self._arrow.parquet.ParquetWriter(temporary, self._schema, compression="zstd")
        )
        return self

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Some more rows."""
        self._held.extend(rows)
        if len(self._held) >= ROWS:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._arrow.Table.from_pylist(self._held, self._schema))
        self.count += len(self._held)
        self._held = []

    def __exit__(self, *error: Any) -> None:
        if error[0] is not None:
            self._stack.__exit__(*error)
            return
        with self._stack:  # a full disk shows itself here: no file is left then
            self._flush()
