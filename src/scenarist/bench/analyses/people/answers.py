"""Stored answers of people -> recovery, agreement and the cells of a study of gaps (Bennett, Analyses): named figures with intervals.

A person's answer is a Prediction (``by``: the person), a study has one set of items for each condition. Recovery is counted over
answers, over tasks, or over cells (a task in a condition); agreement over cells or tasks of two or more people. Intervals are the shared
bootstrap with documents drawn whole. What cannot be computed is said in ``remarks``, and what can be is.

Readings of agreement: ``one-minus`` (1 - H / log N, naive entropy H), ``printed`` (minus H / log N, the formula as printed) and
``corrected`` (1 - H / log N with the bootstrap-corrected entropy of DeDeo et al. 2013).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.bench.bootstrap import interval, sources_of
from scenarist.bench.sheet import Figure
from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.agreement import corrected_entropy, entropy
from scenarist.metrics.base import count, divide
from scenarist.metrics.recovery import answer_verb
from scenarist.noun import Noun
from scenarist.question import Item, Mark, Prediction, SentenceGap
from scenarist.reading.wordnet import gloss, match

READINGS = ("one-minus", "printed", "corrected")
UNITS = ("cell", "task", "answer", "person")


class GapAnswer(Noun, frozen=True):
    """What a person put into a gap, and how it was judged."""

    person: str
    task: str
    condition: str
    text: str
    group: str = ""
    """The document, which the bootstrap draws."""
    right: bool = False
    """Is the main verb, or a synonym of it, the removed one?"""
    label: str = ""
    """The answer as one word: the first synset of its main verb."""
    hand_right: bool | None = None
    """The same by hand; None where nobody judged it."""
    hand_label: str = ""


class TaskCell(NamedTuple):
    """A task in a condition (or a task), with a number."""

    task: str
    condition: str
    group: str
    value: float
    answers: int


class MeanOf:
    """The mean of the marks: a metric for numbers that were made elsewhere."""

    name = "mean"
    higher = True
    averages = True

    def __init__(self, proportion: bool = False) -> None:
        self.proportion = proportion

    def settings(self) -> Mapping[str, object]:
        """Nothing to say."""
        return {}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """It marks nothing: the numbers come from an analysis."""
        raise BadInput(f"{item.id}: a mean of ready numbers marks no prediction.")

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean."""
        return divide(count(totals, "value"), count(totals, "n"))


def number_marks(values: Iterable[tuple[str, float, str]]) -> list[Mark]:
    """(item, number, source) triples as marks."""
    return [Mark(item, (("value", float(value)), ("n", 1.0)), group) for item, value, group in values]


def mean_figure(values: Sequence[tuple[str, float, str]], proportion: bool = False, seed: int = 13) -> Figure:
    """The mean of (item, number, source) triples with its bootstrap interval, sources drawn whole; no interval for one source."""
    if not values:
        raise BadInput("there is no number to take the mean of.")
    value = float(np.mean([number for _, number, _ in values]))
    marks = number_marks(values)
    if len(sources_of(marks)) < 2:
        return Figure(value, n=len(values))
    low, high = interval(MeanOf(proportion), marks, seed=seed)
    return Figure(value, low, high, len(values))


def gap_answers(
    items: Sequence[Item], predictions: Iterable[Prediction], same: Callable[[str, str], bool] = match
) -> list[GapAnswer]:
    """Stored Predictions of people as judged answers: the first guess counts; the condition is that of the question."""
    by_id = {item.id: item for item in items}
    answers = []
    for prediction in predictions:
        item = by_id.get(prediction.item)
        if item is None or not isinstance(item.question, SentenceGap):
            raise BadInput(f"answer of {prediction.by!r}: there is no gap {prediction.item!r} among the study's items.")
        text = prediction.best if isinstance(prediction.best, str) else ""
        verb = answer_verb(text) if text.strip() else ""
        right = bool(verb) and same(verb, str(item.key))
        answers.append(
            GapAnswer(
                prediction.by, item.id, item.question.condition, text, item.group, right, gloss(verb) if verb else ""
            )
        )
    return answers


class Checked(NamedTuple):
    """Answers that can be counted, and what was left out or cannot be said."""

    answers: list[GapAnswer]
    remarks: list[str]


def check_answers(answers: Iterable[GapAnswer], conditions: Sequence[str] = ()) -> Checked:
    """Leave out empty answers and a person's second answer to a task; name what is thin."""
    kept: dict[tuple[str, str], GapAnswer] = {}
    empty, again = [], []
    for answer in answers:
        if not answer.text.strip():
            empty.append(answer)
        elif (answer.person, answer.task) in kept:
            again.append(answer)
        else:
            kept[answer.person, answer.task] = answer
    remarks = []
    if empty:
        remarks.append(f"{len(empty)} empty answers left out (first: person {empty[0].person}, task {empty[0].task}).")
    if again:
        remarks.append(
            f"{len(again)} answers left out: the person answered the task before (first: person {again[0].person}, task {again[0].task})."
        )
    if not kept:
        raise BadInput(
            f"the study holds no answer that can be counted. {' '.join(remarks) or 'Expected one prediction a person and task.'}"
        )
    people, met = {answer.person for answer in kept.values()}, {answer.condition for answer in kept.values()}
    if len(kept) == 1:
        remarks.append("One answer only: no interval and no agreement can be given.")
    elif len(people) == 1:
        remarks.append(f"One person only ({next(iter(people))}): no agreement can be given.")
    remarks += [
        f"Nobody answered in the condition {name!r}; its effect cannot be given."
        for name in conditions
        if name not in met
    ]
    return Checked(list(kept.values()), remarks)


def cells_of(
    answers: Iterable[GapAnswer], value: Callable[[list[GapAnswer]], float | None], unit: str = "cell"
) -> list[TaskCell]:
    """A number for each cell, task, person or answer; those for which there is none are left out."""
    if unit not in UNITS:
        raise BadInput(f"unit must be one of {', '.join(UNITS)}, not {unit!r}.")
    together: dict[Hashable, list[GapAnswer]] = defaultdict(list)
    for number, answer in enumerate(answers):
        keys = {"cell": (answer.task, answer.condition), "task": answer.task, "person": answer.person, "answer": number}
        together[keys[unit]].append(answer)
    cells = []
    for part in together.values():
        share = value(part)
        if share is not None:
            first = part[0]
            group = first.person if unit == "person" else first.group or first.task
            cells.append(
                TaskCell(first.task, first.condition if unit in ("cell", "answer") else "", group, share, len(part))
            )
    return cells


def share_right(part: list[GapAnswer]) -> float | None:
    """The share of answers that recover the event by the matcher."""
    return sum(answer.right for answer in part) / len(part)


def share_hand(part: list[GapAnswer]) -> float | None:
    """The share that recovers it by hand, of those that were judged; None where none was."""
    judged = [answer.hand_right for answer in part if answer.hand_right is not None]
    return sum(judged) / len(judged) if judged else None


def strict_share_hand(part: list[GapAnswer]) -> float | None:
    """The same, but None where any answer was not judged (as R's ``mean`` has it without ``na.rm``)."""
    return None if any(answer.hand_right is None for answer in part) else share_hand(part)


def one_agreement(labels: Sequence[str], reading: str) -> float:
    """Agreement of two or more people's labels.

    >>> round(one_agreement(["go", "go", "eat", "sit"], "one-minus"), 3), round(one_agreement(["go", "go", "eat", "sit"], "printed"), 3)
    (0.25, -0.75)
    """
    counts = list(Counter(labels).values())
    measure = corrected_entropy if reading == "corrected" else entropy
    scaled = measure(counts) / math.log(len(labels))
    return -scaled if reading == "printed" else 1.0 - scaled


def agreeing(by: str = "automatic", reading: str = "one-minus") -> Callable[[list[GapAnswer]], float | None]:
    """How far the people of a cell agree by their labels; None for fewer than two labels."""
    if reading not in READINGS:
        raise BadInput(f"reading must be one of {', '.join(READINGS)}, not {reading!r}.")

    def value(part: list[GapAnswer]) -> float | None:
        labels = [answer.label if by == "automatic" else answer.hand_label for answer in part]
        labels = [label for label in labels if label]
        return one_agreement(labels, reading) if len(labels) > 1 else None

    return value


def figure_of(cells: Sequence[TaskCell], proportion: bool = True, seed: int = 13) -> Figure:
    """The mean of cells with its interval; readings of agreement that go below 0 are no proportions, and their intervals are not cut."""
    return mean_figure(
        [(f"{cell.task}/{cell.condition}/{number}", cell.value, cell.group) for number, cell in enumerate(cells)],
        proportion and all(0.0 <= cell.value <= 1.0 for cell in cells),
        seed,
    )


def by_condition(cells: Iterable[TaskCell], conditions: Sequence[str]) -> dict[str, list[TaskCell]]:
    """Cells by condition, those that nobody answered in left out."""
    cells = list(cells)
    return {name: part for name in conditions if (part := [cell for cell in cells if cell.condition == name])}
