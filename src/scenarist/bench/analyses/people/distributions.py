"""Two distributions of answers -> how far apart they are: people against people, people against a model, not only their first answers.

For each task the Jensen-Shannon divergence (in bits, 0 the same, 1 nothing in common) between the shares of labels; between two groups of
people also against what two random halves of all of them give (a permutation test over people). A model's distribution is that of its
guesses' chances; what it does not list is one label of its own.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scenarist.bench.analyses.people.answers import GapAnswer, mean_figure
from scenarist.bench.sheet import Figure
from scenarist.errors import BadInput
from scenarist.question import Prediction
from scenarist.reading.wordnet import gloss
from scenarist.story import Link

OTHER = "(not listed)"


class DistributionGap(NamedTuple):
    """How far two distributions are apart on the same tasks."""

    divergence: Figure
    tasks: int
    p: float | None = None
    """How often groups drawn at random are that far apart; None against a model."""
    by_chance: float | None = None
    """The mean divergence of such groups."""


def shares(labels: Sequence[str]) -> dict[str, float]:
    """Labels as a distribution."""
    return {label: count / len(labels) for label, count in Counter(labels).items()}


def jensen_shannon(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The divergence in bits.

    >>> jensen_shannon({"go": 1.0}, {"go": 1.0}), jensen_shannon({"go": 1.0}, {"eat": 1.0})
    (0.0, 1.0)
    """

    def against_middle(own: Mapping[str, float]) -> float:
        return math.fsum(
            share * math.log2(2 * share / (first.get(label, 0.0) + second.get(label, 0.0)))
            for label, share in own.items()
            if share > 0
        )

    return max(0.0, min(1.0, (against_middle(first) + against_middle(second)) / 2))


def labels_by_task(answers: Sequence[GapAnswer]) -> dict[str, list[str]]:
    """Task -> the labels people gave."""
    by_task: dict[str, list[str]] = defaultdict(list)
    for answer in answers:
        if answer.label:
            by_task[answer.task].append(answer.label)
    return dict(by_task)


def mean_divergence(first: Sequence[GapAnswer], second: Sequence[GapAnswer]) -> list[tuple[str, float, str]]:
    """(task, divergence, task) for the tasks that both answered."""
    ours, theirs = labels_by_task(first), labels_by_task(second)
    return [(task, jensen_shannon(shares(ours[task]), shares(theirs[task])), task) for task in ours if task in theirs]


def compare_people(
    first: Sequence[GapAnswer], second: Sequence[GapAnswer], permutations: int = 500, seed: int = 13
) -> DistributionGap:
    """Two groups of people, and groups of the same sizes drawn from all of them."""
    triples = mean_divergence(first, second)
    if not triples:
        raise BadInput("two distributions of answers need a task that both groups answered.")
    observed = float(np.mean([value for _, value, _ in triples]))
    everybody = [*first, *second]
    people = sorted({answer.person for answer in everybody})
    size = len({answer.person for answer in first})
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(permutations):
        group = set(rng.permutation(people)[:size])
        halves = (
            [answer for answer in everybody if answer.person in group],
            [answer for answer in everybody if answer.person not in group],
        )
        values = [value for _, value, _ in mean_divergence(*halves)]
        if values:
            drawn.append(float(np.mean(values)))
    p = (1 + sum(value >= observed - 1e-12 for value in drawn)) / (1 + len(drawn))
    return DistributionGap(mean_figure(triples), len(triples), p, float(np.mean(drawn)) if drawn else None)


def model_shares(prediction: Prediction) -> dict[str, float]:
    """A model's guesses as a distribution over labels; without chances every guess counts alike."""
    chances: dict[str, float] = defaultdict(float)
    for guess in prediction.guesses:
        label = gloss(Link.parse(str(guess.answer)).predicate.lower())
        chances[label] += math.exp(guess.logp) if guess.logp is not None else 1.0 / len(prediction.guesses)
    rest = 1.0 - sum(chances.values())
    if rest > 1e-9:
        chances[OTHER] = rest
    return dict(chances)


def compare_model(answers: Sequence[GapAnswer], predictions: Mapping[str, Prediction]) -> DistributionGap:
    """People against a model on the tasks that both answered."""
    by_task = labels_by_task(answers)
    triples = [
        (task, jensen_shannon(shares(labels), model_shares(predictions[task])), task)
        for task, labels in by_task.items()
        if task in predictions
    ]
    if not triples:
        raise BadInput("a model's distribution needs a task that it and people answered.")
    return DistributionGap(mean_figure(triples), len(triples))
