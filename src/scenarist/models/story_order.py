"""Order -> Guesses: SmolLM2 reads the shuffled sentences twice and says which comes before which; all orders are weighed.

Told twice, because a network that reads left to right has seen everything only the second time. At the end of each sentence of
the second telling small heads give: who comes before whom, who comes directly after whom, and who stands at which place. The
score of an order is the sum of what it claims; training was the log-likelihood of the told order among all 120, so the
probabilities are proper, and the search is exact. Five sentences is what it was trained on; two to seven are answered with
the same heads, places scaled.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scenarist.models.smollm2 import BOS, EOS, MARK, Tree, all_cores
from scenarist.models.story_adapters import adapter, known_seed, story_files, story_network
from scenarist.models.word_places import sentences_of
from scenarist.question import AnyQuestion, Guess, Permutation, Prediction

TOP = 5
"""Orders kept in a prediction."""
BATCH = 16


class StoryOrder:
    """The ordering adapter."""

    name = "story-order"
    learns = "nothing"

    def __init__(self, seed: int = 1) -> None:
        self.seed = known_seed(seed)

    def reads(self) -> list[Path]:
        """SmolLM2, the adapters for stories, those for orders."""
        return story_files("ordering")

    def fit(self, data: Iterable[Any]) -> StoryOrder:
        """Nothing to learn here; see `training/storycloze`."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in batches of similar length."""
        import torch

        net, heads = story_network(1), adapter("ordering", str(self.seed))
        shown = [sentences_of(question, self.name) for question in questions]
        out: list[Prediction] = [Prediction("", (Guess(Permutation((0,)), 0.0),), by=self.name, rest=0.0)] * len(shown)
        trees: dict[int, tuple[Tree, list[int]]] = {}
        for at, sentences in enumerate(shown):
            if len(sentences) < 2:
                continue
            tokens = [net.encode(sentence) for sentence in sentences]
            once = [token for part in tokens for token in part]
            ends = [1 + len(once) + end for end in itertools.accumulate(len(part) for part in tokens)]
            trees[at] = (Tree.grow([BOS, *once, MARK, *once, EOS], []), ends)
        order = sorted(trees, key=lambda at: len(trees[at][0].ids))
        with torch.inference_mode(), all_cores():
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                states = net.states([trees[at][0] for at in batch], heads)  # [B, T, D]
                for row, at in enumerate(batch):
                    marks = states[row, trees[at][1]]  # [n, D]
                    before = heads.head(marks, "bq") @ heads.head(marks, "bk").T / 8
                    after = heads.head(marks, "nq") @ heads.head(marks, "nk").T / 8
                    out[at] = self.weigh((before - before.T).tolist(), after.tolist(), heads.head(marks, "at").tolist())
        return out

    def weigh(self, before: Sequence[Sequence[float]], after: Sequence[Sequence[float]], place: Sequence[Sequence[float]]) -> Prediction:
        """The probabilities of all orders from the three tables."""
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
        return Prediction("", guesses, by=self.name, rest=max(0.0, 1.0 - math.fsum(math.exp(value - total) for value, _ in best)))
