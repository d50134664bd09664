"""Shuffled stories -> adapters that put five sentences into order; the shuffled sentences are told twice (models/story_order.py says why)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.networks.adapters import Lora, Setup
from scenarist.networks.llama import Llama
from training.storycloze.data import BOS, EOS, MARK, Data, Ids, cat, group_batches, pad
from training.storycloze.job import Job
from training.storycloze.loop import train

PERMUTATIONS = np.array(list(itertools.permutations(range(5))))
"""[n, p]: which shown sentence the n-th order tells p-th."""
WIDTH = 64
HEADS = dict.fromkeys(("bq", "bk", "nq", "nk"), (576, WIDTH)) | {"at": (576, 5)}
"""Before (query, key), next (query, key), and the place."""


def claims() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What every order claims: who is before whom, who is followed by whom, who stands where; each [120, 5, 5]."""
    before, after, at = (np.zeros((120, 5, 5), dtype=np.float32) for _ in range(3))
    for number, order in enumerate(PERMUTATIONS):
        for place, sentence in enumerate(order):
            at[number, sentence, place] = 1
            before[number, sentence, order[place + 1 :]] = 1
            if place < 4:
                after[number, sentence, order[place + 1]] = 1
    return before, after, at


def twice(groups: Sequence[Sequence[Sequence[Ids]]]) -> tuple[np.ndarray, np.ndarray]:
    """Shuffled sentences, told twice: ids [G, B, T] and where the sentences of the second telling end [G * B, 5]."""
    rows, ends = [], []
    for shown in (story for group in groups for story in group):
        once = cat(*shown)
        rows.append(cat(BOS, once, MARK, once, EOS))
        ends.append(1 + len(once) + np.cumsum([len(sentence) for sentence in shown]))
    return pad(rows).reshape(len(groups), len(groups[0]), -1), np.array(ends)


def logits(job: Job, net: Llama, lora: Lora, told: tuple[np.ndarray, np.ndarray]) -> Any:
    """Stories told twice -> scores of all orders: [G, B, 120]."""
    ids, marks = job.put(told[0]), job.put(told[1])
    G, B, _ = ids.shape
    states = net.states(ids.flatten(0, 1), adapter=lora)
    heads = torch.gather(states, 1, marks[:, :, None].expand(-1, -1, net.size)).view(G, B * 5, net.size)
    if lora.training:
        heads = F.dropout(heads, 0.1)
    v = {name: lora.head(heads, name).view(G, B, 5, -1) for name in HEADS}
    before = v["bq"] @ v["bk"].transpose(-1, -2) / 8
    after = v["nq"] @ v["nk"].transpose(-1, -2) / 8
    tables = (before - before.transpose(-1, -2), after, v["at"])
    return sum(
        torch.einsum("gbij,pij->gbp", table, job.put(claim)) for table, claim in zip(tables, claims(), strict=True)
    )


def order(
    job: Job, net: Llama, data: Data, seeds: Sequence[int], budget: float, rank: int = 8, epochs: int = 6
) -> Lora:
    """One adapter a seed, side by side, on top of the network given."""
    lora = Lora.fresh(net, rank, seeds, heads=HEADS, setup=Setup(drop=0.05, beside=True))
    dice = np.random.default_rng(seeds[0])
    number = {tuple(one): at for at, one in enumerate(PERMUTATIONS.tolist())}

    def make(picked: Sequence[np.ndarray]) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        shuffled = [[dice.permutation(5) for _ in group] for group in picked]
        shown = [
            [[data.stories[at][k] for k in turn] for at, turn in zip(*both, strict=True)]
            for both in zip(picked, shuffled, strict=True)
        ]
        return twice(shown), np.array(
            [[number[tuple(np.argsort(turn).tolist())] for turn in group] for group in shuffled]
        )

    def step(made: tuple[tuple[np.ndarray, np.ndarray], np.ndarray]) -> tuple[Any, Any]:
        found, right = logits(job, net, lora, made[0]), job.put(made[1])
        loss = F.cross_entropy(found.reshape(-1, 120), right.reshape(-1), reduction="none").view(right.shape).mean(1)
        return loss.sum(), torch.stack([loss, (found.argmax(-1) == right).float().mean(1)])

    size = 3 if job.tiny else 48
    batches_of = lambda epoch: group_batches([data.train] * lora.groups, size, epoch * 11 + seeds[0], data.lengths)  # noqa: E731
    train(job, "order", lora, batches_of, make, step, 8e-4, budget, epochs, head_rate=2e-3)
    return lora


@torch.no_grad()
def answers(job: Job, net: Llama, lora: Lora, shown: Sequence[Sequence[Ids]], size: int = 256) -> np.ndarray:
    """ln P of all orders of every question: [G, questions, 120]."""
    out = np.zeros((lora.groups, len(shown), 120), dtype=np.float32)
    order = np.argsort([sum(map(len, story)) for story in shown])
    for start in range(0, len(order), size):
        part = order[start : start + size]
        found = logits(job, net, lora, twice([[shown[at] for at in part]] * lora.groups))
        out[:, part] = found.float().log_softmax(-1).cpu().numpy()
    return out


def examine(job: Job, net: Llama, lora: Lora, data: Data, seeds: Sequence[int]) -> None:
    """The exam's own questions on the dev part; answers are kept: [questions, 5] shown sentences in the order told, and ln P."""
    shown = [[data.stories[at][k] for k in turn] for at, turn in zip(data.order_at, data.order_shuffled, strict=True)]
    found = answers(job, net, lora, shown)
    for at, seed in enumerate(seeds):
        best = PERMUTATIONS[found[at].argmax(-1)]
        told = np.take_along_axis(data.order_shuffled, best, 1)  # the story's own numbers in the order told
        pairs = sum((told[:, a] < told[:, b]).astype(float) for a in range(5) for b in range(a + 1, 5))
        right = told == np.arange(5)
        job.say(
            f"  order-{seed}: perfect {right.all(1).mean():.4f} tau {(2 * pairs / 10 - 1).mean():.4f} places {right.mean(0).round(3)} n={len(told)}"
        )
        job.keep(f"order-{seed}", best.astype(np.int8))
        job.keep(f"order-{seed}-logp", found[at].max(-1))
