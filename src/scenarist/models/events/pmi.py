"""EventGap -> Guesses by pointwise mutual information with the events of the chain (Chambers 2017, section 4.3).

sim(e) = sum_i log P(c_i, e) / (P(c_i) P(e)) (eq. 4), P(x, y) = (C(x, y) + C(y, x)) / sum_i sum_j C(e_i, e_j) (eq. 5). Named settings:

- ``joint``: eq. 5 is symmetric above the line and not below it, so its P sums to two. ``printed`` keeps that, ``meant`` divides by
  twice the sum. The difference is log 2 for every pair that was seen, so it matters where unseen pairs add nothing.
- ``unseen``: what a pair never seen adds to eq. 4, which the paper does not say: ``skip`` (nothing), ``smooth`` (``smoothing`` is
  added to every count) or ``impossible`` (minus infinity: an event that lacks one of the pairs is ranked behind all that lack
  fewer, which is what minus infinity means when every candidate has some).
- ``cutoff``: events seen less often are not ranked (figure 1); they stand behind all others.
- ``order``: ``none``, or ``text`` for Jans et al.'s (2012) ordered PMI (pairs counted in text order).
- ``discount``: Chambers and Jurafsky's (2008) discount for rare events, after Pantel and Ravichandran (2004).
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats, Ints
from scenarist.models.events.base import Counting, EventRanker, Gap
from scenarist.models.events.ngrams import any_skip

BEHIND = 1e6
"""What one rule that puts an event behind the others takes from its score."""


class Pmi(EventRanker):
    """Pointwise mutual information, in all the ways it was used."""

    name = "pmi"

    def __init__(
        self,
        skip: int | str | None = None,
        joint: str = "printed",
        unseen: str = "skip",
        smoothing: float = 1.0,
        cutoff: int = 0,
        order: str = "none",
        discount: bool = False,
        repeat: bool = True,
        **counting: Unpack[Counting],
    ) -> None:
        allowed = {"joint": ("printed", "meant"), "unseen": ("skip", "smooth", "impossible"), "order": ("none", "text")}
        for setting, value in (("joint", joint), ("unseen", unseen), ("order", order)):
            if value not in allowed[setting]:
                raise BadInput(f"pmi: {setting} is one of {', '.join(allowed[setting])}, not {value!r}.")
        if cutoff < 0 or (unseen == "smooth" and smoothing <= 0):
            raise BadInput("pmi: cutoff is 0 or more, smoothing above 0.")
        self.skip, self.joint, self.unseen, self.smoothing = any_skip(skip), joint, unseen, smoothing
        self.cutoff, self.order, self.discount, self.repeat = cutoff, order, discount, repeat
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        self._both = counts.unordered(self.skip)
        self._first, self._second = (
            (counts.ordered(self.skip), counts.reverse(self.skip)) if self.order == "text" else (self._both, self._both)
        )
        pairs = counts.ordered(self.skip).total
        twice = self.joint == "meant" and self.order == "none"
        self._sum = pairs * (2.0 if twice else 1.0)
        self._logp: Floats = np.log(counts.events) - np.log(counts.total)
        self._rare = counts.events < self.cutoff

    def pair_terms(self, table: CountMatrix, at: int) -> tuple[Ints, Floats, float]:
        """log P(c, e) / P(c) for the events seen with c, and for those that were not."""
        columns, counts = table.row(at)
        if self.unseen == "smooth":
            size = len(self.counts_)
            total = np.log(self._sum + self.smoothing * size * size)
            seen = np.log(counts + self.smoothing) - total
            return columns, seen - self._logp[at], float(np.log(self.smoothing) - total - self._logp[at])
        seen = np.log(counts) - np.log(self._sum) - self._logp[at]
        return columns, seen, 0.0

    def factor(self, at: int, columns: Ints, counts: Floats) -> Floats:
        """The discount of Pantel and Ravichandran: C/(C+1) times min(C(x), C(y))/(min(C(x), C(y)) + 1)."""
        low = np.minimum(self.counts_.events[at], self.counts_.events[columns])
        weight: Floats = counts / (counts + 1.0) * (low / (low + 1.0))
        return weight

    def scores(self, gap: Gap) -> Floats:
        size = len(self.counts_)
        scores = np.zeros(size)
        seen_events = [at for at in gap.all if at >= 0]
        if not seen_events:
            return self._logp - BEHIND * self._rare
        for place, at in enumerate(gap.all):
            if at < 0:
                continue
            table = self._second if gap.known and place >= len(gap.before) else self._first
            columns, terms, rest = self.pair_terms(table, at)
            value = terms - self._logp[columns]
            if self.discount:
                value = value * self.factor(at, columns, table.row(at)[1])
            if self.unseen == "smooth":
                scores += rest - self._logp
                scores[columns] += value - (rest - self._logp[columns])
            elif self.unseen == "impossible":
                scores -= BEHIND / 100
                scores[columns] += value + BEHIND / 100
            else:
                scores[columns] += value
        if not self.repeat:
            scores[seen_events] -= BEHIND
        if self.cutoff:
            scores -= BEHIND * self._rare
        return scores

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        found = np.zeros((len(gap.all), len(candidates)))
        for place, at in enumerate(gap.all):
            if at >= 0:
                table = self._second if gap.known and place >= len(gap.before) else self._first
                columns, terms, _ = self.pair_terms(table, at)
                if len(columns):
                    here = np.minimum(np.searchsorted(columns, candidates), len(columns) - 1)
                    value = terms[here] - self._logp[candidates]
                    found[place] = np.where(columns[here] == candidates, value, 0.0)
        return found


class PmiCutoff(Pmi):
    """PMI with a frequency cutoff under the name of the paper's row ("PMI w/cutoff")."""

    name = "pmi-cutoff"

    def __init__(self, cutoff: int = 400, **settings: object) -> None:
        super().__init__(cutoff=cutoff, **settings)  # type: ignore[arg-type]


class OrderedPmi(Pmi):
    """Jans et al.'s (2012) ordered PMI."""

    name = "pmi-ordered"

    def __init__(self, **settings: object) -> None:
        super().__init__(order="text", **settings)  # type: ignore[arg-type]


class DiscountedPmi(Pmi):
    """Chambers and Jurafsky's (2008) discounted PMI."""

    name = "pmi-discounted"

    def __init__(self, **settings: object) -> None:
        super().__init__(discount=True, **settings)  # type: ignore[arg-type]
