"""Counts of documents -> intervals of what an analysis of scenarios says: the stories that documents are made of are drawn anew.

`scenarios.py` counts; here the counts are weighed anew, five hundred times, as `bench/bootstrap.py` weighs items of several sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.inventory import NONE

Array = npt.NDArray[Any]
REPLICATES = 500


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


def correlation_ends(
    counts: Sequence[Mapping[str, Counted]],
    texts: Mapping[str, set[int]],
    mutual: Mapping[frozenset[str], float],
    weights: Array,
) -> dict[str, tuple[float, float]]:
    """Intervals of the correlations; PMI is kept as it is in all documents."""
    names = sorted(texts)
    copies = np.maximum(np.tensordot(weights, sums_of(counts, names), axes=1), 0.0)  # (R, C, 3)
    precision, recall, f1 = ratios(np.moveaxis(copies, 2, 0))
    top = np.array([max((value for pair, value in mutual.items() if name in pair), default=0.0) for name in names])
    frequent = copies[..., 2]
    columns = {
        "recall with pmi": (recall, np.broadcast_to(top, recall.shape)), "f1 with pmi": (f1, np.broadcast_to(top, f1.shape)),
        "precision with sentences": (precision, frequent), "f1 with sentences": (f1, frequent),
    }  # fmt: skip
    return {
        name: ends_of([pearson(left, right) for left, right in zip(*both, strict=True)])
        for name, both in columns.items()
    }


def share_ends(wrong_pairs: Sequence[Counter[tuple[str, str]]], weights: Array) -> dict[str, tuple[float, float]]:
    """Intervals of the shares of the ten and the hundred commonest pairs of two scenarios."""
    known = sorted({pair for counts in wrong_pairs for pair in counts if NONE not in pair})
    place = {pair: number for number, pair in enumerate(known)}
    table = np.zeros((len(wrong_pairs), max(1, len(known))))
    for number, counts in enumerate(wrong_pairs):
        for pair, count in counts.items():
            if pair in place:
                table[number, place[pair]] = count
    drawn = -np.sort(-np.maximum(weights @ table, 0.0), axis=1)
    whole = np.maximum(drawn.sum(axis=1), 1e-9)
    return {name: ends_of(drawn[:, :most].sum(axis=1) / whole) for name, most in (("ten", 10), ("hundred", 100))}


def pmi_ends(pair: tuple[str, str], texts: Mapping[str, set[int]], weights: Array) -> tuple[float, float]:
    """The interval of a pair's PMI."""
    first, second = (texts.get(name, set()) for name in pair)
    size = np.maximum(weights.sum(axis=1), 1e-9)
    alone = [np.maximum(weights[:, sorted(numbers)].sum(axis=1), 1e-9) for numbers in (first, second)]
    both = np.maximum(weights[:, sorted(first & second)].sum(axis=1), 0.0)
    return ends_of(np.where(both > 0, np.log(np.maximum(both, 1e-9) * size / (alone[0] * alone[1])), 0.0))


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
