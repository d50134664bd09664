"""Item x Prediction -> how well shuffled sentences were put back: Kendall's tau and the four measures of Table 3.

Mostafazadeh et al. 2016, section 3.3, Table 3: (1) perfectly ordered by the absolute majority of five people
(``majority_order``), (2) perfectly ordered (``perfect_order``), (3) at most one sentence misplaced while the rest
flow in the right order (``near_order``), (4) the right sentence in position 1, ..., 5 (``place1`` to ``place5``;
``place`` over all positions).

Several orders that tie for the best are averaged. Kendall's tau runs from -1 (reversed) to 1; a missing prediction
counts -1 there and 0 elsewhere, which is worse than chance on purpose.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.accuracy import best
from scenarist.metrics.base import count, divide
from scenarist.question import Answer, Guess, Item, Permutation, Prediction


def poll(predictions: Sequence[Prediction]) -> Prediction:
    """Several people's answers to one item as one prediction: one guess a person, each of probability 1/n.

    >>> [guess.answer for guess in poll([Prediction("i", (Guess("a"),), "p1"), Prediction("i", (Guess("a"),), "p2")]).guesses]
    ['a', 'a']
    """
    items = {prediction.item for prediction in predictions}
    if len(items) != 1:
        raise BadInput(f"poll: expected the predictions of one item, got {len(items)} items.")
    answers = [prediction.best for prediction in predictions if prediction.best is not None]
    share = -math.log(len(predictions))
    return Prediction(items.pop(), tuple(Guess(answer, share) for answer in answers), by="poll")


def order_of(item: Item, answer: Answer) -> tuple[int, ...]:
    """An answer as an order of the same sentences as the key."""
    if not isinstance(answer, Permutation):
        raise BadInput(f"item {item.id!r}: expected an order of sentences, got {type(answer).__name__.lower()}.")
    if isinstance(item.key, Permutation) and len(answer.order) != len(item.key.order):
        raise BadInput(
            f"item {item.id!r}: expected an order of {len(item.key.order)} sentences, got {len(answer.order)}."
        )
    return answer.order


def relative(key: Sequence[int], guess: Sequence[int]) -> list[int]:
    """For each sentence in guessed order, where the key puts it.

    >>> relative((2, 0, 1), (0, 2, 1))
    [1, 0, 2]
    """
    place = {sentence: at for at, sentence in enumerate(key)}
    return [place[sentence] for sentence in guess]


def tau(places: Sequence[int]) -> float:
    """Kendall's tau of an order without ties: 1 - 2 inversions / pairs; 1 for fewer than two.

    >>> tau([0, 1, 2]), tau([2, 1, 0])
    (1.0, -1.0)
    """
    n = len(places)
    if n < 2:
        return 1.0
    wrong = sum(places[i] > places[j] for i in range(n) for j in range(i + 1, n))
    return 1.0 - 4.0 * wrong / (n * (n - 1))


def in_flow(places: Sequence[int]) -> int:
    """How many sentences can stay where they are: the longest rising run, gaps allowed.

    >>> in_flow([1, 2, 3, 4, 0])
    4
    """
    tails: list[int] = []
    for place in places:
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
    return len(tails)


class Ordering:
    """Base of the ordering measures: the mean over items of one number for a guessed order."""

    name: str
    higher = True
    proportion = True
    averages = False
    worst = 0.0

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"ties": "expected"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: its worth (the mean over tied best orders), and 1 for the item itself."""
        key = order_of(item, item.key)
        orders = [order_of(item, answer) for answer in best(prediction)]
        worths = [self.worth(relative(key, order)) for order in orders]
        return {"right": sum(worths) / len(worths) if worths else self.worst, "n": 1.0}

    def worth(self, places: Sequence[int]) -> float:
        """What an order is worth."""
        raise NotImplementedError

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean over items."""
        return divide(count(totals, "right"), count(totals, "n"))


class KendallTau(Ordering):
    """Pairs of sentences in the right order minus those in the wrong one, over all pairs."""

    name = "kendall_tau"
    proportion = False
    averages = True
    worst = -1.0

    def worth(self, places: Sequence[int]) -> float:
        """Tau of one order."""
        return tau(places)


class PerfectOrder(Ordering):
    """Every sentence where it belongs (Table 3, second row)."""

    name = "perfect_order"

    def worth(self, places: Sequence[int]) -> float:
        """1 or 0."""
        return float(all(at == place for at, place in enumerate(places)))


class NearOrder(Ordering):
    """At most one sentence misplaced, the rest in the right order (Table 3, third row)."""

    name = "near_order"

    def worth(self, places: Sequence[int]) -> float:
        """1 or 0."""
        return float(in_flow(places) >= len(places) - 1)


class PlaceOrder(Ordering):
    """The right sentence in position k (Table 3, fourth row); without k the share of right positions."""

    averages = True

    def __init__(self, k: int | None = None) -> None:
        if k is not None and k < 1:
            raise BadInput(f"place: positions count from 1, got {k}. Write for example 'place1'.")
        self.k = k
        self.name = "place" if k is None else f"place{k}"

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item; stories shorter than k do not count."""
        if self.k is not None and self.k > len(order_of(item, item.key)):
            return {"right": 0.0, "n": 0.0}
        return super().mark(item, prediction)

    def worth(self, places: Sequence[int]) -> float:
        """Position k right, or the share of positions that are."""
        if self.k is not None:
            return float(places[self.k - 1] == self.k - 1)
        return sum(at == place for at, place in enumerate(places)) / len(places) if places else 1.0


class MajorityOrder(Ordering):
    """More than half of the votes for the key's order (Table 3, first row).

    Votes are the probabilities of the guesses: those of ``poll`` for people, a model's own for a model. A solver that
    only ranks casts one vote, for its first guess.
    """

    name = "majority_order"

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"majority": "absolute"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: did the key win?"""
        guesses = prediction.guesses if prediction else ()
        orders = [order_of(item, guess.answer) for guess in guesses]
        if any(guess.logp is None for guess in guesses):
            share = float(orders[0] == order_of(item, item.key))
        else:
            votes = [math.exp(guess.logp) for guess in guesses if guess.logp is not None]
            right = [order == order_of(item, item.key) for order in orders]
            share = math.fsum(vote for vote, won in zip(votes, right, strict=True) if won)
        return {"right": float(share > 0.5 + 1e-9), "n": 1.0}
