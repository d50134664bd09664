"""SmolLM2 with adapters and two heads, which stands at a gap: what `deep.py` trains and models/untold/deep.py runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from scenarist.models.untold.deep import label_phrase
from scenarist.networks import checkpoint
from scenarist.networks.adapters import Lora, Setup
from scenarist.networks.llama import Llama
from training.knowledge.gaps import Batch, Task, Vocabulary, batches

SCALE = 2.0
"""Factor on what the adapters add."""
DROP = 0.1
"""Share of the state at the gap that the heads do not see in training."""


class Deep(nn.Module):
    """SmolLM2 with adapters, and two heads: tables of vectors that start as the word pieces of their words."""

    def __init__(self, llama: Llama, encode: Any, vocabulary: Vocabulary, rank: int) -> None:
        super().__init__()
        self.llama, self.adapter = llama, Lora.fresh(llama, rank, setup=Setup(SCALE))
        pieces = llama.embedding.float()

        def table(phrases: Sequence[str]) -> nn.Parameter:
            return nn.Parameter(torch.stack([pieces[encode(" " + text)].mean(0) for text in phrases]))

        self.verbs = table([verb.replace("_", " ") for verb in vocabulary.verbs])
        self.labels = table([label_phrase(label) for _, label in vocabulary.labels] or ["nothing"])
        self.verbs_bias = nn.Parameter(torch.zeros(len(self.verbs)))
        self.labels_bias = nn.Parameter(torch.zeros(len(self.labels)))
        self.to(llama.device)

    def states(self, tokens: torch.Tensor) -> torch.Tensor:
        """(b, t) -> (b, t, d); pads stand at the end, so a causal network never sees them."""
        return self.llama.states(tokens, adapter=self.adapter)

    def head(self, at_gap: torch.Tensor, labels: bool) -> torch.Tensor:
        """(b, d) -> (b, v)"""
        at_gap = F.dropout(at_gap.float(), DROP, self.training)
        if labels:
            return at_gap @ self.labels.T + self.labels_bias
        return at_gap @ self.verbs.T + self.verbs_bias


def scores(net: Deep, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-chances of the head (b, v) and the loss of telling the missing sentences."""
    states = net.states(batch.tokens)
    logits = net.head(states[torch.arange(len(batch.gap), device=batch.gap.device), batch.gap], batch.mask is not None)
    if batch.mask is not None:
        logits = logits + batch.mask
    loss = torch.zeros((), device=logits.device)
    if batch.told.shape[1]:
        row, place, piece = batch.told
        loss = -net.llama.logp(states[row, place], piece).mean()
    return F.log_softmax(logits, -1), loss


class Answers(NamedTuple):
    """Of some tasks the likeliest answers (n, k), their log-chances, and the key's rank (infinite where it is unknown)."""

    id: np.ndarray
    top: np.ndarray
    logp: np.ndarray
    rank: np.ndarray

    def __str__(self) -> str:
        rank = self.rank
        return f"r@1 {(rank <= 1).mean():.4f} r@10 {(rank <= 10).mean():.4f} mrr {(1 / rank).mean():.4f} n {len(rank)}"


@torch.no_grad()
def answers(net: Deep, some: Sequence[Task], tokens: int, device: str, most: int) -> Answers:
    """What the network says of tasks of one kind, in their order."""
    net.eval()
    number = {id(one): n for n, one in enumerate(some)}
    order: list[int] = []
    found: list[tuple[torch.Tensor, ...]] = []
    for batch in batches(some, tokens, None):
        made = Batch.of(batch, len(net.labels), False, np.random.default_rng(0)).to(device)
        logp, _ = scores(net, made)
        key = logp.gather(1, made.key.clamp(min=0)[:, None])
        rank = torch.where(made.key < 0, torch.inf, 1.0 + (logp > key).sum(1))
        best = logp.topk(min(most, logp.shape[1]), 1)
        found.append((best.indices.short(), best.values.half(), rank))
        order += [number[id(one)] for one in batch]
    net.train()
    top, logp, rank = (torch.cat(part).cpu().numpy() for part in zip(*found, strict=True))
    back = np.argsort(order)
    return Answers(np.array([one.id for one in some]), top[back].astype(np.uint16), logp[back], rank[back])


HEADS = ("verbs", "labels", "verbs_bias", "labels_bias")


def save(net: Deep, path: Path, words: Vocabulary, settings: Mapping[str, Any]) -> None:
    """What was learned, in half precision."""
    learned = net.adapter.named() | {name: getattr(net, name).detach() for name in HEADS}
    lists = {"words": words.verbs, "names": [f"{scenario}\t{label}" for scenario, label in words.labels]}
    halves = {name: value.half().cpu() for name, value in learned.items()}
    checkpoint.save(path, "gap-network", {"factor": SCALE, **settings}, lists, halves)


@torch.no_grad()
def resume(net: Deep, path: Path, words: Vocabulary) -> None:
    """Take weights that were kept."""
    held = checkpoint.load(path, "gap-network")
    if list(held.lists["words"]) != words.verbs:
        raise ValueError(f"{path} knows other verbs than these rows.")
    for name in ("verbs", "verbs_bias"):
        getattr(net, name).copy_(held.state[name])
    kept = Lora.of(held.state)
    for name, weight in net.adapter.low.items():
        factor = held.settings["factor"] / SCALE if name.endswith("_up") else 1.0
        weight.copy_(kept.low[name] * factor)
