"""manifest.toml -> CorpusEntry: for each corpus what it is, its licence, where it is obtained, its files and its traps.

``check`` compares the files on the search path with it; an unknown checksum is a warning, never an error.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from scenarist.noun import Noun
from scenarist.registry import suggest

if TYPE_CHECKING:
    from scenarist.corpora.checking import CorpusReport


CARRIED = ("toy", "library", "toy-scripts", "probes")
"""Corpora that ship with the package."""


class OfficialFile(Noun, frozen=True):
    """A file (or folder) of a corpus under its official name."""

    name: str
    """Path inside the corpus's folder; packed variants (.gz, .xz, .bz2) are found as well."""
    split: str = ""
    """Which split it holds, empty for side files."""
    what: str = ""
    release: str = ""
    """Which release the checksum is of."""
    sha256: tuple[str, ...] = ()
    """Checksums of known releases: of the file's unpacked bytes; of a folder, over its files (see checking.digest)."""
    optional: bool = False


class Count(Noun, frozen=True):
    """How many nouns a split of a known release yields."""

    split: str
    count: int
    what: str = "items"


class CorpusEntry(Noun, frozen=True):
    """What is known of a corpus before a byte of it is read."""

    name: str
    title: str
    what: str
    obtain: str
    folder: str
    """Folder below the search path (other names are accepted, see ``folders``)."""
    yields: str = "Story"
    citation: str = ""
    licence: str = ""
    files: tuple[OfficialFile, ...] = ()
    counts: tuple[Count, ...] = ()
    traps: tuple[str, ...] = ()
    contamination: str = ""
    """What the pretrained models behind our rows (SmolLM2, MiniLM) and a user's own may have read of it."""
    folders: tuple[str, ...] = ()
    """Further folder names that are accepted."""


@cache
def entries() -> tuple[CorpusEntry, ...]:
    """All corpora of the manifest, in its order."""
    raw = tomllib.loads(files("scenarist.corpora").joinpath("manifest.toml").read_text(encoding="utf-8"))
    return tuple(msgspec.convert({"name": name, **fields}, CorpusEntry) for name, fields in raw.items())


def entry(name: str) -> CorpusEntry:
    """The entry of one corpus; a typo is answered with "did you mean"."""
    known = {one.name: one for one in entries()}
    if name not in known:
        raise suggest(name, list(known), "corpus")
    return known[name]


def check(name: str) -> CorpusReport:
    """Verify a corpus: files found, checksums, reads to the end, counts as expected."""
    from scenarist.corpora import checking

    return checking.check(name)
