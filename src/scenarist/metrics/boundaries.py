"""Item x Prediction -> how well segment boundaries were found: Pk, WindowDiff, boundary similarity.

Boundaries stand between sentences. By default (``between="labels"``) there is one wherever the heaviest labels of the
covering segments change, so that two annotators who cut one scenario differently do not differ;
``between="segments"`` puts one wherever a segment begins or ends. Wanzare et al. 2019, section 5.2 report Pk and
WindowDiff without naming their variant; the default here is segeval's (see ``segmentation``), and the variant stands
in the signature.

Pk and WindowDiff are errors: 0 is perfect, a missing prediction counts 1. ``average="document"`` is the mean of the
documents' values, ``average="pooled"`` pools their windows, so that long documents weigh more. A document of one
sentence has no place for a boundary and counts in neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.metrics.sentence_labels import Unit, answer_units, guess_units
from scenarist.metrics.windows import (
    CONVENTIONS,
    ROUNDINGS,
    Windows,
    boundary_edits,
    pk_windows,
    window_size,
    windowdiff_windows,
)
from scenarist.question import Item, Prediction


def between(units: list[Unit], what: str = "labels") -> tuple[bool, ...]:
    """The boundaries between labelled sentences."""
    sides = [unit.cover if what == "labels" else unit.spans for unit in units]
    return tuple(left != right for left, right in pairwise(sides))


def one_of(metric: str, what: str, given: object, known: tuple[str, ...]) -> None:
    """Raise where a setting is none of its known values."""
    if given not in known:
        raise BadInput(f"{metric}: {what} must be one of {', '.join(known)}, got {given!r}.")


class Boundaries:
    """Base of the boundary metrics: a subclass compares two lists of boundaries."""

    name: str
    higher = False
    proportion = False
    bounds = (0.0, 1.0)
    averages = True

    def __init__(self, between: str = "labels", average: str = "document") -> None:
        one_of(self.name, "between", between, ("labels", "segments"))
        one_of(self.name, "average", average, ("document", "pooled"))
        self.between, self.average = between, average

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"average": self.average, "between": self.between, "unit": "sentence"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One document: its error and 1, or its wrong windows and its windows."""
        reference = between(answer_units(item, item.key), self.between)
        guesses = guess_units(item, prediction)
        found = self.error(reference, between(guesses, self.between)) if guesses else self.lost(reference)
        if self.average == "pooled":
            return {"error": found.wrong, "n": found.compared}
        if not reference:
            return {"error": 0.0, "n": 0.0}
        return {"error": found.wrong / found.compared if found.compared else 0.0, "n": 1.0}

    def error(self, reference: tuple[bool, ...], hypothesis: tuple[bool, ...]) -> Windows:
        """What is wrong, of how much."""
        raise NotImplementedError

    def lost(self, reference: tuple[bool, ...]) -> Windows:
        """All wrong: there was no prediction."""
        compared = self.error(reference, reference).compared or float(bool(reference))
        return Windows(compared, compared)

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean error."""
        return divide(count(totals, "error"), count(totals, "n"))


class Pk(Boundaries):
    """The chance that two sentences k apart are wrongly held together or wrongly set apart."""

    name = "pk"

    def __init__(
        self,
        convention: str = "segeval",
        window: int | str = "half",
        rounding: str = "even",
        between: str = "labels",
        average: str = "document",
    ) -> None:
        super().__init__(between, average)
        one_of(self.name, "convention", convention, CONVENTIONS)
        one_of(self.name, "rounding", rounding, tuple(ROUNDINGS))
        if window != "half" and (not isinstance(window, int) or window < 1):
            raise BadInput(f"{self.name}: window must be 'half' or a number of at least 1, got {window!r}.")
        self.convention, self.window, self.rounding = convention, window, rounding

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        window = (
            {"window": "half-mean", "rounding": self.rounding} if self.window == "half" else {"window": self.window}
        )
        return {"convention": self.convention, **window, **super().settings()}

    def size(self, reference: tuple[bool, ...]) -> int:
        """The window for a document; a fixed one is cut to the document."""
        if isinstance(self.window, int):
            return max(1, min(self.window, len(reference)))
        return window_size(reference, self.convention, self.rounding)

    def error(self, reference: tuple[bool, ...], hypothesis: tuple[bool, ...]) -> Windows:
        """Windows that disagree."""
        return pk_windows(reference, hypothesis, self.size(reference), self.convention)


class WindowDiff(Pk):
    """The share of windows with a wrong number of boundaries."""

    name = "windowdiff"

    def __init__(
        self,
        convention: str = "segeval",
        window: int | str = "half",
        rounding: str = "even",
        between: str = "labels",
        average: str = "document",
        weighted: bool = False,
        edges: str = "plain",
    ) -> None:
        super().__init__(convention, window, rounding, between, average)
        one_of(self.name, "edges", edges, ("plain", "padded"))
        self.weighted, self.edges = weighted, edges

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {**super().settings(), "weighted": self.weighted, "edges": self.edges}

    def error(self, reference: tuple[bool, ...], hypothesis: tuple[bool, ...]) -> Windows:
        """Windows that disagree."""
        size = self.size(reference)
        return windowdiff_windows(reference, hypothesis, size, self.convention, self.weighted, self.edges)


class BoundarySimilarity(Boundaries):
    """Fournier's B: 1 is perfect; near misses count in part, and no window is needed.

    Where neither side has a boundary the document counts as perfect (segeval stops with an error there).
    """

    name = "boundary_similarity"
    higher = True

    def __init__(self, near: int = 2, between: str = "labels", average: str = "document") -> None:
        super().__init__(between, average)
        if near < 1:
            raise BadInput(f"{self.name}: near must be at least 1, got {near}.")
        self.near = near

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"near": self.near, **super().settings()}

    def error(self, reference: tuple[bool, ...], hypothesis: tuple[bool, ...]) -> Windows:
        """Edits over boundaries."""
        return boundary_edits(reference, hypothesis, self.near)

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """One minus the mean error."""
        return 1.0 - super().combine(totals)
