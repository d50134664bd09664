"""A story with several endings as one tree: the story once, each ending sees it and itself alone -> one logit an ending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.networks.adapters import Lora
from scenarist.networks.llama import Llama, TextTree
from training.storycloze.data import BOS, EOS, MARK, Data, Ids, cat, pad
from training.storycloze.job import Job


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


def tree(context: Sequence[Ids], endings: Sequence[Ids]) -> TextTree:
    """BOS story MARK, then each ending and EOS."""
    return TextTree.grow(cat(BOS, *context, MARK).tolist(), [[*ending.tolist(), EOS] for ending in endings])


def batch(groups: Sequence[Sequence[TextTree]]) -> Batch:
    """One batch of trees a group; all groups have the same number of trees."""
    trees = [tree for group in groups for tree in group]
    ids, places = pad([np.array(tree.ids) for tree in trees]), pad([np.array(tree.places) for tree in trees])
    branch = pad([np.array(tree.branch) for tree in trees], -1)
    return Batch(len(groups), ids, places, branch, np.array([tree.ends for tree in trees]))


def read(job: Job, net: Llama, lora: Lora, given: Batch) -> Read:
    """The network over a batch."""
    G, B = given.groups, len(given.ids) // given.groups
    ids, places, branch, last = (job.put(array) for array in (given.ids, given.places, given.branch, given.last))
    T, K = ids.shape[1], last.shape[1]
    before = torch.ones(T, T, dtype=torch.bool, device=job.device).tril()
    seen = before[None] & ((branch[:, :, None] == branch[:, None, :]) | (branch[:, None, :] == 0))  # [G * B, T, T]
    states = net.states(ids, places, seen, lora)  # [G * B, T, D]
    ends = torch.gather(states, 1, last[:, :, None].expand(-1, -1, net.size)).view(G, B * K, -1)
    logits = lora.head(F.dropout(ends, 0.1) if lora.training else ends)[..., 0].view(G, B, K)
    return Read(logits, states.view(G, B, T, -1), ids.view(G, B, T), branch.view(G, B, T))


@torch.no_grad()
def head_scores(
    job: Job, net: Llama, lora: Lora, asked: Sequence[tuple[Sequence[Ids], Sequence[Ids]]], size: int = 192
) -> np.ndarray:
    """The head's number of every ending: [G, questions, endings]."""
    out = np.zeros((lora.groups, len(asked), len(asked[0][1])))
    order = np.argsort([sum(map(len, context)) + sum(map(len, endings)) for context, endings in asked])
    for start in range(0, len(order), size):
        part = order[start : start + size]
        out[:, part] = (
            read(job, net, lora, batch([[tree(*asked[at]) for at in part]] * lora.groups)).logits.float().cpu().numpy()
        )
    return out


def cloze(data: Data, contexts: bool = True) -> list[tuple[Sequence[Ids], Sequence[Ids]]]:
    """The labelled items as questions, with or without their stories."""
    return [(item[:4] if contexts else [], item[4:6]) for item in data.items]
