"""ICWSM Spinn3r blog corpus (Burton et al. 2009) -> Story: the ``<item>`` elements of its XML, English posts only by default.

For those who hold the licence: put the XML files (packed or not, in whatever subfolders) below ``spinn3r/``. The post's HTML becomes plain
text. Prefixes such as ``weblog:`` need not be declared: the files are read without namespaces. Empty posts are passed over. No
validation file: dev is cut by the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar
from xml.parsers.expat import ExpatError, ParserCreate

from scenarist.corpora import search_path as finding
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, open_binary, truncated
from scenarist.formats.markup import plain
from scenarist.story import Story

BLOCK = 1 << 16
XML = (".xml", ".xml.gz", ".xml.bz2", ".xml.xz")


class Spinn3r(Loader[Story]):
    """Blog posts; ``language`` is compared with the post's ``dc:lang``, empty keeps all."""

    name = "spinn3r"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": (".",)}

    def __init__(self, split: str = "train", language: str = "en", path: str | Path | None = None) -> None:
        super().__init__(split, path)
        self.language = language

    def settings(self) -> Mapping[str, object]:
        return {} if self.language == "en" else {"language": self.language}

    def file(self) -> Path:
        if self.path is None and next(iter(finding.folders(self.name)), None) is None:
            raise finding.missing(self.name)
        return super().file()

    def read(self, path: Path) -> Iterator[Story]:
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.name.endswith(XML))
        if not files:
            raise finding.missing(self.name, ("*.xml",))
        for file in files:
            for number, item in enumerate(items(file), start=1):
                if self.language and item.get("dc:lang", self.language) != self.language:
                    continue
                text = plain(item.get("description") or item.get("post:body") or item.get("post:content_extract", ""))
                if text and self.keeps(text):
                    id = item.get("guid") or item.get("link") or f"{file.name}/{number}"
                    notes = tuple(
                        (key, item[key]) for key in ("link", "pubDate", "weblog:title", "weblog:tier") if item.get(key)
                    )
                    yield Story(id, text, plain(item.get("title", "")), source=self.source, genre="blog", notes=notes)


def items(path: Path) -> Iterator[dict[str, str]]:
    """Each ``<item>`` as its child elements' text by name; memory holds one block of the file and its items."""
    ready: list[dict[str, str]] = []
    stack: list[str] = []
    item: dict[str, str] | None = None
    parser = ParserCreate()
    parser.buffer_text = True

    def start(name: str, _attributes: dict[str, str]) -> None:
        nonlocal item
        stack.append(name)
        if name == "item":
            item = {}

    def end(name: str) -> None:
        nonlocal item
        stack.pop()
        if name == "item" and item is not None:
            ready.append({key: value.strip() for key, value in item.items()})
            item = None

    def text(data: str) -> None:
        if item is not None and len(stack) > 1 and stack[-2] == "item":
            item[stack[-1]] = item.get(stack[-1], "") + data

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    with open_binary(path) as stream:
        try:
            while block := stream.read(BLOCK):
                parser.Parse(block, False)
                yield from ready
                ready.clear()
            parser.Parse(b"", True)
            yield from ready
        except ExpatError as error:
            raise BadInput(
                f"{path}, line {error.lineno}, column {error.offset + 1}: not well-formed XML, truncated? {error}"
            ) from error
        except BROKEN as error:
            raise truncated(path, parser.CurrentLineNumber, error) from error
