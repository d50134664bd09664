"""Words -> text: how tokens of a file without a text of its own are written down, with the offsets of each.

``Page.put`` writes a word; ``gap`` says whether a space stands before it in ordinary English ("bath." and "don't", not
"bath ." and "do n't"). The offsets are exact whatever the gap: ``text[start:stop]`` is the word.
"""

from __future__ import annotations

import re

ATTACHED = re.compile(r"[.,;:!?%)\]}”…]+|\.\.+|n['’]t|['’](s|re|ve|ll|d|m|em)|''", re.IGNORECASE)
OPENING = frozenset(["(", "[", "{", "$", "£", "€", "“", "‘", "``", "#"])
JOINING = frozenset(["-", "/"])
HALVES = frozenset([("gon", "na"), ("wan", "na"), ("got", "ta"), ("can", "not"), ("lem", "me"), ("gim", "me")])
TOGGLES = frozenset(['"', "_", "*"])


class Page:
    """A text being written word by word.

    >>> page = Page()
    >>> [page.put(word) for word in ["I", "do", "n't", "(", "yet", ")", "."]]
    [(0, 1), (2, 4), (4, 7), (8, 9), (9, 12), (12, 13), (13, 14)]
    >>> page.text
    "I don't (yet)."
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.at = 0
        self.glue = True
        """No space before the next word, whatever it is."""
        self.last = ""
        """The last word written."""
        self.open: set[str] = set()
        """Paired marks that were opened and not closed."""

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self.parts)

    def raw(self, text: str) -> tuple[int, int]:
        """Write as it is and return where it stands."""
        start = self.at
        self.parts.append(text)
        self.at += len(text)
        return start, self.at

    def put(self, word: str) -> tuple[int, int]:
        """Write a word with the gap that English asks for."""
        self.raw(self.gap(word))
        self.last = word
        return self.raw(word)

    def gap(self, word: str) -> str:
        """The space before a word; remembers what was opened."""
        joined = self.glue
        self.glue = False
        if word in TOGGLES:
            if word in self.open:
                self.open.discard(word)
                return ""
            self.open.add(word)
            self.glue = True
        elif word == "'" and "'" not in self.open and not self.last.endswith(("s", "S")):
            self.open.add(word)
            self.glue = True
        elif word in ("'", "’") or ATTACHED.fullmatch(word):  # closes a quotation, or is an apostrophe
            self.open.discard(word)
            return ""
        elif (self.last.lower(), word.lower()) in HALVES:
            return ""
        elif (word == "–" and self.last[-1:].isdigit()) or word in JOINING:
            self.glue = True
            return ""
        elif word in OPENING:
            self.glue = True
        return "" if joined or not self.parts else " "

    def fresh(self, mark: str) -> None:
        """Begin anew behind a mark (a line break): the next word has no space before it."""
        self.raw(mark)
        self.glue = True
