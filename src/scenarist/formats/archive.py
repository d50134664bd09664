"""Files, folders and archives -> their texts, one at a time: tar (plain, gz, bz2, xz) and zip, any file of them packed or not.

A tar archive is read as a stream, so that memory holds one file at a time; where the order of names is asked for, by its index.
``texts`` gives what is plain text: all that `read`, `events`, `detect` and `learn` take in goes through it.

What an archive unpacks to is limited before it is unpacked, by the sizes its headers give (LARGEST, RATIO, MEMBERS), so that a small
file cannot fill the memory. Where a function takes ``skip``, a file that cannot be used is handed to it as an error and the next one
is read; without it the error is raised.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, PACKED, open_binary, truncated

TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".txz")
UNPACK: dict[str, Callable[..., Any]] = {
    ".tar": open, ".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".txz": lzma.open,
}  # fmt: skip
UNZIP: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
BLOCK = 1 << 20
LARGEST = 512 << 20
"""Bytes of one unpacked file, at most."""
SMALL = 16 << 20
"""Bytes up to which it does not matter how far a file was packed."""
RATIO = 200
"""How many times its packed size a file may unpack to; English text packs to a third or a fifth, lists of numbers to a tenth."""
MEMBERS = 1_000_000
"""Files of one archive, at most."""
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


Skip: TypeAlias = Callable[[BadInput], None]
"""What is told of a file that cannot be used, so that the next one is read."""


def members(
    path: Path,
    endings: tuple[str, ...] = (),
    by_name: bool = False,
    skip: Skip | None = None,
    nested: bool = False,
) -> Iterator[ArchivedFile]:
    """The files of a folder (sorted, with its subfolders), an archive (in its order, or ``by_name``), or the one file itself.

    Hidden files are passed over. ``endings`` keeps the names that end so. ``nested``: an archive inside a folder is opened as well.
    """
    if not path.exists():
        raise BadInput(f"{path}: no such file or folder")
    if path.is_dir():
        for file in folder_files(path, endings, nested):
            name = file.relative_to(path).as_posix()
            if nested and is_archive(file):
                for member in usable(members(file, endings, by_name), skip):
                    yield member._replace(name=f"{name}/{member.name}")
            else:
                yield from usable((ArchivedFile(name, whole(file), str(file)) for _ in (0,)), skip)
    elif path.name.endswith(TAR):
        yield from usable(in_tar(path, endings, by_name), skip)
    elif is_zip(path):
        yield from usable(in_zip(path, endings, by_name), skip)
    else:
        yield ArchivedFile(path.name, whole(path), str(path))


def usable(files: Iterable[ArchivedFile], skip: Skip | None) -> Iterator[ArchivedFile]:
    """The files up to the first that cannot be read: the error goes to ``skip`` where there is one."""
    try:
        yield from files
    except BadInput as error:
        if skip is None:
            raise
        skip(error)


def is_zip(path: Path) -> bool:
    """Is it a zip archive, by its name or its first bytes? A damaged one is one, too."""
    if path.suffix == ".zip":
        return True
    try:
        with path.open("rb") as stream:
            return stream.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def is_archive(path: Path) -> bool:
    """Is it an archive by its name?"""
    return path.name.endswith((*TAR, ".zip"))


def folder_files(path: Path, endings: tuple[str, ...] = (), nested: bool = False) -> list[Path]:
    """The files of a folder and its subfolders that we look for, sorted; ``nested``: archives among them."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return [
        file
        for file in files
        if wanted(name := file.relative_to(path).as_posix(), endings)
        or (nested and is_archive(file) and wanted(name, ()))
    ]


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
    packed = path.stat().st_size if path.suffix in UNZIP else 0
    with open_binary(path) as stream:
        try:
            return limited(stream, str(path), packed)
        except (*BROKEN, OSError) as error:
            raise truncated(path, 0, error) from error


def limited(stream: BinaryIO, where: str, packed: int = 0) -> bytes:
    """All bytes of an open file, as far as it keeps to the limits; ``packed`` is its size before unpacking, 0 where it is not packed."""
    most = max(SMALL, RATIO * packed) if packed else LARGEST
    blocks: list[bytes] = []
    size = 0
    while block := stream.read(BLOCK):
        size += len(block)
        check_size(size, packed, where, min(most, LARGEST))
        blocks.append(block)
    return b"".join(blocks)


def check_size(size: int, packed: int, where: str, most: int) -> None:
    """Refuse a file that unpacks to more than the limits allow."""
    if size <= most:
        return
    if most == LARGEST:
        raise BadInput(f"{where}: larger than {LARGEST >> 20} MB unpacked; expected texts. Cut it into smaller files.")
    raise BadInput(
        f"{where}: {packed:,} bytes unpack to more than {most:,}, over {RATIO} times as much; that is no text. "
        "If it is one, unpack the archive yourself and name the folder."
    )


def unpacked(member: ArchivedFile) -> ArchivedFile:
    """A file of an archive without its own packing (``a.txt.gz`` inside a tar)."""
    unpack = UNZIP.get(PurePosixPath(member.name).suffix)
    if unpack is None:
        return member
    with unpack(io.BytesIO(member.data)) as stream:
        return member._replace(data=limited(stream, member.where, len(member.data)))


def in_tar(path: Path, endings: tuple[str, ...], by_name: bool = False) -> Iterator[ArchivedFile]:
    """The files of a tar archive, streamed to the very end of the file, so that a truncated one is noticed."""
    opener = UNPACK[path.suffix]
    packed = path.stat().st_size if path.suffix != ".tar" else 0
    most = max(SMALL, RATIO * packed) if packed else 0
    total = 0
    try:
        with opener(path, "rb") as stream, tarfile.open(fileobj=stream, mode="r:" if by_name else "r|") as archive:
            entries = sorted(archive.getmembers(), key=lambda entry: entry.name) if by_name else archive
            for number, entry in enumerate(entries):
                if number >= MEMBERS:
                    raise BadInput(
                        f"{path}: more than {MEMBERS:,} files in one archive. Unpack it and name the folder."
                    )
                total += entry.size
                if most:
                    check_size(total, packed, str(path), most)
                if entry.isfile() and wanted(entry.name, endings):
                    check_size(entry.size, 0, f"{path}:{entry.name}", LARGEST)
                    file = archive.extractfile(entry)
                    yield unpacked(ArchivedFile(entry.name, file.read() if file else b"", f"{path}:{entry.name}"))
            while stream.read(BLOCK):
                pass
    except (tarfile.TarError, *BROKEN, OSError) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error


def in_zip(path: Path, endings: tuple[str, ...], by_name: bool = False) -> Iterator[ArchivedFile]:
    """The files of a zip archive; its directory says how large each is before anything is unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MEMBERS:
                raise BadInput(f"{path}: more than {MEMBERS:,} files in one archive. Unpack it and name the folder.")
            packed = path.stat().st_size
            check_size(sum(entry.file_size for entry in entries), packed, str(path), max(SMALL, RATIO * packed))
            for entry in sorted(entries, key=lambda entry: entry.filename) if by_name else entries:
                if not entry.is_dir() and wanted(entry.filename, endings):
                    where = f"{path}:{entry.filename}"
                    check_size(entry.file_size, entry.compress_size, where, LARGEST)
                    yield unpacked(ArchivedFile(entry.filename, archive.read(entry), where))
    except (zipfile.BadZipFile, *BROKEN, OSError, NotImplementedError, RuntimeError) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error


def texts(
    path: str | Path,
    endings: tuple[str, ...] = (".txt",),
    encoding: str = "utf-8",
    by_name: bool = False,
    skip: Skip | None = None,
) -> Iterator[NamedText]:
    """The plain texts of a file, a folder (archives in it opened, too) or an archive; a single file may have any name.

    With ``skip``, a file that is damaged, empty, not text or of another encoding is handed to it, and the next one is read.
    """
    path = Path(path)
    for member in members(path, endings, by_name, skip, nested=True):
        if is_text(member.name, endings) or member.where == str(path):
            try:
                text = decoded(member, encoding)
                if skip is not None and not text.strip():
                    raise BadInput(f"{member.where}: the file is empty; expected a text.")
            except BadInput as error:
                if skip is None:
                    raise
                skip(error)
                continue
            yield NamedText(member.name, text)


MAGIC = {
    b"%PDF": "a PDF; take its text out first (pdftotext FILE)", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture", b"\x7fELF": "a program", b"SQLite f": "a database", b"{\\rtf": "RTF; save it as plain text",
    b"\xd0\xcf\x11\xe0": "an old Word file; save it as plain text", b"\x1f\x8b": "packed with gzip; call it FILE.gz",
}  # fmt: skip
"""First bytes of files that are no text -> what they are."""
CONTROL = 0.02
"""A file with a larger share of control characters than this is not text."""
CONTROLS = frozenset(chr(code) for code in range(32) if chr(code) not in "\t\n\r\f\v\x1b") | {"\x7f"}


def not_text(member: ArchivedFile, text: str) -> str:
    """What a file is that is no text; empty for a text.

    >>> not_text(ArchivedFile("a", b"%PDF-1.7", "a"), "%PDF-1.7")
    'a PDF; take its text out first (pdftotext FILE)'
    """
    for start, kind in MAGIC.items():
        if member.data.startswith(start):
            return kind
    sample = text[:10_000]
    odd = sum(letter in CONTROLS for letter in sample)
    return "binary data" if odd > 8 and odd > CONTROL * len(sample) else ""


def decoded(member: ArchivedFile, encoding: str = "utf-8") -> str:
    """A file's bytes as text with line breaks as ``\\n``; a byte that does not fit is an error with its place and what to type."""
    try:
        text = member.data.decode(encoding)
    except LookupError as error:
        raise BadInput(f"There is no encoding {encoding!r}. Type for example: --encoding latin-1") from error
    except UnicodeDecodeError as error:
        if kind := not_text(member, member.data[:10_000].decode("latin-1")):
            raise BadInput(f"{member.where}: expected a text, found {kind}.") from error
        line = member.data.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{member.where}, line {line}: expected {encoding} text, but byte {error.start + 1} is "
            f"0x{member.data[error.start]:02x}. If you know its encoding, say so where a verb takes it: --encoding latin-1 "
            "(or cp1252, utf-16, ...); or convert it: iconv -f latin1 -t utf-8 FILE"
        ) from error
    if kind := not_text(member, text):
        raise BadInput(f"{member.where}: expected a text, found {kind}.")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
