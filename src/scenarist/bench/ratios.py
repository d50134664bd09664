"""Counts by item -> Figure: a share or a mean of a corpus or of answers, as a ratio of sums with its interval, sources drawn.

For analyses whose figures are no metric of an exam: a mean length, the share of links of a kind, how many misses say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scenarist.bench.bootstrap import Array, interval, sources_of
from scenarist.bench.marks import total
from scenarist.bench.sheet import Figure
from scenarist.contracts import Totals
from scenarist.question import Mark


class Tally(NamedTuple):
    """What one item adds: ``part`` of ``whole``, and the sources it was made from."""

    part: float
    whole: float
    sources: tuple[str, ...]


class Ratio:
    """Sum of the parts over the sum of the wholes; a metric of counts alone."""

    name = "ratio"
    higher = True

    def __init__(self, proportion: bool = True) -> None:
        self.proportion = proportion

    def settings(self) -> Mapping[str, object]:
        """Nothing to say."""
        return {}

    def mark(self, item: Any, prediction: Any) -> Mapping[str, float]:
        """Counts are given, not taken from answers."""
        raise NotImplementedError

    def combine(self, totals: Totals) -> Array:
        """The ratio; 0 where there is nothing to count."""
        whole = np.asarray(totals["whole"], dtype=float)
        part = np.asarray(totals["part"], dtype=float)
        value: Array = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
        return value


def ratio(counts: Iterable[Tally], proportion: bool = True, seed: int = 13) -> Figure:
    """The ratio with its interval; ``n`` is the sum of the wholes.

    >>> figure = ratio([Tally(at % 2, 1, (f"s{at}",)) for at in range(40)])
    >>> figure.value, figure.n, figure.groups
    (0.5, 40, 40)
    """
    marks = [
        Mark(str(number), (("part", float(part)), ("whole", float(whole))), groups=sources)
        for number, (part, whole, sources) in enumerate(counts)
    ]
    return ratio_of_marks(marks, proportion, seed)


def ratio_of_marks(marks: Sequence[Mark], proportion: bool = True, seed: int = 13) -> Figure:
    """The same from marks that have ``part`` and ``whole``."""
    metric = Ratio(proportion)
    drawn = len(sources_of(marks))
    value = total(metric, marks)
    n = round(sum(dict(mark.counts)["whole"] for mark in marks))
    if drawn < 2:
        return Figure(value, n=n, groups=drawn)
    low, high = interval(metric, marks, seed)
    return Figure(value, low, high, n, drawn)
