"""Segments on a story -> labels of its sentences: the common ground of label, boundary and agreement metrics.

Wanzare et al. 2019 evaluate scenario detection sentence by sentence (section 5.1), while annotators mark stretches of
text that may nest, overlap and begin inside a sentence. A sentence bears the labels of every segment that shares a
character with it; a sentence that bears none is *None*. Labels are ranked by weight; where two segments give one
label, the heavier counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.question import Answer, Item, Prediction, Segments, Where
from scenarist.story import Segment, Sentence, Story

NONE = "None"
"""The label of a sentence that tells no scenario of the inventory."""


def is_none(name: str) -> bool:
    """Is this the label *None*, in any spelling, or no name at all?"""
    return not name or name.lower() == NONE.lower()


class Unit(NamedTuple):
    """A sentence's labels with their weights, and the label groups that decide where segments end."""

    weights: Mapping[str, float]
    cover: frozenset[tuple[str, ...]] = frozenset()
    """For each covering segment its heaviest labels."""
    spans: frozenset[tuple[int, int]] = frozenset()
    """Start and stop of each covering segment."""

    @property
    def labels(self) -> frozenset[str]:
        """The label set, without *None*."""
        return frozenset(self.weights)


def sentences_of(story: Story) -> tuple[Sentence, ...]:
    """The sentences of a story; the whole text where it has none."""
    return story.sentences or (Sentence(0, len(story.text)),)


def cover(story: Story, segments: Sequence[Segment]) -> list[Unit]:
    """The labels of each sentence.

    >>> from scenarist.story import Label
    >>> story = Story.from_sentences("s", ["We rode in.", "We ate.", "We paid."])
    >>> meal = Segment(12, 19, (Label("eating"), Label("paying", 0.5)))
    >>> [dict(unit.weights) for unit in cover(story, [meal])]
    [{}, {'eating': 1.0, 'paying': 0.5}, {}]
    """
    units = []
    for sentence in sentences_of(story):
        weights: dict[str, float] = {}
        groups, spans = set(), set()
        for segment in segments:
            if segment.start < sentence.stop and sentence.start < segment.stop:
                if not segment.labels or is_none(segment.labels[0].name):
                    continue  # the segment says *None* before anything else
                real = [label for label in segment.labels if not is_none(label.name)]
                for label in real:
                    weights[label.name] = max(label.weight, weights.get(label.name, label.weight))
                spans.add((segment.start, segment.stop))
                top = max(label.weight for label in real)
                groups.add(tuple(sorted(label.name for label in real if label.weight == top)))
        units.append(Unit(weights, frozenset(groups), frozenset(spans)))
    return units


def answer_units(item: Item, answer: Answer) -> list[Unit]:
    """An answer as labelled units: the sentences of a Where, or one unit for an answer that is a label."""
    if isinstance(item.question, Where):
        if isinstance(answer, Segments):
            return cover(item.question.story, answer.segments)
        if isinstance(answer, str):  # one label for the whole story
            return [label_unit(answer)] * len(sentences_of(item.question.story))
    elif isinstance(answer, str):
        return [label_unit(answer)]
    raise BadInput(
        f"item {item.id!r}: expected segments for a 'where' question or one label, got "
        f"{type(answer).__name__.lower()}. Metrics of labels, boundaries and annotators' agreement need one of the two."
    )


def label_unit(label: str) -> Unit:
    """One unit with one label, or with none."""
    return Unit({}) if is_none(label) else Unit({label: 1.0}, frozenset({(label,)}))


def guess_units(item: Item, prediction: Prediction | None) -> list[Unit] | None:
    """The best guess as labelled units; for a single label all ranked guesses. None where there is no guess."""
    if prediction is None or not prediction.guesses:
        return None
    if isinstance(item.question, Where) or not all(isinstance(guess.answer, str) for guess in prediction.guesses):
        return answer_units(item, prediction.guesses[0].answer)
    weights: dict[str, float] = {}
    ranked = all(guess.logp is not None for guess in prediction.guesses)
    for at, guess in enumerate(prediction.guesses):
        weights.setdefault(str(guess.answer), guess.logp if ranked and guess.logp is not None else -float(at))
    top = max(weights.values())
    best = tuple(sorted(name for name, weight in weights.items() if weight == top))
    if any(is_none(name) for name in best):
        return [Unit({})]
    return [Unit({name: weight for name, weight in weights.items() if not is_none(name)}, frozenset({best}))]
