"""Order -> Guesses: each sentence's words say where in a story it belongs; the best of all orders wins.

The surface floor of the ordering exam (Mostafazadeh et al. 2016, section 4, warn that reordering "can be achieved to a degree"
by surface cues): naive Bayes of the words given the place, names and pronouns included, and an exact search. Learns from
stories; places of longer and shorter stories are scaled to five.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from scenarist.errors import BadInput
from scenarist.models.endings import words
from scenarist.question import AnyQuestion, Guess, Order, Permutation, Prediction
from scenarist.story import sentence_texts

PLACES = 5
MOST = 8
"""More sentences than this have too many orders to try them all."""


def sentences_of(question: AnyQuestion, name: str) -> tuple[str, ...]:
    """The sentences of an Order question, or what is wrong with it."""
    if not isinstance(question, Order):
        raise BadInput(f"{name} puts sentences into order; it cannot answer a question of kind {type(question).__name__}.")
    if not 1 <= len(question.sentences) <= MOST or not all(sentence.strip() for sentence in question.sentences):
        raise BadInput(f"{name}: expected 1 to {MOST} sentences, none of them empty, got {len(question.sentences)}.")
    return question.sentences


class WordPlaces:
    """Words and where they stand."""

    name = "word-places"
    learns = "stories"

    def __init__(self, smooth: float = 0.5) -> None:
        self.smooth = smooth

    def fit(self, data: Iterable[Any]) -> WordPlaces:
        """Count the words of each place."""
        self.counts_: list[Counter[str]] = [Counter() for _ in range(PLACES)]
        for story in data:
            told = list(sentence_texts(story))
            for at, sentence in enumerate(told):
                place = round(at * (PLACES - 1) / max(1, len(told) - 1))
                self.counts_[place].update({*words(sentence), f"length {min(30, len(words(sentence)))}"})
        self.totals_ = [sum(counts.values()) for counts in self.counts_]
        self.known_ = len(set().union(*self.counts_))
        return self

    def fits(self, sentence: str, place: int) -> float:
        """ln P(words | place), up to what all places share."""
        counts, total = self.counts_[place], self.totals_[place] + self.smooth * (self.known_ + 1)
        found = {*words(sentence), f"length {min(30, len(words(sentence)))}"}
        return sum(math.log((counts[word] + self.smooth) / total) for word in sorted(found))

    def answer(self, question: AnyQuestion) -> Prediction:
        shown = sentences_of(question, self.name)
        if not hasattr(self, "counts_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table.")
        n = len(shown)
        places = [round(at * (PLACES - 1) / max(1, n - 1)) for at in range(n)]
        table = [[self.fits(sentence, place) for place in places] for sentence in shown]
        orders = itertools.permutations(range(n))  # the first of equals wins
        best = max(orders, key=lambda order: sum(table[shown][at] for at, shown in enumerate(order)))
        return Prediction("", (Guess(Permutation(best)),), by=self.name)
