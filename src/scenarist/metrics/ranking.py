"""Item x Prediction -> where the key stands in the ranking: recall@k, top-k, MRR, average rank.

**Ties count at their expectation** over all orders of the tied guesses, so shuffling them changes nothing: recall@k
is the chance that the key falls within the first k, MRR the expected reciprocal, average rank the expected rank.
Guesses with log-probabilities are ranked by them (equal means tied, to the last bit); where any guess has none, the
given order counts.

Where the runner asked the model for ``key_rank`` (the expected rank among *all* candidates), it is used: together
with the first place of the key's tied group it gives the size of that group, also where the list of guesses was cut
off inside it. A key that is neither listed nor rated is not found.

Recall@k is the measure of event cloze (Jans et al. 2012; Chambers 2017, section 5, k = 50); top-5 that of Bisk et al.
2019, section 5; MRR and average rank are Chambers and Jurafsky 2008's family.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Metric, Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.question import Item, Prediction


class Place(NamedTuple):
    """A group of tied places: ``size`` places from ``first`` (1 is best) on, ``right`` of which hold right answers."""

    first: int
    size: int = 1
    right: int = 1

    def within(self, k: int) -> float:
        """The chance that a right answer stands among the first k.

        >>> Place(first=49, size=4).within(50)
        0.5
        """
        seats = min(max(k - self.first + 1, 0), self.size)
        if self.right == 1:
            return seats / self.size
        return 1.0 - comb(self.size - self.right, seats) / comb(self.size, seats)

    def expected(self) -> float:
        """The expected rank of the best right answer.

        >>> Place(first=1, size=2).expected()
        1.5
        """
        return self.first - 1 + (self.size + 1) / (self.right + 1)

    def reciprocal(self) -> float:
        """The expected reciprocal rank of the best right answer.

        >>> Place(first=1, size=2).reciprocal()
        0.75
        """
        if self.right == 1:
            return float(np.mean(1.0 / np.arange(self.first, self.first + self.size)))
        ways = comb(self.size, self.right)
        seats = range(1, self.size - self.right + 2)
        return sum(comb(self.size - seat, self.right - 1) / ways / (self.first + seat - 1) for seat in seats)


def right_answers(item: Item, accept: bool) -> frozenset[object]:
    """What counts as right: the key, and the item's other accepted answers where the metric says so."""
    return frozenset((item.key, *item.accept)) if accept else frozenset((item.key,))


def place(item: Item, prediction: Prediction | None, accept: bool = False) -> Place | None:
    """Where the key stands among the guesses; None where it is not found."""
    if prediction is None:
        return None
    right = right_answers(item, accept)
    listed: dict[object, float | None] = {}
    for guess in prediction.guesses:  # an answer given twice counts where it stands first
        listed.setdefault(guess.answer, guess.logp)
    answers, levels = list(listed), list(listed.values())
    if not any(answer in right for answer in answers):
        return unlisted(prediction, levels)
    if any(level is None for level in levels):
        return Place(next(at for at, answer in enumerate(answers, start=1) if answer in right))
    best = max(level for answer, level in listed.items() if answer in right and level is not None)
    first = 1 + sum(level is not None and level > best for level in levels)
    tied = [answer for answer, level in listed.items() if level == best]
    found = sum(answer in right for answer in tied)
    if prediction.key_rank is not None and not accept:
        return widened(first, prediction.key_rank)
    return Place(first, len(tied), found)


def widened(first: int, rank: float) -> Place:
    """The tied group that begins at ``first`` and has the expected rank ``rank``: it ends at ``2 rank - first``."""
    return Place(first, max(1, round(2 * rank) - 2 * first + 1))


def unlisted(prediction: Prediction, levels: list[float | None]) -> Place | None:
    """The place of a key that is rated but not among the listed guesses."""
    rank = prediction.key_rank
    if rank is None:
        return None
    if prediction.key_logp is not None and levels and levels[-1] is not None and None not in levels:
        above = sum(level is not None and level > prediction.key_logp for level in levels)
        if above < len(levels) and above + 1 <= rank:  # the list was cut off inside the key's tied group
            return widened(above + 1, rank)
    whole = max(1, int(rank))
    return Place(whole) if rank == whole else Place(whole, 2)


class Ranked:
    """Base of the metrics of the key's place; a subclass gives one number for a place, and one for a key not found."""

    name: str
    higher = True
    proportion = True
    averages = True
    """The value is a mean of real numbers: two systems are compared by paired bootstrap."""

    def __init__(self, accept: bool = False) -> None:
        self.accept = accept

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"ties": "expected", **({"accept": "others"} if self.accept else {})}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: its credit, and 1 for the item itself."""
        found = place(item, prediction, self.accept)
        credit = self.lost(prediction) if found is None else self.credit(found)
        return {"credit": credit, "n": 1.0}

    def credit(self, found: Place) -> float:
        """What a place is worth."""
        raise NotImplementedError

    def lost(self, prediction: Prediction | None) -> float:
        """What a key that was not found is worth."""
        return 0.0

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean over items."""
        return divide(count(totals, "credit"), count(totals, "n"))


def positive(k: int, name: str) -> int:
    """A k of at least one."""
    if k < 1:
        raise BadInput(f"{name}: k must be at least 1, got {k}. Write for example '{name}@10'.")
    return k


class Recall(Ranked):
    """recall@k: is the key among the first k guesses?"""

    averages = False

    def __init__(self, k: int, accept: bool = False) -> None:
        super().__init__(accept)
        self.k = positive(k, "recall")
        self.name = f"recall@{k}"

    def credit(self, found: Place) -> float:
        """The chance to stand within the first k."""
        return found.within(self.k)


class SynonymRecall(Recall):
    """Like recall@k, but any accepted answer of the item (synonyms of the key, by WordNet) counts as the key."""

    def __init__(self, k: int) -> None:
        super().__init__(k, accept=True)
        self.name = f"synonym_recall@{k}"


class Top(Recall):
    """The share of blanks whose key is among the first k guesses (Bisk et al. 2019)."""

    def __init__(self, k: int = 5, accept: bool = False) -> None:
        super().__init__(k, accept)
        self.name = f"top{k}"


class Mrr(Ranked):
    """Mean reciprocal rank; 0 where the key is not found."""

    name = "mrr"
    proportion = False

    def credit(self, found: Place) -> float:
        """The expected reciprocal rank."""
        return found.reciprocal()


class AverageRank(Ranked):
    """Mean rank, 1 is best.

    A key that was not found counts one place behind the list, and at least at ``unranked`` (100, as in Bennett's
    figure 4): without that floor a solver would gain by listing less.
    """

    name = "average_rank"
    higher = False
    proportion = False

    def __init__(self, unranked: int = 100, accept: bool = False) -> None:
        super().__init__(accept)
        self.unranked = positive(unranked, "average_rank")

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {**super().settings(), "unranked": self.unranked}

    def credit(self, found: Place) -> float:
        """The expected rank."""
        return found.expected()

    def lost(self, prediction: Prediction | None) -> float:
        """Behind everything that was listed."""
        return float(max(self.unranked, len(prediction.guesses) + 1 if prediction else 1))


def recall(k: int | None = None, **settings: Any) -> Metric:
    """With k the share of keys among the first k guesses; without, the share of key labels that were found.

    >>> recall(50).name, recall().name
    ('recall@50', 'recall')
    """
    if k is not None:
        return Recall(k, **settings)
    from scenarist.metrics.labels import LabelRecall

    return LabelRecall(**settings)
