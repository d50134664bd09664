"""EventGap -> Guesses by votes: two count models beyond the paper that mix, where the bigram model multiplies.

``mixture``: each event of the chain votes with its smoothed row of pairs, P(e|c) = (C(c, e) + s P(e)) / (C(c, .) + s), and the votes are
averaged, an event's weight falling with its distance from the gap. One unlikely pair no longer rules an event out, which
is what makes eq. 2 of Chambers (2017) so sensitive to its lambda.

``cooccurrence``: the document-level baseline: P(e|c) from documents that hold both, chains and order ignored.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats, Ints
from scenarist.models.events.base import Counting, EventRanker, Gap
from scenarist.models.events.ngrams import any_skip, cells

BEHIND = 1e6
"""What an event that is not to be ranked loses of its score."""


class Mixture(EventRanker):
    """Averaged votes. ``repeat=False``: events of the chain are ranked last where the position is not told (each event once).

    ``lift`` subtracts that part of an event's log frequency: 0 is what is likely, 1 what the chain says beyond frequency. Events
    seen less often than ``least`` are ranked behind the others.
    """

    name = "mixture"

    def __init__(
        self,
        smoothing: float = 100.0,
        decay: float = 0.5,
        skip: int | str | None = None,
        repeat: bool = True,
        lift: float = 0.0,
        least: int = 0,
        **counting: Unpack[Counting],
    ) -> None:
        if smoothing <= 0 or decay < 0:
            raise BadInput("mixture: smoothing must be above 0 and decay 0 or more.")
        self.lift, self.least = lift, least
        self.smoothing, self.decay, self.skip, self.repeat = smoothing, decay, any_skip(skip), repeat
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        self._first, self._second = counts.ordered(self.skip), counts.reverse(self.skip)
        self._both = counts.unordered(self.skip)
        self._p: Floats = counts.events / counts.total
        self._sums = {id(table): sums(table) for table in (self._first, self._second, self._both)}

    def voters(self, gap: Gap) -> list[tuple[int, float, CountMatrix]]:
        """(place in the chain, weight, table) of each event that was seen."""
        found: list[tuple[int, float, CountMatrix]] = []
        for place, at in enumerate(gap.all):
            if not gap.known:
                weight, table = 1.0, self._both
            elif place < len(gap.before):
                weight, table = float(len(gap.before) - place) ** -self.decay, self._first
            else:
                weight, table = float(place - len(gap.before) + 1) ** -self.decay, self._second
            if at >= 0:
                found.append((place, weight, table))
        return found

    def scores(self, gap: Gap) -> Floats:
        voters = self.voters(gap)
        if not voters:
            return np.log(self._p)
        total = sum(weight for _, weight, _ in voters)
        votes = np.zeros(len(self.counts_))
        back = 0.0
        for place, weight, table in voters:
            at = gap.all[place]
            columns, counts = table.row(at)
            below = self._sums[id(table)][at] + self.smoothing
            votes[columns] += weight * counts / below
            back += weight * self.smoothing / below
        votes += back * self._p
        scores: Floats = np.log(votes / total)
        if self.lift:
            scores -= self.lift * np.log(self._p)
        if self.least:
            scores -= BEHIND * (self.counts_.events < self.least)
        if not self.repeat and not gap.known:
            scores[[at for at in gap.all if at >= 0]] = scores.min() - 1.0
        return scores

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        found = np.zeros((len(gap.all), len(candidates)))
        for place, weight, table in self.voters(gap):
            at = gap.all[place]
            below = self._sums[id(table)][at] + self.smoothing
            given = (cells(table, at, candidates) + self.smoothing * self._p[candidates]) / below
            found[place] = np.maximum(weight * np.log(given / self._p[candidates]), 0.0)
        return found


class Cooccurrence(EventRanker):
    """sum_i log (D(c_i, e) + s P(e)) / (D(c_i) + s), D counting documents."""

    name = "cooccurrence"
    keeps_chains = True

    def __init__(
        self,
        smoothing: float = 100.0,
        **counting: Unpack[Counting],
    ) -> None:
        if smoothing <= 0:
            raise BadInput("cooccurrence: smoothing must be above 0.")
        self.smoothing = smoothing
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        index = counts.index
        self._documents = np.diff(index.start)
        rows = np.repeat(np.arange(len(counts)), self._documents)
        order = np.argsort(index.columns, kind="stable")
        self._events = rows[order]  # events of document 0, of document 1, ...
        self._begin = np.searchsorted(index.columns[order], np.arange(counts.documents + 1))
        self._p: Floats = self._documents / self._documents.sum()
        self._together: dict[int, Floats] = {}

    def together(self, at: int) -> Floats:
        """D(c, e) for all e; the last few are remembered."""
        found = self._together.get(at)
        if found is None:
            if len(self._together) >= 400:
                self._together.clear()
            found = self._together[at] = self.documents_with(at)
        return found

    def documents_with(self, at: int) -> Floats:
        documents = self.counts_.index.row(at)[0]
        parts = [self._events[self._begin[one] : self._begin[one + 1]] for one in documents.tolist()]
        return np.bincount(np.concatenate(parts), minlength=len(self.counts_)).astype(np.float64)

    def scores(self, gap: Gap) -> Floats:
        seen = sorted({at for at in gap.all if at >= 0})
        scores: Floats = np.log(self._p)
        for at in seen:
            given = (self.together(at) + self.smoothing * self._p) / (self._documents[at] + self.smoothing)
            scores = scores + np.log(given / self._p)
        return scores


def sums(table: CountMatrix) -> Floats:
    """The sum of each row."""
    return np.add.reduceat(np.append(table.counts, 0.0), table.start[:-1]) * (np.diff(table.start) > 0)
