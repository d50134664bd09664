"""Rows of abstract and concrete words -> a trained in-domain network (Bisk et al. 2019, appendix A.3).

Adam 1e-3, batch 32, at most 50 epochs, patience 5 on the validation loss, texts cut at 50 words: the defaults of the
paper's code. A transducer is trained on the marginal likelihood first (``marginal`` epochs), then by Viterbi EM until
patience runs out; ``hard=False`` keeps to the marginal likelihood, the ablation.

``course="code"`` goes through the data as the paper's code does, which the paper does not say: batches are made once, by length,
and only their order is drawn; padding is read and told as unknown words; the loss is a sum over a text, its gradient is not
clipped; patience is lost by an epoch that is no better than the one *before* it (in Viterbi EM it never comes back), judged by the
marginal likelihood throughout; and the last epoch's weights are kept, not the best one's. ``course="code-best"`` is the same but for that:
the epoch of the lowest validation loss is kept (of Viterbi EM, where there is such a part).
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.errors import BadInput
from scenarist.models.words.batches import Batch, Row, Vocabulary, batch, batches, set_batches
from scenarist.models.words.queries import Network, Place
from scenarist.models.words.recurrent import WordNetwork
from scenarist.models.words.transducer import Transducer

COURSES = ("ours", "code", "code-best")
STOPPED = "stopped by the clock"
LEAST = 0.01
"""How much better (a text) an epoch must be than the one before it in the paper's code."""


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
    """Stop after this time, 0 for no limit; the log says so."""
    course: str = "ours"
    """How the data are gone through: ``ours``, or as the paper's ``code`` does (above); ``code-best``, with the best epoch kept."""


def held_loss(network: WordNetwork, parts: Sequence[Batch], hard: bool = False) -> float:
    """Mean loss per word over held-out batches; a card is waited for once."""
    network.eval()
    with torch.no_grad():
        total = torch.stack([network.loss(part, hard).double() * len(part.told) for part in parts]).sum()
    return float(total) / sum(len(part.told) for part in parts)


def held_loss_of_texts(network: WordNetwork, parts: Sequence[Batch]) -> float:
    """Mean loss per text, each batch alike, alignments summed out."""
    network.eval()
    with torch.no_grad():
        return float(torch.stack([network.loss(part).double() * a_text(part) for part in parts]).mean())


def a_text(part: Batch) -> float:
    """Words of a text of the batch, on average."""
    return len(part.told) / len(part.lengths)


def train(
    network: WordNetwork,
    rows: Sequence[Row],
    held: Sequence[Row],
    recipe: Recipe,
    log: Callable[[str], None] = lambda _: None,
) -> WordNetwork:
    """The network with the weights of its best epoch; ``held`` rows decide when to stop."""
    if recipe.course not in COURSES:
        raise BadInput(f"course: expected {' or '.join(COURSES)}, got {recipe.course!r}")
    aligned = isinstance(network, Transducer)
    if isinstance(network, Transducer):
        network.set_ratio(*lengths(rows, recipe.cut))
    network.to(recipe.device)
    (to_the_best if recipe.course == "ours" else as_the_code)(network, rows, held, recipe, aligned, log)
    network.eval()
    return network


def to_the_best(
    network: WordNetwork,
    rows: Sequence[Row],
    held: Sequence[Row],
    recipe: Recipe,
    aligned: bool,
    log: Callable[[str], None],
) -> None:
    """Train; the weights of the best epoch are kept."""
    shuffle = random.Random(recipe.seed)
    optimiser = adam(network, recipe)
    asked = [part.to(recipe.device) for part in batches(held, network.vocabulary, 64, recipe.cut)]
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
        loss = held_loss(network, asked, hard)
        spent = time.monotonic() - began
        log(
            f"epoch {epoch + 1} {'viterbi' if hard else 'marginal' if aligned else 'loss'} {loss:.4f} after {spent:.0f} s"
        )
        waited += 1
        if loss < best:
            best, kept, waited = loss, copy.deepcopy(network.state_dict()), 0
        if waited >= recipe.patience and not (aligned and recipe.hard and not hard):
            break
        if out_of_time(epoch, spent, recipe):
            log(f"{STOPPED} after {epoch + 1} of {recipe.epochs} epochs; the best epoch so far is kept")
            break
    network.load_state_dict(kept)


def as_the_code(
    network: WordNetwork,
    rows: Sequence[Row],
    held: Sequence[Row],
    recipe: Recipe,
    aligned: bool,
    log: Callable[[str], None],
) -> None:
    """Train as the paper's code does (see above); the weights of the last epoch are kept, or of the best one."""
    shuffle = random.Random(recipe.seed)
    optimiser = adam(network, recipe)
    parts, asked = (
        [part.to(recipe.device) for part in set_batches(some, network.vocabulary, recipe.size, recipe.cut)]
        for some in (rows, held)
    )
    last, waited = held_loss_of_texts(network, asked), 0
    best, kept = float("inf"), network.state_dict()
    began = time.monotonic()
    for epoch in range(recipe.epochs):
        hard = aligned and recipe.hard and epoch >= recipe.marginal
        if hard and epoch == recipe.marginal:
            best, waited = float("inf"), 0
        network.train()
        shuffle.shuffle(parts)
        for part in parts:
            optimiser.zero_grad(set_to_none=True)
            (network.loss(part, hard) * a_text(part)).backward()
            optimiser.step()
        loss = held_loss_of_texts(network, asked)
        spent = time.monotonic() - began
        log(
            f"epoch {epoch + 1} {'viterbi' if hard else 'marginal' if aligned else 'loss'} {loss:.3f} a text after {spent:.0f} s"
        )
        if loss < best:
            best, kept = loss, copy.deepcopy(network.state_dict())
        better, last = loss < last - LEAST, loss
        waited = (waited if hard else 0) if better else waited + 1
        if waited >= recipe.patience and not (aligned and recipe.hard and not hard):
            break
        if out_of_time(epoch, spent, recipe):
            which = "best epoch so far" if recipe.course == "code-best" else "last epoch"
            log(f"{STOPPED} after {epoch + 1} of {recipe.epochs} epochs; the {which} is kept")
            break
    if recipe.course == "code-best":
        network.load_state_dict(kept)


def adam(network: WordNetwork, recipe: Recipe) -> torch.optim.Adam:
    """The optimiser; on a card in one kernel."""
    learned = [p for p in network.parameters() if p.requires_grad]
    return torch.optim.Adam(learned, lr=recipe.rate, fused=recipe.device.startswith("cuda") or None)


def out_of_time(epoch: int, spent: float, recipe: Recipe) -> bool:
    """Would another epoch end too late?"""
    return bool(recipe.seconds) and epoch + 1 < recipe.epochs and spent + spent / (epoch + 1) > recipe.seconds


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
