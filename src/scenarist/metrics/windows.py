"""Masses <-> boundaries, and the windows that slide over them: Pk, WindowDiff and boundary similarity as plain functions.

A segmentation of n units is given as *boundaries*, n - 1 truth values for the places between neighbours, or as
*masses*, the lengths of its segments. Beeferman et al. 1999 (Pk), Pevzner and Hearst 2002 (WindowDiff), Lamprier et
al. 2007 (padded edges), Fournier 2013 (boundary similarity B).

What tools disagree about has a name here (see docs/footguns.md):

- *window*: half the mean length of the reference's segments. ``segeval`` divides units by segments and takes at least
2;
  ``nltk`` divides places by boundaries (n - 1 by one less than there are segments), which is longer; ``nltk-end`` is
  what NLTK gives when the end of the text is written as a boundary too: units by segments, at least 1.
- *windows*: a window of k places fits n - k times between n units; ``nltk-end`` counts one more, which ends behind
the text. - *rounding* of the half mean: ``even`` (Python's, segeval's and NLTK's), ``up``, ``floor``, ``ceil``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from scenarist.errors import BadInput

CONVENTIONS = ("segeval", "nltk", "nltk-end")
ROUNDINGS: dict[str, Callable[[float], int]] = {
    "even": round,
    "up": lambda number: math.floor(number + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}


class Windows(NamedTuple):
    """How much of what was compared is wrong."""

    wrong: float
    compared: float


def masses(boundaries: Sequence[bool]) -> tuple[int, ...]:
    """The lengths of the segments between boundaries.

    >>> masses([False, True, False])
    (2, 2)
    """
    ends = [at + 1 for at, boundary in enumerate(boundaries) if boundary] + [len(boundaries) + 1]
    return tuple(stop - start for start, stop in zip([0, *ends], ends, strict=False))


def boundaries(lengths: Sequence[int]) -> tuple[bool, ...]:
    """The places between units at which a segment ends.

    >>> boundaries((2, 2))
    (False, True, False)
    """
    if not lengths or min(lengths) < 1:
        raise BadInput(f"masses: expected segment lengths of at least 1, got {list(lengths)}.")
    places = [False] * (sum(lengths) - 1)
    at = 0
    for length in lengths[:-1]:
        at += length
        places[at - 1] = True
    return tuple(places)


def window_size(reference: Sequence[bool], convention: str = "segeval", rounding: str = "even") -> int:
    """Half the mean segment length of the reference, by one of the conventions; never longer than the text allows.

    >>> given = [c == "1" for c in "000100000010"]
    >>> [window_size(given, convention) for convention in CONVENTIONS]
    [2, 3, 2]
    """
    if convention not in CONVENTIONS:
        raise BadInput(f"convention must be one of {', '.join(CONVENTIONS)}, got {convention!r}.")
    if rounding not in ROUNDINGS:
        raise BadInput(f"rounding must be one of {', '.join(ROUNDINGS)}, got {rounding!r}.")
    places, marked = len(reference), sum(map(bool, reference))
    if convention == "nltk":
        half = places / (2 * max(1, marked))
    else:
        half = (places + 1) / (2 * (marked + 1))
    least = 2 if convention == "segeval" else 1
    return max(1, min(max(least, ROUNDINGS[rounding](half)), places))


def sliding(places: Sequence[bool], k: int, convention: str = "segeval") -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many boundaries stand in each window of k places."""
    marks = [int(place) for place in places] + ([1] if convention == "nltk-end" else [])
    total = np.concatenate([[0], np.cumsum(marks)]).astype(np.int64)
    return total[k:] - total[:-k]


def check_lengths(reference: Sequence[bool], hypothesis: Sequence[bool]) -> None:
    """Both must segment the same text."""
    if len(reference) != len(hypothesis):
        raise BadInput(
            f"segmentation: expected {len(reference) + 1} units as in the reference, got {len(hypothesis) + 1}. "
            "Both must be over the same sentences."
        )


def pk_windows(reference: Sequence[bool], hypothesis: Sequence[bool], k: int, convention: str = "segeval") -> Windows:
    """Windows whose ends the two put together differently: in one segment here, in two there."""
    check_lengths(reference, hypothesis)
    if not len(reference):
        return Windows(0.0, 0.0)
    ours, theirs = sliding(reference, k, convention) > 0, sliding(hypothesis, k, convention) > 0
    return Windows(float(np.sum(ours != theirs)), float(len(ours)))


def windowdiff_windows(
    reference: Sequence[bool],
    hypothesis: Sequence[bool],
    k: int,
    convention: str = "segeval",
    weighted: bool = False,
    edges: str = "plain",
) -> Windows:
    """Windows in which the numbers of boundaries differ (``weighted``: by how many).

    ``edges="padded"`` (Lamprier et al. 2007) lets windows reach over both ends of the text, so that a mistake near an
    end is counted as often as one in the middle.
    """
    check_lengths(reference, hypothesis)
    if not len(reference):
        return Windows(0.0, 0.0)
    if edges == "padded":
        before, after = [False] * (k - 1) + [True], [True] + [False] * (k - 1)
        reference, hypothesis = [*before, *reference, *after], [*before, *hypothesis, *after]
    apart = np.abs(sliding(reference, k, convention) - sliding(hypothesis, k, convention))
    return Windows(float(np.sum(apart if weighted else apart > 0)), float(len(apart)))


def boundary_edits(one: Sequence[bool], other: Sequence[bool], near: int = 2) -> Windows:
    """What separates two segmentations by boundary edit distance, over all boundaries placed (Fournier 2013, B).

    A boundary misplaced by less than ``near`` places is one near miss worth its distance over ``near``; a boundary
    with no counterpart is worth 1. Near misses are taken nearest first, then from the left, each boundary once. 1 -
    wrong / compared is the similarity.

    >>> boundary_edits([0, 1, 0, 0], [0, 0, 1, 0])
    Windows(wrong=0.5, compared=1.0)
    """
    check_lengths(one, other)
    a, b = [bool(place) for place in one], [bool(place) for place in other]
    matches = sum(x and y for x, y in zip(a, b, strict=True))
    open_places = {at for at, (x, y) in enumerate(zip(a, b, strict=True)) if x != y}
    moved: list[int] = []
    for distance in range(1, near):
        for at in range(len(a) - distance):
            to = at + distance
            if at in open_places and to in open_places and a[at] != a[to]:
                open_places -= {at, to}
                moved.append(distance)
    wrong = len(open_places) + sum(distance / near for distance in moved)
    return Windows(float(wrong), float(len(open_places) + len(moved) + matches))
