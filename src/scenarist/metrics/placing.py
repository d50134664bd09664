"""Item x Prediction -> how far from its place was an event put? ``within1``: at most one gap away; ``distance``: gaps between.

The key and the guesses are numbers of gaps (``0``: before the first sentence). Guesses that tie for the best are averaged. A missing answer
is never within, and as far away as the story is long (the most gaps a question offers).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.metrics.accuracy import best
from scenarist.metrics.base import count, divide
from scenarist.question import AboutEvent, Item, Prediction


class GapDistance:
    """The mean number of gaps between guess and key."""

    name = "distance"
    higher = False
    proportion = False

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"unit": "gap"}

    def distances(self, item: Item, prediction: Prediction | None) -> list[int]:
        """How far each of the best guesses is away; empty where there is none, or one that is no gap."""
        guesses = [str(guess) for guess in best(prediction)]
        return [abs(int(guess) - int(str(item.key))) for guess in guesses] if all(map(str.isdigit, guesses)) else []

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: the gaps between, and 1 for the item."""
        away = self.distances(item, prediction)
        most = len(item.question.choices) - 1 if isinstance(item.question, AboutEvent) else 1
        return {"error": sum(away) / len(away) if away else float(max(1, most)), "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean."""
        return divide(count(totals, "error"), count(totals, "n"))


class Within(GapDistance):
    """The share of events put at most ``k`` gaps away from their own."""

    name = "within"
    higher = True
    proportion = True

    def __init__(self, k: int = 1) -> None:
        self.k, self.name = k, f"within{k}"

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: the share of the best guesses that are near enough."""
        away = self.distances(item, prediction)
        return {"right": sum(gaps <= self.k for gaps in away) / len(away) if away else 0.0, "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Near ones of all."""
        return divide(count(totals, "right"), count(totals, "n"))
