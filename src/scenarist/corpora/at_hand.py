"""The manifest and the search path -> which corpora are at hand, without reading them."""

from __future__ import annotations

from scenarist.corpora import manifest
from scenarist.corpora import search_path as finding
from scenarist.noun import Noun


class CorpusAtHand(Noun, frozen=True):
    """A corpus and its splits at hand."""

    name: str
    title: str
    what: str
    yields: str
    splits: tuple[str, ...]
    """Splits whose file is there; ``dev`` also where it is cut from the training file."""


def overview() -> tuple[CorpusAtHand, ...]:
    """All corpora of the manifest."""
    return tuple(CorpusAtHand(one.name, one.title, one.what, one.yields, at_hand(one)) for one in manifest.entries())


def at_hand(entry: manifest.CorpusEntry) -> tuple[str, ...]:
    """The splits of a corpus that can be read here."""
    if entry.name in manifest.CARRIED:
        return ("train", "dev", "test")
    found = {file.split for file in entry.files if file.split and finding.locate(entry.name, file.name) is not None}
    return tuple(readable_splits(entry, found))


def readable_splits(entry: manifest.CorpusEntry, at_hand: set[str]) -> list[str]:
    """The splits that can be read where these have a file: dev and uncounted parts may be inside the training file."""
    if "train" in at_hand:
        own = {file.split for file in entry.files}
        at_hand = at_hand | {"dev"} | {count.split for count in entry.counts if count.split not in own}
    return [split for split in ("train", "dev", "test") if split in at_hand]
