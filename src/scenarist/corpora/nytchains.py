"""NYT narrative chains of July 1994 (Chambers and Jurafsky 2008 style extraction) -> Chain, document by document.

One chain an entity, ``verb->dep`` with Stanford collapsed labels, single events kept (``minimum`` 1). Dev are the days
26 to 28 July. ``documents()`` gives the chains of a document together; ``cloze_items()`` the cloze file at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora import search_path as finding
from scenarist.corpora import splits
from scenarist.corpora.loader import Loader
from scenarist.formats import chains
from scenarist.formats.chains import ChainedDocument
from scenarist.question import Item
from scenarist.story import Chain


class NYTChains(Loader[Chain]):
    """Event chains of the New York Times."""

    name = "nyt-chains"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": ("train", "train.txt"), "test": ("test", "test.txt")}

    def __init__(self, split: str = "train", minimum: int = 1, path: str | Path | None = None) -> None:
        super().__init__(split, path)
        self.minimum = minimum

    def settings(self) -> Mapping[str, object]:
        return {} if self.minimum == 1 else {"minimum": self.minimum}

    def documents(self) -> Iterator[ChainedDocument]:
        """The documents of the split, all their chains included."""
        yield from chains.documents(
            self.file(), (lambda name: splits.keeps_day(self.split, name)) if self.cut else None
        )

    def read(self, path: Path) -> Iterator[Chain]:
        for document in self.documents():
            for chain in document.chains:
                if len(chain) >= self.minimum:
                    yield chain


def cloze_items(path: str | Path | None = None) -> Iterator[Item]:
    """The items of the cloze file at hand (``sample_cloze``) or of a given one."""
    yield from chains.cloze(Path(path) if path is not None else finding.require("nyt-chains", "sample_cloze"))
