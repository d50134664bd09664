"""EventGap -> Guesses by counts of events and ordered pairs: ``unigram`` and ``bigram`` (Chambers 2017, sections 4.1, 4.2).

The bigram model is Jans et al.'s (2012). The paper's equations are kept as printed under ``equations="printed"``; as they must be
meant (``"meant"``, the default):

- eq. 2 runs to ``i = k`` and thereby counts the event *after* the insertion index k among those before it; meant is ``k - 1``.
- eq. 3 divides C(x, y) "in text order" by C(y) for P(x|y), which for P(e|c_i), c_i before e, looks up e before c_i; meant is
  the count of c_i before e.
- k is an insertion index in the text and a number of skipped events in the tables; here the latter is ``skip``: the number
  of events that may stand between two that are counted as a pair (None: any number).

Where the position of the gap is not told, ``unknown`` says what is done: ``symmetric`` takes P(e|c) from pairs in
either order, ``mean`` averages eq. 2 over all positions.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats, Ints
from scenarist.models.events.base import Counting, EventRanker, Gap
from scenarist.networks.layers import logsumexp


class Unigram(EventRanker):
    """sim(e) = C(e) / N (eq. 1)."""

    name = "unigram"

    def prepare(self, counts: EventCounts) -> None:
        self._logp: Floats = np.log(counts.events) - np.log(counts.total)

    def scores(self, gap: Gap) -> Floats:
        return self._logp


class Bigram(EventRanker):
    """sim(e) = prod P(e|c_i) prod P(c_i|e) (eq. 2) with P(x|y) = (C + lambda) / (C(y) + |E| lambda) (eq. 3).

    ``unknown_skip`` and ``unknown_smoothing`` are used where the position is not told (the settings tuned for that test);
    they default to ``skip`` and ``smoothing``. ``repeat=False`` ranks events of the chain itself last (a test in which each
    event occurs once never asks for them).
    """

    name = "bigram"

    def __init__(
        self,
        skip: int | str | None = 2,
        smoothing: float = 0.1,
        equations: str = "meant",
        unknown: str = "symmetric",
        unknown_skip: int | str | None = "same",
        unknown_smoothing: float | None = None,
        repeat: bool = True,
        **counting: Unpack[Counting],
    ) -> None:
        if smoothing <= 0 or (unknown_smoothing is not None and unknown_smoothing <= 0):
            raise BadInput("bigram: smoothing (lambda) must be above 0, or an unseen pair makes an event impossible.")
        if equations not in ("meant", "printed") or unknown not in ("symmetric", "mean"):
            raise BadInput("bigram: equations is 'meant' or 'printed', unknown is 'symmetric' or 'mean'.")
        self.skip, self.smoothing = any_skip(skip), smoothing
        self.equations, self.unknown, self.repeat = equations, unknown, repeat
        self.unknown_skip = self.skip if unknown_skip == "same" else any_skip(unknown_skip)
        self.unknown_smoothing = smoothing if unknown_smoothing is None else unknown_smoothing
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        self._tables: dict[int | None, tuple[CountMatrix, CountMatrix]] = {}
        self._both: CountMatrix | None = None
        self._levels: dict[float, Floats] = {}

    def tables(self, skip: int | None) -> tuple[CountMatrix, CountMatrix]:
        """Pairs by first and by second event."""
        if skip not in self._tables:
            self._tables[skip] = (self.counts_.ordered(skip), self.counts_.reverse(skip))
        return self._tables[skip]

    def scores(self, gap: Gap) -> Floats:
        if gap.known:
            scores = self.placed(gap, self.skip, self.smoothing)
        elif self.unknown == "symmetric":
            scores = self.symmetric(gap)
        else:
            scores = self.everywhere(gap.before)
        if not self.repeat:
            scores = scores.copy()
            scores[[at for at in gap.all if at >= 0]] = scores.min() - 1.0
        if not any(at >= 0 for at in gap.all):
            return np.log(self.counts_.events)
        return scores

    def placed(self, gap: Gap, skip: int | None, smoothing: float) -> Floats:
        """Eq. 2 for a known position, in logs. Only pairs that were seen are touched; the rest is a constant."""
        first, second = self.tables(skip)
        events, size = self.counts_.events, len(self.counts_)
        before, after = gap.before, gap.after
        if self.equations == "printed":
            before, after = before + after[:1], after[1:]
            first, second = second, first
        seen_before = [at for at in before if at >= 0]
        scores = np.full(
            size, sum((np.log(smoothing) - np.log(events[at] + size * smoothing) for at in seen_before), 0.0)
        )
        for at in seen_before:
            columns, counts = first.row(at)
            scores[columns] += np.log((counts + smoothing) / smoothing)
        seen_after = [at for at in after if at >= 0]
        if seen_after:
            scores += len(seen_after) * self.level(smoothing)
        for at in seen_after:
            columns, counts = second.row(at)
            scores[columns] += np.log((counts + smoothing) / smoothing)
        return scores

    def level(self, smoothing: float) -> Floats:
        """What an event after the gap gives to those it was never seen after."""
        if smoothing not in self._levels:
            self._levels[smoothing] = np.log(smoothing) - np.log(self.counts_.events + len(self.counts_) * smoothing)
        return self._levels[smoothing]

    def everywhere(self, chain: tuple[int, ...]) -> Floats:
        """Eq. 2 averaged over all positions of the gap: moving it by one event changes the terms of that event alone."""
        if self.equations == "printed":
            cuts = [Gap(chain[:at], chain[at:], True) for at in range(len(chain) + 1)]
            each = [self.placed(cut, self.unknown_skip, self.unknown_smoothing) for cut in cuts]
            mixed: Floats = np.logaddexp.reduce(np.stack(each), axis=0)
            return mixed
        smoothing = self.unknown_smoothing
        first, second = self.tables(self.unknown_skip)
        events, size, level = self.counts_.events, len(self.counts_), self.level(smoothing)
        here = self.placed(Gap((), chain, True), self.unknown_skip, smoothing)
        each, total = [here], None
        for number, at in enumerate(chain, start=1):
            if at >= 0:
                here = here + (np.log(smoothing) - np.log(events[at] + size * smoothing) - level)
                columns, counts = second.row(at)
                here[columns] -= np.log((counts + smoothing) / smoothing)
                columns, counts = first.row(at)
                here[columns] += np.log((counts + smoothing) / smoothing)
            each.append(here)
            if number % 32 == 0 or number == len(chain):  # a few at a time, so that a novel's hero needs no gigabytes
                summed = logsumexp(np.stack(each), 0)
                total, each = summed if total is None else np.logaddexp(total, summed), []
        return here if total is None else total

    def symmetric(self, gap: Gap) -> Floats:
        """P(e|c) from pairs in either order."""
        if self._both is None:
            self._both = self.counts_.unordered(self.unknown_skip)
        smoothing, size = self.unknown_smoothing, len(self.counts_)
        seen = [at for at in gap.before if at >= 0]
        scores = np.full(
            size, sum((np.log(smoothing) - np.log(self.counts_.events[at] + size * smoothing) for at in seen), 0.0)
        )
        for at in seen:
            columns, counts = self._both.row(at)
            scores[columns] += np.log((counts + smoothing) / smoothing)
        return scores

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        skip = self.skip if gap.known else self.unknown_skip
        smoothing = self.smoothing if gap.known else self.unknown_smoothing
        first, second = self.tables(skip)
        found = np.zeros((len(gap.all), len(candidates)))
        for place, at in enumerate(gap.all):
            if at >= 0:
                seen = np.zeros(len(candidates))
                if not gap.known or place < len(gap.before):
                    seen += cells(first, at, candidates)
                if not gap.known or place >= len(gap.before):
                    seen += cells(second, at, candidates)
                found[place] = np.log((seen + smoothing) / smoothing)
        return found


def any_skip(skip: int | str | None) -> int | None:
    """A skip as tables write it: a number, or ``all``."""
    if skip is None or skip == "all":
        return None
    if isinstance(skip, int) and not isinstance(skip, bool):
        return skip
    raise BadInput(f"skip is a number of events or 'all', not {skip!r}.")


def cells(table: CountMatrix, row: int, columns: Ints) -> Floats:
    """Some cells of a row."""
    known, counts = table.row(row)
    if not len(known):
        return np.zeros(len(columns))
    at = np.minimum(np.searchsorted(known, columns), len(known) - 1)
    return np.where(known[at] == columns, counts[at], 0.0)
