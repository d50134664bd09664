"""Tellings -> Tables: what stands in which slot of a scenario's telling, as count tables and per-slot features.

A slot is a sentence that is not there; its filler is a main verb (or a script event label). The tables are small dense arrays;
``features`` gives for every candidate how well it fits a slot by scenario, place, neighbours and what is told already. All of it is
counted, nothing is tuned here; the weights of the features are learned in ``training/knowledge``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
BUCKETS = 6
NAMES = ("scenario", "place", "left", "right", "left2", "right2", "together", "all", "told", "order")
"""What each feature says: log P(filler | ...)."""


class Slot(NamedTuple):
    """What is known of a slot: ids of fillers around it (-1 none), its scenario (-1 unknown), its place from 0 to 1."""

    scenario: int
    place: float
    before: tuple[int, ...]
    """Fillers told before it, nearest last."""
    after: tuple[int, ...]
    """Fillers told after it, nearest first."""


class Tables:
    """Counts of fillers by scenario, place and neighbour."""

    def __init__(self, fillers: Sequence[str], scenarios: Sequence[str]) -> None:
        self.fillers, self.scenarios = list(fillers), list(scenarios)
        self.filler = {name: number for number, name in enumerate(fillers)}
        self.scenario = {name: number for number, name in enumerate(scenarios)}
        v, s = len(fillers), len(scenarios)
        self.by_scenario = np.zeros((s, v), np.float32)
        self.by_place = np.zeros((s, BUCKETS, v), np.float32)
        self.follows = np.zeros((v, v), np.float32)  # follows[a, b]: b told next after a
        self.skips = np.zeros((v, v), np.float32)  # skips[a, b]: b told two after a
        self.order = np.zeros((s, v, v), np.float32) if v < 400 else None  # order[s, a, b]: a before b in one telling
        self.pairs = np.zeros((v, v), np.float32)  # tellings with both
        self.alone = np.zeros(v, np.float32)  # tellings with it

    def add(self, telling: Sequence[int], scenario: int, weight: float = 1.0) -> None:
        """Count one telling: filler ids in order, -1 where a sentence has none."""
        size = max(1, len(telling) - 1)
        kept = [(number, filler) for number, filler in enumerate(telling) if filler >= 0]
        for number, filler in kept:
            if scenario >= 0:
                self.by_scenario[scenario, filler] += weight
                self.by_place[scenario, min(BUCKETS - 1, int(BUCKETS * number / (size + 1))), filler] += weight
        ids = [filler for _, filler in kept]
        for a, b in zip(ids, ids[1:], strict=False):
            self.follows[a, b] += weight
        for a, b in zip(ids, ids[2:], strict=False):
            self.skips[a, b] += weight
        distinct = sorted(set(ids))
        self.alone[distinct] += weight
        self.pairs[np.ix_(distinct, distinct)] += weight
        if self.order is not None and scenario >= 0:
            for place, a in enumerate(ids):
                for b in ids[place + 1 :]:
                    self.order[scenario, a, b] += weight

    def finish(self) -> Tables:
        """Logarithms of smoothed chances, once."""
        total = self.by_scenario.sum(0) + self.follows.sum(0) * 0.1 + 0.5
        self.base = total / total.sum()
        mixed = self.by_scenario + 4.0 * self.base  # (scenarios, fillers)
        self.log_scenario = np.log(mixed / mixed.sum(1, keepdims=True))
        nearby = self.by_place + 0.5 * np.roll(self.by_place, 1, 1) + 0.5 * np.roll(self.by_place, -1, 1)
        nearby = nearby + 6.0 * np.exp(self.log_scenario)[:, None, :]
        self.log_place = np.log(nearby / nearby.sum(2, keepdims=True))
        self.log_base = np.log(self.base)
        self.log_follows = smoothed(self.follows, self.base)
        self.log_precedes = smoothed(self.follows.T, self.base)
        self.log_skips = smoothed(self.skips, self.base)
        self.log_skipped = smoothed(self.skips.T, self.base)
        tellings = max(1.0, float(self.alone.max()) * 4)
        chance = (self.pairs + 2.0 * self.alone / tellings) / (self.alone[:, None] + 2.0)
        self.log_pairs = np.log(chance + 1e-4) - np.log(self.alone / tellings + 1e-3)
        return self

    def slot(self, telling: Sequence[int], scenario: int, number: int) -> Slot:
        """The slot of sentence ``number``, which is taken out of a telling (the list still holds it)."""
        before = tuple(filler for filler in telling[:number] if filler >= 0)
        after = tuple(filler for filler in telling[number + 1 :] if filler >= 0)
        return Slot(scenario, number / max(1, len(telling)), before, after)

    def features(self, slot: Slot) -> Array:
        """(features, fillers): how well each filler fits the slot."""
        bucket = min(BUCKETS - 1, int(BUCKETS * slot.place))
        known = slot.scenario >= 0
        scenario = self.log_scenario[slot.scenario] if known else self.log_base
        place = self.log_place[slot.scenario, bucket] if known else self.log_base
        rows = [
            scenario,
            place,
            self.log_follows[slot.before[-1]] if slot.before else self.log_base,
            self.log_precedes[slot.after[0]] if slot.after else self.log_base,
            self.log_skips[slot.before[-2]] if len(slot.before) > 1 else self.log_base,
            self.log_skipped[slot.after[1]] if len(slot.after) > 1 else self.log_base,
        ]
        around = sorted({*slot.before[-6:], *slot.after[:6]})
        rows.append(self.log_pairs[around].mean(0) if around else np.zeros_like(self.log_base))
        rows.append(self.log_base)
        counts = np.zeros_like(self.log_base)
        for one in (*slot.before, *slot.after):
            counts[one] += 1
        rows.append(np.minimum(counts, 2))
        rows.append(self.ordered(slot))
        return np.asarray(np.stack(rows), np.float32)

    def ordered(self, slot: Slot) -> Array:
        """How well a filler's usual order with the told ones agrees with this place (labels only: verbs are too many)."""
        if self.order is None or slot.scenario < 0:
            return np.zeros_like(self.log_base)
        table = self.order[slot.scenario]
        score = np.zeros_like(self.log_base)
        for one in slot.before:
            score += np.log((table[one] + 1) / (table[one] + table[:, one] + 2))
        for one in slot.after:
            score += np.log((table[:, one] + 1) / (table[one] + table[:, one] + 2))
        return np.asarray(score / max(1, len(slot.before) + len(slot.after)) ** 0.5, np.float32)


def smoothed(counts: Array, base: Array, trust: float = 20.0) -> Array:
    """Rows of counts as log-chances, drawn towards the base."""
    mixed = counts + trust * base
    return np.asarray(np.log(mixed / mixed.sum(1, keepdims=True)), np.float32)


def tables(
    tellings: Iterable[tuple[Sequence[str], str, float]], fillers: Sequence[str], scenarios: Sequence[str]
) -> Tables:
    """Tables of (fillers in order, scenario, weight) triples."""
    tables_ = Tables(fillers, scenarios)
    for telling, scenario, weight in tellings:
        tables_.add([tables_.filler.get(one, -1) for one in telling], tables_.scenario.get(scenario, -1), weight)
    return tables_.finish()
