"""Rows of figures -> the JSON that a table promises (HOUSE.md, *Tables*).

An analysis is a table that is no grid of solvers and exams. Its function takes (split, seed, limit), and ``only`` where it can run
some rows alone, and returns an ``Analysis``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scenarist.question import Score


class Figure(msgspec.Struct, frozen=True):
    """One number of a table; ``low`` and ``high`` are null where no interval can be given."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    """How many items it rests on; null for a published figure and for a plain count."""
    seeds: Mapping[str, float] = {}
    """The value of each seed where there are several."""
    p: float | None = None
    """For a difference: how likely it is where there is none."""
    signature: str = ""

    @classmethod
    def of(cls, score: Score) -> Figure:
        """A score as a figure."""
        return cls(score.value, score.low, score.high, score.n, signature=score.signature)

    def form(self) -> dict[str, Any]:
        """The promised form: what is empty of ``seeds``, ``p`` and ``signature`` is left out."""
        form: dict[str, Any] = {"value": self.value, "low": self.low, "high": self.high, "n": self.n}
        if self.seeds:
            form["seeds"] = dict(self.seeds)
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
