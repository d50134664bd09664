"""Rows of abstract and concrete words -> a network trained as the released code of Bisk et al. (2019) trains, which the paper does not say.

Batches are made once, by length, and only their order is drawn; an incomplete one is left out; padding is read and told as unknown
words; the loss is a sum over a text, its gradient is not clipped; patience is lost by an epoch that is no better than the one
*before* it (in Viterbi EM it never comes back), judged by the marginal likelihood throughout; and the last epoch's weights are kept.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Sequence

import torch

from scenarist.models.words.batches import PairRow, Vocabulary, WordBatch, lengths, pad
from scenarist.models.words.in_domain import STOPPED, Log, Recipe, adam, loss_name, out_of_time
from scenarist.models.words.recurrent import WordNetwork

LEAST = 0.01
"""How much better (a text) an epoch must be than the one before it."""


def train_as_released(
    network: WordNetwork,
    rows: Sequence[PairRow],
    held: Sequence[PairRow],
    recipe: Recipe,
    log: Log = lambda _: None,
    best: bool = False,
) -> WordNetwork:
    """The network with the weights of the last epoch; with ``best`` of the lowest loss (of Viterbi EM, where there is such a part)."""
    network.set_ratio(*lengths(rows, recipe.cut))
    network.to(recipe.device)
    shuffle = random.Random(recipe.seed)
    optimiser = adam(network, recipe)
    parts, asked = (
        [part.to(recipe.device) for part in whole_batches(side, network.vocabulary, recipe.size, recipe.cut)]
        for side in (rows, held)
    )
    last, waited = held_loss_of_texts(network, asked), 0
    lowest, kept = float("inf"), network.state_dict()
    em = network.aligned and recipe.hard
    began = time.monotonic()
    for epoch in range(recipe.epochs):
        hard = em and epoch >= recipe.marginal
        if hard and epoch == recipe.marginal:
            lowest, waited = float("inf"), 0
        network.train()
        shuffle.shuffle(parts)
        for part in parts:
            optimiser.zero_grad(set_to_none=True)
            (network.loss(part, hard) * words_of_a_text(part)).backward()
            optimiser.step()
        loss = held_loss_of_texts(network, asked)
        spent = time.monotonic() - began
        log(f"epoch {epoch + 1} {loss_name(network, hard)} {loss:.3f} a text after {spent:.0f} s")
        if loss < lowest:
            lowest, kept = loss, copy.deepcopy(network.state_dict())
        better, last = loss < last - LEAST, loss
        waited = (waited if hard else 0) if better else waited + 1
        if waited >= recipe.patience and not (em and not hard):
            break
        if out_of_time(epoch, spent, recipe):
            which = "best epoch so far" if best else "last epoch"
            log(f"{STOPPED} after {epoch + 1} of {recipe.epochs} epochs; the {which} is kept")
            break
    if best:
        network.load_state_dict(kept)
    network.eval()
    return network


def held_loss_of_texts(network: WordNetwork, parts: Sequence[WordBatch]) -> float:
    """Mean loss per text, each batch alike, alignments summed out."""
    network.eval()
    with torch.no_grad():
        return float(torch.stack([network.loss(part).double() * words_of_a_text(part) for part in parts]).mean())


def words_of_a_text(part: WordBatch) -> float:
    """Words of a text of the batch, on average."""
    return len(part.told) / len(part.lengths)


def whole_batches(rows: Sequence[PairRow], vocabulary: Vocabulary, size: int, cut: int | None) -> list[WordBatch]:
    """Batches by the length of the abstract, then of the text; an incomplete one is left out."""
    order = sorted(rows, key=lambda row: (len(row.abstract[:cut]), len(row.concrete[:cut])))
    groups = [order[start : start + size] for start in range(0, len(order), size)]
    if len(groups) > 1 and len(groups[-1]) < size:
        groups.pop()
    return [padded_batch(group, vocabulary, cut) for group in groups]


def padded_batch(rows: Sequence[PairRow], vocabulary: Vocabulary, cut: int | None) -> WordBatch:
    """Rows as a WordBatch whose padding is unknown words, read and told."""
    unknown = vocabulary.unknown
    abstract, positions = pad([[vocabulary.start, *vocabulary.ids(row.abstract[:cut])] for row in rows], unknown)
    words, sizes = pad([vocabulary.ids(row.concrete[:cut]) for row in rows], unknown)
    positions, sizes = torch.full_like(positions, abstract.shape[1]), torch.full_like(sizes, words.shape[1])
    told = (torch.arange(words.shape[1] + 1) <= sizes[:, None]).flatten().nonzero()[:, 0]
    return WordBatch(abstract, positions, words, sizes, positions, told)
