"""XML -> elements, streamed: each is handed out when it is complete and forgotten afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from scenarist.errors import BadInput
from scenarist.formats.lines import BROKEN, open_binary, truncated

BLOCK = 1 << 16


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
