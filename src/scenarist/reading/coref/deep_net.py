"""Words of a text -> scores of pairs of mentions: MiniLM with low-rank matrices, and a small network over both mentions and their pair.

The ranking is that of `scorer`, with what an encoder says of the first, last and head word of each mention beside the hand-made
features. Needs torch and the encoder; used by the reader `deep` and by `training.reader.deep`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

Array = npt.NDArray[Any]
WINDOW, CONTEXT = 510, 96
"""word pieces of a window, and how many of them at either side are there for context only"""
PIECES = 12
"""word pieces of a word, at most"""


def windows(sizes: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Word pieces of each word -> windows of words (first, last) and the part of each (from, to) whose vectors are kept.

    >>> windows([1] * 900)
    [(0, 510, 0, 414), (318, 828, 414, 732), (636, 900, 732, 900)]
    """
    ends = np.cumsum([0, *sizes])
    found: list[tuple[int, int, int, int]] = []
    first = kept = 0
    while True:
        last = max(int(np.searchsorted(ends, ends[first] + WINDOW, side="right")) - 1, first + 1)
        if last >= len(sizes):
            found.append((first, len(sizes), kept, len(sizes)))
            return found
        stop = max(int(np.searchsorted(ends, ends[last] - CONTEXT, side="right")) - 1, kept + 1)
        found.append((first, last, kept, stop))
        kept = stop
        first = max(int(np.searchsorted(ends, ends[stop] - CONTEXT)), first + 1)


class LowRank(nn.Module):  # type: ignore[misc]
    """A frozen linear map with a trained product of two thin matrices beside it (Hu et al. 2022)."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x [..., in] -> [..., out]."""
        out: torch.Tensor = self.base(x) + (x @ self.down.T) @ self.up.T
        return out


def adapt(encoder: nn.Module, rank: int) -> nn.Module:
    """Freezes the encoder and puts low-rank matrices beside the linear maps of its layers."""
    for parameter in encoder.parameters():
        parameter.requires_grad_(False)
    for module in list(encoder.encoder.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                setattr(module, name, LowRank(child, rank))
    return encoder


class DeepPairs(nn.Module):  # type: ignore[misc]
    """Scores of pairs and of being new."""

    def __init__(self, encoder: nn.Module, own: int, features: int, size: int = 192, hidden: int = 192) -> None:
        super().__init__()
        self.encoder = encoder
        wide = int(encoder.config.hidden_size)
        self.mention = nn.Linear(3 * wide + own, 2 * size)
        self.new1, self.new2 = nn.Linear(2 * size, hidden), nn.Linear(hidden, 1)
        self.mine, self.its = nn.Linear(2 * size, hidden, bias=False), nn.Linear(2 * size, hidden, bias=False)
        self.left, self.right = nn.Linear(2 * size, size), nn.Linear(2 * size, size)
        self.both = nn.Linear(size, hidden, bias=False)
        self.pair = nn.Linear(features, hidden)
        self.deep, self.out = nn.Linear(hidden, 64), nn.Linear(64, 1)
        self.drop, self.weak = nn.Dropout(0.3), nn.Dropout(0.2)

    def words(self, pieces: Sequence[Sequence[int]], around: tuple[int, int], device: str) -> torch.Tensor:
        """Word pieces of each word -> vectors [words, wide]: each word's first piece, from the window it is most central in."""
        cut = windows([len(one) for one in pieces])
        rows = [[around[0], *(piece for word in pieces[a:b] for piece in word), around[1]] for a, b, _, _ in cut]
        longest = max(map(len, rows))
        ids, shown = torch.zeros(2, len(rows), longest, dtype=torch.long).unbind(0)
        where, row_of = [], []
        for number, (row, (a, _, start, stop)) in enumerate(zip(rows, cut, strict=True)):
            ids[number, : len(row)], shown[number, : len(row)] = torch.tensor(row), 1
            at = 1 + sum(len(word) for word in pieces[a:start])
            for word in pieces[start:stop]:
                where.append(at)
                row_of.append(number)
                at += len(word)
        out = self.encoder(input_ids=ids.to(device), attention_mask=shown.to(device)).last_hidden_state
        found: torch.Tensor = out[torch.tensor(row_of, device=device), torch.tensor(where, device=device)]
        return found

    def mentions(
        self, words: torch.Tensor, first: torch.Tensor, last: torch.Tensor, head: torch.Tensor, own: torch.Tensor
    ) -> torch.Tensor:
        """-> [mentions, 2 size]; ``last`` is one past the last word."""
        seen = torch.cat([self.weak(torch.cat([words[first], words[last - 1], words[head]], 1)), own], 1)
        out: torch.Tensor = self.drop(torch.relu(self.mention(seen)))
        return out

    def forward(
        self, known: torch.Tensor, mine: torch.Tensor, its: torch.Tensor, features: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Mentions [m, 2 size] and pairs -> (score of each pair [p], score of each mention being new [m])."""
        new = self.new2(self.drop(torch.relu(self.new1(known))))[:, 0]
        product = self.left(known)[mine] * self.right(known)[its]
        hidden = self.mine(known)[mine] + self.its(known)[its] + self.both(product) + self.pair(features)
        return self.out(self.drop(torch.relu(self.deep(self.drop(torch.relu(hidden))))))[:, 0], new


def cut_words(tokenizer: Callable[..., Any], unknown: int, words: Sequence[str]) -> list[list[int]]:
    """Words -> their word pieces, at least one each."""
    known: dict[str, list[int]] = {}
    for word in words:
        if word not in known:
            known[word] = tokenizer(word, add_special_tokens=False)["input_ids"][:PIECES] or [unknown]
    return [known[word] for word in words]
