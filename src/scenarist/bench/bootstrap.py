"""Marks -> interval: the percentile bootstrap, drawing sources (what items share), not items.

A metric's value is a function of sums of counts, so a replicate is a row of weights (how often each source was drawn)
times the matrix of sums by source: one product for all replicates, whatever the metric. Sources with equal sums are drawn
together as one multinomial, which is the same distribution and makes 2,000 replicates of a yes-or-no metric a matter
of milliseconds. An item without a source is its own. Weights are made in chunks, so memory does not grow with the
number of replicates.

An item of several sources (a stitched document) weighs ``1 + sum(drawn - 1)`` over its sources: the linear part of the product of their
multiplicities, which is the pigeonhole bootstrap (Owen 2007; for items that are pairs Davezies, D'Haultfoeuille and Guyonvarch 2021).
The product itself counts what is an item's own up to ``2**k - 1`` times for ``k`` sources, the linear part ``k`` times; the mean of the
multiplicities counts what is a source's own ``k**2`` times too little. So our intervals are somewhat too wide, never too narrow
(simulated in `tests/bench/test_shared_sources.py`); an end beyond what the metric can be is cut there. With one source an item all
three are the ordinary bootstrap of groups.

Where every replicate is 0 or 1 (0 of n, n of n) the percentile interval has no width, and a proportion gets Wilson's (1927), n being
the number of sources. One source alone has no interval.

Efron and Tibshirani 1993, chapter 13 (percentile interval); Davison and Hinkley 1997, section 3.8 (clusters drawn
whole). Known weakness: with few sources (below `FEW`) the interval is too narrow; the tables say so at the number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Metric
from scenarist.errors import BadInput
from scenarist.question import Mark

Array = npt.NDArray[Any]
REPLICATES = 2000
FEW = 20
"""Below so many sources an interval of 95 % covers less: 52 % with 2, 86 % with 7 (simulated)."""
CELLS = 2_000_000
"""Most weights held at once (16 MB)."""


class Interval(NamedTuple):
    """Two ends."""

    low: float
    high: float


class Sums(NamedTuple):
    """Counts summed by source: ``table[group, name]``."""

    names: tuple[str, ...]
    groups: tuple[str, ...]
    table: Array
    spare: Array
    """What ``table`` holds more than the items do, ``(names,)``: an item of several sources stands in several rows."""

    def totals(self, table: Array | None = None) -> dict[str, Array]:
        """Sums by name; the last axis of ``table`` runs over names."""
        found = self.whole if table is None else table
        return {name: found[..., at] for at, name in enumerate(self.names)}

    @property
    def whole(self) -> Array:
        """The sums over all items, ``(names,)``."""
        whole: Array = self.table.sum(axis=0) - self.spare
        return whole


def group_sums(marks: Sequence[Mark], names: Sequence[str] = (), groups: Sequence[str] = ()) -> Sums:
    """Counts of marks summed by source, sources in the order of their first mark.

    >>> group_sums([Mark("a", (("right", 1.0),), "x"), Mark("b", (("right", 0.0),), "x")]).table.tolist()
    [[1.0]]
    >>> sums = group_sums([Mark("a", (("right", 1.0),), groups=("x", "y")), Mark("b", (("right", 1.0),), groups=("y",))])
    >>> sums.table.tolist(), sums.spare.tolist()
    ([[1.0], [2.0]], [1.0])
    """
    if not marks:
        raise BadInput("There is nothing to score: expected at least one mark, got none.")
    columns = {
        name: at for at, name in enumerate(names or dict.fromkeys(key for mark in marks for key, _ in mark.counts))
    }
    by_mark = [mark.sources for mark in marks]
    rows = {group: at for at, group in enumerate(groups or dict.fromkeys(itertools.chain.from_iterable(by_mark)))}
    table, spare = np.zeros((len(rows), len(columns))), np.zeros(len(columns))
    for mark, drawn_with in zip(marks, by_mark, strict=True):
        for name, number in mark.counts:
            column = columns[name]
            for source in drawn_with:
                table[rows[source], column] += number
            spare[column] += number * (len(drawn_with) - 1)
    return Sums(tuple(columns), tuple(rows), table, spare)


def distinct(table: Array) -> tuple[Array, Array]:
    """Rows that differ, and how often each occurs."""
    if table.shape[1] > 16:
        return table, np.ones(len(table), dtype=np.int64)
    rows, counts = np.unique(table, axis=0, return_counts=True)
    return rows, counts


def drawn(table: Array, rng: np.random.Generator, replicates: int, spare: Array | None = None) -> Iterator[Array]:
    """Sums of bootstrap replicates, ``(replicates, columns)`` in chunks: sources drawn with replacement.

    ``spare`` is taken off; a count that is never negative stays so (which matters with a handful of items alone).
    """
    if spare is not None and np.any(spare):
        floor = np.where(table.min(axis=0) >= 0, 0.0, -np.inf)
        for sums in drawn(table, rng, replicates):
            yield np.maximum(sums - spare, floor)
        return
    size = len(table)
    rows, counts = distinct(table)  # (kinds, columns), (kinds,)
    few = len(rows) <= 512
    chunk = max(1, min(replicates, CELLS // max(1, len(rows) if few else size)))
    for start in range(0, replicates, chunk):
        number = min(chunk, replicates - start)
        if few:
            weights = rng.multinomial(size, counts / size, size=number)  # (number, kinds)
            yield weights.astype(float) @ rows
        else:
            picks = rng.integers(0, size, size=(number, size), dtype=np.int32)
            weights = np.stack([np.bincount(row, minlength=size) for row in picks])
            yield weights.astype(float) @ table


def replicated(metric: Metric, marks: Sequence[Mark], seed: int = 13, replicates: int = REPLICATES) -> Array:
    """The metric's value in each bootstrap replicate."""
    sums = group_sums(marks)
    rng = np.random.default_rng(seed)
    parts = [
        np.asarray(metric.combine(sums.totals(table)), dtype=float)
        for table in drawn(sums.table, rng, replicates, sums.spare)
    ]
    return np.concatenate([np.atleast_1d(part) for part in parts])


def percentiles(values: Array, level: float = 0.95) -> Interval:
    """The middle ``level`` of replicated values, to ten digits (the last bits vary with the machine)."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(round(float(low), 10), round(float(high), 10))


def interval(
    metric: Metric, marks: Sequence[Mark], seed: int = 13, replicates: int = REPLICATES, level: float = 0.95
) -> Interval:
    """The percentile bootstrap interval of a metric, sources drawn whole; Wilson's where a proportion is 0 or 1 throughout."""
    values = replicated(metric, marks, seed, replicates)
    if getattr(metric, "proportion", False) and values[0] in (0.0, 1.0) and np.all(values == values[0]):
        return wilson(float(values[0]), len(sources_of(marks)), level)
    return Interval(*np.clip(percentiles(values, level), *range_of(metric)).tolist())


def range_of(metric: Metric) -> tuple[float, float]:
    """The least and the most that a metric can be.

    A replicate may lie beyond: a document of several sources of which few were drawn weighs less than nothing.
    """
    free = (-math.inf, math.inf)
    return (0.0, 1.0) if getattr(metric, "proportion", False) else getattr(metric, "bounds", free)


def sources_of(marks: Sequence[Mark]) -> list[str]:
    """What the bootstrap draws for these marks."""
    return list(dict.fromkeys(itertools.chain.from_iterable(mark.sources for mark in marks)))


def wilson(share: float, number: int, level: float = 0.95) -> Interval:
    """Wilson's interval (1927) of a proportion of ``number`` independent items; it has a width at 0 and at 1, too.

    >>> wilson(1.0, 20), wilson(0.0, 20)
    (Interval(low=0.8388748419, high=1.0), Interval(low=0.0, high=0.1611251581))
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle, half = share + z * z / (2 * number), z * math.sqrt(share * (1 - share) / number + z * z / (4 * number**2))
    ends = [(middle + sign * half) / (1 + z * z / number) for sign in (-1, 1)]
    return Interval(*(round(min(1.0, max(0.0, end)), 10) for end in ends))


def standard_error(metric: Metric, marks: Sequence[Mark], seed: int = 13, replicates: int = REPLICATES) -> float:
    """The bootstrap standard error of a metric, groups drawn whole."""
    return float(np.std(replicated(metric, marks, seed, replicates), ddof=1))


def detectable(error: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest true difference that a two-sided test at ``alpha`` finds with ``power``, given its standard error.

    ``(z[1 - alpha/2] + z[power]) * error``, 2.80 standard errors by default (Bloom 1995; Card et al. 2020 for NLP).

    >>> round(detectable(0.01), 4)
    0.028
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * error


def minimum_detectable(
    metric: Metric,
    marks: Sequence[Mark],
    seed: int = 13,
    power: float = 0.8,
    alpha: float = 0.05,
    replicates: int = REPLICATES,
) -> float:
    """How far another system must be off to be told apart on these items.

    From one system's marks alone: the other is taken to vary as much and to err on other items, so the standard error
    of the difference is ``sqrt(2)`` times ours. Systems that err on the same items are told apart sooner: with both
    at hand use ``significance.minimum_detectable_pair``.
    """
    return detectable(math.sqrt(2) * standard_error(metric, marks, seed, replicates), power, alpha)
