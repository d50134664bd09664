"""A table as run: its rows with their numbers, the paired tests, and the form that `--json` promises (HOUSE.md, *Tables*).

An analysis is a table that is no grid of solvers and exams. Its function takes (split, seed, limit), and ``only`` where it can run some
rows alone, and returns an ``Analysis``.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist, stdev
from typing import Any

import msgspec

from scenarist.bench.bootstrap import FEW, detectable
from scenarist.bench.spec import Row, Table
from scenarist.marked import Comparison
from scenarist.question import Item, Prediction, Score
from scenarist.store.predictions import Section


class Figure(msgspec.Struct, frozen=True):
    """One number of a table; ``low`` and ``high`` are null where no interval can be given."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """How many items it rests on; null for a published figure and for a plain count."""
    groups: int | None = None
    """How many sources (what items share) its interval draws; null where nothing was drawn."""
    seeds: Mapping[str, float] = {}
    """The value of each seed where there are several."""
    p: float | None = None
    """For a difference: how likely it is where there is none."""
    signature: str = ""

    @classmethod
    def of(cls, score: Score) -> Figure:
        """A score as a figure."""
        if score.groups == 1:  # one source alone says nothing of others
            return cls(score.value, None, None, score.n, 1, signature=score.signature)
        return cls(score.value, score.low, score.high, score.n, score.groups or None, signature=score.signature)

    def form(self) -> dict[str, Any]:
        """The promised form; what is empty of ``groups``, ``seeds``, ``p`` and ``signature`` is left out. ``few`` stands where so few
        sources were drawn that the interval is too narrow; ``seed_sd`` is the standard deviation between seeds, which the interval
        does not hold."""
        form: dict[str, Any] = {"value": self.value, "low": self.low, "high": self.high, "n": self.n}
        if self.groups is not None:
            form["groups"] = self.groups
            if self.groups < FEW:
                form["few"] = True
        if self.seeds:
            form["seeds"] = dict(self.seeds)
            form["seed_sd"] = stdev(self.seeds.values()) if len(self.seeds) > 1 else 0.0
        if self.p is not None:
            form["p"] = self.p
        if self.signature:
            form["signature"] = self.signature
        return form


class FigureRow(msgspec.Struct):
    """A row of a table: a solver, a published system, or what else is counted."""

    model: str
    role: str
    scores: dict[str, Figure]
    """By ``metric/condition``."""
    more: dict[str, Any] = {}
    """What else the row says, by name: ``problem`` where it could not be run, a setting, plain counts."""
    who: dict[str, object] = {}
    """For the signatures of an analysis: which model it is, with which settings and weights (`solver.model_fields`)."""

    def form(self) -> dict[str, Any]:
        """The promised form."""
        scores = {column: figure.form() for column, figure in self.scores.items()}
        return {"model": self.model, "role": self.role, "scores": scores, **self.more}


class Analysis(msgspec.Struct):
    """What the function of an analysis returns."""

    rows: list[FigureRow]
    signature: str
    more: dict[str, Any] = {}
    """What stands beside the rows, by name: ``remarks`` (printed below the table), curves, lists for its page."""

    def form(self, table: str, split: str) -> dict[str, Any]:
        """The promised form of the whole table."""
        rows = [row.form() for row in self.rows]
        return {"table": table, "split": split, "signature": self.signature, "rows": rows, **self.more}


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
    left_out: str = ""
    """Seeds that could not be run, and why: their weights are not carried."""
    unread: dict[str, dict[str, int]] = {}
    """By condition: answers that were refused or could not be read, and of how many."""
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
    gain: bool = False
    """What the row gains over the best figure that is had without the premise."""


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
        note = {"note": self.table.note} if self.table.note else {}
        if self.analysis is not None:
            return {**self.analysis.form(self.table.name, self.split), **note}
        tests = [
            {
                "column": test.column, "row": test.row, "reference": test.reference, "test": test.comparison.test,
                "difference": test.comparison.difference, "low": test.comparison.low, "high": test.comparison.high,
                "p": test.comparison.p, "p_holm": test.corrected, "detectable": smallest(test.comparison.low, test.comparison.high),
            }
            | ({"gain": True} if test.gain else {})
            for test in self.tests
        ]  # fmt: skip
        rows = [figure_row(done, self.split) for done in self.rows]
        more = {"tests": tests, **({"remarks": self.remarks} if self.remarks else {})}
        return Analysis(rows, self.signature, {**more, **note}).form(self.table.name, self.split)

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


def figure_row(done: Done, split: str, name: str = "") -> FigureRow:
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
    if done.unread:
        more["unread"] = done.unread
    if done.left_out:
        more["left_out"] = done.left_out
    return FigureRow(name or done.row.name, done.row.role, scores, more)


def smallest(low: float, high: float) -> float:
    """The smallest true difference that such a paired test finds four times in five, from the width of its 95 % interval."""
    return detectable((high - low) / (2 * NormalDist().inv_cdf(0.975)))
