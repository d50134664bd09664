"""Labelled endings -> classifiers: ten folds of contexts side by side, the ending-only audit, and one on everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.networks.adapters import Lora, Setup
from scenarist.networks.llama import Llama
from training.storycloze.data import Data, group_batches
from training.storycloze.job import Job
from training.storycloze.loop import train
from training.storycloze.trees import Batch, batch, cloze, head_scores, read, tree

FOLDS = 10


def classify(
    job: Job, name: str, net: Llama, data: Data, groups: Sequence[np.ndarray], rank: int, seeds: Sequence[int], start: Lora | None,
    budget: float, contexts: bool = True, epochs: int = 3,
) -> Lora:  # fmt: skip
    """One classifier a group of items, side by side; ``start`` gives the head to begin with."""
    lora = Lora.fresh(net, rank, seeds, heads={"head": (net.size, 1)}, setup=Setup(drop=0.1, beside=True))
    if start is not None:
        for key, value in start.heads.items():
            lora.heads[key].data.copy_(value.expand(lora.groups, -1, -1))
    asked = cloze(data, contexts)
    lengths = np.array([sum(map(len, context)) + sum(map(len, endings)) for context, endings in asked])

    def make(picked: Sequence[np.ndarray]) -> tuple[Batch, np.ndarray]:
        return batch([[tree(*asked[at]) for at in group] for group in picked]), data.answer[np.array(picked)]

    def step(made: tuple[Batch, np.ndarray]) -> tuple[Any, Any]:
        found, right = read(job, net, lora, made[0]), job.put(made[1])
        loss = (
            F.cross_entropy(found.logits.reshape(-1, 2), right.reshape(-1), reduction="none")
            .view(lora.groups, -1)
            .mean(1)
        )
        return loss.sum(), torch.stack([loss.mean(), (found.logits.argmax(-1) == right).float().mean()])

    size = 2 if job.tiny else 32
    batches_of = lambda epoch: group_batches(list(groups), size, epoch * 7 + seeds[0], lengths)  # noqa: E731
    train(job, name, lora, batches_of, make, step, 8e-4, budget, epochs, head_rate=2e-3 if start is None else 5e-4)
    return lora


def folds(
    job: Job, name: str, net: Llama, data: Data, seed: int, start: Lora | None, budget: float, contexts: bool = True
) -> Lora:
    """Ten classifiers, each blind to its fold's contexts; their out-of-fold scores are kept: [items, 2]."""
    groups = [np.flatnonzero(data.fold != fold) for fold in range(FOLDS)]
    seeds = [100 * seed + fold for fold in range(FOLDS)]
    lora = classify(job, f"{name}-{seed}", net, data, groups, 4, seeds, start, budget, contexts)
    found = head_scores(job, net, lora, cloze(data, contexts))
    out = np.take_along_axis(found, data.fold[None, :, None], 0)[0]
    job.say(f"  {name}-{seed}: out of fold {data.accuracy(out[None])}")
    job.keep(f"{name}-{seed}", out.astype(np.float32))
    return lora
