"""Item x Prediction -> is the best guess right? Accuracy, and exact match of whole blanks.

Where several guesses share the highest log-probability, the mark is the expectation over them: one of n tied guesses
right is 1/n. So a solver that cannot tell two endings apart scores one half on each, whatever order it lists them in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.metrics.base import count, divide
from scenarist.metrics.ranking import right_answers
from scenarist.question import Answer, Item, Prediction, WordGap


def best(prediction: Prediction | None) -> tuple[Answer, ...]:
    """The guesses that tie for the first place; the first one alone where the solver only ranks.

    >>> from scenarist.question import Guess
    >>> best(Prediction("i", (Guess("a", -1.0), Guess("b", -1.0), Guess("c", -2.0))))
    ('a', 'b')
    """
    if prediction is None or not prediction.guesses:
        return ()
    if any(guess.logp is None for guess in prediction.guesses):
        return (prediction.guesses[0].answer,)
    levels: dict[Answer, float] = {}
    for guess in prediction.guesses:
        if guess.logp is not None:
            levels.setdefault(guess.answer, guess.logp)
    top = max(levels.values())
    return tuple(answer for answer, level in levels.items() if level == top)


class Accuracy:
    """The share of items whose best guess is the key (or, with ``accept``, another accepted answer)."""

    name = "accuracy"
    higher = True
    proportion = True

    def __init__(self, accept: bool = False) -> None:
        self.accept = accept

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"ties": "expected", **({"accept": "others"} if self.accept else {})}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: right (1, 0, or the share of tied guesses that are), and 1 for the item itself."""
        guesses = best(prediction)
        right = right_answers(item, self.accept)
        hits = sum(self.same(guess, right) for guess in guesses)
        return {"right": hits / len(guesses) if guesses else 0.0, "n": 1.0}

    def same(self, guess: Answer, right: frozenset[object]) -> bool:
        """Does a guess count as right?"""
        return guess in right

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Right answers over items."""
        return divide(count(totals, "right"), count(totals, "n"))


class Match(Accuracy):
    """Exact match; a blank of several words is right when all its words are (Bisk et al. 2019, section 5).

    Words of one blank are separate items that follow one another (``WordGap.left`` counts down), or that are told by
    their ids (``pair:3.0``, ``pair:3.1``: greedy runs ask all first words first); their common mark stands on the
    first of them, so the number of marks with ``n`` is the number of blanks. Any other item is its own unit.
    """

    name = "match"

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {**super().settings(), "unit": "blank"}

    def mark_all(self, items: Sequence[Item], predictions: Sequence[Prediction | None]) -> list[Mapping[str, float]]:
        """All items of an exam in their order, one mark each."""
        marks: list[dict[str, float]] = []
        firsts: dict[str, int] = {}
        head = 0
        for at, (item, prediction) in enumerate(zip(items, predictions, strict=True)):
            mark = dict(self.mark(item, prediction))
            stem, _, number = item.id.rpartition(".")
            first = firsts.get(stem) if isinstance(item.question, WordGap) and number not in ("", "0") else None
            if first is not None or (at and continues(items[at - 1], item)):
                marks[head if first is None else first]["right"] *= mark["right"]
                mark = {"right": 0.0, "n": 0.0}
            else:
                head = at
                if number == "0":
                    firsts[stem] = at
            marks.append(mark)
        return list(marks)


def continues(before: Item, item: Item) -> bool:
    """Is ``item`` the next word of the blank that ``before`` asks for?"""
    left, right = before.question, item.question
    return (
        isinstance(left, WordGap)
        and isinstance(right, WordGap)
        and left.abstract == right.abstract
        and left.blank == right.blank
        and left.left == right.left + 1
        and len(right.prefix) == len(left.prefix) + 1
        and before.group == item.group
    )
