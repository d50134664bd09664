"""Unsaid -> Guesses: which event is missing at this place of a telling? Three counting rows and `reader`.

``scenario-frequency``: how often the scenario's tellers say it. ``scenario-bigram``: what stands between these two
neighbours (tuned weights). ``scenario-pmi``: what goes together with the told events, with a frequency cutoff. All three
know the scenario and the place. ``reader`` adds the words around the gap (models/slot_network.py). Where the question gives the labels of
told events and one event is missing, all rows use the tables of labels (models/untold_labels.py). The carried tables are
of the train splits only; where the question does not name the scenario, the carried detector does.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist import inventory
from scenarist.errors import BadInput
from scenarist.learning.slots import Slot, Tables
from scenarist.learning.tellings import labels, telling
from scenarist.models.untold.labels import Missing, is_labelled, knowledge, missing_of
from scenarist.models.untold.network import SlotNetwork
from scenarist.models.untold.network import load as load_arrays
from scenarist.networks.layers import log_softmax
from scenarist.question import Answer, AnyQuestion, Guess, Prediction, Question, Unsaid
from scenarist.store.home import inside, resource
from scenarist.story import Story

Array = npt.NDArray[np.float32]
LISTED = 60
"""Guesses a prediction lists; the rank of the key is exact whatever this is."""


REMEMBERED = 5000
"""Texts whose scenario is remembered: every row of a table asks for the same ones."""
_detected: dict[str, str] = {}


@cache
def network(kind: str) -> SlotNetwork:
    """The carried network and tables: ``verbs`` or ``labels``."""
    arrays = load_arrays(resource(f"knowledge/{kind}.npz"))
    table = Tables([str(one) for one in arrays["fillers"]], [str(one) for one in arrays["scenarios"]])
    for name in ("by_scenario", "by_place", "follows", "skips", "pairs", "alone", "order"):
        counts = getattr(table, name)
        if counts is not None:
            flat = counts.reshape(-1)
            flat[np.cumsum(arrays[f"{name}.at"], dtype=np.int64)] = arrays[f"{name}.n"].astype(np.float32)
    return SlotNetwork(arrays, table.finish())


@cache
def detector() -> Any:
    """The carried detector, for questions that do not name the scenario."""
    from scenarist.registry import make

    return make("model", "detector")


class Gap(NamedTuple):
    """A question in terms of the carried tables."""

    network: SlotNetwork
    slot: Slot
    sentences: list[tuple[str, ...]]
    number: int
    ids: tuple[int, ...]
    """Fillers of the told sentences."""
    choices: tuple[str, ...]


def scenario_of(question: Unsaid) -> str:
    """The scenario named, or the one the detector sees in most of the text."""
    if question.scenario:
        return inventory.find(question.scenario).name if inventory.known(question.scenario) else question.scenario
    text = question.story.text
    if text not in _detected:
        weight: dict[str, float] = {}
        for segment in detector().segments(question.story):
            for label in segment.labels[:1]:
                weight[label.name] = weight.get(label.name, 0.0) + label.weight * (segment.stop - segment.start)
        if len(_detected) >= REMEMBERED:
            _detected.clear()
        _detected[text] = max(weight, key=lambda name: weight[name], default="")
    return _detected[text]


def words_of(story: Story, kind: str) -> list[tuple[str, ...]]:
    """The words of each sentence as the networks know them: lemmas of content words, or word forms beside labels."""
    if kind == "verbs":
        return [step.words for step in telling(story).steps]
    return [tuple(word.lower() for word in story.words(sentence)) for sentence in story.sentences]


def gap_of(question: AnyQuestion) -> Gap:
    """What the tables say of a question."""
    if not isinstance(question, Unsaid):
        raise BadInput(f"this model answers what a story leaves untold, not {type(question).__name__} questions.")
    marked = labels(question.story)
    kind = "labels" if any(marked) else "verbs"
    net = network(kind)
    told = marked if kind == "labels" else [step.verb for step in telling(question.story).steps]
    ids = tuple(net.tables.filler.get(one, -1) for one in told)
    number = len(ids) if question.place is None else min(question.place, len(ids))
    scenario = net.tables.scenario.get(scenario_of(question), -1)
    before = tuple(one for one in ids[:number] if one >= 0)
    after = tuple(one for one in ids[number:] if one >= 0)
    slot = Slot(scenario, number / max(1, len(ids) + 1), before, after)
    return Gap(net, slot, words_of(question.story, kind), number, ids, question.choices)


def normalised(scores: Array) -> Array:
    """Scores as log-chances."""
    return np.asarray(log_softmax(scores), np.float32)


class Slots:
    """What the rows share: scores for every filler, turned into ranked guesses; the rank of any answer is exact."""

    name = "slots"
    learns = "nothing"
    asks: tuple[type[Question], ...] = (Unsaid,)

    def reads(self) -> list[Path]:
        """The carried knowledge, and what finds the scenario of a story."""
        return inside(resource("knowledge"), resource("detector"))

    def fit(self, data: Any) -> Slots:
        """Nothing to learn: the tables are carried."""
        return self

    def scores(self, gap: Gap) -> Array:
        """Unnormalised log-chances of all fillers."""
        raise BadInput("choose one of the rows: scenario-frequency, scenario-bigram, scenario-pmi, reader")

    def labels(self, missing: Missing) -> Array:
        """The same for the labels that may be missing."""
        raise BadInput("choose one of the rows: scenario-frequency, scenario-bigram, scenario-pmi, reader")

    def ranked(self, question: AnyQuestion) -> tuple[list[str], Array]:
        """Candidates and their log-chances."""
        if isinstance(question, Unsaid) and is_labelled(question):
            missing = missing_of(question, scenario_of(question))
            return missing.names, normalised(self.labels(missing))
        gap = gap_of(question)
        scores = self.scores(gap)
        names = gap.network.tables.fillers
        if gap.choices:
            rows = [gap.network.tables.filler.get(one, -1) for one in gap.choices]
            scores = np.array([scores[row] if row >= 0 else scores.min() - 1 for row in rows], np.float32)
            names = list(gap.choices)
        elif gap.slot.scenario >= 0 and gap.network.tables.order is not None:  # labels belong to their scenario
            scores = np.where(gap.network.tables.by_scenario[gap.slot.scenario] > 0, scores, scores.min() - 20)
        return list(names), normalised(scores)

    def answer(self, question: AnyQuestion) -> Prediction:
        names, logp = self.ranked(question)
        best = np.argsort(-logp, kind="stable")[:LISTED]
        listed = tuple(Guess(names[number], float(logp[number])) for number in best)
        return Prediction("", listed, by=self.name, rest=max(0.0, 1.0 - float(np.exp(logp[best]).sum())))

    def rate_many(self, questions: list[AnyQuestion], answers: list[Answer]) -> list[tuple[float | None, float | None]]:
        """ln P and the expected rank of each answer; an answer no table knows has no rank."""
        rated: list[tuple[float | None, float | None]] = []
        for question, answer in zip(questions, answers, strict=True):
            names, logp = self.ranked(question)
            if answer not in names:
                rated.append((None, None))
                continue
            mine = logp[names.index(str(answer))]
            rated.append((float(mine), 1.0 + float((logp > mine).sum()) + (float((logp == mine).sum()) - 1) / 2))
        return rated


class ScenarioFrequency(Slots):
    """How often tellers of the scenario say it (at this third of the telling, where ``place`` is set)."""

    name = "scenario-frequency"

    def __init__(self, place: bool = True) -> None:
        self.place = place

    def scores(self, gap: Gap) -> Array:
        features = gap.network.tables.features(gap.slot)
        return np.asarray(features[1] if self.place else features[0], np.float32)

    def labels(self, missing: Missing) -> Array:
        return np.asarray(missing.features[2 if self.place and missing.hole.placed else 0], np.float32)


class ScenarioBigram(Slots):
    """What stands between these neighbours: log P(filler | left) + log P(right | filler) (Chambers 2017, eq. 2 and 3)."""

    name = "scenario-bigram"

    def __init__(self, weight: float = 1.0, place: bool = True) -> None:
        """``weight`` below 1 mixes in the scenario's frequency (at this place): the tuned mixture is a row of its own."""
        self.weight, self.place = weight, place

    def scores(self, gap: Gap) -> Array:
        features = gap.network.tables.features(gap.slot)
        chain = features[2] + features[3] - features[7]
        return np.asarray(
            self.weight * chain + (1 - self.weight) * (features[1] if self.place else features[0]), np.float32
        )

    def labels(self, missing: Missing) -> Array:
        """Without a place there are no neighbours, and the row is the frequency."""
        tellers, place, left, right = missing.features[[0, 2, 4, 7]]
        if not missing.hole.placed:
            return np.asarray(tellers, np.float32)
        return np.asarray(self.weight * (left + right) + (1 - self.weight) * (tellers + place), np.float32)


class ScenarioPmi(Slots):
    """What goes together with the told events: mean PMI, among fillers the scenario's tellers say at least ``cutoff`` times."""

    name = "scenario-pmi"

    def __init__(self, cutoff: float = 1.0, weight: float = 1.0) -> None:
        self.cutoff, self.weight = cutoff, weight

    def scores(self, gap: Gap) -> Array:
        tables = gap.network.tables
        features = tables.features(gap.slot)
        counts = tables.by_scenario[gap.slot.scenario] if gap.slot.scenario >= 0 else tables.alone
        scores = self.weight * features[6] + (1 - self.weight) * features[1]
        return np.asarray(np.where(counts >= self.cutoff, scores, scores - 50), np.float32)

    def labels(self, missing: Missing) -> Array:
        tellers, lift, counts = missing.features[[0, 14, 17]]
        scores = self.weight * lift + (1 - self.weight) * tellers
        return np.asarray(np.where(np.expm1(counts) >= self.cutoff - 0.01, scores, scores - 50), np.float32)


class Reader(Slots):
    """The model behind `scenarist read`: counts by scenario, place and neighbours, and the words around the gap."""

    name = "reader"

    def scores(self, gap: Gap) -> Array:
        return gap.network.logits(gap.slot, gap.sentences, gap.number)

    def labels(self, missing: Missing) -> Array:
        return knowledge().rank(missing)
