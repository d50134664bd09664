"""EventGap -> Guesses from events and from who and what takes part in them (after Ahrendt and Demberg 2016).

They represent an event by its predicate and the types of its participants and find that the participants help to predict what is
missing: *water* and *tub* tell a bath before any verb does. Here each event of the chain votes with its pairs, as in `mixture`,
and each thing that takes part in it votes with the events of chains it was seen in: P(e | t) = (C(t, e) + s P(e)) / (C(t, .) +
s). ``weight`` is the share of the latter. Types are what the corpus names participants (InScript's labels) or head words; the
event that is asked is a verb and a role, as in the other single-argument models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

import msgspec
import numpy as np

from scenarist.errors import BadInput
from scenarist.learning.event_chains import Document, documents
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats
from scenarist.models.events.log_bilinear import normalised
from scenarist.models.events.mixture import Mixture, sums
from scenarist.question import EventGap
from scenarist.story import Link


class Participants(Mixture):
    """Votes of events and of participants' types."""

    name = "participants"

    def __init__(
        self,
        weight: float = 0.3,
        type_smoothing: float = 30.0,
        smoothing: float = 30.0,
        decay: float = 0.5,
        skip: int | str | None = None,
        forms: str = "lemma",
        minimum: int = 2,
    ) -> None:
        if not 0 <= weight <= 1 or type_smoothing <= 0:
            raise BadInput("participants: weight is from 0 to 1, type_smoothing above 0.")
        self.weight, self.type_smoothing = weight, type_smoothing
        super().__init__(smoothing, decay, skip, forms=forms, minimum=minimum)

    def fit(self, data: Iterable[Any] | EventCounts) -> Self:
        """Learn from stories whose events have participants; ready counts have none, and leave the votes of events."""
        if isinstance(data, EventCounts):
            self.types_: dict[str, int] = {}
            return super().fit(data)
        whole = list(documents(data, self.forms, "types"))
        super().fit(EventCounts.of((plain(document) for document in whole), self.minimum))
        seen: Counter[tuple[int, int]] = Counter()
        self.types_ = {}
        for document in whole:
            for chain in document.chains:
                if len(chain) < self.minimum:
                    continue
                events = [self.id_of(link) for link in chain.links]
                for at, link in enumerate(chain.links):
                    for name in link.args:
                        number = self.types_.setdefault(name, len(self.types_))
                        seen.update((number, event) for place, event in enumerate(events) if place != at)
        size = max(len(self.counts_), len(self.types_))
        pairs = np.array(list(seen), np.int64).reshape(-1, 2)
        self._by_type = CountMatrix.of(pairs[:, 0], pairs[:, 1], np.array(list(seen.values()), np.float64), size)
        self._type_sums = sums(self._by_type)
        return self

    def id_of(self, link: Link) -> int:
        return super().id_of(Link(link.predicate, link.role))

    def score_many(self, questions: Sequence[EventGap]) -> Sequence[Floats]:
        found = []
        for question in questions:
            scores = self.scores(self.gap(question))
            types = [self.types_[name] for link in question.links for name in link.args if name in self.types_]
            if types and self.weight:
                given = np.mean([self.given_type(at) for at in types], axis=0)
                scores = np.log((1 - self.weight) * np.exp(normalised(scores)) + self.weight * given)
            found.append(normalised(scores))
        return found

    def given_type(self, at: int) -> Floats:
        """P(e | t) for all events."""
        below = self._type_sums[at] + self.type_smoothing
        votes: Floats = self._p * (self.type_smoothing / below)
        columns, counts = self._by_type.row(at)
        votes[columns] += counts / below
        return votes


def plain(document: Document) -> Document:
    """A document whose links are verbs and roles alone."""
    chains = tuple(
        msgspec.structs.replace(chain, links=tuple(Link(link.predicate, link.role) for link in chain.links))
        for chain in document.chains
    )
    return msgspec.structs.replace(document, chains=chains)
