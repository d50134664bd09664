"""Plain text of one's own -> Story: ``texts:PATH`` is a corpus of .txt files in a folder, a tar or a zip archive.

One story a file; the id is the file's name without its ending. Nothing is parsed. Splits are cut by the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarist.corpora import splits
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats import archive, jsonl
from scenarist.formats.lines import stem
from scenarist.story import Story


class Texts(Loader[Story]):
    """A corpus from a folder or archive of plain texts."""

    name = "texts"

    def __init__(self, target: str | Path, split: str = "all", encoding: str = "utf-8") -> None:
        super().__init__(split, target)
        self.encoding = encoding

    def read(self, path: Path) -> Iterator[Story]:
        for name, text in archive.texts(path, encoding=self.encoding):
            if text.strip() and splits.keeps(self.split, text):
                yield Story(without_ending(name), text, source=self.source)


class Stories(Loader[Story]):
    """``jsonl:PATH``: stories in our own JSON lines."""

    name = "jsonl"

    def __init__(self, target: str | Path, split: str = "all") -> None:
        super().__init__(split, target)

    def read(self, path: Path) -> Iterator[Story]:
        seen: set[str] = set()
        for story in jsonl.read(path, Story):
            if story.id in seen:
                raise BadInput(f"{path}: duplicate id {story.id!r}; every story needs an id of its own")
            seen.add(story.id)
            if splits.keeps(self.split, story.text):
                yield story


def without_ending(name: str) -> str:
    """A member's path without the ending of its file.

    >>> without_ending("1914/my.diary.txt")
    '1914/my'
    """
    folder, slash, file = name.rpartition("/")
    return folder + slash + stem(Path(file))
