"""The beginning of a story -> an ending drawn from the tuned language model, in large batches with kept keys and values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.networks.llama import Llama, Past
from training.storycloze.data import EOS, Ids
from training.storycloze.job import Job


@torch.no_grad()
def sample(
    job: Job, net: Llama, prompts: Sequence[Ids], seed: int, temperature: float = 1.0, top_p: float = 0.95,
    most: int = 24, size: int = 3072,
) -> list[Ids]:  # fmt: skip
    """One ending a prompt (prompts are left-padded); adapters are folded into the network."""
    dice = torch.Generator(device=job.device).manual_seed(seed)
    out: list[Ids] = [np.zeros(0, dtype=np.int64)] * len(prompts)
    order = np.argsort([len(prompt) for prompt in prompts])
    for start in range(0, len(order), size):
        part = order[start : start + size]
        longest, count = max(len(prompts[at]) for at in part), len(part)
        array, there = np.zeros((count, longest), dtype=np.int64), np.zeros((count, longest), dtype=bool)
        for row, at in enumerate(part):
            array[row, longest - len(prompts[at]) :] = prompts[at]
            there[row, longest - len(prompts[at]) :] = True
        ids, real = job.put(array), job.put(there)
        places = (real.long().cumsum(1) - 1).clamp(min=0)
        seen = torch.ones(longest, longest, dtype=torch.bool, device=job.device).tril()[None] & real[:, None, :]
        seen = seen | torch.eye(longest, dtype=torch.bool, device=job.device)[None]
        past: Past = []
        state, place = net.states(ids, places, seen, keep=past)[:, -1], places[:, -1]
        drawn, done = [], torch.zeros(count, dtype=torch.bool, device=job.device)
        for _ in range(most):
            values, tokens = (F.linear(state, net.embedding).float() / temperature).topk(100, -1)
            share = values.softmax(-1)
            share = share.masked_fill(share.cumsum(-1) - share > top_p, 0)
            token = tokens.gather(1, torch.multinomial(share, 1, generator=dice))[:, 0]
            token = torch.where(done, torch.full_like(token, EOS), token)
            drawn.append(token)
            done = done | (token == EOS)
            if done.all():
                break
            place = place + 1
            real = torch.cat([real, torch.ones(count, 1, dtype=torch.bool, device=job.device)], 1)
            keep: Past = []
            state = net.states(token[:, None], place[:, None], real[:, None], past=past, keep=keep)[:, -1]
            past = keep
        rows = torch.stack(drawn, 1).cpu().numpy()
        for row, at in zip(rows, part, strict=True):
            stops = np.flatnonzero(row == EOS)
            out[at] = row[: stops[0]] if len(stops) else row
    return out
