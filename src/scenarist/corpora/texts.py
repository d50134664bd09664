"""Files of one's own -> Story: ``texts:PATH``, ``jsonl:PATH``, ``conllu:PATH`` and ``conll:PATH`` are corpora.

``texts``: .txt files in a folder, a tar or a zip archive, one story a file; the id is the file's name without its ending, nothing is
parsed. ``jsonl``: our own JSON lines. ``conllu`` and ``conll``: a file, or a folder of files, in CoNLL-U or CoNLL coreference format.
Splits are cut by the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

from scenarist.corpora import splits
from scenarist.corpora.loader import Loader, members
from scenarist.corpora.search_path import PACKED
from scenarist.errors import BadInput
from scenarist.formats import archive, conllcoref, conllu, jsonl
from scenarist.formats.lines import without_ending
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


class ParsedFiles(Loader[Story]):
    """``conllu:PATH``: parsed documents of one's own."""

    name = "conllu"
    endings: ClassVar[tuple[str, ...]] = (".conllu",)
    format: ClassVar[Callable[[Path, str], Iterator[Story]]] = conllu.read

    def __init__(self, target: str | Path, split: str = "all") -> None:
        super().__init__(split, target)

    def read(self, path: Path) -> Iterator[Story]:
        for file in members(path, self.fits) if path.is_dir() else (path,):
            for story in type(self).format(file, self.source):
                if splits.keeps(self.split, story.text):
                    yield story

    def fits(self, name: str) -> bool:
        """Is it a file of the format, packed or not?"""
        return any(name.removesuffix(packed).endswith(self.endings) for packed in ("", *PACKED))


class CoreferenceFiles(ParsedFiles):
    """``conll:PATH``: documents of one's own with coreference."""

    name = "conll"
    endings = (".conll", "_conll")
    format = conllcoref.read
