"""JudgedStory -> Item: which scenarios does this story tell, and what does it leave out, and where? One item a story.

The question is the story, read by ``reader``, without anything a judge said of it. The key holds the accepted events in several
wordings with the gaps where they may stand, and the refused ones. How a suggestion is held against them: `metrics/judged.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from scenarist.question import Item, JudgedStory, LeftOut
from scenarist.registry import make


class JudgedExam:
    """What goes without saying in this story?"""

    name = "judged"
    view = "judged"
    metrics = ("accepted", "in_place", "scenario", "suggestions")

    def __init__(self, reader: str = "default") -> None:
        self.reader = reader

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {"read": self.reader}

    def set(self, stories: Iterable[JudgedStory]) -> Iterator[Item]:
        """One item a story."""
        judged = list(stories)
        unread = [entry.story.text for entry in judged if not entry.story.tokens]
        parsed = iter(make("reader", self.reader)(unread) if unread else ())
        for entry in judged:
            story = entry.story if entry.story.tokens else next(parsed)
            bare = msgspec.structs.replace(
                story, id=entry.id, title="", segments=(), scenario="", source="", genre="", notes=()
            )
            yield Item(entry.id, LeftOut(bare), entry.key, entry.id, tags=entry.features)
