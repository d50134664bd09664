"""EventGap -> Guesses: the event language model and the counts together; the model that wins our tables.

score(e) = ln P_lm(e | chain) + weight * sum_i w_i ln(1 + C(c_i, e) / (s P(e))): the network generalises from parts and positions, the
smoothed votes of the skip-bigram counts remember pairs that the network smoothed away. w_i falls with the distance from the
gap, as in `mixture`; both weights were tuned on dev.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import EventCounts, Floats, Ints
from scenarist.models.events.base import EventRanker, Gap
from scenarist.models.events.log_bilinear import EventLm, normalised
from scenarist.models.events.mixture import Mixture
from scenarist.models.events.ngrams import cells
from scenarist.question import EventGap


class EventCombination(EventRanker):
    """The language model with the votes of counts. ``untold_weight`` is used where the position is not told."""

    name = "event-combination"
    learns = "stories"
    trained_on = ("nyt-chains", "minilm")

    def __init__(
        self,
        weight: float = 0.08,
        untold_weight: float = 0.06,
        smoothing: float = 100.0,
        decay: float = 0.5,
        lift: float = 0.0,
        explain: bool = False,
        weights: str | Path = "",
        minimum: int = 2,
    ) -> None:
        if weight < 0 or untold_weight < 0 or smoothing <= 0:
            raise BadInput("event-combination: weights are 0 or more, smoothing above 0.")
        self.weight, self.untold_weight, self.smoothing, self.lift = weight, untold_weight, smoothing, lift
        self.lm = EventLm(weights, explain=explain)
        self.voting = Mixture(smoothing, decay)
        super().__init__(minimum=minimum)

    def reads(self) -> list[Path]:
        """The weights of the language model."""
        return self.lm.reads()

    def fit(self, data: Iterable[Any] | EventCounts) -> Self:
        """Learn the counts; the network's weights are read."""
        super().fit(data)
        self.voting.fit(self.counts_)
        _ = self.lm.nets
        there = self.lm.counts_.ids
        self._place = np.array([there.get(name, -1) for name in self.counts_.types])
        return self

    def score_many(self, questions: Sequence[EventGap]) -> Sequence[Floats]:
        found = []
        for question, lm in zip(questions, self.lm.raw_many(questions), strict=True):
            gap = self.gap(question)
            base = np.where(self._place >= 0, lm[self._place], lm.min() - 1.0)
            whole = base + (self.weight if gap.known else self.untold_weight) * self.all_votes(gap)
            if self.lift:
                whole = whole - self.lift * np.log(self.counts_.events / self.counts_.total)
            found.append(normalised(whole))
        return found

    def all_votes(self, gap: Gap) -> Floats:
        """The weighted votes of the chain for every event."""
        votes = np.zeros(len(self.counts_))
        for place, weight, table in self.voting.voters(gap):
            columns, counts = table.row(gap.all[place])
            votes[columns] += weight * np.log1p(counts / (self.smoothing * self.voting._p[columns]))
        return votes

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        found = np.zeros((len(gap.all), len(candidates)))
        for place, weight, table in self.voting.voters(gap):
            seen = cells(table, gap.all[place], candidates)
            found[place] = weight * np.log1p(seen / (self.smoothing * self.voting._p[candidates]))
        return found

    def reasons(self, question: EventGap, gap: Gap, candidates: Ints) -> list[tuple[str, ...]]:
        if not self.lm.explain:
            return super().reasons(question, gap, candidates)
        place = self._place[candidates]
        return self.lm.reasons(question, gap, np.where(place >= 0, place, 0))

    def said(self, question: EventGap, gap: Gap) -> str:
        return self.lm.said(question, gap)
