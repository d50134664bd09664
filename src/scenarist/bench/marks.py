"""Items x Predictions -> Scores: marks kept apart from their sum, so that intervals and paired tests need no rerun."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from scenarist import __version__
from scenarist.bench.bootstrap import interval, sources_of
from scenarist.contracts import Metric
from scenarist.errors import BadInput
from scenarist.question import Item, Mark, Prediction, Score
from scenarist.signature import sign


def marks_of(metric: Metric, items: Sequence[Item], predictions: Mapping[str, Prediction]) -> tuple[Mark, ...]:
    """One mark an item; an item without a prediction is marked as wrong."""
    together = getattr(metric, "mark_all", None)  # a metric whose unit is more than one item, such as a whole blank
    answers = [predictions.get(item.id) for item in items]
    counts = together(items, answers) if together else [metric.mark(*pair) for pair in zip(items, answers, strict=True)]
    return tuple(
        Mark(item.id, tuple((key, float(count)) for key, count in found.items()), item.group, item.groups)
        for item, found in zip(items, counts, strict=True)
    )


def mean_marks(runs: Sequence[Sequence[Mark]]) -> tuple[Mark, ...]:
    """The marks of several seeds, or of several people, averaged item by item over the runs that have it."""
    if len(runs) == 1:
        return tuple(runs[0])
    times = Counter(mark.item for marks in runs for mark in marks)
    pooled: dict[str, dict[str, float]] = {}
    first = {mark.item: mark for marks in runs for mark in marks}
    for marks in runs:
        for mark in marks:
            counts = pooled.setdefault(mark.item, {})
            for key, count in mark.counts:
                counts[key] = counts.get(key, 0.0) + count / times[mark.item]
    return tuple(msgspec.structs.replace(first[item], counts=tuple(counts.items())) for item, counts in pooled.items())


def total(metric: Metric, marks: Sequence[Mark]) -> float:
    """The plain value of a metric."""
    sums: dict[str, float] = {}
    for mark in marks:
        for key, count in mark.counts:
            sums[key] = sums.get(key, 0.0) + count
    return float(metric.combine({key: np.asarray(count) for key, count in sums.items()}))


def score_marks(
    metric: Metric, marks: Sequence[Mark], fields: Mapping[str, object], seed: int = 13, missing: int = 0
) -> Score:
    """The score of given marks, with its interval and its signature."""
    if not marks:
        raise BadInput(f"{metric.name}: there is nothing to score (no items).")
    value = total(metric, marks)
    low, high = interval(metric, marks, seed=seed)
    signature = sign(metric.name, {"exam": fields.get("exam", "none"), **metric.settings(), **fields, "v": __version__})
    drawn = len(sources_of(marks))
    return Score(metric.name, value, float(low), float(high), len(marks), signature, tuple(marks), missing, drawn)


def score(
    metric: Metric,
    items: Sequence[Item],
    predictions: Mapping[str, Prediction],
    fields: Mapping[str, object],
    seed: int = 13,
) -> Score:
    """Mark and score: the whole way."""
    missing = sum(item.id not in predictions for item in items)
    return score_marks(metric, marks_of(metric, items, predictions), fields, seed, missing)
