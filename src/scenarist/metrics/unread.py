"""Item x Prediction -> how often nothing could be read: answers that declined, and answers without the form that was asked for.

A model that writes its answers marks them so (`models.candidates.parsing`); accuracy counts both as wrong, these say why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.metrics.base import count, divide
from scenarist.question import Item, Prediction


class Unparsed:
    """The share of answers that have not the form that was asked for."""

    name = "unparsed"
    higher = False
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """Nothing to switch."""
        return {}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: was its answer marked so?"""
        return {"unread": float(prediction is not None and prediction.note == self.name), "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Such answers over items."""
        return divide(count(totals, "unread"), count(totals, "n"))


class RefusedShare(Unparsed):
    """The share of answers that decline."""

    name = "refused"
