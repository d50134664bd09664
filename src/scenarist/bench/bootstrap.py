"""Marks -> interval: the percentile bootstrap, drawing groups (what items share a source with), not items.

A metric's value is a function of sums of counts, so a replicate is a row of weights (how often each group was drawn)
times the matrix of group sums: one product for all replicates, whatever the metric. Groups with equal sums are drawn
together as one multinomial, which is the same distribution and makes 2,000 replicates of a yes-or-no metric a matter
of milliseconds. An item without a group is its own. Weights are made in chunks, so memory does not grow with the
number of replicates.

Efron and Tibshirani 1993, chapter 13 (percentile interval); Davison and Hinkley 1997, section 3.8 (clusters drawn
whole). Known weakness: with few groups (below about 20), or at the very edge (all right), the interval is too narrow.
"""

from __future__ import annotations

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
CELLS = 2_000_000
"""Most weights held at once (16 MB)."""


class Interval(NamedTuple):
    """Two ends."""

    low: float
    high: float


class Sums(NamedTuple):
    """Counts summed by group: ``table[group, name]``."""

    names: tuple[str, ...]
    groups: tuple[str, ...]
    table: Array

    def totals(self, table: Array | None = None) -> dict[str, Array]:
        """Sums by name; the last axis of ``table`` runs over names."""
        found = self.table.sum(axis=0) if table is None else table
        return {name: found[..., at] for at, name in enumerate(self.names)}


def group_of(mark: Mark) -> str:
    """What the bootstrap draws: the mark's group, or the item itself."""
    return f"group {mark.group}" if mark.group else f"item {mark.item}"


def group_sums(marks: Sequence[Mark], names: Sequence[str] = (), groups: Sequence[str] = ()) -> Sums:
    """Counts of marks summed by group, groups in the order of their first mark.

    >>> group_sums([Mark("a", (("right", 1.0),), "x"), Mark("b", (("right", 0.0),), "x")]).table.tolist()
    [[1.0]]
    """
    if not marks:
        raise BadInput("There is nothing to score: expected at least one mark, got none.")
    columns = {
        name: at for at, name in enumerate(names or dict.fromkeys(key for mark in marks for key, _ in mark.counts))
    }
    rows = {group: at for at, group in enumerate(groups or dict.fromkeys(group_of(mark) for mark in marks))}
    table = np.zeros((len(rows), len(columns)))
    for mark in marks:
        row = rows[group_of(mark)]
        for name, number in mark.counts:
            table[row, columns[name]] += number
    return Sums(tuple(columns), tuple(rows), table)


def distinct(table: Array) -> tuple[Array, Array]:
    """Rows that differ, and how often each occurs."""
    if table.shape[1] > 16:
        return table, np.ones(len(table), dtype=np.int64)
    rows, counts = np.unique(table, axis=0, return_counts=True)
    return rows, counts


def drawn(table: Array, rng: np.random.Generator, replicates: int) -> Iterator[Array]:
    """Sums of bootstrap replicates, ``(replicates, columns)`` in chunks: groups drawn with replacement."""
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
        np.asarray(metric.combine(sums.totals(table)), dtype=float) for table in drawn(sums.table, rng, replicates)
    ]
    return np.concatenate([np.atleast_1d(part) for part in parts])


def percentiles(values: Array, level: float = 0.95) -> Interval:
    """The middle ``level`` of replicated values, to ten digits (the last bits vary with the machine)."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(round(float(low), 10), round(float(high), 10))


def interval(
    metric: Metric, marks: Sequence[Mark], seed: int = 13, replicates: int = REPLICATES, level: float = 0.95
) -> Interval:
    """The percentile bootstrap interval of a metric, groups drawn whole."""
    return percentiles(replicated(metric, marks, seed, replicates), level)


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
