"""A page -> a file that is written whole or not at all; and which files may be written over.

A file that is one of the inputs is never written over. Of the others only what scenarist wrote (a page, a Parquet file, a folder with
a card of ours) is written over without being asked to: ``force``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.parallel import end_workers as end_workers
from scenarist.store.ledger import kept_so_far as kept_so_far

MARK = b'name="generator" content="scenarist"'
"""What every page of ours says of itself in its head."""
HEAD, TAIL = 4_096, 65_536
"""Bytes in which a mark is looked for: pages carry it in front, Parquet files in their footer."""
PAGES, TABLES = (".html", ".htm"), (".parquet",)


def save_page(path: str | Path, html: str, force: bool = True) -> Path:
    """Write a page, as the functions of `scenarist.pages` give it; nothing is left half-written."""
    from scenarist.store.home import write_whole

    path = Path(path)
    check_output(path, force=force)
    write_whole(path, [html.encode("utf-8", "replace")])
    return path


def check_output(path: str | Path, inputs: Iterable[str | Path] = (), force: bool = False) -> None:
    """Refuse a file to write that is a folder, an input, or somebody else's; ask before long work begins."""
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; expected the name of a file to write, e.g. {path}/page.html")
    if not path.exists():
        return
    refuse_input(path, inputs)
    if not force and not ours(path):
        raise BadInput(
            f"{path} is there already and is not scenarist's. Choose another name, or write over it with --force."
        )


def check_output_folder(
    path: str | Path, files: Iterable[str], inputs: Iterable[str | Path] = (), force: bool = False, card: str = ""
) -> None:
    """Refuse a folder to write ``files`` to: one that is a file or an input, or holds such files of somebody else's.

    ``card`` is a file that only our own folders hold; with it, all of them are ours.
    """
    path, inputs = Path(path), list(inputs)
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file; expected a folder to write to.")
    for given in inputs:
        if Path(given).is_dir() and path.exists() and path.samefile(given):
            raise BadInput(f"{path} is the folder that is read; write to another: -o {path.name}-read")
    if force or (card and (path / card).exists()):
        return
    for name in files:
        file = path / name
        if file.exists() and file.stat().st_size and not ours(file):
            raise BadInput(
                f"{file} is there already and is not scenarist's. Choose another folder, or write over it with --force."
            )


def refuse_input(path: Path, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of the inputs, also by another name."""
    from scenarist.verbs.inputs import input_files

    if any(path.samefile(file) for file in input_files(inputs)):
        raise BadInput(f"{path} is one of the inputs; nothing was written. Choose another name for what comes out.")


def ours(path: Path) -> bool:
    """Did scenarist write this file? It says so itself: a page, a Parquet file, the JSON lines of a folder of ours."""
    try:
        with path.open("rb") as file:
            if path.suffix in PAGES:
                return MARK in file.read(HEAD)
            if path.suffix in TABLES:
                file.seek(max(0, path.stat().st_size - TAIL))
                return b"scenarist" in file.read()
            if path.suffix == ".jsonl":
                return file.read(HEAD).lstrip().startswith((b'{"schema":', b'{"story":{"id":'))
    except OSError:
        return False
    return False
