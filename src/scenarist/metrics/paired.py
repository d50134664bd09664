"""Two items that ask about the same choices in two contexts -> is the pair answered? Strict two by two, and the interaction.

The items of a pair have ids that differ after the last colon (``STORY:initial``, ``STORY:counterfactual``); the mark stands on the first.
Strict: each context makes its own choice the likelier one. Interaction: the difference of differences, ln P(first) - ln P(second) in the
context of the first less the same in the context of the second, is above zero; whatever speaks for a choice by itself falls out of it.
Where the difference is zero the mark is one half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.metrics.accuracy import Accuracy
from scenarist.metrics.base import count, divide
from scenarist.question import Item, Prediction


class Strict:
    """Both items of a pair right."""

    name = "strict"
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"unit": "pair"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """An item without its partner."""
        return self.pair_mark([item], [prediction])

    def mark_all(self, items: Sequence[Item], predictions: Sequence[Prediction | None]) -> list[Mapping[str, float]]:
        """All items of an exam; the mark of a pair stands on its first item."""
        pairs: dict[str, list[int]] = {}
        for index, item in enumerate(items):
            pairs.setdefault(item.id.rpartition(":")[0] or item.id, []).append(index)
        marks: list[Mapping[str, float]] = [{"right": 0.0, "n": 0.0} for _ in items]
        for indices in pairs.values():
            marks[indices[0]] = self.pair_mark(
                [items[index] for index in indices], [predictions[index] for index in indices]
            )
        return marks

    def pair_mark(self, items: Sequence[Item], predictions: Sequence[Prediction | None]) -> dict[str, float]:
        """The mark of a pair; one whose partner was left out is marked as it stands."""
        right = 1.0
        for item, prediction in zip(items, predictions, strict=True):
            right *= Accuracy().mark(item, prediction)["right"] == 1.0
        return {"right": right, "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Right pairs over pairs."""
        return divide(count(totals, "right"), count(totals, "n"))


class Interaction(Strict):
    """The difference of differences above zero."""

    name = "interaction"

    def pair_mark(self, items: Sequence[Item], predictions: Sequence[Prediction | None]) -> dict[str, float]:
        margins = [margin(item, prediction) for item, prediction in zip(items, predictions, strict=True)]
        known = [value for value in margins if value is not None]
        if len(known) < len(margins):
            return {"right": 0.0, "n": 1.0}
        whole = sum(known)
        return {"right": 0.5 if whole == 0 else float(whole > 0), "n": 1.0}


def margin(item: Item, prediction: Prediction | None) -> float | None:
    """How much likelier the key is than the best other choice; of a solver that only ranks, one or minus one; None without an answer."""
    if prediction is None or not prediction.guesses:
        return None
    if any(guess.logp is None for guess in prediction.guesses):
        return 1.0 if prediction.best == item.key else -1.0
    levels = {guess.answer: guess.logp for guess in prediction.guesses if guess.logp is not None}
    key = levels.pop(item.key, None)
    if key is None:
        return -1.0
    return key - max(levels.values(), default=float(key) - 1.0)
