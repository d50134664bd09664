"""Folders and archives -> files, one at a time: .txt files, folders of them, tar (plain, gz, bz2, xz) and zip.

A tar archive is read as a stream, so that memory holds one file at a time. ``texts`` gives what is plain text.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, open_binary, truncated

TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".txz")
UNPACK: dict[str, Callable[..., Any]] = {
    ".tar": open, ".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".txz": lzma.open,
}  # fmt: skip
BLOCK = 1 << 20


class Member(NamedTuple):
    """A file of a folder or an archive."""

    name: str
    """Path inside the folder or archive, parts joined by ``/``."""
    data: bytes
    where: str
    """What an error message calls it."""


class Text(NamedTuple):
    """A plain text and its name."""

    name: str
    text: str


def members(path: Path, endings: tuple[str, ...] = ()) -> Iterator[Member]:
    """The files of a folder (sorted, with its subfolders), an archive (in its order), or the one file itself.

    Hidden files are passed over. ``endings`` keeps the names that end so.
    """
    if not path.exists():
        raise BadInput(f"{path}: no such file or folder")
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.is_file())
        names = ((file.relative_to(path).as_posix(), file) for file in found)
        for name, file in names:
            if wanted(name, endings):
                yield Member(name, whole(file), str(file))
    elif path.name.endswith(TAR):
        yield from in_tar(path, endings)
    elif path.suffix == ".zip":
        yield from in_zip(path, endings)
    else:
        yield Member(path.name, whole(path), str(path))


def wanted(name: str, endings: tuple[str, ...]) -> bool:
    """Is it a file we look for? Packed variants of an ending count."""
    if any(part.startswith((".", "__MACOSX")) for part in name.split("/")):
        return False
    return not endings or any(name.removesuffix(packed).endswith(endings) for packed in (".gz", ".xz", ".bz2", ""))


def whole(path: Path) -> bytes:
    """The unpacked bytes of one file."""
    with open_binary(path) as stream:
        try:
            return stream.read()
        except (*BROKEN, OSError) as error:
            raise truncated(path, 0, error) from error


def in_tar(path: Path, endings: tuple[str, ...]) -> Iterator[Member]:
    """The files of a tar archive, streamed to the very end of the file, so that a truncated one is noticed."""
    opener = UNPACK[path.suffix]
    try:
        with opener(path, "rb") as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for entry in archive:
                if entry.isfile() and wanted(entry.name, endings):
                    file = archive.extractfile(entry)
                    yield Member(entry.name, file.read() if file else b"", f"{path}:{entry.name}")
            while stream.read(BLOCK):
                pass
    except (tarfile.TarError, *BROKEN, OSError) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error


def in_zip(path: Path, endings: tuple[str, ...]) -> Iterator[Member]:
    """The files of a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.is_dir() and wanted(entry.filename, endings):
                    yield Member(entry.filename, archive.read(entry), f"{path}:{entry.filename}")
    except (zipfile.BadZipFile, *BROKEN, OSError) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error


def texts(path: str | Path, endings: tuple[str, ...] = (".txt",), encoding: str = "utf-8") -> Iterator[Text]:
    """The plain texts of a file, a folder or an archive; a single file may have any ending."""
    for member in members(Path(path), endings):
        yield Text(member.name, decoded(member, encoding))


def decoded(member: Member, encoding: str = "utf-8") -> str:
    """A file's bytes as text with line breaks as ``\\n``; a byte that does not fit is an error with its line."""
    try:
        text = member.data.decode(encoding)
    except UnicodeDecodeError as error:
        line = member.data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{member.where}, line {line}: expected {encoding} text, found byte 0x{member.data[error.start]:02x}. "
            "Give its encoding, or convert it: iconv -f latin1 -t utf-8 FILE"
        ) from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
