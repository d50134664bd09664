"""People's answers -> what the correction of DeDeo et al. (2013) gives under other readings than the exact mean over cells.

The correction is twice the naive entropy minus the mean entropy of resamples. `corrected` sums over all resamples; a program draws some,
and its result varies. A mean over the conditions' means weighs the cells otherwise.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from scenarist.bench.analyses.people.answers import GapAnswer, agreeing, by_condition, cells_of, mean_figure
from scenarist.bench.sheet import FigureRow
from scenarist.metrics.agreement import entropy

RESAMPLES = (10, 100, 1000)
REPETITIONS = 50


def condition_means(answers: Sequence[GapAnswer], conditions: Sequence[str]) -> FigureRow:
    """The corrected agreement as the mean of the conditions' means: cells weighed so that the conditions count alike."""
    scores = {}
    for by in ("automatic", "manual"):
        cells = cells_of(answers, agreeing(by, "corrected"))
        parts = by_condition(cells, conditions)
        known = sum(map(len, parts.values()))
        weighed = [
            (f"{cell.task}/{name}/{number}", cell.value * known / (len(parts) * len(part)), cell.group)
            for name, part in parts.items()
            for number, cell in enumerate(part)
        ]
        if weighed:
            scores[f"agreement/{by}"] = mean_figure(weighed)
    return FigureRow("people-corrected-by-condition", "human", scores)


def drawn_entropies(counts: Sequence[int], resamples: int, repetitions: int, rng: np.random.Generator) -> np.ndarray:
    """The corrected entropy of a sample from drawn resamples, as often as asked for: (repetitions,)."""
    size = sum(counts)
    shares = rng.multinomial(size, np.array(counts) / size, (repetitions, resamples)) / size
    logs = np.log(np.where(shares > 0, shares, 1.0))
    return np.asarray(2 * entropy(counts) + (shares * logs).sum(axis=2).mean(axis=1))


def drawn_agreement(answers: Sequence[GapAnswer], resamples: int, seed: int = 13) -> np.ndarray:
    """Agreement by first synset over cells with drawn resamples, repeated: (REPETITIONS,)."""
    rng = np.random.default_rng(seed)
    together: dict[tuple[str, str], list[str]] = {}
    for answer in answers:
        if answer.label:
            together.setdefault((answer.task, answer.condition), []).append(answer.label)
    values = [
        1.0 - drawn_entropies(list(Counter(labels).values()), resamples, REPETITIONS, rng) / math.log(len(labels))
        for labels in together.values() if len(labels) > 1
    ]  # fmt: skip
    return np.asarray(np.mean(values, axis=0)) if values else np.array([])


def correction_remark(answers: Sequence[GapAnswer], seed: int = 13) -> str:
    """How far the corrected agreement varies with the resamples that are drawn."""
    parts = []
    for resamples in RESAMPLES:
        drawn = 100 * drawn_agreement(answers, resamples, seed)
        if not len(drawn):
            return "The correction by drawn resamples: no cell has two labels."
        parts.append(
            f"{resamples} a cell: {drawn.mean():.1f} % on average, from {drawn.min():.1f} to {drawn.max():.1f}"
        )
    return f"DeDeo et al.'s correction with drawn resamples, {REPETITIONS} times ({'; '.join(parts)})."
