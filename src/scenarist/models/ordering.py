"""Order -> Guesses: each sentence's words say where in a story it belongs; the best of all orders wins.

The surface floor of the ordering exam (Mostafazadeh et al. 2016, section 4, warn that surface cues alone
put some stories right): naive Bayes of the words given the place, names and pronouns included, and an exact search. Learns from
stories; places of longer and shorter stories are scaled to five.

Order -> Guesses: SmolLM2 reads the shuffled sentences twice and says which comes before which; all orders are weighed.

Told twice, because a network that reads left to right has seen everything only the second time. At the end of each sentence of
the second telling small heads give: who comes before whom, who comes directly after whom, and who stands at which place. The
score of an order is the sum of what it claims; training was the log-likelihood of the told order among all 120, so the
probabilities are proper, and the search is exact. Five sentences is what it was trained on; two to seven are answered with
the same heads, places scaled.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.models.endings.base import words
from scenarist.models.endings.story_network import BOS, EOS, MARK, seed_adapter, story_files, story_network
from scenarist.networks.llama import TextTree, all_cores
from scenarist.question import AnyQuestion, Guess, Order, Permutation, Prediction, Question
from scenarist.story import sentence_texts

Array: TypeAlias = npt.NDArray[np.float64]
PLACES = 5
MOST = 8
"""More sentences than this have too many orders to try them all."""


def sentences_of(question: AnyQuestion, name: str) -> tuple[str, ...]:
    """The sentences of an Order question, or what is wrong with it."""
    if not isinstance(question, Order):
        raise BadInput(
            f"{name} puts sentences into order; it cannot answer a question of kind {type(question).__name__}."
        )
    if not 1 <= len(question.sentences) <= MOST or not all(sentence.strip() for sentence in question.sentences):
        raise BadInput(f"{name}: expected 1 to {MOST} sentences, none of them empty, got {len(question.sentences)}.")
    return question.sentences


class WordPlaces:
    """Words and where they stand."""

    name = "word-places"
    learns = "stories"
    asks: tuple[type[Question], ...] = (Order,)

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
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
        n = len(shown)
        places = [round(at * (PLACES - 1) / max(1, n - 1)) for at in range(n)]
        table = [[self.fits(sentence, place) for place in places] for sentence in shown]
        orders = itertools.permutations(range(n))  # the first of equals wins
        best = max(orders, key=lambda order: sum(table[shown][at] for at, shown in enumerate(order)))
        return Prediction("", (Guess(Permutation(best)),), by=self.name)


TOP = 5
"""Orders kept in a prediction."""
BATCH = 16


class OrderTables(NamedTuple):
    """What the heads say of sentences, by their places as shown."""

    before: Sequence[Sequence[float]]
    """Who comes before whom, (n, n),"""
    after: Sequence[Sequence[float]]
    """who comes directly after whom, (n, n),"""
    place: Sequence[Sequence[float]]
    """and who stands where, (n, places)."""

    def shown_in(self, showing: Sequence[int]) -> tuple[Array, Array, Array]:
        """The same by the places as given, where place k showed the sentence ``showing[k]``."""
        back = np.argsort(showing)
        before, after, place = (np.asarray(table) for table in self)
        return before[np.ix_(back, back)], after[np.ix_(back, back)], place[back]


class StoryOrder:
    """The ordering adapter."""

    name = "story-order"
    learns = "nothing"
    trained_on = ("smollm2", "rocstories")
    asks: tuple[type[Question], ...] = (Order,)

    def __init__(self, weights: str = "ordering-1") -> None:
        self.weights = weights

    def reads(self) -> list[Path]:
        """SmolLM2, the adapters for stories, those for orders."""
        return story_files(self.weights)

    def fit(self, data: Iterable[Any]) -> StoryOrder:
        """Nothing to learn here; see `training/storycloze`."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions."""
        alone = Prediction("", (Guess(Permutation((0,)), 0.0),), by=self.name, rest=0.0)
        return [self.weigh(tables, self.name) if len(tables.before) > 1 else alone for tables in self.tables(questions)]

    def tables(self, questions: Sequence[AnyQuestion]) -> list[OrderTables]:
        """What the heads say of all questions, in batches of similar length."""
        import torch

        net, heads = story_network(), seed_adapter(self.weights)
        shown = [sentences_of(question, self.name) for question in questions]
        out = [OrderTables(((0.0,),), ((0.0,),), ((0.0,) * PLACES,))] * len(shown)
        trees: dict[int, tuple[TextTree, list[int]]] = {}
        for at, sentences in enumerate(shown):
            if len(sentences) < 2:
                continue
            tokens = [net.encode(sentence) for sentence in sentences]
            once = [token for part in tokens for token in part]
            ends = [1 + len(once) + end for end in itertools.accumulate(len(part) for part in tokens)]
            trees[at] = (TextTree.grow([BOS, *once, MARK, *once, EOS], []), ends)
        order = sorted(trees, key=lambda at: len(trees[at][0].ids))
        with torch.inference_mode(), all_cores():
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                states = net.states_of_trees([trees[at][0] for at in batch], heads)  # [B, T, D]
                for row, at in enumerate(batch):
                    marks = states[row, trees[at][1]]  # [n, D]
                    before = heads.head(marks, "bq") @ heads.head(marks, "bk").T / 8
                    after = heads.head(marks, "nq") @ heads.head(marks, "nk").T / 8
                    out[at] = OrderTables(
                        (before - before.T).tolist(), after.tolist(), heads.head(marks, "at").tolist()
                    )
        return out

    def weigh(self, tables: OrderTables, name: str) -> Prediction:
        """The probabilities of all orders from the three tables."""
        before, after, place = tables
        n = len(before)
        scaled = [round(at * 4 / (n - 1)) for at in range(n)]
        scored = []
        for order in itertools.permutations(range(n)):
            value = sum(before[a][b] for at, a in enumerate(order) for b in order[at + 1 :])
            value += sum(after[a][b] for a, b in itertools.pairwise(order))
            value += sum(place[sentence][scaled[at]] for at, sentence in enumerate(order))
            scored.append((value, order))
        top = max(value for value, _ in scored)
        total = top + math.log(math.fsum(math.exp(value - top) for value, _ in scored))
        best = sorted(scored, key=lambda one: (-one[0], one[1]))[:TOP]
        guesses = tuple(Guess(Permutation(order), value - total) for value, order in best)
        return Prediction(
            "", guesses, by=name, rest=max(0.0, 1.0 - math.fsum(math.exp(value - total) for value, _ in best))
        )
