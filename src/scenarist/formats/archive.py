"""Files, folders and archives -> their texts, one at a time: tar (plain, gz, bz2, xz) and zip, any file of them packed or not.

A tar archive is read as a stream, so that memory holds one file at a time; where the order of names is asked for, by its index.
``texts`` gives what is plain text: all that `read`, `events`, `detect` and `learn` take in goes through it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, PACKED, open_binary, truncated

TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".txz")
UNPACK: dict[str, Callable[..., Any]] = {
    ".tar": open, ".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".txz": lzma.open,
}  # fmt: skip
UNZIP: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
BLOCK = 1 << 20
READ = (".txt", ".text", ".md", ".conllu", ".conll")
"""Endings of what a verb reads in a folder or an archive."""
ABOUT = frozenset(("README", "LICENSE", "NOTICE", "COPYING"))
"""Names of files about a folder: none of its texts."""


class ArchivedFile(NamedTuple):
    """A file of a folder or an archive."""

    name: str
    """Path inside the folder or archive, parts joined by ``/``."""
    data: bytes
    where: str
    """What an error message calls it."""


class NamedText(NamedTuple):
    """A plain text and its name."""

    name: str
    text: str


def members(path: Path, endings: tuple[str, ...] = (), by_name: bool = False) -> Iterator[ArchivedFile]:
    """The files of a folder (sorted, with its subfolders), an archive (in its order, or ``by_name``), or the one file itself.

    Hidden files are passed over. ``endings`` keeps the names that end so.
    """
    if not path.exists():
        raise BadInput(f"{path}: no such file or folder")
    if path.is_dir():
        for file in folder_files(path, endings):
            yield ArchivedFile(file.relative_to(path).as_posix(), whole(file), str(file))
    elif path.name.endswith(TAR):
        yield from in_tar(path, endings, by_name)
    elif path.suffix == ".zip" or zipfile.is_zipfile(path):
        yield from in_zip(path, endings, by_name)
    else:
        yield ArchivedFile(path.name, whole(path), str(path))


def folder_files(path: Path, endings: tuple[str, ...] = ()) -> list[Path]:
    """The files of a folder and its subfolders that we look for, sorted."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return [file for file in files if wanted(file.relative_to(path).as_posix(), endings)]


def wanted(name: str, endings: tuple[str, ...]) -> bool:
    """Is it a file we look for? Packed variants of an ending count."""
    if any(part.startswith((".", "__MACOSX")) for part in name.split("/")):
        return False
    return not endings or any(name.removesuffix(packed).endswith(endings) for packed in (*PACKED, ""))


def is_text(name: str, endings: tuple[str, ...] = READ) -> bool:
    """Is this a file of text by its name, packed or not? What is about the folder is none of its texts.

    >>> is_text("a.txt.gz"), is_text("README.md"), is_text("LICENSE.txt"), is_text("page.html")
    (True, False, False, False)
    """
    bare = name
    for packed in PACKED:
        bare = bare.removesuffix(packed)
    path = PurePosixPath(bare)
    about = path.stem in ABOUT or (path.suffix == ".md" and path.stem.isupper())
    return wanted(name, endings) and not about


def whole(path: Path) -> bytes:
    """The unpacked bytes of one file."""
    with open_binary(path) as stream:
        try:
            return stream.read()
        except (*BROKEN, OSError) as error:
            raise truncated(path, 0, error) from error


def unpacked(member: ArchivedFile) -> ArchivedFile:
    """A file of an archive without its own packing (``a.txt.gz`` inside a tar)."""
    unpack = UNZIP.get(PurePosixPath(member.name).suffix)
    return member._replace(data=unpack(member.data)) if unpack else member


def in_tar(path: Path, endings: tuple[str, ...], by_name: bool = False) -> Iterator[ArchivedFile]:
    """The files of a tar archive, streamed to the very end of the file, so that a truncated one is noticed."""
    opener = UNPACK[path.suffix]
    try:
        with opener(path, "rb") as stream, tarfile.open(fileobj=stream, mode="r:" if by_name else "r|") as archive:
            for entry in sorted(archive.getmembers(), key=lambda entry: entry.name) if by_name else archive:
                if entry.isfile() and wanted(entry.name, endings):
                    file = archive.extractfile(entry)
                    yield unpacked(ArchivedFile(entry.name, file.read() if file else b"", f"{path}:{entry.name}"))
            while stream.read(BLOCK):
                pass
    except (tarfile.TarError, *BROKEN, OSError) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error


def in_zip(path: Path, endings: tuple[str, ...], by_name: bool = False) -> Iterator[ArchivedFile]:
    """The files of a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            for entry in sorted(entries, key=lambda entry: entry.filename) if by_name else entries:
                if not entry.is_dir() and wanted(entry.filename, endings):
                    yield unpacked(ArchivedFile(entry.filename, archive.read(entry), f"{path}:{entry.filename}"))
    except (zipfile.BadZipFile, *BROKEN, OSError) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error


def texts(
    path: str | Path, endings: tuple[str, ...] = (".txt",), encoding: str = "utf-8", by_name: bool = False
) -> Iterator[NamedText]:
    """The plain texts of a file, a folder or an archive; a single file may have any name."""
    path = Path(path)
    for member in members(path, endings, by_name):
        if is_text(member.name, endings) or member.where == str(path):
            yield NamedText(member.name, decoded(member, encoding))


def decoded(member: ArchivedFile, encoding: str = "utf-8") -> str:
    """A file's bytes as text with line breaks as ``\\n``; a byte that does not fit is an error with its place and what to type."""
    try:
        text = member.data.decode(encoding)
    except LookupError as error:
        raise BadInput(f"There is no encoding {encoding!r}. Type for example: --encoding latin-1") from error
    except UnicodeDecodeError as error:
        line = member.data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{member.where}, line {line}: expected {encoding} text, but byte {error.start + 1} is "
            f"0x{member.data[error.start]:02x}. If you know its encoding, say so where a verb takes it: --encoding latin-1 "
            "(or cp1252, utf-16, ...); or convert it: iconv -f latin1 -t utf-8 FILE"
        ) from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
