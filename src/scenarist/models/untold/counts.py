"""Unsaid -> Guesses: which event is missing at this place of a telling? Counts alone, and counts with a network.

`untold-counts`, by ``frequency``: how often the scenario's tellers say it; by ``bigram``: what stands between these two neighbours
(Chambers 2017, eq. 2 and 3); by ``pmi``: what goes together with the told events, with a frequency cutoff. All know the scenario and
the place. `untold-network` adds the words around the gap (network.py). Where the question gives the labels of told events and one
event is missing, all use the tables of labels (labels.py), and the network the learned ranker. The carried tables are of the train
splits only.
"""

from __future__ import annotations

import numpy as np

from scenarist.errors import BadInput
from scenarist.models.untold.base import Array, SlotGap, UntoldModel
from scenarist.models.untold.labels import LabelGap, label_knowledge

KINDS = ("frequency", "bigram", "pmi")


class UntoldCounts(UntoldModel):
    """What the scenario's tellers say, by one of three counts."""

    name = "untold-counts"

    def __init__(self, by: str = "frequency", place: bool = True, weight: float = 1.0, cutoff: float = 1.0) -> None:
        """``place``: does frequency count at this part of the telling; ``weight`` below 1 mixes frequency into the other two (the tuned
        mixture is a row of its own); ``cutoff``: fillers the scenario's tellers say so often are candidates (``pmi``)."""
        if by not in KINDS:
            raise BadInput(f"untold-counts: by is one of {', '.join(KINDS)}, not {by!r}.")
        self.by, self.place, self.weight, self.cutoff = by, place, weight, cutoff

    def scores(self, gap: SlotGap) -> Array:
        tables = gap.network.tables
        features = tables.features(gap.slot)
        often, here = features[0], features[1]
        if self.by == "frequency":
            return np.asarray(here if self.place else often, np.float32)
        if self.by == "bigram":
            chain = features[2] + features[3] - features[7]
            return np.asarray(self.weight * chain + (1 - self.weight) * (here if self.place else often), np.float32)
        counts = tables.by_scenario[gap.slot.scenario] if gap.slot.scenario >= 0 else tables.alone
        scores = self.weight * features[6] + (1 - self.weight) * here
        return np.asarray(np.where(counts >= self.cutoff, scores, scores - 50), np.float32)

    def label_scores(self, gap: LabelGap) -> Array:
        """Without a place there are no neighbours, and a bigram is the frequency."""
        tellers, place, left, right, lift, counts = gap.features[[0, 2, 4, 7, 14, 17]]
        if self.by == "frequency":
            return np.asarray(place if self.place and gap.hole.placed else tellers, np.float32)
        if self.by == "bigram":
            if not gap.hole.placed:
                return np.asarray(tellers, np.float32)
            return np.asarray(self.weight * (left + right) + (1 - self.weight) * (tellers + place), np.float32)
        scores = self.weight * lift + (1 - self.weight) * tellers
        return np.asarray(np.where(np.expm1(counts) >= self.cutoff - 0.01, scores, scores - 50), np.float32)


class ScenarioFrequency(UntoldCounts):
    """How often tellers of the scenario say it (at this sixth of the telling, where ``place`` is set); an old name of `untold-counts`."""

    def __init__(self, place: bool = True) -> None:
        super().__init__("frequency", place)


class ScenarioBigram(UntoldCounts):
    """What stands between these neighbours; an old name of `untold-counts`."""

    def __init__(self, weight: float = 1.0, place: bool = True) -> None:
        super().__init__("bigram", place, weight)


class ScenarioPmi(UntoldCounts):
    """What goes together with the told events; an old name of `untold-counts`."""

    def __init__(self, cutoff: float = 1.0, weight: float = 1.0) -> None:
        super().__init__("pmi", weight=weight, cutoff=cutoff)


class UntoldNetwork(UntoldModel):
    """Counts by scenario, place and neighbours, and the words around the gap; for labels boosted trees over the counts."""

    name = "untold-network"

    def scores(self, gap: SlotGap) -> Array:
        return gap.network.logits(gap.slot, gap.sentences, gap.number)

    def label_scores(self, gap: LabelGap) -> Array:
        return label_knowledge().rank(gap)
