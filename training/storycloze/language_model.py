"""Raw stories -> SmolLM2 tuned on stories: the ending after the story, after its first sentences, alone, and the story after its ending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from scenarist.networks.adapters import Lora, Setup
from scenarist.networks.llama import Llama
from training.storycloze.data import BACK, BOS, EOS, MARK, Data, Ids, cat, group_batches, pad
from training.storycloze.job import SEEDS, Job
from training.storycloze.loop import train

SHARES = (0.52, 0.60, 0.70, 0.80, 0.97)
"""Where one way of telling ends and the next begins, as shares of the training stories."""


def told(story: Sequence[Ids], dice: np.random.Generator) -> Ids:
    """A story in one of six ways of telling."""
    ways = (
        lambda: cat(BOS, *story[:4], MARK, story[4], EOS), lambda: cat(BOS, MARK, story[4], EOS),
        lambda: cat(BOS, story[0], MARK, story[4], EOS), lambda: cat(BOS, story[0], story[1], MARK, story[4], EOS),
        lambda: cat(BOS, story[4], BACK, *story[:4], EOS), lambda: cat(BOS, BACK, *story[:4], EOS),
    )  # fmt: skip
    return ways[int(np.searchsorted(SHARES, dice.random(), side="right"))]()


def tune(job: Job, net: Llama, data: Data, budget: float, epochs: int = 4) -> Lora:
    """One adapter a seed, side by side."""
    lora = Lora.fresh(net, 16, SEEDS, heads={"head": (net.size, 1)}, setup=Setup(drop=0.05, beside=True))
    dice = np.random.default_rng(1)

    def make(picked: Sequence[np.ndarray]) -> np.ndarray:
        rows = pad([told(data.stories[at], dice) for group in picked for at in group], -1)
        return rows.reshape(len(picked), len(picked[0]), -1)

    def step(rows: np.ndarray) -> tuple[Any, Any]:
        ids = job.put(rows)
        states = net.states(ids.clamp(min=0).flatten(0, 1), adapter=lora).view(*ids.shape, -1)
        real = ids[:, :, 1:] >= 0
        logp = net.logp(states[:, :, :-1], ids[:, :, 1:].clamp(min=0))
        loss = -(logp * real).sum((1, 2)) / real.sum((1, 2))
        return loss.sum(), loss

    size = 4 if job.tiny else 64
    train(
        job,
        "lm",
        lora,
        lambda epoch: group_batches([data.train] * lora.groups, size, epoch, data.lengths),
        make,
        step,
        8e-4,
        budget,
        epochs,
    )
    return lora


@torch.no_grad()
def logps(
    job: Job, net: Llama, lora: Lora | None, rows: Sequence[tuple[Ids, int]], tokens: int = 160_000
) -> np.ndarray:
    """(ids, where the scored part begins) -> sum of ln P of that part: [G, N]."""
    groups = lora.groups if lora else 1
    order = np.argsort([len(ids) for ids, _ in rows])
    out = np.zeros((groups, len(rows)))
    at = 0
    while at < len(order):
        size = 1
        while at + size < len(order) and (size + 1) * groups * len(rows[order[at + size]][0]) < tokens:
            size += 1
        part = order[at : at + size]
        at += size
        array = pad([rows[one][0] for one in part], -1)
        ids = job.put(array)[None].expand(groups, -1, -1)
        states = net.states(ids.clamp(min=0).flatten(0, 1), adapter=lora).view(*ids.shape, -1)
        place = torch.arange(1, array.shape[1], device=job.device)[None]
        begins = torch.tensor([rows[one][1] for one in part], device=job.device)[:, None]
        ends = torch.tensor([len(rows[one][0]) for one in part], device=job.device)[:, None]
        scored = (place >= begins) & (place < ends)
        for group in range(groups):
            logp = torch.zeros(scored.shape, device=job.device)
            logp[scored] = net.logp(states[group, :, :-1][scored], ids[group, :, 1:][scored])
            out[group, part] = logp.sum(-1).float().cpu().numpy()
    return out


def rules(
    job: Job, net: Llama, lora: Lora | None, asked: Sequence[tuple[Sequence[Ids], Sequence[Ids]]]
) -> dict[str, np.ndarray]:
    """Every way to rank endings by a language model: name -> [G, questions, endings]. Without an adapter, no marks."""
    count = len(asked[0][1])
    plain = lora is None

    def scored(*before: object, ending: Ids) -> tuple[Ids, int]:
        start = cat(*before)
        return cat(start, ending, *([] if plain else [EOS])), len(start)

    def all_of(rows: Sequence[tuple[Ids, int]]) -> np.ndarray:
        return logps(job, net, lora, rows).reshape(-1, len(asked), count)

    mark = [] if plain else [MARK]
    full = all_of([scored(BOS, *context, *mark, ending=ending) for context, endings in asked for ending in endings])
    alone = all_of([scored(BOS, *mark, ending=ending) for _, endings in asked for ending in endings])
    sizes = np.array([[len(ending) + (0 if plain else 1) for ending in endings] for _, endings in asked])[None]
    out = {
        "mean": full / sizes,
        "sum": full,
        "pmi0.5": full - 0.5 * alone,
        "pmi0.8": full - 0.8 * alone,
        "pmi1.0": full - alone,
    }
    if not plain:
        first = all_of(
            [scored(BOS, context[0], MARK, ending=ending) for context, endings in asked for ending in endings]
        )
        back = all_of(
            [
                (cat(BOS, ending, BACK, *context, EOS), 2 + len(ending))
                for context, endings in asked
                for ending in endings
            ]
        )
        out["pmi-first"], out["back"] = full - first, back
        out["both"], out["both0.5"] = full - alone + back, full - 0.8 * alone + 0.5 * back
        out["both-first"] = full - 0.5 * alone - 0.5 * first + 0.5 * back
    return {**out, "alone": alone}
