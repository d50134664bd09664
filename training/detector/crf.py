"""A chain of labels with a cost for every switch: forward sums, marginals and best path, in torch.

From sentence to sentence the label stays (score 0) or is drawn anew (score ``switch[t] + enter[label]``), so each step costs
O(labels) and not O(labels squared). ``switch`` depends on the place, because the network sees boundaries.
Shapes: emission (B, T, C), switch (B, T), enter (C), mask (B, T).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


def forward(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> Tensor:
    """Log forward sums (B, T, C); behind a document's end the last ones are carried on."""
    alpha = [emission[:, 0] + enter]
    for t in range(1, emission.shape[1]):
        before = alpha[-1]
        anew = torch.logsumexp(before, 1, keepdim=True) + switch[:, t : t + 1] + enter
        after = torch.logaddexp(before, anew) + emission[:, t]
        alpha.append(torch.where(mask[:, t : t + 1], after, before))
    return torch.stack(alpha, 1)


def backward(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> Tensor:
    """Log backward sums (B, T, C); zero from a document's last sentence on."""
    beta = [torch.zeros_like(emission[:, 0])]
    for t in range(emission.shape[1] - 1, 0, -1):
        after = beta[-1] + emission[:, t]
        anew = torch.logsumexp(after + enter, 1, keepdim=True) + switch[:, t : t + 1]
        beta.append(torch.where(mask[:, t : t + 1], torch.logaddexp(after, anew), beta[-1]))
    return torch.stack(beta[::-1], 1)


def marginals(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Log marginals (B, T, C) and log partition (B)."""
    alpha = forward(emission, switch, enter, mask)
    both = alpha + backward(emission, switch, enter, mask)
    return torch.log_softmax(both, 2), torch.logsumexp(alpha[:, -1], 1)


class Beliefs(NamedTuple):
    """What a chain holds likely: each label's chance at each sentence (B, T, C), and that another label begins there (B, T)."""

    labels: Tensor
    changes: Tensor


@torch.no_grad()
def beliefs(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> Beliefs:
    """The chances of labels and of changes of label; nothing changes at the first sentence."""
    alpha, beta = forward(emission, switch, enter, mask), backward(emission, switch, enter, mask)
    total = torch.logsumexp(alpha[:, -1], 1)
    anew = switch[:, 1:, None] + enter
    stays = alpha[:, :-1] + functional.softplus(anew) + emission[:, 1:] + beta[:, 1:] - total[:, None, None]
    changes = (1 - stays.exp().sum(2)).clamp(0, 1)
    return Beliefs(torch.softmax(alpha + beta, 2), functional.pad(changes, (1, 0)) * mask)


class LogSum(torch.autograd.Function):  # type: ignore[misc]
    """The log partition (B) with its gradient from forward and backward sums: half the kernels of a recorded loop."""

    @staticmethod
    def forward(ctx: Any, emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> Tensor:
        """Sum over all labellings; what the gradient needs is kept."""
        alpha, beta = forward(emission, switch, enter, mask), backward(emission, switch, enter, mask)
        total = torch.logsumexp(alpha[:, -1], 1)
        chance = (alpha + beta - total[:, None, None]).exp() * mask[:, :, None]
        before = torch.logsumexp(alpha[:, :-1], 2, keepdim=True) + switch[:, 1:, None] - total[:, None, None]
        anew = (before + enter + emission[:, 1:] + beta[:, 1:]).exp() * mask[:, 1:, None]
        ctx.save_for_backward(chance, functional.pad(anew.sum(2), (1, 0)), anew.sum(1) + chance[:, 0])
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        """Chances of labels, of draws, and of draws of each label."""
        chance, drawn, each = ctx.saved_tensors
        return grad[:, None, None] * chance, grad[:, None] * drawn, grad @ each, None


def log_sum(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> Tensor:
    """The log partition (B)."""
    found: Tensor = LogSum.apply(emission, switch, enter, mask)
    return found


def gold(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
    """Log score of a labelling (B)."""
    at = emission.gather(2, labels[:, :, None])[:, :, 0] * mask
    anew = switch[:, 1:] + enter[labels[:, 1:]]
    same = labels[:, 1:] == labels[:, :-1]
    step = torch.where(same, functional.softplus(anew), anew)
    return at.sum(1) + enter[labels[:, 0]] + (step * mask[:, 1:]).sum(1)


def expected_score(
    emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor, labels: Tensor, chances: Tensor, changes: Tensor
) -> Tensor:
    """The score (B) that a teacher expects: its likeliest labels (B, T, K) with their chances, and its chance of a change (B, T).

    Exact for the emissions; the label that is entered at a change is taken from the sentence's own chances.
    """
    at = (emission.gather(2, labels) * chances).sum(2)
    entered = enter[labels]
    anew = ((switch[:, :, None] + entered) * chances).sum(2)
    stays = (functional.softplus(switch[:, :, None] + entered) * chances).sum(2)
    step = changes * anew + (1 - changes) * stays
    return (at * mask).sum(1) + (entered[:, 0] * chances[:, 0]).sum(1) + (step * mask)[:, 1:].sum(1)


@torch.no_grad()
def best(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> list[list[int]]:
    """The best labelling of each document."""
    score = emission[:, 0] + enter
    back = []
    for t in range(1, emission.shape[1]):
        top, arg = score.max(1, keepdim=True)
        anew = top + switch[:, t : t + 1] + enter
        stays = score >= anew
        itself = torch.arange(score.shape[1], device=score.device).expand_as(score)
        back.append(torch.where(stays, itself, arg.expand_as(score)))
        score = torch.where(mask[:, t : t + 1], torch.maximum(score, anew) + emission[:, t], score)
    paths = []
    lengths, ends = mask.sum(1).tolist(), score.argmax(1).tolist()
    tracks = torch.stack(back, 1).cpu().numpy() if back else None  # (B, T - 1, C)
    for b, length in enumerate(lengths):
        path = [int(ends[b])]
        for t in range(int(length) - 2, -1, -1):
            path.append(int(tracks[b, t, path[-1]]) if tracks is not None else path[-1])
        paths.append(path[::-1])
    return paths
