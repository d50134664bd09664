"""OntoGUM (Zhu et al. 2021) -> Story with tokens and entities: GUM's coreference by the OntoNotes scheme, no singletons.

One file a document in the short CoNLL dialect. The document name is empty in the files: the id is the file's name, the
genre its second part. There are no sentence ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Loader, members
from scenarist.corpora.treebanks import genre_of
from scenarist.formats import conllcoref
from scenarist.story import Story, replace


class OntoGUM(Loader[Story]):
    """Coreference of many genres; ``genre`` keeps one of them only."""

    name = "ontogum"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {split: (split,) for split in ("train", "dev", "test")}

    def __init__(self, split: str = "train", genre: str = "", path: str | Path | None = None) -> None:
        super().__init__(split, path)
        self.genre = genre

    def settings(self) -> Mapping[str, object]:
        return {"genre": self.genre} if self.genre else {}

    def read(self, path: Path) -> Iterator[Story]:
        for file in members(path, lambda name: ".conll" in name):
            for story in conllcoref.read(file, self.source):
                genre = genre_of(story.id)
                if not self.genre or genre == self.genre:
                    yield replace(story, genre=genre)
