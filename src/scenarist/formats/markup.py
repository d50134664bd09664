"""Markup -> elements of XML, streamed (each is handed out when it is complete and forgotten afterwards); HTML -> its plain text, block by
block, without scripts and styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, open_binary, truncated

BLOCK = 1 << 16
"""Bytes read at a time."""
BLOCKS = frozenset("p div br li ul ol tr table blockquote h1 h2 h3 h4 h5 h6 hr pre section".split())
SILENT = frozenset("script style head noscript iframe object".split())


def elements(path: Path, *tags: str) -> Iterator[Element]:
    """The complete elements of the given tags, in document order; memory holds one at a time.

    Python's expat expands no external entities; its guard against entity bombs is the system's.
    """
    parser: Any = XMLPullParser(("start", "end"))
    root: Any = None
    with open_binary(path) as stream:
        try:
            while block := stream.read(BLOCK):
                parser.feed(block)
                for event, element in parser.read_events():
                    if root is None:
                        root = element
                    if event == "end" and element.tag in tags:
                        yield element
                        element.clear()
                        root.clear()
            parser.close()
        except ParseError as error:
            line, column = error.position
            raise BadInput(
                f"{path}, line {line}, column {column + 1}: not well-formed XML, truncated? {error}"
            ) from error
        except BROKEN as error:
            raise truncated(path, 0, error) from error
    if root is None:
        raise BadInput(f"{path}: empty file; expected XML with <{tags[0]}> elements")


class Stripper(HTMLParser):
    """Collects the text and begins a new line at each block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.silent += 1
        elif tag in BLOCKS:
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)


def plain(markup: str) -> str:
    """The text of a piece of HTML; white space is put in order, blocks stand on lines of their own.

    >>> plain("<p>We ran &amp; fell.</p><p>It <b>hurt</b>.</p>")
    'We ran & fell.\\nIt hurt.'
    """
    stripper = Stripper()
    stripper.feed(markup)
    stripper.close()
    lines = (re.sub(r"\s+", " ", line).strip() for line in "".join(stripper.parts).replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)
