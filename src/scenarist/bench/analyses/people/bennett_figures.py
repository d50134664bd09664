"""Answers and ranks -> what Figures 2, 3 and 4 of Bennett show, with intervals, for the page of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scenarist.bench.analyses.people.answers import (
    GapAnswer,
    TaskCell,
    agreeing,
    by_condition,
    cells_of,
    figure_of,
    share_hand,
    share_right,
)
from scenarist.bench.analyses.people.gap_ranks import TaskRank


def figure_data(
    answers: Sequence[GapAnswer],
    conditions: Sequence[str],
    ranks: Mapping[str, Sequence[TaskRank]],
    agreement: Sequence[TaskCell],
) -> dict[str, Any]:
    """What Figures 2, 3 and 4 show, with intervals."""
    bars: dict[str, Any] = {"performance": [], "agreement": []}
    for column, value in (("automatic", share_right), ("manual", share_hand)):
        parts = by_condition(cells_of(answers, value), conditions)
        bars["performance"] += [bar(name, column, part) for name, part in parts.items()]
    for column in ("automatic", "manual"):
        parts = by_condition(cells_of(answers, agreeing(column)), conditions)
        bars["agreement"] += [bar(name, column, part) for name, part in parts.items()]
    by_task = {cell.task: cell.value for cell in agreement}
    points = {
        name: [[by_task[rank.task], rank.responses] for rank in part if rank.task in by_task]
        for name, part in ranks.items()
    }
    return {**bars, "ranks": {name: {"points": part, "line": line_of(part)} for name, part in points.items()}}


def bar(condition: str, series: str, cells: Sequence[TaskCell]) -> dict[str, Any]:
    """One bar of a figure."""
    return {"condition": condition, "series": series, **figure_of(cells).form()}


def line_of(points: Sequence[Sequence[float]], seed: int = 13) -> list[list[float]]:
    """A regression line with a band of 95 % (bootstrap over tasks): x, y, low, high."""
    if len({x for x, _ in points}) < 2:
        return []
    table_ = np.array(points)
    rng = np.random.default_rng(seed)
    xs = np.linspace(table_[:, 0].min(), table_[:, 0].max(), 21)
    lines = []
    for draw in rng.integers(0, len(table_), (500, len(table_))):
        part = table_[draw]
        if np.ptp(part[:, 0]) > 0:
            lines.append(np.polyval(np.polyfit(part[:, 0], part[:, 1], 1), xs))
    low, high = np.quantile(np.array(lines), [0.025, 0.975], axis=0)
    middle = np.polyval(np.polyfit(table_[:, 0], table_[:, 1], 1), xs)
    return [[round(float(v), 4) for v in row] for row in zip(xs, middle, low, high, strict=True)]
