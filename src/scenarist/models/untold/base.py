"""Unsaid -> ranked fillers: what the models of this room share, a question in terms of the carried tables, and its answer.

The scenario is the one the question names, or the one the carried detector sees in most of the text. A filler is a main verb, or a
script event label where the question gives the labels of told events. The rank of any answer is exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from scenarist import inventory
from scenarist.errors import BadInput
from scenarist.formats.plain import clean, sentences
from scenarist.learning.slots import Slot
from scenarist.learning.tellings import labels, telling
from scenarist.models.untold.labels import LabelGap, is_labelled, label_gap
from scenarist.models.untold.network import SlotNetwork, carried_network, labels_file
from scenarist.networks.layers import log_softmax
from scenarist.question import (
    AboutEvent,
    Answer,
    AnyQuestion,
    Guess,
    LeftOut,
    Prediction,
    Question,
    Segments,
    Unsaid,
    Where,
)
from scenarist.registry import make
from scenarist.store.home import inside, resource
from scenarist.story import Segment, Sentence, Story

Array = npt.NDArray[np.float32]
LISTED = 60
"""Guesses a prediction lists; the rank of the key is exact whatever this is."""
REMEMBERED = 5000
"""Texts whose scenario is remembered: every row of a table asks for the same ones."""


class SlotGap(NamedTuple):
    """A question in terms of the carried tables."""

    story: Story
    scenario: str
    network: SlotNetwork
    slot: Slot
    sentences: list[tuple[str, ...]]
    number: int
    """The gap stands before this sentence."""
    choices: tuple[str, ...]


@cache
def detector() -> Any:
    """The carried detector, for questions that do not name the scenario."""
    return make("model", "detector")


@lru_cache(maxsize=REMEMBERED)
def detect_scenario(text: str, sentences: tuple[Sentence, ...]) -> str:
    """The scenario the detector sees in most of a text, empty for none."""
    weight: dict[str, float] = {}
    for segment in detector().segments(Story("", text, sentences=sentences)):
        for label in segment.labels[:1]:
            weight[label.name] = weight.get(label.name, 0.0) + label.weight * (segment.stop - segment.start)
    return max(weight, key=lambda name: weight[name], default="")


def story_segments(model: Any, story: Story, least: float = 0.1) -> tuple[Segment, ...]:
    """The segments a model sees in a story, its sentences cut by rule; labels lighter than ``least`` are left out, a first one never."""
    _, ready, _ = clean(story.text)
    bare = Story(story.id, story.text, sentences=sentences(ready), source=story.source)
    answer = model.answer(Where(bare)).best
    if not isinstance(answer, Segments):
        raise BadInput(f"the model {model.name!r} does not detect segments; try detector.")
    return tuple(
        msgspec.structs.replace(
            segment,
            labels=tuple(label for rank, label in enumerate(segment.labels) if not rank or label.weight >= least),
        )
        for segment in answer.segments
        if segment.labels
    )


def scenarios_of(segments: Iterable[Segment]) -> tuple[str, ...]:
    """The scenarios that segments claim, by their first labels."""
    return tuple(dict.fromkeys(segment.names[0] for segment in segments if segment.labels))


def scenario_of(question: Unsaid) -> str:
    """The scenario named, or the one the detector sees in most of the text."""
    if question.scenario:
        return inventory.find(question.scenario).name if inventory.known(question.scenario) else question.scenario
    return detect_scenario(question.story.text, question.story.sentences)


def words_of(story: Story, kind: str) -> list[tuple[str, ...]]:
    """The words of each sentence as the networks know them: lemmas of content words, or word forms beside labels."""
    if kind == "verbs":
        return [step.words for step in telling(story).steps]
    return [tuple(word.lower() for word in story.words(sentence)) for sentence in story.sentences]


def gap_of(question: AnyQuestion) -> SlotGap:
    """What the tables say of a question."""
    if not isinstance(question, Unsaid):
        raise BadInput(f"this model answers what a story leaves untold, not {type(question).__name__} questions.")
    marked = labels(question.story)
    kind = "labels" if any(marked) else "verbs"
    network = carried_network(kind)
    fillers = marked if kind == "labels" else [step.verb for step in telling(question.story).steps]
    ids = [network.tables.filler.get(filler, -1) for filler in fillers]
    number = len(ids) if question.place is None else min(question.place, len(ids))
    scenario = scenario_of(question)
    slot = network.slot(ids, scenario, number)
    return SlotGap(question.story, scenario, network, slot, words_of(question.story, kind), number, question.choices)


def log_chances(scores: Array) -> Array:
    """Scores as log-chances."""
    return np.asarray(log_softmax(scores), np.float32)


class UntoldModel:
    """Scores for every filler, turned into ranked guesses."""

    name = "untold"
    learns = "nothing"
    trained_on: tuple[str, ...] = ("mcscript", "inscript", "descript", "rocstories", "smollm2")
    asks: tuple[type[Question], ...] = (Unsaid,)

    def reads(self) -> list[Path]:
        """The carried knowledge, what finds the scenario of a story, and the network of labels where it is at hand."""
        return [*inside(resource("knowledge"), resource("detector")), *labels_file()]

    def fit(self, data: Any) -> UntoldModel:
        """Nothing to learn: the tables are carried."""
        return self

    def scores(self, gap: SlotGap) -> Array:
        """Unnormalised log-chances of all fillers."""
        raise NotImplementedError

    def label_scores(self, gap: LabelGap) -> Array:
        """The same for the labels that may be missing."""
        raise NotImplementedError

    def ranked(self, question: AnyQuestion) -> tuple[list[str], Array]:
        """Candidates and their log-chances."""
        if isinstance(question, Unsaid) and is_labelled(question):
            missing = label_gap(question, scenario_of(question))
            return missing.names, log_chances(self.label_scores(missing))
        gap = gap_of(question)
        scores = self.scores(gap)
        tables = gap.network.tables
        names = tables.fillers
        if gap.choices:
            rows = [tables.filler.get(choice, -1) for choice in gap.choices]
            scores = np.array([scores[row] if row >= 0 else scores.min() - 1 for row in rows], np.float32)
            names = list(gap.choices)
        elif gap.slot.scenario >= 0 and tables.order is not None:  # labels belong to their scenario
            scores = np.where(tables.by_scenario[gap.slot.scenario] > 0, scores, scores.min() - 20)
        return list(names), log_chances(scores)

    def answer(self, question: AnyQuestion) -> Prediction:
        """The likeliest fillers."""
        return self.prediction(*self.ranked(question))

    def prediction(self, names: list[str], logp: Array) -> Prediction:
        """Candidates and log-chances as a prediction."""
        best = np.argsort(-logp, kind="stable")[:LISTED]
        guesses = tuple(Guess(names[number], float(logp[number])) for number in best)
        return Prediction("", guesses, by=self.name, rest=max(0.0, 1.0 - float(np.exp(logp[best]).sum())))

    def rate_many(self, questions: list[AnyQuestion], answers: list[Answer]) -> list[tuple[float | None, float | None]]:
        """ln P and the expected rank of each answer; an answer no table knows has no rank."""
        rated: list[tuple[float | None, float | None]] = []
        for question, answer in zip(questions, answers, strict=True):
            if isinstance(question, LeftOut | AboutEvent):
                rated.append((None, None))
                continue
            names, logp = self.ranked(question)
            if answer not in names:
                rated.append((None, None))
                continue
            own = logp[names.index(str(answer))]
            rated.append((float(own), 1.0 + float((logp > own).sum()) + (float((logp == own).sum()) - 1) / 2))
        return rated
