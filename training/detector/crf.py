"""A chain of labels with a cost for every switch: forward sums, marginals and best path, in torch.

From sentence to sentence the label stays (score 0) or is drawn anew (score ``switch[t] + enter[label]``), so each step costs
O(labels) and not O(labels squared). ``switch`` depends on the place, because the network sees boundaries.
Shapes: emission (B, T, C), switch (B, T), enter (C), mask (B, T).
"""

from __future__ import annotations

import torch
from torch import Tensor


def forward(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> Tensor:
    """Log forward sums (B, T, C); behind a document's end the last ones are carried on."""
    alpha = [emission[:, 0] + enter]
    for t in range(1, emission.shape[1]):
        before = alpha[-1]
        anew = torch.logsumexp(before, 1, keepdim=True) + switch[:, t : t + 1] + enter
        after = torch.logaddexp(before, anew) + emission[:, t]
        alpha.append(torch.where(mask[:, t : t + 1], after, before))
    return torch.stack(alpha, 1)


def marginals(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Log marginals (B, T, C) and log partition (B)."""
    alpha = forward(emission, switch, enter, mask)
    beta = [torch.zeros_like(emission[:, 0])]
    for t in range(emission.shape[1] - 1, 0, -1):
        after = beta[-1] + emission[:, t]
        anew = torch.logsumexp(after + enter, 1, keepdim=True) + switch[:, t : t + 1]
        beta.append(torch.where(mask[:, t : t + 1], torch.logaddexp(after, anew), beta[-1]))
    both = alpha + torch.stack(beta[::-1], 1)
    return torch.log_softmax(both, 2), torch.logsumexp(alpha[:, -1], 1)


def gold(emission: Tensor, switch: Tensor, enter: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
    """Log score of a labelling (B)."""
    at = emission.gather(2, labels[:, :, None])[:, :, 0] * mask
    anew = switch[:, 1:] + enter[labels[:, 1:]]
    same = labels[:, 1:] == labels[:, :-1]
    step = torch.where(same, torch.logaddexp(torch.zeros_like(anew), anew), anew)
    return at.sum(1) + enter[labels[:, 0]] + (step * mask[:, 1:]).sum(1)


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
    lengths = mask.sum(1).tolist()
    for b, length in enumerate(lengths):
        label = int(score[b].argmax())
        path = [label]
        for t in range(int(length) - 2, -1, -1):
            label = int(back[t][b, label])
            path.append(label)
        paths.append(path[::-1])
    return paths
