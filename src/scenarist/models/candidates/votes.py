"""Levels or letters of one question -> a Prediction: shares of the choices, and the mean of two orders.

Where the letters are as likely in both orders, the server has not answered what was asked: an error, never a result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scenarist.errors import BadInput
from scenarist.models.candidates import parsing
from scenarist.question import Guess, Prediction


def shares_log(levels: Sequence[float]) -> list[float]:
    """Levels as ln P of a choice among them."""
    top = max(levels)
    whole = top + math.log(math.fsum(math.exp(level - top) for level in levels))
    return [min(0.0, level - whole) for level in levels]


def shares(levels: Sequence[float]) -> list[float]:
    """Levels as probabilities of a choice among them."""
    return [math.exp(value) for value in shares_log(levels)]


def ranked(levels: Sequence[float], by: str, why: Sequence[str] = ()) -> Prediction:
    """Levels as a prediction."""
    values = shares_log(levels)
    order = sorted(range(len(values)), key=lambda index: (-values[index], index))
    guesses = tuple(Guess(str(index), values[index], (why[index],) if why else ()) for index in order)
    return Prediction("", guesses, by=by, rest=0.0)


def voted(text: str, letters: Sequence[str]) -> list[float] | str:
    """A written letter as a vote; the mark where there is none."""
    try:
        chosen = parsing.read_letter(text, letters)
    except parsing.Unread as error:
        return str(error)
    return [float(index == chosen) for index in range(len(letters))]


def averaged(forward: list[float] | str, backward: list[float] | str, by: str, graded: bool) -> Prediction:
    """Two orders as one prediction; a mark of either order is a mark of the whole.

    >>> averaged([1.0, 0.0], [0.0, 1.0], "m", False).guesses[0].why
    ('1.00 in the order given, 1.00 backwards',)
    """
    if isinstance(forward, str) or isinstance(backward, str):
        return Prediction("", (), by=by, note=forward if isinstance(forward, str) else str(backward))
    there, back = forward, backward[::-1]
    mean = [(first + second) / 2 for first, second in zip(there, back, strict=True)]
    if graded and len(set(mean)) == 1:
        raise BadInput(f"{by}: all letters are as likely, in both orders: nothing of this run is a result.")
    order = sorted((index for index, share in enumerate(mean) if share > 0), key=lambda index: (-mean[index], index))
    guesses = tuple(
        Guess(
            str(index), min(0.0, math.log(mean[index])), (f"{there[index]:.2f} in the order given, {back[index]:.2f} backwards",)
        )
        for index in order
    )  # fmt: skip
    return Prediction("", guesses, by=by, rest=0.0)
