"""Choice -> Guesses: skip-thoughts (Kiros et al. 2015; Mostafazadeh et al. 2016, section 5, model 6), trained on the fiction at hand.

A sentence encoder (GRU) is trained to predict the sentence before and the sentence after; endings are then compared with the story by
the cosine of their vectors, as with mean word vectors. Departures: a small encoder, and the neighbours are predicted as bags of
words instead of being decoded word by word, which trains in minutes on a CPU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from scenarist.errors import BadInput
from scenarist.formats import plain
from scenarist.models.average_vectors import cosine
from scenarist.models.endings import EndingModel, choice, ranked, words
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import Story, sentence_texts

LONGEST = 25


def told(story: Story) -> list[str]:
    """The sentences of a story, split plainly where it comes without."""
    if story.sentences:
        return list(sentence_texts(story))
    return [story.text[span.start : span.stop] for span in plain.sentences(story.text)]


class SkipThoughts(EndingModel):
    """A recurrent sentence encoder that predicts its neighbours."""

    name = "skip-thoughts"
    learns = "stories"

    def __init__(
        self, size: int = 256, embedding: int = 128, vocabulary: int = 8000, epochs: int = 2, batch: int = 64, rate: float = 1e-3,
        limit: int = 60_000, see: str = "story", seed: int = 13,
    ) -> None:  # fmt: skip
        super().__init__(see)
        self.size, self.embedding, self.vocabulary, self.epochs, self.batch = size, embedding, vocabulary, epochs, batch
        self.rate, self.limit, self.seed = rate, limit, seed

    def fit(self, data: Iterable[Any]) -> SkipThoughts:
        """Learn from the running sentences of at most ``limit`` sentences of text."""
        import torch
        from torch import nn

        texts: list[list[list[str]]] = []
        left = self.limit
        for story in data:
            sentences = [found for sentence in told(story) if (found := words(sentence)[:LONGEST])][:left]
            left -= len(sentences)
            if len(sentences) > 2:
                texts.append(sentences)
            if left <= 0:
                break
        if not texts:
            raise BadInput("skip-thoughts: expected texts of three or more sentences.")
        counts = Counter(word for text in texts for sentence in text for word in sentence)
        self.known_ = {word: at for at, (word, _) in enumerate(counts.most_common(self.vocabulary), start=1)}
        torch.manual_seed(self.seed)
        self.words_ = nn.Embedding(len(self.known_) + 1, self.embedding, padding_idx=0)
        self.encoder_ = nn.GRU(self.embedding, self.size, batch_first=True)
        before, after = nn.Linear(self.size, len(self.known_) + 1), nn.Linear(self.size, len(self.known_) + 1)
        numbered = [[[self.known_[word] for word in sentence if word in self.known_] for sentence in text] for text in texts]
        triples = [(text[at - 1], text[at], text[at + 1]) for text in numbered for at in range(1, len(text) - 1) if text[at]]
        learned = [p for module in (self.words_, self.encoder_, before, after) for p in module.parameters()]
        optimiser = torch.optim.Adam(learned, lr=self.rate)
        dice = np.random.default_rng(self.seed)
        for _ in range(self.epochs):
            order = dice.permutation(len(triples))
            for start in range(0, len(order), self.batch):
                part = [triples[at] for at in order[start : start + self.batch]]
                states = self.states([one[1] for one in part])  # [B, size]
                loss = self.neighbours(before(states), [one[0] for one in part]) + self.neighbours(after(states), [one[2] for one in part])
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(learned, 5.0)
                optimiser.step()
        return self

    def neighbours(self, logits: Any, bags: Sequence[Sequence[int]]) -> Any:
        """Mean negative log-likelihood of the words of a neighbouring sentence."""
        import torch

        logp = torch.log_softmax(logits, -1)  # [B, V]
        rows = torch.tensor([row for row, bag in enumerate(bags) for _ in bag], dtype=torch.long)
        columns = torch.tensor([word for bag in bags for word in bag], dtype=torch.long)
        return -logp[rows, columns].mean() if len(rows) else logp.sum() * 0.0

    def states(self, sentences: Sequence[Sequence[int]]) -> Any:
        """The last state of each sentence: [B, size]."""
        import torch

        sizes = torch.tensor([max(1, len(sentence)) for sentence in sentences])
        ids = torch.zeros(len(sentences), int(sizes.max()), dtype=torch.long)
        for row, sentence in enumerate(sentences):
            ids[row, : len(sentence)] = torch.tensor(sentence, dtype=torch.long)
        out, _ = self.encoder_(self.words_(ids))  # [B, T, size]
        return out[torch.arange(len(sentences)), sizes - 1]

    def encode(self, texts: Sequence[str]) -> Any:
        """Vectors of sentences as an array: [N, size]."""
        import torch

        if not hasattr(self, "known_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table.")
        with torch.inference_mode():
            return self.states([[self.known_[word] for word in words(text)[:LONGEST] if word in self.known_] for text in texts]).numpy()

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        vectors = self.encode([*context, *endings])
        story = vectors[: len(context)].mean(0) if context else np.zeros(self.size)
        return [cosine(story, vector) for vector in vectors[len(context) :]]

    def answer(self, question: AnyQuestion) -> Prediction:
        asked = choice(question, self.name)
        return ranked(self.scores(self.seen(asked.context), asked.choices), self.name)
