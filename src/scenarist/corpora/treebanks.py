"""UD English EWT and GUM (CoNLL-U) -> Story with full parse, one story a document.

GUM's MISC column gives entities and coreference, its metadata title and genre; EWT's genre is the first part of the
document's name (weblog, newsgroup, email, reviews, answers). Both have a validation file of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Loader
from scenarist.formats import conllu
from scenarist.story import Story, replace


class EWT(Loader[Story]):
    """English Web Treebank."""

    name = "ewt"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        split: (f"en_ewt-ud-{split}.conllu",) for split in ("train", "dev", "test")
    }

    def read(self, path: Path) -> Iterator[Story]:
        for story in conllu.read(path, self.source):
            yield replace(story, genre=story.id.partition("-")[0])


class GUM(Loader[Story]):
    """Georgetown University Multilayer corpus; ``genre`` keeps one genre (fiction, news, ...) only."""

    name = "gum"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        split: (f"en_gum-ud-{split}.conllu",) for split in ("train", "dev", "test")
    }

    def __init__(self, split: str = "train", genre: str = "", path: str | Path | None = None) -> None:
        super().__init__(split, path)
        self.genre = genre

    def settings(self) -> Mapping[str, object]:
        return {"genre": self.genre} if self.genre else {}

    def read(self, path: Path) -> Iterator[Story]:
        for story in conllu.read(path, self.source):
            genre = story.genre or genre_of(story.id)
            if not self.genre or genre == self.genre:
                yield story if story.genre else replace(story, genre=genre)


def genre_of(id: str) -> str:
    """The genre in a GUM document's name.

    >>> genre_of("GUM_fiction_lunre")
    'fiction'
    """
    parts = id.split("_")
    return parts[1] if len(parts) > 2 and parts[0] == "GUM" else ""
