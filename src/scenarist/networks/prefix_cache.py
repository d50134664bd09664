"""Texts that go on from texts read before -> their states, reading what is new only.

Filling blanks from left to right asks about the same text again and again, a few words longer each time, and filling them in several ways
asks about texts that share their beginning. The keys, values and states of the last texts are kept; a text is read on from its longest
known beginning, all texts of a batch together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from scenarist.networks.llama import Llama, Past


class ReadText(NamedTuple):
    """A text read before: keys and values of all layers (layers, 2, heads, t, width), and its states (t, D)."""

    past: Tensor
    states: Tensor


Task = tuple[tuple[int, ...], ReadText | None]
"""A text and what is known of its beginning."""


class Memory:
    """The last texts read, at most ``most`` pieces in all."""

    def __init__(self, most: int) -> None:
        self.most, self.held = most, 0
        self.known: dict[tuple[int, ...], ReadText] = {}

    def beginning(self, ids: tuple[int, ...]) -> ReadText | None:
        """The longest known beginning of a text."""
        return next((known for size in range(len(ids), 0, -1) if (known := self.known.get(ids[:size]))), None)

    def keep(self, ids: tuple[int, ...], known: ReadText) -> None:
        """Remember a text; the oldest ones go."""
        if ids in self.known:
            return
        self.known[ids] = known
        self.held += len(ids)
        while self.held > self.most:
            oldest = next(iter(self.known))
            self.held -= len(oldest)
            del self.known[oldest]


@torch.no_grad()  # type: ignore[untyped-decorator]
def read_on(
    llama: Llama, memory: Memory, texts: Sequence[Sequence[int]], vectors: Callable[[Tensor], Tensor] = lambda ids: ids
) -> list[Tensor]:
    """States of each text, (t, D); ``vectors`` gives those of pieces that the network does not know itself."""
    whole = [tuple(ids) for ids in texts]
    texts_read: dict[tuple[int, ...], ReadText] = {}
    todo: list[Task] = []
    for ids in dict.fromkeys(whole):
        known = memory.beginning(ids)
        if known is not None and len(known.states) == len(ids):
            texts_read[ids] = known
        else:
            todo.append((ids, known))
    for group in alike(todo):
        for (ids, _), known in zip(group, read_new(llama, group, vectors), strict=True):
            texts_read[ids] = known
            memory.keep(ids, known)
    return [texts_read[ids].states for ids in whole]


def alike(todo: Sequence[Task]) -> Iterator[list[Task]]:
    """Texts with about as many new pieces, so that little is padded."""
    group: list[Task] = []
    for task in sorted(todo, key=new):
        if group and new(task) > 1.25 * new(group[0]) + 3:
            yield group
            group = []
        group.append(task)
    if group:
        yield group


def old(task: Task) -> int:
    """How many pieces of a text are known."""
    return 0 if task[1] is None else len(task[1].states)


def new(task: Task) -> int:
    """How many pieces of a text are not known."""
    return len(task[0]) - old(task)


def read_new(llama: Llama, todo: Sequence[Task], vectors: Callable[[Tensor], Tensor]) -> list[ReadText]:
    """Read the new pieces of each text; those of a batch stand at the right end of one block, what is known at the left."""
    device, shared = llama.device, llama.config.shared
    before, longest = max(map(old, todo)), max(map(new, todo))
    fresh = torch.zeros(len(todo), longest, dtype=torch.long)
    past = torch.zeros(llama.config.layers, 2, len(todo), shared, before, llama.width, dtype=llama.kind, device=device)
    for row, task in enumerate(todo):
        fresh[row, : new(task)] = torch.tensor(task[0][old(task) :])
        if task[1] is not None:
            past[:, :, row, :, : old(task)] = task[1].past
    sizes = torch.tensor([old(task) for task in todo], device=device)[:, None]
    line = torch.arange(longest, device=device)
    known = (torch.arange(before, device=device) < sizes)[:, None].expand(-1, longest, -1)
    seen = torch.cat([known, (line <= line[:, None]).expand(len(todo), -1, -1)], 2)  # (B, longest, before + longest)
    places = (sizes + line).clamp(max=llama.config.places - 1)
    keep: Past = []
    states = llama.states(
        vectors(fresh.to(device)), places, seen, past=[(layer[0], layer[1]) for layer in past], keep=keep
    )
    kept = torch.stack([torch.stack(pair)[..., before:, :] for pair in keep])  # (layers, 2, B, shared, longest, width)
    out = []
    for row, task in enumerate(todo):
        pairs, own = kept[:, :, row, :, : new(task)], states[row, : new(task)]
        if task[1] is not None:
            pairs, own = torch.cat([task[1].past, pairs], 3), torch.cat([task[1].states, own])
        out.append(ReadText(pairs.clone(), own.clone()))
    return out
