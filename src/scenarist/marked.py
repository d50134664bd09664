"""The nouns of an exam that was set or marked: its card, the paired comparisons, and what `exam` and `score` give.

A mark keeps the counts of one item (`question.Mark`), so that intervals and paired tests need no rerun.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from scenarist.noun import SCHEMA, Noun
from scenarist.question import Item, Prediction, Score


class ExamCard(Noun, frozen=True):
    """exam.json: what an exam folder holds."""

    exam: str
    corpus: str
    split: str
    items: int
    data: str
    """corpus#hash, as it stands in signatures."""
    settings: tuple[tuple[str, str], ...] = ()
    metrics: tuple[str, ...] = ()
    seed: int = 13
    schema: int = SCHEMA
    version: str = ""


class ExamPaper(NamedTuple):
    """An exam that was set: its items, and the card that describes them."""

    items: list[Item]
    card: ExamCard


class Comparison(NamedTuple):
    """Which test, the difference (first minus second) with its 95 % interval, and p."""

    test: str
    difference: float
    low: float
    high: float
    p: float


class System(msgspec.Struct):
    """One predictions file and its numbers."""

    name: str
    scores: dict[str, Score]
    detectable: dict[str, float]
    """The smallest difference such a test would find with 80 % power."""
    predictions: dict[str, Prediction] = {}


class Versus(msgspec.Struct):
    """Two systems compared under one metric."""

    metric: str
    first: str
    second: str
    comparison: Comparison
    corrected: float


class Scored(msgspec.Struct):
    """What `score` gives."""

    card: ExamCard
    systems: list[System]
    tests: list[Versus]
    items: list[Item] = []

    def json(self) -> dict[str, Any]:
        """A form for scripts."""
        return {
            "exam": self.card.exam,
            "data": self.card.data,
            "split": self.card.split,
            "systems": [
                {
                    "name": system.name,
                    "scores": {
                        name: {
                            "value": score.value, "low": score.low, "high": score.high, "n": score.n, "missing": score.missing,
                            "detectable": system.detectable[name], "signature": score.signature,
                        }
                        for name, score in system.scores.items()
                    },
                }
                for system in self.systems
            ],
            "tests": [
                {
                    "metric": test.metric, "first": test.first, "second": test.second, "test": test.comparison.test,
                    "difference": test.comparison.difference, "low": test.comparison.low, "high": test.comparison.high,
                    "p": test.comparison.p, "p_holm": test.corrected,
                }
                for test in self.tests
            ],
        }  # fmt: skip
