"""Sentences -> vectors, learned by telling the sentence before and the sentence after (Kiros et al. 2015), on one page of torch.

A recurrent encoder reads a sentence; two recurrent decoders, which see its vector at every step, tell the neighbours word by word.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

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
        self.tells = nn.ModuleList([nn.GRU(sizes.embedding + sizes.thought, sizes.decoder, batch_first=True) for _ in range(2)])
        self.out = nn.Linear(sizes.decoder, sizes.words)

    def loss(self, before: Tensor, middle: Tensor, after: Tensor) -> Tensor:
        """Mean negative log-likelihood of a word of the neighbours; all [B, T], neighbours with END."""
        thought = self.encoder(middle)  # [B, thought]
        total = thought.new_zeros(())
        for tells, told in zip(self.tells, (before, after), strict=True):
            known = self.encoder.words(F.pad(told[:, :-1], (1, 0)))  # the word before; nothing before the first
            states, _ = tells(torch.cat([known, thought[:, None].expand(-1, told.shape[1], -1)], -1))
            real = told != PAD
            total = total + F.cross_entropy(self.out(states[real]), told[real])
        return total / 2


def padded(sentences: Sequence[Sequence[int]], end: bool = False) -> np.ndarray:
    """Sentences as one array, with END behind each where asked.

    >>> padded([[5, 6], [7]], end=True).tolist()
    [[5, 6, 1], [7, 1, 0]]
    """
    longest = max(1, max(map(len, sentences)) + end)
    out = np.zeros((len(sentences), longest), dtype=np.int64)
    for at, sentence in enumerate(sentences):
        out[at, : len(sentence)] = sentence
        if end:
            out[at, len(sentence)] = END
    return out


def learn(
    network: ThoughtNetwork, texts: Sequence[Sequence[Sequence[int]]], epochs: float, batch: int = 64, rate: float = 1e-3, seed: int = 13,
    device: str = "cpu", watch: Callable[[int, int, float], bool] | None = None, seconds: float | None = None,
) -> ThoughtNetwork:  # fmt: skip
    """Train on every three sentences in a row, for some epochs and at most some seconds; the rate declines with whichever ends first.

    ``watch(step, steps, loss)`` may say that it is enough.
    """
    sentences = [sentence for text in texts for sentence in text]
    rows = torch.from_numpy(padded(sentences, end=True).astype(np.int32)).to(device)  # all there is, END behind each sentence
    starts = np.cumsum([0, *(len(text) for text in texts)])
    middles = np.concatenate([np.arange(start + 1, max(start + 1, stop - 1)) for start, stop in zip(starts, starts[1:], strict=False)])
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
