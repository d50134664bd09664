"""A table as run: its rows with their numbers, the paired tests, and the form that `--json` promises (HOUSE.md, *Tables*)."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import msgspec

from scenarist.bench.bootstrap import detectable
from scenarist.bench.figures import Analysis, Figure, FigureRow
from scenarist.bench.spec import Row, Table
from scenarist.marked import Comparison
from scenarist.question import Item, Prediction, Score
from scenarist.store.predictions import Section


class Cell(msgspec.Struct):
    """One number of a table."""

    score: Score
    seeds: dict[int, float] = {}
    """The value of each seed where there are several."""


class Done(msgspec.Struct):
    """A row as run: its numbers, and for the page its predictions by condition."""

    row: Row
    cells: dict[str, Cell] = {}
    predictions: dict[str, dict[str, Prediction]] = {}
    problem: str = ""
    """Why the row could not be run (a missing extra, a missing file)."""
    recorded: bool = False
    """Its answers, or some of them, were made before and kept."""
    records: list[Section] = []
    """What was recorded of it before."""
    sections: list[Section] = []
    """What of it is to be recorded."""


class Tested(msgspec.Struct):
    """A paired test between a row and the reference row of its column."""

    column: str
    row: str
    reference: str
    comparison: Comparison
    corrected: float
    """p after Holm's correction over the tests of its column."""


class Sheet(msgspec.Struct):
    """A table that was run."""

    table: Table
    split: str
    rows: list[Done]
    items: dict[str, list[Item]] = {}
    tests: list[Tested] = []
    signature: str = ""
    remarks: list[str] = []
    """Conditions that could not be set, and why."""
    analysis: Analysis | None = None

    def json(self) -> dict[str, Any]:
        """The promised JSON form (HOUSE.md, *Tables*)."""
        if self.analysis is not None:
            return self.analysis.form(self.table.name, self.split)
        tests = [
            {
                "column": test.column, "row": test.row, "reference": test.reference, "test": test.comparison.test,
                "difference": test.comparison.difference, "low": test.comparison.low, "high": test.comparison.high,
                "p": test.comparison.p, "p_holm": test.corrected, "detectable": smallest(test.comparison.low, test.comparison.high),
            }
            for test in self.tests
        ]  # fmt: skip
        rows = [figure_row(done, self.split) for done in self.rows]
        more = {"tests": tests, **({"remarks": self.remarks} if self.remarks else {})}
        return Analysis(rows, self.signature, more).form(self.table.name, self.split)

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


def figure_row(done: Done, split: str) -> FigureRow:
    """A row as run with its figures."""
    scores = {column: Figure(value) for column, value in done.row.published(split).items()}
    for column, cell in done.cells.items():
        seeds = {str(seed): value for seed, value in cell.seeds.items()}
        scores[column] = msgspec.structs.replace(Figure.of(cell.score), seeds=seeds)
    more: dict[str, Any] = {"recorded": True, "made_by": done.row.recorded} if done.recorded else {}
    if done.row.note:
        more["note"] = done.row.note
    if done.problem:
        more["problem"] = done.problem
    return FigureRow(done.row.name, done.row.role, scores, more)


def smallest(low: float, high: float) -> float:
    """The smallest true difference that such a paired test finds four times in five, from the width of its 95 % interval."""
    return detectable((high - low) / (2 * NormalDist().inv_cdf(0.975)))
