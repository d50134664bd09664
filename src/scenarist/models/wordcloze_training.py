"""Rows of abstract and concrete words -> a trained in-domain network (Bisk et al. 2019, appendix A.3).

Adam 1e-3, batch 32, at most 50 epochs, patience 5 on the validation loss, texts cut at 50 words: the defaults of the
paper's code. A transducer is trained on the marginal likelihood first (``marginal`` epochs), then by Viterbi EM until
patience runs out; ``hard=False`` keeps to the marginal likelihood, the ablation.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.models.transducer import Transducer
from scenarist.models.word_batches import Batch, Row, Vocabulary, batch, batches
from scenarist.models.word_network import WordNetwork
from scenarist.models.word_queries import Network, Place


class Recipe(NamedTuple):
    """How to train; the defaults are those of the paper's code."""

    epochs: int = 50
    patience: int = 5
    size: int = 32
    rate: float = 1e-3
    cut: int | None = 50
    marginal: int = 10
    hard: bool = True
    clip: float = 5.0
    seed: int = 1
    device: str = "cpu"
    seconds: float = 0.0
    """Stop after this time, 0 for no limit."""


def held_loss(network: WordNetwork, rows: Sequence[Row], recipe: Recipe, hard: bool) -> float:
    """Mean loss per word over held-out rows."""
    network.eval()
    total, words = 0.0, 0
    with torch.no_grad():
        for part in batches(rows, network.vocabulary, 64, recipe.cut):
            count = int(part.sizes.sum()) + len(part.sizes)
            total += float(network.loss(part.to(recipe.device), hard)) * count
            words += count
    return total / words


def train(
    network: WordNetwork, rows: Sequence[Row], held: Sequence[Row], recipe: Recipe, log: Callable[[str], None] = lambda _: None
) -> WordNetwork:
    """The network with the weights of its best epoch; ``held`` rows decide when to stop."""
    shuffle = random.Random(recipe.seed)
    aligned = isinstance(network, Transducer)
    if isinstance(network, Transducer):
        network.set_ratio(*lengths(rows, recipe.cut))
    network.to(recipe.device)
    optimiser = torch.optim.Adam([p for p in network.parameters() if p.requires_grad], lr=recipe.rate)
    best, kept, waited = float("inf"), copy.deepcopy(network.state_dict()), 0
    began = time.monotonic()
    for epoch in range(recipe.epochs):
        hard = aligned and recipe.hard and epoch >= recipe.marginal
        if hard and epoch == recipe.marginal:  # another loss from here on
            network.load_state_dict(kept)
            best, waited = float("inf"), 0
        network.train()
        for part in batches(rows, network.vocabulary, recipe.size, recipe.cut, shuffle):
            optimiser.zero_grad(set_to_none=True)
            network.loss(part.to(recipe.device), hard).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
            optimiser.step()
        loss = held_loss(network, held, recipe, hard)
        spent = time.monotonic() - began
        log(f"epoch {epoch + 1} {'viterbi' if hard else 'marginal' if aligned else 'loss'} {loss:.4f} after {spent:.0f} s")
        waited += 1
        if loss < best:
            best, kept, waited = loss, copy.deepcopy(network.state_dict()), 0
        stage_over = waited >= recipe.patience and not (aligned and recipe.hard and not hard)
        if stage_over or (recipe.seconds and spent > recipe.seconds):
            break
    network.load_state_dict(kept)
    network.eval()
    return network


def lengths(rows: Sequence[Row], cut: int | None) -> tuple[int, int]:
    """Summed positions and words, ``<S>`` and ``</S>`` included."""
    return sum(len(row.abstract[:cut]) + 1 for row in rows), sum(len(row.concrete[:cut]) + 1 for row in rows)


def asking(network: WordNetwork, vocabulary: Vocabulary, device: str = "cpu") -> Network:
    """The network as a function from merged rows and places to logits."""

    def logits(rows: Sequence[Row], places: Sequence[Place]) -> Tensor:
        part: Batch = batch(rows, vocabulary).to(device)
        index = torch.tensor(places, device=device)  # (Q, 3)
        return network.logits(part, index[:, 0], index[:, 1], index[:, 2])

    network.eval()
    return logits
