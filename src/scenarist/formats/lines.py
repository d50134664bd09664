"""Files -> lines, one at a time: plain, gzip, bzip2 and xz alike, with errors that name the file and the line.

Reading streams: no file is ever held whole. A truncated archive and a wrong encoding end as one BadInput that
says where.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from scenarist.errors import BadInput

PACKED: dict[str, Callable[[Path, str], object]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


class Line(NamedTuple):
    """A line of text without its line break, and its number counted from 1."""

    number: int
    text: str


def open_binary(path: Path) -> BinaryIO:
    """A file for reading bytes, unpacked by its ending."""
    opener = PACKED.get(path.suffix)
    try:
        return cast(BinaryIO, opener(path, "rb") if opener else path.open("rb"))
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from error


def truncated(path: Path | str, number: int, error: Exception) -> BadInput:
    """The error for a packed file that ends too early or is damaged."""
    place = f"{path}, after line {number}" if number else str(path)
    return BadInput(f"{place}: the packed file is truncated or damaged ({error}). Get it again.")


def lines(path: Path, encoding: str = "utf-8") -> Iterator[Line]:
    """The lines of a file with their numbers; a byte order mark is dropped."""
    with open_binary(path) as stream:
        yield from numbered(stream, path, encoding)


def numbered(stream: Iterable[bytes], path: Path | str, encoding: str = "utf-8") -> Iterator[Line]:
    """The lines of an open stream with their numbers; ``path`` is what errors call it."""
    number = 0
    try:
        for number, raw in enumerate(stream, start=1):
            yield Line(number, decode(raw, path, number, encoding))
    except BROKEN as error:
        raise truncated(path, number, error) from error
    except OSError as error:
        raise BadInput(f"{path}, after line {number}: cannot be read on: {error}") from error


def decode(raw: bytes, path: Path | str, number: int, encoding: str = "utf-8") -> str:
    """One raw line as text; a byte that does not fit is an error with its place."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path}, line {number}: expected {encoding} text, byte {error.start + 1} of the line is "
            f"0x{raw[error.start]:02x}. Convert the file: iconv -f latin1 -t utf-8 FILE"
        ) from error
    text = text.removesuffix("\n").removesuffix("\r")
    return text.removeprefix("\ufeff") if number == 1 else text


def stem(path: Path) -> str:
    """A file's name without its endings: ``GUM_bio_byron.conll.gz`` is ``GUM_bio_byron``."""
    name = path.name
    while (suffix := Path(name).suffix) and suffix[1:].isalnum() and not suffix[1:].isdigit():
        name = name.removesuffix(suffix)
    return name


def without_ending(name: str) -> str:
    """A file's path without the ending of its name, packed or not: what the text in it is called.

    >>> without_ending("1914/my.diary.txt.gz"), without_ending("Mr. Smith.md"), without_ending("day.2"), without_ending("notes")
    ('1914/my.diary', 'Mr. Smith', 'day.2', 'notes')
    """
    for packed in PACKED:
        name = name.removesuffix(packed)
    suffix = Path(name).suffix
    return name.removesuffix(suffix) if suffix[1:].isalnum() and not suffix[1:].isdigit() else name
