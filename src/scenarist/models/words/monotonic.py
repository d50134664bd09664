"""Monotonic hard alignments: scores of words and transitions -> marginal likelihood, best alignment.

Bisk et al. (2019), appendix A.2 and A.4, after Yu, Buys and Blunsom (2016). Word j of the concrete text is emitted from
position ``a_j`` of the abstract, and ``a_j >= a_(j-1)``; the first word starts from position 0 and the last word is
emitted from the last position. Before word j the alignment shifts (``shift[j, i]`` leaves position i) and then emits.
``free``: the walk starts anywhere, each position alike, as in the released code of the paper.

Equation 7 sums over the earlier position k. With C(i) the running sum of the shifts before i that sum is
``C(i) + logcumsumexp_k(alpha(k) - C(k))``: all positions at once, one step per word, memory positions x words.
The gradient is written out (the posterior of the alignment), so that no graph of the steps is kept: the posterior of
``a_j = i`` is the gradient of emission and emit, and P(a_(j-1) <= i) - P(a_j <= i) is that of the shift. Max instead of
sum (``cummax``, which also gives the back pointers) is Viterbi.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

FAR = -1e9
"""Stands for an impossible path: finite, so that no step makes a NaN of it."""


class AlignmentScores(NamedTuple):
    """Natural logs, each (batch, words, positions): the word from a position, emitting there, leaving it."""

    word: Tensor
    emit: Tensor
    shift: Tensor


def leave(shift: Tensor) -> Tensor:
    """C: the summed shifts before each position, (B, n, m) -> (B, n, m)."""
    return torch.nn.functional.pad(shift[..., :-1].cumsum(-1), (1, 0))


def first(score: Tensor, free: bool = False) -> Tensor:
    """Where the path stands before the first word, (B, m): at position 0, or (``free``) anywhere, all alike."""
    start = torch.full_like(score[:, 0], FAR)
    start[:, 0] = 0.0
    return torch.zeros_like(start) if free else start


class _Forward(torch.autograd.Function):  # type: ignore[misc]
    """log p(words) summed over alignments, (B,)."""

    @staticmethod
    def forward(context: Any, here: Tensor, shift: Tensor, positions: Tensor, words: Tensor, free: bool) -> Tensor:
        """``here`` is word + emit, (B, n, m); ``positions`` and ``words`` are the lengths, (B,)."""
        before = leave(shift)  # (B, n, m)
        alphas = []
        alpha = first(here, free)  # (B, m)
        for j in range(here.shape[1]):
            alpha = (alpha - before[:, j]).logcumsumexp(-1) + before[:, j] + here[:, j]
            alphas.append(alpha)
        table = torch.stack(alphas, 1)  # (B, n, m)
        rows = torch.arange(len(words), device=here.device)
        total = table[rows, words - 1, positions - 1]  # (B,)
        context.save_for_backward(here, before, table, positions, words, total)
        context.free = free
        return total

    @staticmethod
    def backward(context: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        here, before, table, positions, words, total = context.saved_tensors
        rows = torch.arange(len(words), device=here.device)
        end = torch.full_like(here[:, 0], FAR)  # (B, m)
        end[rows, positions - 1] = 0.0
        betas = []
        beta = end
        for j in range(here.shape[1] - 1, -1, -1):
            beta = torch.where((words - 1 == j)[:, None], end, beta)
            betas.append(beta)
            beta = (here[:, j] + beta + before[:, j]).flip(-1).logcumsumexp(-1).flip(-1) - before[:, j]
        after = torch.stack(betas[::-1], 1)  # (B, n, m)
        inside = torch.arange(here.shape[1], device=here.device) < words[:, None]  # (B, n)
        posterior = (table + after - total[:, None, None]).exp() * inside[..., None]  # (B, n, m), sums to 1 over m
        below = posterior.cumsum(-1)  # P(a_j <= i)
        began = (first(here, context.free) + beta - total[:, None]).exp().cumsum(-1)  # P(the start <= i)
        earlier = torch.cat([began[:, None], below[:, :-1]], 1) * inside[..., None]
        left = (earlier - below).clamp(min=0.0)
        return posterior * grad[:, None, None], left * grad[:, None, None], None, None, None


def log_likelihood(scores: AlignmentScores, positions: Tensor, words: Tensor, free: bool = False) -> Tensor:
    """ln p(concrete | abstract), alignments summed out, (B,); differentiable."""
    total: Tensor = _Forward.apply(scores.word + scores.emit, scores.shift, positions, words, free)
    return total - positions.log() if free else total


class Best(NamedTuple):
    """Viterbi: ``table`` (B, n, m) is the best score of a prefix ending at a position, ``back`` where it came from."""

    table: Tensor
    back: Tensor


@torch.no_grad()  # type: ignore[untyped-decorator]
def best_prefixes(scores: AlignmentScores, free: bool = False) -> Best:
    """The best path to every (word, position), all prefixes at once."""
    here, before = scores.word + scores.emit, leave(scores.shift)
    tables, backs = [], []
    best = first(here, free)
    for j in range(here.shape[1]):
        best, back = (best - before[:, j]).cummax(-1)
        best = best + before[:, j] + here[:, j]
        tables.append(best)
        backs.append(back)
    return Best(torch.stack(tables, 1), torch.stack(backs, 1))


@torch.no_grad()  # type: ignore[untyped-decorator]
def viterbi(scores: AlignmentScores, positions: Tensor, words: Tensor, free: bool = False) -> Tensor:
    """The best alignment of each pair, (B, n) positions; beyond a text's end the last position is repeated."""
    best = best_prefixes(scores, free)
    steps = best.back.shape[1]
    position = positions - 1  # (B,)
    path = []
    for j in range(steps - 1, -1, -1):
        path.append(position)
        came = best.back[:, j].gather(1, position[:, None])[:, 0]
        position = torch.where(j <= words - 1, came, position)
    return torch.stack(path[::-1], 1)


def path_score(scores: AlignmentScores, path: Tensor, words: Tensor, free: bool = False) -> Tensor:
    """ln p(concrete, this alignment | abstract), (B,); ``path`` is (B, n) and must not go back.

    A free start is where the first word is emitted, its best place; that it was chosen (1 of m) is left out.
    """
    before = leave(scores.shift)
    previous = torch.nn.functional.pad(path[:, :-1], (1, 0))  # starts at position 0
    if free:
        previous[:, 0] = path[:, 0]
    step = (scores.word + scores.emit + before).gather(2, path[..., None])[..., 0]
    step = step - before.gather(2, previous[..., None])[..., 0]  # (B, n)
    inside = torch.arange(path.shape[1], device=path.device) < words[:, None]
    total: Tensor = (step * inside).sum(1)
    return total
