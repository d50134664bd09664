"""Pairs -> a trained network over their words: what the in-domain models of Bisk et al. (2019), Table 4, share (section 3, A.3).

The networks stand in seq2seq.py and transducer.py. ``weights="kidscook"`` takes the released weights of the seed; else ``fit`` trains.
A corpus that brings its word lists gives vocabulary, admissible words and word vectors, which stay frozen; from other pairs the
vocabulary is counted and the vectors are learned with the rest.

Adam 1e-3, batch 32, at most 50 epochs, patience 5 on the loss of the pairs held out, texts cut at 50 words: the defaults of the paper's
code. The paper holds out its validation set: the runner hands it over as ``held``; without it the last tenth of the pairs is held out. A
transducer is trained on the marginal likelihood first (``marginal`` epochs), then by Viterbi EM until patience runs out;
``hard=False`` keeps to the marginal likelihood, the ablation.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from scenarist.contracts import WordLists
from scenarist.errors import BadInput
from scenarist.models.words.base import WordModel, rows_of
from scenarist.models.words.batches import Network, PairRow, QueryPlace, Vocabulary, WordBatch, batch, batches, lengths
from scenarist.models.words.recurrent import NetworkShape, WordNetwork
from scenarist.networks import checkpoint
from scenarist.story import Pair

STOPPED = "stopped by the clock"
HELD = 0.1
"""Share of the pairs that is held out where no others are given."""

Log = Callable[[str], None]
"""What is told of each epoch goes here."""


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


class InDomain(WordModel):
    """Base: a network over the words of a parallel corpus."""

    build: Callable[..., WordNetwork]
    held = True

    def __init__(
        self,
        weights: str = "",
        variant: str = "",
        device: str = "auto",
        seed: int = 1,
        shape: Mapping[str, Any] | None = None,
        recipe: Mapping[str, Any] | None = None,
    ) -> None:
        """``variant``: another released training, e.g. ``both`` (the abstract read both ways; docs/how-to/kidscook.md)."""
        super().__init__(weights, device, seed, variant)
        self.shape = NetworkShape(**(shape or {}))
        self.recipe = Recipe(**{"seed": seed, "device": self.device, **(recipe or {})})
        self.log: Log = lambda _: None

    def kind(self) -> dict[str, Any]:
        """What else the network is built with."""
        return {}

    def learn(self, rows: Sequence[PairRow], lists: WordLists | None, held: Sequence[PairRow] | None) -> None:
        torch.manual_seed(self.seed)
        vectors = None
        if lists is None:
            self.vocabulary_ = Vocabulary.count(rows)
        else:
            self.vocabulary_, self.whitelist_ = Vocabulary(lists.vocabulary()), lists.whitelist()
            vectors = torch.from_numpy(lists.vectors())
        if held is None:
            spare = max(1, int(len(rows) * HELD))
            rows, held = rows[:-spare] or rows, list(rows[-spare:])
        network = type(self).build(self.vocabulary_, self.shape, vectors, **self.kind())
        self.network_ = self.train(network, rows, held)

    def train(self, network: WordNetwork, rows: Sequence[PairRow], held: Sequence[PairRow]) -> WordNetwork:
        """The network, trained."""
        return train_with_patience(network, rows, held, self.recipe, self.log)

    def batch(self, pairs: Sequence[Pair]) -> WordBatch:
        """Pairs as tensors on the model's device."""
        if self.network_ is None:
            self.fit(())
        assert self.vocabulary_ is not None
        return batch(rows_of(pairs), self.vocabulary_).to(self.device)

    def text_logp(self, texts: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> list[float]:
        """ln p(whole text | abstract) of (abstract, text)s, alignments summed out where there are any."""
        assert self.vocabulary_ is not None
        logps = []
        for abstract, words in texts:
            part = batch([PairRow(abstract, words)], self.vocabulary_).to(self.device)
            with torch.no_grad():
                logps.append(-float(self.network_.loss(part)) * (len(words) + self.network_.closing()))
        return logps

    def network(self) -> Network:
        assert self.vocabulary_ is not None
        return asking(self.network_, self.vocabulary_, self.device)

    def save(self, path: Path) -> None:
        assert self.vocabulary_ is not None
        settings = {"hidden": self.shape.hidden, "both": self.shape.both, "seed": self.seed, **self.kind()}
        lists = {"vocabulary": self.vocabulary_.words, "whitelist": self.whitelist_}
        checkpoint.save(path, self.name, settings, lists, checkpoint.shrink(self.network_.state_dict()))

    def load(self, path: Path) -> Self:
        saved = checkpoint.load(path, self.name)
        self.vocabulary_, self.whitelist_ = Vocabulary(saved.vocabulary), saved.whitelist
        built = {name: saved.settings[name] for name in ("hidden", "both") if name in saved.settings}
        extra = {name: saved.settings.get(name, usual) for name, usual in self.kind().items()}
        vectors = saved.state["embed.weight"]
        network = type(self).build(self.vocabulary_, NetworkShape(**built, dropout=0.0), vectors, **extra)
        try:
            network.load_state_dict(saved.state)
        except RuntimeError as error:
            raise BadInput(f"{path}: its tensors do not fit the network {self.name}: {error}") from error
        self.network_ = network.to(self.device).eval()
        return self


def train_with_patience(
    network: WordNetwork, rows: Sequence[PairRow], held: Sequence[PairRow], recipe: Recipe, log: Log = lambda _: None
) -> WordNetwork:
    """The network with the weights of its best epoch; ``held`` rows decide which it is, and when to stop."""
    network.set_ratio(*lengths(rows, recipe.cut))
    network.to(recipe.device)
    shuffle = random.Random(recipe.seed)
    optimiser = adam(network, recipe)
    asked = [part.to(recipe.device) for part in batches(held, network.vocabulary, 64, recipe.cut)]
    best, kept, waited = float("inf"), copy.deepcopy(network.state_dict()), 0
    began = time.monotonic()
    em = network.aligned and recipe.hard
    for epoch in range(recipe.epochs):
        hard = em and epoch >= recipe.marginal
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
        log(f"epoch {epoch + 1} {loss_name(network, hard)} {loss:.4f} after {spent:.0f} s")
        waited += 1
        if loss < best:
            best, kept, waited = loss, copy.deepcopy(network.state_dict()), 0
        if waited >= recipe.patience and not (em and not hard):
            break
        if out_of_time(epoch, spent, recipe):
            log(f"{STOPPED} after {epoch + 1} of {recipe.epochs} epochs; the best epoch so far is kept")
            break
    network.load_state_dict(kept)
    network.eval()
    return network


def held_loss(network: WordNetwork, parts: Sequence[WordBatch], hard: bool = False) -> float:
    """Mean loss per word over held-out batches; a card is waited for once."""
    network.eval()
    with torch.no_grad():
        total = torch.stack([network.loss(part, hard).double() * len(part.told) for part in parts]).sum()
    return float(total) / sum(len(part.told) for part in parts)


def loss_name(network: WordNetwork, hard: bool) -> str:
    """What the loss of an epoch is called in the log."""
    if not network.aligned:
        return "loss"
    return "viterbi" if hard else "marginal"


def adam(network: WordNetwork, recipe: Recipe) -> torch.optim.Adam:
    """The optimiser; on a card in one kernel."""
    learned = [weight for weight in network.parameters() if weight.requires_grad]
    return torch.optim.Adam(learned, lr=recipe.rate, fused=recipe.device.startswith("cuda") or None)


def out_of_time(epoch: int, spent: float, recipe: Recipe) -> bool:
    """Would another epoch end too late?"""
    return bool(recipe.seconds) and epoch + 1 < recipe.epochs and spent + spent / (epoch + 1) > recipe.seconds


def asking(network: WordNetwork, vocabulary: Vocabulary, device: str = "cpu") -> Network:
    """The network as a function from merged rows and places to logits."""

    def logits(rows: Sequence[PairRow], places: Sequence[QueryPlace]) -> Tensor:
        part: WordBatch = batch(rows, vocabulary).to(device)
        index = torch.tensor(places, device=device)  # (Q, 3)
        return network.logits(part, index[:, 0], index[:, 1], index[:, 2])

    network.eval()
    return logits
