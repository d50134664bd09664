"""A story with several endings as one tree: the story once, each ending sees it and itself alone -> one logit an ending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from training.storycloze.data import BOS, EOS, MARK, Data, Ids, cat, pad
from training.storycloze.job import Job
from training.storycloze.network import Lora, Smol


class Tree(NamedTuple):
    """Ids, their places along their branch, the branch (0 is the story) and the last index of every ending."""

    ids: Ids
    places: Ids
    branch: Ids
    last: list[int]


class Batch(NamedTuple):
    """Trees as arrays, one row a tree: ids, places and branches [G * B, T], ends [G * B, K]."""

    groups: int
    ids: np.ndarray
    places: np.ndarray
    branch: np.ndarray
    last: np.ndarray


class Read(NamedTuple):
    """What the network makes of trees: logits [G, B, K], states [G, B, T, D], ids and branches [G, B, T]."""

    logits: Any
    states: Any
    ids: Any
    branch: Any


def tree(context: Sequence[Ids], endings: Sequence[Ids]) -> Tree:
    """BOS story MARK, then each ending and EOS."""
    trunk = cat(BOS, *context, MARK)
    ids, places, branch, last = [trunk], [np.arange(len(trunk))], [np.zeros(len(trunk), dtype=np.int64)], []
    at = len(trunk)
    for number, ending in enumerate(endings, start=1):
        tokens = cat(ending, EOS)
        ids.append(tokens)
        places.append(len(trunk) + np.arange(len(tokens)))
        branch.append(np.full(len(tokens), number))
        at += len(tokens)
        last.append(at - 1)
    return Tree(np.concatenate(ids), np.concatenate(places), np.concatenate(branch), last)


def batch(groups: Sequence[Sequence[Tree]]) -> Batch:
    """One batch of trees a group; all groups have the same number of trees."""
    trees = [one for group in groups for one in group]
    ids, places = pad([one.ids for one in trees]), pad([one.places for one in trees])
    return Batch(
        len(groups), ids, places, pad([one.branch for one in trees], -1), np.array([one.last for one in trees])
    )


def read(job: Job, net: Smol, lora: Lora, given: Batch) -> Read:
    """The network over a batch."""
    G, B = given.groups, len(given.ids) // given.groups
    ids, places, branch, last = (job.put(array) for array in (given.ids, given.places, given.branch, given.last))
    T, K = ids.shape[1], last.shape[1]
    before = torch.ones(T, T, dtype=torch.bool, device=job.device).tril()
    seen = before[None] & ((branch[:, :, None] == branch[:, None, :]) | (branch[:, None, :] == 0))  # [G * B, T, T]
    states = net.forward(ids.view(G, B, T), lora, pos=places, mask=seen)
    ends = torch.gather(states.reshape(G * B, T, -1), 1, last[:, :, None].expand(-1, -1, net.D)).view(G, B * K, -1)
    logits = lora.head(F.dropout(ends, 0.1) if lora.training else ends)[..., 0].view(G, B, K)
    return Read(logits, states, ids.view(G, B, T), branch.view(G, B, T))


@torch.no_grad()
def head_scores(
    job: Job, net: Smol, lora: Lora, asked: Sequence[tuple[Sequence[Ids], Sequence[Ids]]], size: int = 192
) -> np.ndarray:
    """The head's number of every ending: [G, questions, endings]."""
    out = np.zeros((lora.G, len(asked), len(asked[0][1])))
    order = np.argsort([sum(map(len, context)) + sum(map(len, endings)) for context, endings in asked])
    for start in range(0, len(order), size):
        part = order[start : start + size]
        out[:, part] = (
            read(job, net, lora, batch([[tree(*asked[at]) for at in part]] * lora.G)).logits.float().cpu().numpy()
        )
    return out


def cloze(data: Data, contexts: bool = True) -> list[tuple[Sequence[Ids], Sequence[Ids]]]:
    """The labelled items as questions, with or without their stories."""
    return [(item[:4] if contexts else [], item[4:6]) for item in data.items]
