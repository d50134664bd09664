"""Sequences of script event labels -> LabelTables: which event is missing from a telling, as counts by scenario and features of candidates.

A telling is a sequence of labels; an event is taken out wholly (all its mentions), which leaves the labels before its first mention
and those behind it. Every table is by scenario, since *get on* a bus is not *get on* a train. All is counted; weights are learned in
``training/knowledge``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
PARTS = 6
"""Sixths of a telling."""
NAMES = (
    "tellers", "mentions", "place", "place share", "left", "right", "left share", "right share", "left two back", "right two on",
    "order", "order near", "order worst before", "order worst after", "together", "together best", "together worst", "alone",
    "length", "position",
)  # fmt: skip
"""What each feature says of a candidate; the last two are the same for all."""
ARRAYS = ("n", "tellers", "mentions", "place", "left", "right", "left2", "right2", "before", "both")


class Hole(NamedTuple):
    """Labels (ids) told before and after the missing event; ``placed`` is False where the place is not known."""

    scenario: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    placed: bool = True

    @property
    def told(self) -> frozenset[int]:
        """What is told, so not missing."""
        return frozenset(self.before) | frozenset(self.after)


def holes(telling: Sequence[int], scenario: int) -> Iterator[tuple[Hole, int]]:
    """Each event of a telling taken out in turn, with the event.

    >>> [(hole.before, hole.after, key) for hole, key in holes([3, 5, 3], 0)]
    [((), (5,), 3), ((3,), (3,), 5)]
    """
    for key in sorted(set(telling)):
        first = telling.index(key)
        yield (
            Hole(
                scenario,
                tuple(one for one in telling[:first] if one != key),
                tuple(one for one in telling[first:] if one != key),
            ),
            key,
        )


class LabelTables:
    """Counts of labels by scenario: how many tell it, where, next to what, before what, together with what."""

    def __init__(self, labels: Sequence[str], scenarios: Sequence[str]) -> None:
        self.labels, self.scenarios = list(labels), list(scenarios)
        self.label = {name: number for number, name in enumerate(labels)}
        self.scenario = {name: number for number, name in enumerate(scenarios)}
        v, s = len(labels), len(scenarios)
        self.n, self.tellers, self.mentions = (
            np.zeros(s, np.float32),
            np.zeros((s, v), np.float32),
            np.zeros((s, v), np.float32),
        )
        self.place = np.zeros((s, PARTS, v), np.float32)
        self.left, self.right, self.left2, self.right2 = (
            np.zeros((s, v + 1, v), np.float32) for _ in range(4)
        )  # row v: the end
        self.before, self.both = np.zeros((s, v, v), np.float32), np.zeros((s, v, v), np.float32)

    def add(self, telling: Sequence[int], scenario: int, weight: float = 1.0) -> None:
        """Count one telling."""
        if not telling:
            return
        self.n[scenario] += weight
        distinct = sorted(set(telling))
        self.tellers[scenario, distinct] += weight
        np.add.at(self.mentions[scenario], list(telling), weight)
        self.both[scenario][np.ix_(distinct, distinct)] += weight
        first = sorted(distinct, key=telling.index)
        for number, one in enumerate(first):
            self.before[scenario, one, first[number + 1 :]] += weight
        end = len(self.labels)
        for hole, key in holes(list(telling), scenario):
            self.place[scenario, part(hole), key] += weight
            self.left[scenario, hole.before[-1] if hole.before else end, key] += weight
            self.right[scenario, hole.after[0] if hole.after else end, key] += weight
            if len(hole.before) > 1:
                self.left2[scenario, hole.before[-2], key] += weight
            if len(hole.after) > 1:
                self.right2[scenario, hole.after[1], key] += weight

    def candidates(self, hole: Hole) -> npt.NDArray[np.int64]:
        """Labels of the scenario that are not told."""
        known = np.flatnonzero(self.tellers[hole.scenario] > 0)
        return known[~np.isin(known, list(hole.told))]

    def features(self, hole: Hole) -> Array:
        """(features, labels), see ``NAMES``; without a place, what depends on it is zero."""
        s, end = hole.scenario, len(self.labels)
        n, tellers = max(1.0, float(self.n[s])), self.tellers[s]
        rows = np.zeros((len(NAMES), end), np.float32)
        rows[0], rows[1] = np.log((tellers + 0.3) / n), np.log((self.mentions[s] + 0.3) / n)
        told = sorted(hole.told)
        if hole.placed:
            at = part(hole)
            near = self.place[s, at] + 0.5 * (self.place[s, max(0, at - 1)] + self.place[s, min(PARTS - 1, at + 1)])
            rows[2], rows[3] = np.log((near + 0.3) / n), np.log((near + 0.5) / (tellers + 3))
            left = self.left[s, hole.before[-1] if hole.before else end]
            right = self.right[s, hole.after[0] if hole.after else end]
            rows[4], rows[5] = np.log(left + 0.2), np.log(right + 0.2)
            rows[6], rows[7] = np.log((left + 0.2) / (tellers + 2)), np.log((right + 0.2) / (tellers + 2))
            rows[8] = np.log(self.left2[s, hole.before[-2]] + 0.3) if len(hole.before) > 1 else np.log(0.3)
            rows[9] = np.log(self.right2[s, hole.after[1]] + 0.3) if len(hole.after) > 1 else np.log(0.3)
            ahead, behind = list(dict.fromkeys(reversed(hole.before))), list(dict.fromkeys(hole.after))
            order = self.before[s]
            agrees = [agreement(order[ahead], order[:, ahead].T), agreement(order[:, behind].T, order[behind])]
            rows[10] = sum(one.sum(0) for one in agrees)
            rows[11] = sum(one[:2].sum(0) for one in agrees)
            rows[12], rows[13] = (one.min(0, initial=0.0) for one in agrees)
            rows[19] = len(hole.before) / max(1, len(hole.before) + len(hole.after))
        if told:
            share = (tellers + 0.3) / n
            chance = (self.both[s, told] + share) / (tellers[told][:, None] + 1)  # (told, v)
            lift = np.log(chance / share)
            rows[14], rows[15], rows[16] = lift.mean(0), lift.max(0), lift.min(0)
        rows[17] = np.log(tellers + 1)
        rows[18] = np.log1p(len(told))
        return rows

    def arrays(self) -> dict[str, Any]:
        """For keeping."""
        return {name: getattr(self, name).astype(np.float16) for name in ARRAYS}

    @classmethod
    def of(cls, labels: Sequence[str], scenarios: Sequence[str], arrays: Mapping[str, Any]) -> LabelTables:
        """From what was kept."""
        made = cls(labels, scenarios)
        for name in ARRAYS:
            setattr(made, name, np.asarray(arrays[name], np.float32))
        return made


def compared(features: Array) -> Array:
    """(candidates, f) -> (candidates, 3 f): each feature, how far it is from the best candidate's, and its rank among them.

    >>> compared(np.array([[2.0], [5.0]], np.float32)).tolist()
    [[2.0, -3.0, 1.0], [5.0, 0.0, 0.0]]
    """
    rank = np.argsort(np.argsort(-features, 0, kind="stable"), 0, kind="stable")
    return np.concatenate([features, features - features.max(0, initial=-np.inf), rank], 1).astype(np.float32)


def agreement(first: Array, second: Array) -> Array:
    """How much the counts speak for the first of two orders, as log-chances."""
    return np.asarray(np.log((first + 0.5) / (first + second + 1)), np.float32)


def part(hole: Hole) -> int:
    """The sixth of the telling a hole stands in."""
    size = len(hole.before) + len(hole.after)
    return min(PARTS - 1, PARTS * len(hole.before) // max(1, size))


def count(
    tellings: Iterable[tuple[Sequence[str], str, float]], labels: Sequence[str], scenarios: Sequence[str]
) -> LabelTables:
    """Tables of (labels in order, scenario, weight) triples."""
    made = LabelTables(labels, scenarios)
    for told, scenario, weight in tellings:
        made.add([made.label[one] for one in told if one in made.label], made.scenario[scenario], weight)
    return made
