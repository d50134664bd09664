"""NYT chains -> recall@50 of every setting that was tried, so that nobody need take the chosen ones on trust (Chambers 2017, section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.bench.analyses.eventcloze import Ground, signed
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.registry import make

LAMBDAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.001)
GRID: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "bigram": [
        {"skip": skip, "smoothing": smoothing, "unknown": unknown}
        for unknown in ("symmetric", "mean")
        for skip in (1, 2, 3, 5, "all")
        for smoothing in LAMBDAS
        if unknown == "symmetric" or skip in (2, "all")
    ],
    "pmi": [{"skip": skip, "unseen": unseen} for skip in (2, "all") for unseen in ("skip", "smooth", "impossible")],
    "pmi-cutoff": [
        {"cutoff": cutoff, "skip": skip} for cutoff in (50, 100, 200, 400, 800, 1600) for skip in (2, "all")
    ],
    "unigram-instance": [{"share": share} for share in (1.0, 0.75, 0.5, 0.25, 0.1)],
    "bigram-instance": [
        {"share": share, "skip": "all", "smoothing": s} for share in (1.0, 0.5, 0.25) for s in (1.0, 0.1)
    ],
    "mixture": [
        {"smoothing": s, "decay": d, "repeat": False} for s in (30.0, 100.0, 300.0, 1000.0) for d in (0.5, 1.0)
    ],
    "cooccurrence": [{"smoothing": s} for s in (10.0, 100.0, 1000.0)],
}
FIRST, AGAIN = 1500, 3
"""Every setting sits ``FIRST`` gaps of a preset; the best ``AGAIN`` of each model sit all."""


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """Recall@50 of every setting that was tried; the best few of each model also on all gaps."""
    first, whole = Ground(split, seed, limit, most=FIRST), Ground(split, seed, limit)
    metric = make("metric", "recall@50")
    rows: list[FigureRow] = []
    best: dict[str, str] = {}
    for name, grid in GRID.items():
        tried: list[tuple[Mapping[str, Any], FigureRow]] = []
        for settings in grid:
            model = first.model(name, settings)
            label = " ".join([name, *(f"{key}={value}" for key, value in settings.items())])
            scores: dict[str, Figure] = {}
            for preset in first.items:
                if preset == "lm-cloze" and settings.get("unknown") == "mean":
                    continue  # the position is told: nothing differs
                scores[f"recall@50/{preset}-first"] = first.score(
                    metric, preset, first.predictions(model, preset), name, settings
                )
            tried.append((settings, FigureRow(label, "baseline", scores)))
        rows += [row for _, row in tried]
        for preset in whole.items:
            column = f"recall@50/{preset}-first"
            able = [pair for pair in tried if column in pair[1].scores]
            able.sort(key=lambda pair: -pair[1].scores[column].value)
            values: dict[str, float] = {}
            for settings, row in able[:AGAIN]:
                predictions = whole.predictions(whole.model(name, settings), preset)
                row.scores[f"recall@50/{preset}"] = whole.score(metric, preset, predictions, name, settings)
                values[row.model] = row.scores[f"recall@50/{preset}"].value
            best[f"{name}/{preset}"] = max(values, key=values.__getitem__)
    return Analysis(rows, signed("eventcloze-tuning", whole), {"best": best})
