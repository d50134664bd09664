"""JSON lines <-> nouns: one value a line, packed or not, written whole or not at all."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from scenarist.formats.lines import lines
from scenarist.noun import from_json, write_jsonl
from scenarist.store.home import whole_file

N = TypeVar("N")


def read(path: Path, kind: type[N]) -> Iterator[N]:
    """The nouns (or records) of a file, one at a time; an error names the file, the line and the field."""
    for line in lines(path):
        if line.text.strip():
            yield from_json(line.text, kind, where=f"{path}, line {line.number}")


def write(path: Path, nouns: Iterable[Any]) -> int:
    """Write nouns, one a line, and return how many; ``.gz`` is packed reproducibly (no time stamp)."""
    count = 0
    with whole_file(path) as temporary, temporary.open("wb") as raw, packing(path, raw) as out:
        for line in write_jsonl(nouns):
            out.write(line)
            count += 1
    return count


def packing(path: Path, raw: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    """The stream to write to: packed where the name says so."""
    if path.suffix == ".gz":
        return cast(AbstractContextManager[IO[bytes]], gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
    return nullcontext(raw)
