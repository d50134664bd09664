"""texts -> Stories: events, who takes part in them, and the parse behind them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scenarist.registry import make

if TYPE_CHECKING:
    from scenarist.story import Story


def events(text: str, reader: str = "default", id: str = "story", **settings: Any) -> Story:
    """Find the events of a text, who takes part in them, and the parse behind them; chains of it: `scenarist.reading.chains`.

    >>> story = events("Ann fell. She cried.")
    >>> [(event.predicate, event.roles[0].entity) for event in story.events]
    [('fall', 'e1'), ('cry', 'e1')]
    """
    return next(events_all([(id, text)], reader, **settings))


def events_all(texts: Iterable[tuple[str, str]], reader: str = "default", **settings: Any) -> Iterator[Story]:
    """The same for many texts, (id, text) each, in order and in one stream; ``jobs=2`` reads with two processes."""
    from scenarist.story import replace

    names: deque[str] = deque()

    def told() -> Iterator[str]:
        for id, text in texts:
            names.append(id)
            yield text

    for story in make("reader", reader, **settings)(told()):
        yield replace(story, id=names.popleft())
