"""Many pieces of work -> their results, in order, by several processes; and files, folders and archives -> texts."""

from __future__ import annotations

import multiprocessing
import os
import tarfile
import threading
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, PACKED, open_binary

W = TypeVar("W")
R = TypeVar("R")
AHEAD = 3
"""Pieces of work handed out per process before the first result is awaited."""
READ = (".txt", ".text", ".md", ".conllu", ".conll")
"""Files a folder or archive is searched for, also packed (``.txt.gz``)."""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Text(NamedTuple):
    """A text and what to call it."""

    id: str
    text: str


def workers(jobs: int) -> ProcessPoolExecutor:
    """A pool of processes, each computing with one thread."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=prepare)


def in_order(
    function: Callable[[W], R], work: Iterable[W], pool: ProcessPoolExecutor | None, jobs: int = 1
) -> Iterator[R]:
    """The function's results in the order of the work, computed by a pool of ``jobs`` processes (no pool: in this one)."""
    if pool is None:
        yield from map(function, work)
        return
    waiting: deque[Future[R]] = deque()
    try:
        for piece in work:
            waiting.append(pool.submit(function, piece))
            if len(waiting) >= jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def prepare() -> None:
    """A worker computes with one thread (the processes are the parallelism) and ends when the program that began it does."""
    for name in ONE_THREAD:
        os.environ[name] = "1"
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


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
