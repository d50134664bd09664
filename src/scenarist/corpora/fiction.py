"""Novels, short works and fairy tales -> Story, streamed from their archives.

``novels``: LitBank's 100 whole novels. ``short-fiction``: novellas and short stories from Project Gutenberg (the folder is the
genre). ``fairytales``: FairytaleQA's tales, whose sentences come ready and whose folders give train, dev (``val``) and test.
The first two have no parts of their own: dev is cut by the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import ClassVar

from scenarist.corpora.loader import Loader
from scenarist.formats import archive
from scenarist.formats.lines import numbered
from scenarist.formats.table import rows_of
from scenarist.story import Story


class Novels(Loader[Story]):
    """Whole novels."""

    name = "novels"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": ("litbank_novels.tar.xz", "litbank_novels")}

    def read(self, path: Path) -> Iterator[Story]:
        for name, text in archive.texts(path):
            if text.strip() and self.keeps(text):
                id = PurePosixPath(name).stem
                yield Story(id, text, " ".join(id.split("_")[1:]), source=self.source, genre=self.genre(name))

    def genre(self, name: str) -> str:
        """The genre of a member."""
        return "novel"


class ShortFiction(Novels):
    """Novellas and short stories."""

    name = "short-fiction"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": ("gutenberg_short.tar.xz", "gutenberg_short")}

    def genre(self, name: str) -> str:
        return {"novellas": "novella", "short_stories": "short story"}.get(name.split("/")[0], "fiction")


class Fairytales(Loader[Story]):
    """Fairy tales, one sentence a row of their tables."""

    name = "fairytales"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = dict.fromkeys(
        ("train", "dev", "test"), ("fairytaleqa.tar.xz", "fairytaleqa")
    )

    def read(self, path: Path) -> Iterator[Story]:
        folder = {"train": "train", "dev": "val", "test": "test", "all": ""}[self.split]
        for member in archive.members(path, ("-story.csv",)):
            part = PurePosixPath(member.name).parent
            if part.parent.name != "sentence-stories" or folder not in (part.name, ""):
                continue
            stream = member.data.splitlines(keepends=True)
            rows = list(rows_of(numbered(stream, member.where), member.where, ("document_id", "text")))
            sentences = [text for row in rows if (text := " ".join(row["text"].split()))]
            if sentences:
                id = PurePosixPath(member.name).name.removesuffix("-story.csv")
                title = id.replace("-", " ")
                yield Story.from_sentences(id, sentences, title=title, source=self.source, genre="fairy tale")
