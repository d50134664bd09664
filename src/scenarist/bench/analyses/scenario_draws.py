"""Counts of documents -> intervals of what an analysis of scenarios says: the stories that documents are made of are drawn anew.

`scenarios.py` counts; here the counts are weighed anew, five hundred times, as `bench/bootstrap.py` weighs items of several sources.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.inventory import NONE

Array = npt.NDArray[Any]
REPLICATES = 500
NORMAL = 1.959964
"""The normal distribution's 97.5 % point."""


class Counted(NamedTuple):
    """Sentence counts of one scenario in one document."""

    right: float = 0.0
    claimed: float = 0.0
    there: float = 0.0


def document_weights(sources: Sequence[Sequence[str]], seed: int) -> Array:
    """(replicates, documents): how much a document weighs where its sources are drawn anew, as `bootstrap` has it for items of several."""
    every = {source: number for number, source in enumerate(dict.fromkeys(chain.from_iterable(sources)))}
    belongs = np.zeros((len(sources), len(every)))
    for number, own in enumerate(sources):
        belongs[number, [every[source] for source in own]] = 1.0
    draw = np.random.default_rng(seed)
    picks = draw.multinomial(len(every), np.full(len(every), 1 / len(every)), size=REPLICATES)
    return np.asarray(1 + (picks - 1) @ belongs.T)


def sums_of(counts: Sequence[Mapping[str, Counted]], names: Sequence[str]) -> Array:
    """(documents, scenarios, 3): right, claimed, there."""
    place = {name: number for number, name in enumerate(names)}
    sums = np.zeros((len(counts), len(names), 3))
    for number, by_name in enumerate(counts):
        for name, three in by_name.items():
            if name in place:
                sums[number, place[name]] = three
    return sums


def ends_of(values: Any) -> tuple[float, float]:
    """The ends of the 95 % interval of what the replicates give."""
    low, high = np.quantile(np.asarray(values, dtype=float), (0.025, 0.975))
    return float(low), float(high)


def correlation_ends(value: float, number: int) -> tuple[float, float]:
    """The interval of a correlation over so many scenarios, by Fisher's z: another set of scenarios would have given another.

    >>> [round(end, 2) for end in correlation_ends(0.5, 100)]
    [0.34, 0.63]
    """
    middle, width = math.atanh(max(-0.999, min(0.999, value))), NORMAL / math.sqrt(max(1, number - 3))
    return math.tanh(middle - width), math.tanh(middle + width)


def share_ends(
    wrong_pairs: Sequence[Counter[tuple[str, str]]], chosen: Collection[tuple[str, str]], weights: Array
) -> tuple[float, float]:
    """The interval of the share that some pairs have in all wrong pairs of two scenarios; the pairs stay those of all documents."""
    sums = np.zeros((len(wrong_pairs), 2))
    for number, counts in enumerate(wrong_pairs):
        for pair, count in counts.items():
            if NONE not in pair:
                sums[number] += (count if pair in chosen else 0, count)
    copies = np.maximum(weights @ sums, 0.0)
    return ends_of(copies[:, 0] / np.maximum(copies[:, 1], 1e-9))


def pmi_ends(pair: tuple[str, str], texts: Mapping[str, set[int]], size: int, seed: int) -> tuple[float, float]:
    """The interval of a pair's PMI, documents drawn; 0 where the two do not meet, as everywhere."""
    first, second = (texts.get(name, set()) for name in pair)
    picks = np.random.default_rng(seed).multinomial(size, np.full(size, 1 / size), size=REPLICATES)
    left, right, both = (picks[:, sorted(numbers)].sum(axis=1) for numbers in (first, second, first & second))
    return ends_of(np.where(both > 0, np.log(np.maximum(both, 1) * size / np.maximum(left * right, 1)), 0.0))


def ratios(three: Any) -> tuple[Any, Any, Any]:
    """Precision, recall and F1 of (right, claimed, there), numbers or arrays."""
    right, claimed, there = (np.asarray(one, dtype=float) for one in three)
    return right / np.maximum(claimed, 1), right / np.maximum(there, 1), 2 * right / np.maximum(claimed + there, 1)


def pearson(one: Any, two: Any) -> float:
    """Pearson's r; 0 where one side does not vary.

    >>> pearson([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    1.0
    """
    a, b = np.asarray(one) - np.mean(one), np.asarray(two) - np.mean(two)
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return round(float(a @ b) / norm, 4) if norm else 0.0
