"""Choice -> Guesses: Deep Structured Semantic Model (Huang et al. 2013; Mostafazadeh et al. 2016, section 5, model 9).

Two networks, one for the four sentences and one for the ending: counts of letter trigrams -> 1000 -> 300, tanh, cosine.
Trained on stories to prefer the told ending to those of the other stories in the batch (softmax of scaled cosines).
Departures: log counts, dropout, Adam, and ``names="masked"``, which writes every person's name as one word in training and
asking alike: else the network learns to match names, which both endings share.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from scenarist.errors import BadInput
from scenarist.learning.negatives import COMMON
from scenarist.models.endings import EndingModel, choice, ranked
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import sentence_texts

WORD = re.compile(r"[A-Za-z']+|\d+")


def trigrams(word: str) -> list[str]:
    """Letter trigrams of a word with its edges.

    >>> trigrams("cat")
    ['#ca', 'cat', 'at#']
    """
    edged = f"#{word}#"
    return [edged[at : at + 3] for at in range(len(edged) - 2)]


class Dssm(EndingModel):
    """Letter trigrams, two networks, cosine."""

    name = "dssm"
    learns = "stories"

    def __init__(
        self, hidden: int = 1000, size: int = 300, epochs: int = 8, batch: int = 256, rate: float = 5e-4, scale: float = 10.0,
        dropout: float = 0.3, least: int = 3, names: str = "masked", see: str = "story", seed: int = 13,
    ) -> None:  # fmt: skip
        super().__init__(see)
        if names not in ("masked", "kept"):
            raise BadInput(f"dssm: `names` is masked or kept, not {names!r}.")
        self.hidden, self.size, self.epochs, self.batch, self.rate = hidden, size, epochs, batch, rate
        self.scale, self.dropout, self.least, self.names, self.seed = scale, dropout, least, names, seed

    def plain(self, text: str) -> list[str]:
        """Words of a sentence, names as one word where they are masked."""
        found = WORD.findall(text)
        if self.names == "kept":
            return [word.lower() for word in found]
        return ["nnn" if word.lower() in self.names_ and word[0].isupper() else word.lower() for word in found]

    def counts(self, texts: Sequence[str]) -> tuple[list[int], list[float]]:
        """Numbers of the known trigrams in some sentences, and their weights."""
        found = Counter(self.known_[gram] for text in texts for word in self.plain(text) for gram in trigrams(word) if gram in self.known_)
        weights = 1.0 + np.log(np.array(list(found.values()), dtype=np.float32))
        return list(found), (weights / max(1e-6, float(np.linalg.norm(weights)))).tolist() if found else []

    def fit(self, data: Iterable[Any]) -> Dssm:
        """Learn from stories of two or more sentences."""
        import torch
        from torch import nn

        stories = [told for story in data if len(told := list(sentence_texts(story))) > 1]
        upper: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        for told in stories:
            for sentence in told:
                for word in WORD.findall(sentence):
                    (upper if word[0].isupper() else lower)[word.lower()] += 1
        self.names_ = {word for word, n in upper.items() if n > 9 * lower[word] and word not in COMMON}
        found = Counter(gram for told in stories for text in told for word in self.plain(text) for gram in set(trigrams(word)))
        self.known_ = {gram: at for at, gram in enumerate(gram for gram, n in found.most_common() if n >= self.least)}
        if len(stories) < 2 or not self.known_:
            raise BadInput(f"dssm: expected stories to learn from, got {len(stories)}.")
        torch.manual_seed(self.seed)

        def network() -> nn.ModuleList:
            return nn.ModuleList([nn.EmbeddingBag(len(self.known_), self.hidden, mode="sum"), nn.Linear(self.hidden, self.size)])

        self.story_, self.ending_ = network(), network()
        for net in (self.story_, self.ending_):
            nn.init.normal_(net[0].weight, std=0.1)
        told_counts = [self.counts(told[:-1]) for told in stories]
        ending_counts = [self.counts(told[-1:]) for told in stories]
        optimiser = torch.optim.Adam([*self.story_.parameters(), *self.ending_.parameters()], lr=self.rate)
        dice = np.random.default_rng(self.seed)
        steps = max(1, self.epochs * (len(stories) // self.batch))
        done = 0
        for _ in range(self.epochs):
            order = dice.permutation(len(stories))
            for start in range(0, max(1, len(order) - self.batch + 1), self.batch):
                part = order[start : start + self.batch]
                ours = self.embed(self.story_, [told_counts[at] for at in part], train=True)  # [B, size]
                theirs = self.embed(self.ending_, [ending_counts[at] for at in part], train=True)  # [B, size]
                loss = nn.functional.cross_entropy(self.scale * ours @ theirs.T, torch.arange(len(part)))
                for group in optimiser.param_groups:
                    group["lr"] = self.rate * (1.0 - 0.9 * min(1.0, done / steps))
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                done += 1
        return self

    def embed(self, net: Any, counts: Sequence[tuple[list[int], list[float]]], train: bool = False) -> Any:
        """Unit vectors of a batch of trigram counts."""
        import torch

        ids = torch.tensor([at for found, _ in counts for at in found], dtype=torch.long)
        weights = torch.tensor([weight for _, given in counts for weight in given], dtype=torch.float32)
        starts = torch.tensor(np.cumsum([0] + [len(found) for found, _ in counts[:-1]]), dtype=torch.long)
        hidden = torch.tanh(net[0](ids, starts, per_sample_weights=weights))  # [B, hidden]
        hidden = torch.nn.functional.dropout(hidden, self.dropout, training=train)
        return torch.nn.functional.normalize(torch.tanh(net[1](hidden)), dim=-1)  # [B, size]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        import torch

        if not hasattr(self, "known_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table.")
        asked = [choice(question, self.name) for question in questions]
        with torch.no_grad():
            stories = self.embed(self.story_, [self.counts(self.seen(one.context)) for one in asked]).numpy()
            endings = iter(self.embed(self.ending_, [self.counts([text]) for one in asked for text in one.choices]).numpy())
        return [
            ranked([self.scale * float(story @ next(endings)) for _ in one.choices], self.name)
            for one, story in zip(asked, stories, strict=True)
        ]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
