"""HTML -> plain text: what a blog post says, block by block, without markup, scripts and styles."""

from __future__ import annotations

import re
from html.parser import HTMLParser

BLOCKS = frozenset(
    [
        "p",
        "div",
        "br",
        "li",
        "ul",
        "ol",
        "tr",
        "table",
        "blockquote",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "pre",
        "section",
    ]
)
SILENT = frozenset(["script", "style", "head", "noscript", "iframe", "object"])


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
