"""Where a corpus's files are: ``SCENARIST_DATA``, a search path like PATH (folders joined by ``os.pathsep``).

A file is looked for as ``ROOT/FOLDER/NAME`` and, where ROOT is itself the corpus's folder, as ``ROOT/NAME``; a file whose
name says whose it is (not ``test.jsonl``) may lie in ROOT as well. Packed variants (``.gz``, ``.xz``, ``.bz2``) are found
under the plain name and the other way round. A missing corpus is one message that says what it is, where it is obtained and
where to put it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from scenarist.corpora import manifest
from scenarist.errors import Missing

VARIABLE = "SCENARIST_DATA"
PACKED = (".gz", ".xz", ".bz2")
GENERIC = frozenset(
    ["", "train", "dev", "test", "stories", "vocab", "documents", "experiment3", "train-data", "dev-data", "test-data"]
)
"""Names (without endings) that several corpora may have: never looked for outside their corpus's folder."""


def roots() -> tuple[Path, ...]:
    """The folders of the search path that exist, in order."""
    given = os.environ.get(VARIABLE, "")
    return tuple(path for part in given.split(os.pathsep) if part and (path := Path(part).expanduser()).is_dir())


def variants(name: str) -> Iterator[str]:
    """A file name and its packed or unpacked variants."""
    yield name
    for suffix in PACKED:
        yield name.removesuffix(suffix) if name.endswith(suffix) else name + suffix


def folders(corpus: str) -> Iterator[Path]:
    """All folders of the search path that may hold the corpus, in order of preference."""
    entry = manifest.entry(corpus)
    accepted = tuple(dict.fromkeys((entry.folder, corpus, *entry.folders)))
    for root in roots():
        for folder in accepted:
            if (root / folder).is_dir():
                yield root / folder
        if root.name in accepted:
            yield root


def locate(corpus: str, *names: str) -> Path | None:
    """The first file or folder of a corpus found under one of its names, None where there is none."""
    for folder in folders(corpus):
        for name in names:
            for variant in variants(name):
                if (folder / variant).exists():
                    return folder / variant
    telling = (name for name in names if name.split(".")[0] not in GENERIC)
    for root, name in product(roots(), telling):
        for variant in variants(name):
            if (root / variant).is_file():
                return root / variant
    return None


def require(corpus: str, *names: str, why: str = "") -> Path:
    """Like ``locate``, but a missing file is an error that tells how to come by it."""
    found = locate(corpus, *names)
    if found is None:
        raise missing(corpus, names, why)
    return found


def missing(corpus: str, names: tuple[str, ...] = (), why: str = "") -> Missing:
    """The error for a corpus, or a file of it, that is not on the search path."""
    entry = manifest.entry(corpus)
    wanted = " or ".join(names) or " or ".join(file.what if file.name == "." else file.name for file in entry.files)
    here = next(iter(folders(corpus)), None)
    place = here or (roots()[0] / entry.folder if roots() else Path("FOLDER") / entry.folder)
    looked = os.environ.get(VARIABLE) or "(not set)"
    return Missing(
        f"{why + ' ' if why else ''}The corpus {corpus!r} ({entry.title}: {entry.what}) is not there: {wanted} "
        f"was not found on {VARIABLE} = {looked}. Obtain it: {entry.obtain} Put {wanted} into {place}"
        + ("" if roots() else f" and set {VARIABLE}=FOLDER")
        + f". Then type: scenarist corpus check {corpus}"
    )
