"""Files, folders and archives -> texts."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, PACKED, open_binary

READ = (".txt", ".text", ".md", ".conllu", ".conll")
"""Files a folder or archive is searched for, also packed (``.txt.gz``)."""


class Text(NamedTuple):
    """A text and what to call it."""

    id: str
    text: str


def texts(paths: Iterable[Path], encoding: str = "utf-8") -> Iterator[Text]:
    """The texts of files, folders (searched for text files) and archives (zip, tar), in the order of names."""
    for path in paths:
        if path.is_dir():
            found = sorted(one for one in path.rglob("*") if one.is_file() and wanted(one.name))
            if not found:
                raise BadInput(f"{path}: expected text files ({', '.join(READ)}) in this folder, found none.")
            for one in found:
                yield from file(one, str(one.relative_to(path)), encoding)
        elif not path.exists():
            raise BadInput(f"{path}: there is no such file. Type: scenarist events FILE")
        else:
            yield from file(path, path.name, encoding)


def file(path: Path, name: str, encoding: str) -> Iterator[Text]:
    """The text of one file, or all texts of an archive."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for member in sorted(archive.namelist()):
                    if wanted(member):
                        yield decoded(archive.read(member), f"{path}:{member}", member, encoding)
        elif ".tar" in path.suffixes or path.suffix in (".tgz", ".txz"):
            with tarfile.open(path) as bundle:
                for one in sorted(bundle.getmembers(), key=lambda one: one.name):
                    stream = bundle.extractfile(one) if one.isfile() and wanted(one.name) else None
                    if stream is not None:
                        yield decoded(stream.read(), f"{path}:{one.name}", one.name, encoding)
        else:
            with open_binary(path) as stream:
                yield decoded(stream.read(), str(path), name, encoding)
    except (*BROKEN, tarfile.TarError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path}: the archive is truncated or damaged ({error}). Get it again.") from error
    except IsADirectoryError as error:
        raise BadInput(f"{path}: expected a file.") from error


def wanted(name: str) -> bool:
    """Is this a file of text by its name, packed or not? What is about the folder (README.md, LICENSE.txt) is none of its texts.

    >>> wanted("a.txt.gz"), wanted("README.md"), wanted("LICENSE.txt"), wanted("page.html")
    (True, False, False, False)
    """
    for ending in PACKED:
        name = name.removesuffix(ending)
    path = Path(name)
    about = path.stem in ("README", "LICENSE", "NOTICE", "COPYING") or (path.suffix == ".md" and path.stem.isupper())
    return path.suffix in READ and not path.name.startswith(".") and not about


def decoded(raw: bytes, where: str, name: str, encoding: str) -> Text:
    """Bytes as text; a byte that does not fit is an error that says where it is and what to type."""
    try:
        text = raw.decode(encoding)
    except LookupError as error:
        raise BadInput(f"There is no encoding {encoding!r}. Type for example: --encoding latin-1") from error
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{where}: expected {encoding} text, but byte {error.start + 1} is 0x{raw[error.start]:02x}. "
            "If you know its encoding, say so: --encoding latin-1 (or cp1252, utf-16, ...)"
        ) from error
    return Text(name, text.removeprefix("\ufeff").replace("\r\n", "\n"))
