"""Sentences -> vectors, learned by telling the sentence before and the sentence after (Kiros et al. 2015), on one page of torch.

A recurrent encoder reads a sentence; two recurrent decoders, which see its vector at every step, tell the neighbours word by word.

Choice -> Guesses: skip-thoughts (Kiros et al. 2015; Mostafazadeh et al. 2016, section 5, model 6), trained on the fiction at hand.

A sentence encoder is trained to tell the sentence before and the sentence after (models/thought_network.py); endings are then compared
with the story by the cosine of their vectors. ``encoder="release"`` takes the one of `training/storycloze/skip_thoughts.py`, which
read some hundred thousand sentences of fiction and knows words that fiction lacks by the authors' vocabulary expansion (`expand.py` there);
``encoder="own"`` learns from the stories given. Departure: a smaller encoder.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from scenarist.errors import BadInput
from scenarist.formats import plain
from scenarist.models.endings.base import EndingModel, choice, ranked, words
from scenarist.networks.layers import cosine
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import Story, sentence_texts

PAD, END, UNKNOWN = 0, 1, 2
FIRST = 3
"""The first id of a word."""


class Sizes(NamedTuple):
    """Sizes of the network."""

    words: int
    embedding: int = 200
    thought: int = 512
    decoder: int = 256


class ThoughtEncoder(nn.Module):  # type: ignore[misc]
    """Word ids, padded with 0 -> the state behind the last word."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.words = nn.Embedding(sizes.words, sizes.embedding, padding_idx=PAD)
        self.reads = nn.GRU(sizes.embedding, sizes.thought, batch_first=True)

    def forward(self, ids: Tensor) -> Tensor:
        """[B, T] -> [B, thought]."""
        states, _ = self.reads(self.words(ids))
        last = (ids != PAD).sum(1).clamp(min=1) - 1
        return states[torch.arange(len(ids), device=ids.device), last]


class ThoughtNetwork(nn.Module):  # type: ignore[misc]
    """The encoder and two decoders."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = ThoughtEncoder(sizes)
        self.tells = nn.ModuleList(
            [nn.GRU(sizes.embedding + sizes.thought, sizes.decoder, batch_first=True) for _ in range(2)]
        )
        self.out = nn.Linear(sizes.decoder, sizes.words)

    def loss(self, before: Tensor, middle: Tensor, after: Tensor) -> Tensor:
        """Mean negative log-likelihood of a word of the neighbours; all [B, T], neighbours with END."""
        thought = self.encoder(middle)  # [B, thought]
        total = thought.new_zeros(())
        for tells, sentence in zip(self.tells, (before, after), strict=True):
            known = self.encoder.words(F.pad(sentence[:, :-1], (1, 0)))  # the word before; nothing before the first
            states, _ = tells(torch.cat([known, thought[:, None].expand(-1, sentence.shape[1], -1)], -1))
            real = sentence != PAD
            total = total + F.cross_entropy(self.out(states[real]), sentence[real])
        return total / 2


def padded(sentences: Sequence[Sequence[int]], end: bool = False) -> np.ndarray:
    """Sentences as one array, with END behind each where asked.

    >>> padded([[5, 6], [7]], end=True).tolist()
    [[5, 6, 1], [7, 1, 0]]
    """
    longest = max(1, max(map(len, sentences)) + end)
    out = np.zeros((len(sentences), longest), dtype=np.int64)
    for row, sentence in enumerate(sentences):
        out[row, : len(sentence)] = sentence
        if end:
            out[row, len(sentence)] = END
    return out


class Schedule(NamedTuple):
    """How long and how fast a network learns."""

    epochs: float
    batch: int = 64
    rate: float = 1e-3
    seconds: float | None = None
    """At most so long; the rate declines with whichever ends first."""


def learn(
    network: ThoughtNetwork, texts: Sequence[Sequence[Sequence[int]]], schedule: Schedule, seed: int = 13, device: str = "cpu",
    watch: Callable[[int, int, float], bool] | None = None,
) -> ThoughtNetwork:  # fmt: skip
    """Train on every three sentences in a row; ``watch(step, steps, loss)`` may say that it is enough."""
    epochs, batch, rate, seconds = schedule
    sentences = [sentence for text in texts for sentence in text]
    rows = torch.from_numpy(padded(sentences, end=True).astype(np.int32)).to(
        device
    )  # all there is, END behind each sentence
    starts = np.cumsum([0, *(len(text) for text in texts)])
    middles = np.concatenate(
        [np.arange(start + 1, max(start + 1, stop - 1)) for start, stop in zip(starts, starts[1:], strict=False)]
    )
    middles = middles[[bool(sentences[at]) for at in middles]]
    dice = np.random.default_rng(seed)
    each = max(1, len(middles) // batch)
    steps = max(1, int(epochs * each))
    optimiser = torch.optim.Adam(network.parameters(), lr=rate)
    order = middles
    began, done = time.monotonic(), 0.0
    for step in range(steps):
        if step % each == 0:
            order = dice.permutation(middles)
        at = torch.from_numpy(order[step % each * batch : (step % each + 1) * batch]).to(device)
        before, middle, after = (rows[at + shift].long() for shift in (-1, 0, 1))
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            loss = network.loss(before, middle.masked_fill(middle == END, PAD), after)
        for group in optimiser.param_groups:
            group["lr"] = rate * (1.0 - 0.98 * done)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        done = max((step + 1) / steps, (time.monotonic() - began) / seconds if seconds else 0.0)
        last = done >= 1
        if watch is not None and (step % 100 == 0 or last) and watch(step, steps, float(loss.detach())):
            break
        if last:
            break
    return network


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
    from scenarist.models.endings.story_network import release_file
    from scenarist.networks import checkpoint

    return unpacked(checkpoint.read(release_file("skip-thoughts.safetensors"))[1])


def unpacked(tensors: Mapping[str, Any]) -> tuple[dict[str, int], Any]:
    """The tensors of a file of `training/storycloze/skip_thoughts.py` -> words and network."""
    import torch

    spelled = bytes(tensors["vocabulary"].tolist()).decode("utf-8").split("\n")
    words_, reads = tensors["words"].float() * tensors["words.s"].float()[:, None], tensors["reads.weight_hh_l0"]
    encoder = ThoughtEncoder(Sizes(len(words_), words_.shape[1], reads.shape[1]))
    with torch.no_grad():
        encoder.words.weight.copy_(words_)
        for name, value in encoder.reads.named_parameters():
            value.copy_(tensors[f"reads.{name}"].float())
    return {word: number for number, word in enumerate(spelled, start=FIRST)}, encoder.eval()


class SkipThoughts(EndingModel):
    """A recurrent sentence encoder that was taught to tell its neighbours."""

    name = "skip-thoughts"
    learns = "stories"
    trained_on: tuple[str, ...] = ()

    def __init__(
        self, encoder: str = "own", size: int = 256, embedding: int = 128, vocabulary: int = 8000, epochs: int = 2,
        limit: int = 20_000, see: str = "story", seed: int = 13,
    ) -> None:  # fmt: skip
        super().__init__(see)
        if encoder not in ("own", "release"):
            raise BadInput(f"skip-thoughts: `encoder` is own or release, not {encoder!r}.")
        self.encoder, self.size, self.embedding, self.vocabulary = encoder, size, embedding, vocabulary
        self.epochs, self.limit, self.seed = epochs, limit, seed
        if encoder == "release":
            self.learns, self.trained_on = "nothing", ("fiction",)

    def reads(self) -> list[Path]:
        """The released encoder, where it takes it."""
        from scenarist.models.endings.story_network import release_file

        return [release_file("skip-thoughts.safetensors")] if self.encoder == "release" else []

    def fit(self, data: Iterable[Any]) -> SkipThoughts:
        """Learn from at most ``limit`` sentences of running text."""
        if self.encoder == "release":
            return self
        import torch

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
        self.encoder_ = learn(network, numbered, Schedule(self.epochs), self.seed).encoder.eval()
        return self

    def encode(self, texts: Sequence[str]) -> Any:
        """Vectors of sentences as an array: [N, size]."""
        import torch

        if self.encoder == "release":
            self.known_, self.encoder_ = released()
        if not hasattr(self, "known_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
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
