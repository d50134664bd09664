"""Marks of two systems on the same items -> is the difference real?

Three tests, chosen by what the marks are, and the choice is said in the result:

- ``mcnemar``: every item right or wrong under both and no two items share a source: the exact binomial test on the
items on
  which they differ (McNemar 1947).
- ``randomisation``: any other marks (partial credit, precision and recall, items that share a source): approximate
  randomisation (Noreen 1989; Yeh 2000), the two systems' counts exchanged source by source.
- ``bootstrap``: metrics that are means of real numbers (surprisal, MRR, tau), and items of several sources each, whose sources cannot be
  exchanged one by one: paired bootstrap (Efron and Tibshirani 1993), sources drawn whole, the replicated differences shifted to the null
  hypothesis.

All are two-sided. The interval of the difference is always the paired percentile bootstrap. Several comparisons are
corrected by Holm's step-down method (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scenarist.bench.bootstrap import (
    CELLS,
    REPLICATES,
    Array,
    Interval,
    Sums,
    detectable,
    distinct,
    drawn,
    group_sums,
    percentiles,
    sources_of,
)
from scenarist.contracts import Metric
from scenarist.errors import BadInput
from scenarist.marked import Comparison
from scenarist.question import Mark

SHUFFLES = 10_000


class Paired(NamedTuple):
    """Counts of two systems summed over the same sources."""

    first: Sums
    second: Sums

    @property
    def both(self) -> Array:
        """The two tables side by side."""
        return np.concatenate([self.first.table, self.second.table], axis=1)

    @property
    def spare(self) -> Array:
        """What ``both`` holds more than the items do."""
        return np.concatenate([self.first.spare, self.second.spare])

    def observed(self, metric: Metric) -> float:
        """The difference itself."""
        return float(self.difference(metric, np.concatenate([self.first.whole, self.second.whole])))

    def difference(self, metric: Metric, both: Array) -> Array:
        """First minus second, for sums of ``both`` in any leading shape."""
        width = len(self.first.names)
        return np.asarray(
            metric.combine(self.first.totals(both[..., :width]))
            - metric.combine(self.second.totals(both[..., width:])),
            dtype=float,
        )


def pair(marks_a: Sequence[Mark], marks_b: Sequence[Mark]) -> Paired:
    """Two systems' counts on common groups and names; both must have marked the same items."""
    one, other = {mark.item: mark for mark in marks_a}, {mark.item: mark for mark in marks_b}
    for marks, by_item in ((marks_a, one), (marks_b, other)):
        if len(marks) != len(by_item):
            raise BadInput("Cannot compare two systems: an item was marked twice. Expected one mark an item.")
    if one.keys() != other.keys():
        odd = sorted(one.keys() ^ other.keys())
        raise BadInput(
            f"Cannot compare two systems on different items: {len(odd)} items were marked for one only, such as "
            f"{odd[0]!r}. Score both on the same exam folder."
        )
    names = list(dict.fromkeys(key for mark in (*marks_a, *marks_b) for key, _ in mark.counts))
    groups = sources_of(marks_a)
    aligned = [other[mark.item] for mark in marks_a]
    if any(a.sources != b.sources for a, b in zip(marks_a, aligned, strict=True)):
        raise BadInput("Cannot compare two systems: their marks give different groups to one item.")
    return Paired(group_sums(marks_a, names, groups), group_sums(aligned, names, groups))


def binary(marks: Sequence[Mark]) -> list[bool] | None:
    """Right or wrong by item, where that is all the marks say (``n`` is 1 and one other count is 0 or 1); else None."""
    found = []
    for mark in marks:
        counts = dict(mark.counts)
        if counts.pop("n", None) != 1.0 or len(counts) != 1:
            return None
        value = next(iter(counts.values()))
        if value not in (0.0, 1.0):
            return None
        found.append(value == 1.0)
    return found


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact two-sided p of McNemar's test from the numbers of items that only one of the two got right.

    >>> round(mcnemar(5, 15), 6)
    0.041389
    """
    n, least = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    half = n * math.log(2)
    tail = math.fsum(
        math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - half) for k in range(least + 1)
    )
    return min(1.0, 2 * tail)


def swapped(gap: Array, rng: np.random.Generator, shuffles: int) -> Iterator[Array]:
    """Sums of what changes hands when each group is exchanged with probability one half, in chunks."""
    rows, counts = distinct(gap[np.any(gap != 0, axis=1)])
    chunk = max(1, min(shuffles, CELLS // max(1, len(rows))))
    for start in range(0, shuffles, chunk):
        number = min(chunk, shuffles - start)
        times = rng.binomial(counts, 0.5, size=(number, len(rows)))
        yield times.astype(float) @ rows


def randomisation(metric: Metric, sums: Paired, seed: int = 13, shuffles: int = SHUFFLES) -> float:
    """Two-sided p: how often an exchange of groups makes a difference at least as large as the observed one.

    For items of one source each: where items share several sources, nothing can be exchanged whole.
    """
    observed = abs(sums.observed(metric))
    first, second = sums.first.whole, sums.second.whole
    extreme = 0
    for moved in swapped(sums.second.table - sums.first.table, np.random.default_rng(seed), shuffles):
        both = np.concatenate([first + moved, second - moved], axis=1)
        extreme += int(np.sum(np.abs(sums.difference(metric, both)) >= observed - 1e-12))
    return (1 + extreme) / (1 + shuffles)


def differences(metric: Metric, sums: Paired, seed: int = 13, replicates: int = REPLICATES) -> Array:
    """Bootstrap replicates of the difference, sources drawn whole and for both systems alike."""
    rng = np.random.default_rng(seed)
    parts = drawn(sums.both, rng, replicates, sums.spare)
    return np.concatenate([np.atleast_1d(sums.difference(metric, both)) for both in parts])


def bootstrap_p(values: Array, observed: float) -> float:
    """Two-sided p of a paired bootstrap: how often a replicate strays from the observed difference that far."""
    extreme = int(np.sum(np.abs(values - observed) >= abs(observed) - 1e-12))
    return (1 + extreme) / (1 + len(values))


def compare(
    metric: Metric,
    marks_a: Sequence[Mark],
    marks_b: Sequence[Mark],
    seed: int = 13,
    replicates: int = REPLICATES,
    shuffles: int = SHUFFLES,
) -> Comparison:
    """The right test for these marks, with the difference first minus second and its interval."""
    sums = pair(marks_a, marks_b)
    observed = sums.observed(metric)
    values = differences(metric, sums, seed, replicates)
    ends: Interval = percentiles(values)
    by_item = {mark.item: mark for mark in marks_b}
    right_a, right_b = binary(marks_a), binary([by_item[mark.item] for mark in marks_a])
    if right_a is not None and right_b is not None and len(sums.first.groups) == len(marks_a):
        only_a = sum(a and not b for a, b in zip(right_a, right_b, strict=True))
        only_b = sum(b and not a for a, b in zip(right_a, right_b, strict=True))
        test, p = "mcnemar", mcnemar(only_a, only_b)
    elif getattr(metric, "averages", False) or any(len(mark.sources) > 1 for mark in marks_a):
        test, p = "bootstrap", bootstrap_p(values, observed)
    else:
        test, p = "randomisation", randomisation(metric, sums, seed, shuffles)
    return Comparison(test, round(observed, 10), ends.low, ends.high, p)


def minimum_detectable_pair(
    metric: Metric,
    marks_a: Sequence[Mark],
    marks_b: Sequence[Mark],
    seed: int = 13,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float:
    """The smallest true difference these items would show between two systems that err as these two do."""
    return detectable(float(np.std(differences(metric, pair(marks_a, marks_b), seed), ddof=1)), power, alpha)


def holm(ps: Sequence[float]) -> list[float]:
    """p-values corrected for several comparisons, in the given order (Holm's step-down).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(ps)
    running = 0.0
    for step, at in enumerate(sorted(range(len(ps)), key=lambda index: ps[index])):
        running = max(running, min(1.0, (len(ps) - step) * ps[at]))
        adjusted[at] = running
    return adjusted
