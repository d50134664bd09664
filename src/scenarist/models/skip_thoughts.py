"""Choice -> Guesses: skip-thoughts (Kiros et al. 2015; Mostafazadeh et al. 2016, section 5, model 6), trained on the fiction at hand.

A sentence encoder is trained to tell the sentence before and the sentence after (models/thought_network.py); endings are then compared
with the story by the cosine of their vectors. ``encoder="release"`` takes the one of `training/storycloze/skip_thoughts.py`, which
read some hundred thousand sentences of fiction and knows words that fiction lacks by the authors' vocabulary expansion (`expand.py` there);
``encoder="own"`` learns from the stories given. Departure: a smaller encoder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.errors import BadInput
from scenarist.formats import plain
from scenarist.models.average_vectors import cosine
from scenarist.models.endings import EndingModel, choice, ranked, words
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import Story, sentence_texts

LONGEST = 25
"""Words of a sentence; the rest is cut."""


def told(story: Story) -> list[str]:
    """The sentences of a story, split plainly where it comes without."""
    if story.sentences:
        return list(sentence_texts(story))
    return [story.text[span.start : span.stop] for span in plain.sentences(story.text)]


@cache
def released() -> tuple[dict[str, int], Any]:
    """The released encoder: its words and its network."""
    from scenarist.models.story_adapters import parts

    return unpacked(parts("skip-thoughts")[0])


def unpacked(tensors: Mapping[str, Any]) -> tuple[dict[str, int], Any]:
    """The tensors of a file of `training/storycloze/skip_thoughts.py` -> words and network."""
    import torch

    from scenarist.models.thought_network import FIRST, Sizes, ThoughtEncoder

    spelled = bytes(tensors["vocabulary"].tolist()).decode("utf-8").split("\n")
    words_, reads = tensors["words"].float() * tensors["words.s"].float()[:, None], tensors["reads.weight_hh_l0"]
    encoder = ThoughtEncoder(Sizes(len(words_), words_.shape[1], reads.shape[1]))
    with torch.no_grad():
        encoder.words.weight.copy_(words_)
        for name, value in encoder.reads.named_parameters():
            value.copy_(tensors[f"reads.{name}"].float())
    return {word: at for at, word in enumerate(spelled, start=FIRST)}, encoder.eval()


class SkipThoughts(EndingModel):
    """A recurrent sentence encoder that was taught to tell its neighbours."""

    name = "skip-thoughts"
    learns = "stories"

    def __init__(
        self, encoder: str = "own", size: int = 256, embedding: int = 128, vocabulary: int = 8000, epochs: int = 2, batch: int = 64,
        rate: float = 1e-3, limit: int = 20_000, see: str = "story", seed: int = 13,
    ) -> None:  # fmt: skip
        super().__init__(see)
        if encoder not in ("own", "release"):
            raise BadInput(f"skip-thoughts: `encoder` is own or release, not {encoder!r}.")
        self.encoder, self.size, self.embedding, self.vocabulary = encoder, size, embedding, vocabulary
        self.epochs, self.batch, self.rate, self.limit, self.seed = epochs, batch, rate, limit, seed
        if encoder == "release":
            self.learns = "nothing"

    def reads(self) -> list[Path]:
        """The released encoder, where it takes it."""
        from scenarist.models.story_adapters import release_file

        return [release_file("skip-thoughts.safetensors")] if self.encoder == "release" else []

    def fit(self, data: Iterable[Any]) -> SkipThoughts:
        """Learn from at most ``limit`` sentences of running text."""
        if self.encoder == "release":
            return self
        import torch

        from scenarist.models.thought_network import FIRST, UNKNOWN, Sizes, ThoughtNetwork, learn

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
        self.known_ = {word: at for at, (word, _) in enumerate(counts.most_common(self.vocabulary), start=FIRST)}
        numbered = [[[self.known_.get(word, UNKNOWN) for word in sentence] for sentence in text] for text in texts]
        torch.manual_seed(self.seed)
        network = ThoughtNetwork(Sizes(len(self.known_) + FIRST, self.embedding, self.size, self.size))
        self.encoder_ = learn(network, numbered, self.epochs, self.batch, self.rate, self.seed).encoder.eval()
        return self

    def encode(self, texts: Sequence[str]) -> Any:
        """Vectors of sentences as an array: [N, size]."""
        import torch

        from scenarist.models.thought_network import UNKNOWN, padded

        if self.encoder == "release":
            self.known_, self.encoder_ = released()
        if not hasattr(self, "known_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table.")
        numbered = [[self.known_.get(word, UNKNOWN) for word in words(text)[:LONGEST]] for text in texts]
        with torch.inference_mode():
            return self.encoder_(torch.from_numpy(padded(numbered))).numpy()

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        vectors = self.encode([*context, *endings])
        story = vectors[: len(context)].mean(0) if context else np.zeros(vectors.shape[1])
        return [cosine(story, vector) for vector in vectors[len(context) :]]

    def answer(self, question: AnyQuestion) -> Prediction:
        asked = choice(question, self.name)
        return ranked(self.scores(self.seen(asked.context), asked.choices), self.name)
