"""Exam folder x predictions files -> scores and paired tests; no model is needed. A file may hold several people's answers (``by``)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from scenarist.bench import exam_folder as folders
from scenarist.bench import marks as scoring
from scenarist.bench.bootstrap import minimum_detectable
from scenarist.bench.significance import compare, holm
from scenarist.errors import BadInput
from scenarist.marked import Scored, System, Versus
from scenarist.question import Prediction
from scenarist.registry import make


def names_of(paths: Sequence[Path], found: Sequence[dict[str, Prediction]]) -> list[str]:
    """A name for each file: what its predictions say (``by``), or the file's own, made distinct."""
    names: list[str] = []
    for path, predictions in zip(paths, found, strict=True):
        said = {one.by for one in predictions.values()}
        name = next(iter(said)) if len(said) == 1 and "" not in said else path.stem
        names.append(name if name not in names else f"{name} ({path})")
    return names


def score_files(
    path: Path, files: Sequence[Path], metrics: Sequence[str] = (), strict: bool = False, seed: int = 13
) -> Scored:
    """Score every file and compare each pair."""
    items, card = folders.read(path)
    if empty := sum(item.key == "" for item in items):
        raise BadInput(
            f"{path}: {empty} of {len(items)} items have no answer (the exam was set blind), so nothing here can be scored; "
            "who holds the answers can score the predictions."
        )
    parts = [part for file in files for part in folders.predictions_by_person(file, items, strict)]
    found = [part.predictions for part in parts]
    asked = [make("metric", name) for name in (metrics or card.metrics)]
    fields = {"exam": card.exam, **dict(card.settings), "data": card.data, "split": card.split, "seed": seed}
    systems: list[System] = []
    for name, predictions in zip(names_of([part.path for part in parts], found), found, strict=True):
        scores = {metric.name: scoring.score(metric, items, predictions, fields, seed) for metric in asked}
        smallest = {metric.name: minimum_detectable(metric, scores[metric.name].marks, seed=seed) for metric in asked}
        systems.append(System(name, scores, smallest, predictions))
    tests: list[Versus] = []
    for metric in asked:
        pairs = list(combinations(systems, 2))
        compared = [
            compare(metric, first.scores[metric.name].marks, second.scores[metric.name].marks, seed=seed)
            for first, second in pairs
        ]
        corrected = holm([one.p for one in compared])
        tests += [
            Versus(metric.name, first.name, second.name, one, float(p))
            for (first, second), one, p in zip(pairs, compared, corrected, strict=True)
        ]
    return Scored(card, systems, tests, items)
