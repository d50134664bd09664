"""English Gigaword (LDC) -> Story: newswire in SGML, one ``<DOC id= type=>`` after the other, any edition.

For those who hold the licence: put the files (``nyt_eng_199407.gz`` and so on, in whatever subfolders) below ``gigaword/``. Kept are
documents of type ``story``; ``kinds`` asks for others (multi, advis, other). Headline becomes the title, paragraphs stand on lines
of their own. The SGML is read line by line, since it is no well-formed XML. No validation file: dev is cut by the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import ClassVar

from scenarist.corpora import search_path as finding
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats.lines import Line, lines
from scenarist.story import Story

DOC = re.compile(r'<DOC\s+id\s*=\s*"([^"]+)"(?:\s+type\s*=\s*"([^"]*)")?\s*>', re.IGNORECASE)
TAG = re.compile(r"</?([A-Z]+)>")


class Gigaword(Loader[Story]):
    """Newswire."""

    name = "gigaword"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": (".",)}

    def __init__(
        self,
        split: str = "train",
        kinds: Sequence[str] = ("story",),
        path: str | Path | None = None,
        encoding: str = "utf-8",
    ) -> None:
        super().__init__(split, path)
        self.kinds = tuple(kinds)
        self.encoding = encoding

    def settings(self) -> Mapping[str, object]:
        return {} if self.kinds == ("story",) else {"kinds": "+".join(self.kinds)}

    def file(self) -> Path:
        if self.path is None and next(iter(finding.folders(self.name)), None) is None:
            raise finding.missing(self.name)
        return super().file()

    def read(self, path: Path) -> Iterator[Story]:
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*_eng_*") if file.is_file())
        if not files:
            raise finding.missing(self.name, ("nyt_eng_199407.gz",))
        for file in files:
            for story in documents(file, self.source, self.encoding):
                if story.genre in self.kinds and story.text and self.keeps(story.text):
                    yield story


def documents(path: Path, source: str = "", encoding: str = "utf-8") -> Iterator[Story]:
    """The documents of one SGML file."""
    id = kind = ""
    body: list[Line] = []
    last = 0
    for line in lines(path, encoding):
        last = line.number
        found = DOC.match(line.text)
        if found:
            if id:
                raise BadInput(f"{path}, line {line.number}: expected </DOC> before the next <DOC>")
            id, kind, body = found[1], found[2] or "", []
        elif line.text.startswith("</DOC>"):
            if id:
                yield story(id, kind, body, source)
            id = ""
        elif id:
            body.append(line)
    if id:
        raise BadInput(f"{path}, line {last}: expected </DOC> for {id}; is the file truncated?")


def story(id: str, kind: str, body: list[Line], source: str) -> Story:
    """The lines between <DOC> and </DOC> as a story."""
    parts: dict[str, list[list[str]]] = {"HEADLINE": [[]], "DATELINE": [[]], "TEXT": [[]]}
    inside = ""
    for _, text in body:
        tag = TAG.fullmatch(text.strip())
        if tag is None:
            if inside and text.strip():
                parts[inside][-1].append(" ".join(unescape(text).split()))
        elif tag[1] in parts:
            inside = "" if text.strip().startswith("</") else tag[1]
        elif tag[1] == "P" and inside:
            parts[inside].append([])
    headline, dateline, text = ("\n".join(" ".join(one) for one in parts[name] if one) for name in parts)
    notes = (("dateline", dateline),) if dateline else ()
    return Story(id, text, headline.replace("\n", " "), source=source, genre=kind, notes=notes)
