"""Rate and Choice -> Guesses by counts of event chains: minus ln P of the events of a text behind those of its context.

The counts are a bigram of events.

The events of all sentences are one chain, negated ones too, as the counts have them. Texts without an event are equally surprising.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from scenarist.models.events.ngrams import Bigram
from scenarist.models.ratings.base import SurpriseModel
from scenarist.question import EventGap
from scenarist.registry import make
from scenarist.store.home import inside, resource
from scenarist.story import Link

UNSEEN = -16.0
"""ln P of an event that was never counted."""


@lru_cache(maxsize=20_000)
def text_links(text: str) -> tuple[Link, ...]:
    """The events of a text, each in the role of its subject."""
    (story,) = make("reader", "default")([text])
    return tuple(
        Link(event.predicate, "obj" if event.passive else "subj")
        for event in story.events
        if event.kind in ("verb", "light")
    )


class SurpriseCounts(SurpriseModel):
    """Surprise by counts."""

    name = "surprise-counts"
    learns = "stories"
    trained_on = ("reader",)
    middle = 8.0

    def __init__(self, smoothing: float = 1.0) -> None:
        """``smoothing`` of the bigram."""
        self.bigram = Bigram(skip=None, smoothing=smoothing)

    def reads(self) -> list[Path]:
        """The weights that parse a text."""
        return inside(resource("reader"))

    def fit(self, data: Iterable[Any]) -> SurpriseCounts:
        """Count chains."""
        self.bigram.fit(data)
        return self

    def surprises(self, context: Sequence[str], texts: Sequence[str]) -> list[float]:
        """The mean over the events of each text."""
        before = tuple(link for sentence in context for link in text_links(sentence))
        return [self.surprise(before, text_links(text)) for text in texts]

    def surprise(self, before: tuple[Link, ...], links: Sequence[Link]) -> float:
        """Of one text."""
        logps = []
        for link in links:
            logp = self.bigram.logp(EventGap(before, len(before)), str(link))
            logps.append(UNSEEN if logp is None else logp)
            before = (*before, link)
        return -sum(logps) / len(logps) if logps else -UNSEEN
