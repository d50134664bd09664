"""Texts that go on from texts read before -> their states, reading what is new only.

Filling blanks from left to right asks about the same text again and again, a few words longer each time, and filling them in several ways
asks about texts that share their beginning. The keys, values and states of the last texts are kept; a text is read on from its longest
known beginning, all texts of a batch together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F


class Known(NamedTuple):
    """A text read before: keys and values of all layers (layers, 2, heads, t, wide), and its states (t, h)."""

    past: Tensor
    states: Tensor


Task = tuple[tuple[int, ...], Known | None]
"""A text and what is known of its beginning."""


class Memory:
    """The last texts read, at most ``most`` pieces in all."""

    def __init__(self, most: int) -> None:
        self.most, self.held = most, 0
        self.known: dict[tuple[int, ...], Known] = {}

    def beginning(self, ids: tuple[int, ...]) -> Known | None:
        """The longest known beginning of a text."""
        for size in range(len(ids), 0, -1):
            found = self.known.get(ids[:size])
            if found is not None:
                return found
        return None

    def keep(self, ids: tuple[int, ...], one: Known) -> None:
        """Remember a text; the oldest ones go."""
        if ids in self.known:
            return
        self.known[ids] = one
        self.held += len(ids)
        while self.held > self.most:
            oldest = next(iter(self.known))
            self.held -= len(oldest)
            del self.known[oldest]


@torch.no_grad()  # type: ignore[untyped-decorator]
def read_on(body: Any, memory: Memory, texts: Sequence[Sequence[int]]) -> list[Tensor]:
    """States of each text, (t, h), by a `StackedBody` whose matrices are settled."""
    whole = [tuple(ids) for ids in texts]
    found: dict[tuple[int, ...], Known] = {}
    todo: list[Task] = []
    for ids in dict.fromkeys(whole):
        known = memory.beginning(ids)
        if known is not None and known.states.shape[0] == len(ids):
            found[ids] = known
        else:
            todo.append((ids, known))
    for group in alike(todo):
        for (ids, _), one in zip(group, forward(body, group), strict=True):
            found[ids] = one
            memory.keep(ids, one)
    return [found[ids].states for ids in whole]


def alike(todo: Sequence[Task]) -> Iterator[list[Task]]:
    """Texts with about as many new pieces, so that little is padded."""
    group: list[Task] = []
    for one in sorted(todo, key=new):
        if group and new(one) > 1.25 * new(group[0]) + 3:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def new(task: Task) -> int:
    """How many pieces of a text are not known."""
    ids, known = task
    return len(ids) - (0 if known is None else known.states.shape[0])


def forward(body: Any, todo: Sequence[Task]) -> list[Known]:
    """Read the new pieces of each text; those of a batch stand at the right end of one block, what is known at the left."""
    kind = torch.bfloat16 if body.half else torch.float32
    device = body.marks.device
    olds = [0 if known is None else known.states.shape[0] for _, known in todo]
    news = [new(one) for one in todo]
    many, before, long = len(todo), max(olds), max(news)
    fresh = torch.zeros(many, long, dtype=torch.long)
    for row, ((ids, _), old) in enumerate(zip(todo, olds, strict=True)):
        fresh[row, : len(ids) - old] = torch.tensor(ids[old:])
    fresh = fresh.to(device)
    old_sizes = torch.tensor(olds, device=device)
    past = torch.zeros(body.depth, 2, many, body.shared, before, body.wide, dtype=kind, device=device)
    for row, (_, known) in enumerate(todo):
        if known is not None:
            past[:, :, row, :, : olds[row]] = known.past
    line = torch.arange(long, device=device)
    seen = torch.cat(
        [(torch.arange(before, device=device) < old_sizes[:, None])[:, None].expand(-1, long, -1),
         (line[None, :] <= line[:, None])[None].expand(many, -1, -1)], 2,
    )[:, None]  # fmt: skip  # (B, 1, long, before + long)
    places = (old_sizes[:, None] + line).clamp(max=body.cos.shape[0] - 1)  # (B, long)
    cos, sin = body.cos[places].to(kind), body.sin[places].to(kind)  # (B, long, 1, wide)
    marked = fresh >= body.size
    x = F.embedding(fresh.masked_fill(marked, 0), body.table)
    x = torch.where(marked[..., None], body.marks[(fresh - body.size).clamp(min=0)], x)
    turning, middle = body.heads + body.shared, body.wide // 2
    kept = torch.empty(body.depth, 2, many, body.shared, long, body.wide, dtype=kind, device=device)
    for at in range(body.depth):
        a = F.rms_norm(x, x.shape[-1:], body.first[at], body.eps).to(kind)
        qkv = F.linear(a, body.settled["qkv"][at]).view(many, long, turning + body.shared, body.wide)
        qk, v = qkv[:, :, :turning], qkv[:, :, turning:].transpose(1, 2)
        qk = qk * cos + torch.cat([-qk[..., middle:], qk[..., :middle]], -1) * sin
        q, k = qk[:, :, : body.heads].transpose(1, 2), qk[:, :, body.heads :].transpose(1, 2)
        kept[at, 0], kept[at, 1] = k, v
        k, v = torch.cat([past[at, 0], k], 2), torch.cat([past[at, 1], v], 2)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, enable_gqa=True)
        x = x + F.linear(a.transpose(1, 2).reshape(many, long, -1), body.settled["o"][at])
        a = F.rms_norm(x, x.shape[-1:], body.second[at], body.eps).to(kind)
        gate, up = F.linear(a, body.settled["gu"][at]).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, body.settled["down"][at])
    states = F.rms_norm(x.float(), x.shape[-1:], body.last, body.eps)
    out = []
    for row, (_, known) in enumerate(todo):
        size = news[row]
        mine, said = kept[:, :, row, :, :size], states[row, :size]
        if known is not None:
            mine, said = torch.cat([known.past, mine], 3), torch.cat([known.states, said])
        out.append(Known(mine.clone(), said.clone()))
    return out
