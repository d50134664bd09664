"""EventGap -> Guesses by event vectors: an event is like those it shares chains with.

Positive PMI of unordered pairs, factorised (Levy and Goldberg 2014 show that this is what skip-gram does; Granroth-Wilding and
Clark 2016 train skip-gram on chains, their *Event vectors* row): deterministic, learned from the counts in seconds. score(e) =
``sharpness`` * cosine of e with the mean of the chain's vectors + ``prior`` * ln P(e); the cosine alone (``prior=0``) is what the
paper compares with, where every choice is equally frequent.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats, Ints
from scenarist.models.events.base import Counting, EventRanker, Gap
from scenarist.models.events.ngrams import any_skip
from scenarist.networks.layers import unit

Matrix = npt.NDArray[np.float64]


class EventVectors(EventRanker):
    """Nearest events to the chain. ``shift`` is ln k of Levy and Goldberg's shifted PMI; ``seed`` starts the factorisation."""

    name = "event-vectors"

    def __init__(
        self,
        width: int = 128,
        skip: int | str | None = None,
        shift: float = 0.0,
        sharpness: float = 8.0,
        prior: float = 1.0,
        repeat: bool = True,
        seed: int = 0,
        **counting: Unpack[Counting],
    ) -> None:
        if width < 1 or sharpness <= 0 or prior < 0:
            raise BadInput("event-vectors: width is 1 or more, sharpness above 0, prior 0 or more.")
        self.width, self.skip, self.shift, self.sharpness, self.prior = width, any_skip(skip), shift, sharpness, prior
        self.repeat, self.seed = repeat, seed
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        self._logp: Floats = np.log(counts.events) - np.log(counts.total)
        self.vectors_ = unit(factors(positive_pmi(counts.unordered(self.skip), self.shift), self.width, self.seed))

    def near(self, gap: Gap) -> Matrix:
        """The chain's vectors that are known: [chain, width]."""
        return self.vectors_[[at for at in gap.all if at >= 0]]

    def scores(self, gap: Gap) -> Floats:
        chain = self.near(gap)
        scores = self.prior * self._logp
        if len(chain):
            scores = scores + self.sharpness * (self.vectors_ @ unit(chain.mean(0)[None])[0])
        if not self.repeat and not gap.known:
            scores[[at for at in gap.all if at >= 0]] = scores.min() - 1.0
        return scores

    def votes(self, gap: Gap, candidates: Ints) -> Matrix:
        found = np.zeros((len(gap.all), len(candidates)))
        for place, at in enumerate(gap.all):
            if at >= 0:
                found[place] = np.maximum(self.vectors_[candidates] @ self.vectors_[at], 0.0)
        return found


def positive_pmi(table: CountMatrix, shift: float = 0.0) -> CountMatrix:
    """max(0, ln C(x, y) N / (C(x) C(y)) - shift) of a symmetric table of pairs; cells at 0 stay, for the sake of its shape."""
    sums = row_sums(table.counts[:, None], table.start)[:, 0]
    rows = np.repeat(np.arange(len(table.start) - 1), np.diff(table.start))
    expected = np.log(sums[rows]) + np.log(sums[table.columns]) - np.log(max(table.total, 1.0))
    return CountMatrix(table.start, table.columns, np.maximum(np.log(table.counts) - expected - shift, 0.0))


def factors(table: CountMatrix, width: int, seed: int = 0, rounds: int = 4) -> Matrix:
    """The leading left singular vectors of a symmetric table, each times the root of its singular value: [rows, width].

    By random projection and a few rounds of power iteration (Halko, Martinsson and Tropp 2011).
    """
    size = len(table.start) - 1
    width = min(width, size)
    wide = min(size, width + 16)
    base = np.random.default_rng(seed).normal(size=(size, wide))
    for _ in range(rounds):
        base = np.linalg.qr(product(table, base))[0]
    small = base.T @ product(table, base)  # [wide, wide]: the table is symmetric
    values, turned = np.linalg.eigh((small + small.T) / 2)
    best = np.argsort(-np.abs(values), kind="stable")[:width]
    found: Matrix = (base @ turned[:, best]) * np.sqrt(np.abs(values[best]))
    return found


def product(table: CountMatrix, right: Matrix, most: int = 200_000) -> Matrix:
    """A sparse table times a matrix, some of its cells at a time."""
    size = len(table.start) - 1
    out = np.zeros((size, right.shape[1]))
    low = 0
    while low < size:
        high = int(np.searchsorted(table.start, table.start[low] + most, side="right")) - 1
        high = min(max(high, low + 1), size)
        here = slice(int(table.start[low]), int(table.start[high]))
        cells = right[table.columns[here]] * table.counts[here, None]
        out[low:high] = row_sums(cells, table.start[low : high + 1] - table.start[low])
        low = high
    return out


def row_sums(cells: Matrix, start: Ints) -> Matrix:
    """Sums of the cells of each row, rows without cells included."""
    full = np.diff(start) > 0
    out = np.zeros((len(start) - 1, cells.shape[1]))
    if full.any():
        out[full] = np.add.reduceat(cells, start[:-1][full], axis=0)
    return out
