"""Rows -> a fine-tuned pretrained word model: AdamW, a short warm-up, then a straight line down to zero.

Works for anything with ``loss(rows)``: the word head, the causal model, the transducer on a pretrained encoder. Adapters
(networks/adapters.py) and heads are what learns. Which epoch is kept is the caller's business
(``after_epoch``); without it the last one is.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from scenarist.models.words.batches import Row


class Tuning(NamedTuple):
    """How to fine-tune."""

    epochs: int = 4
    size: int = 32
    rate: float = 1e-3
    rank: int = 16
    """Of the adapters."""
    scale: float = 32.0
    decay: float = 0.01
    warm: float = 0.06
    clip: float = 1.0
    cut: int = 100
    """Longer texts are cut in training, never in the exam."""
    average: float = 0.0
    """Decay of a running average of the weights, which is what is measured and kept; 0 for none."""
    head_rate: float = 1.0
    """Factor on the rate for everything that is not part of the pretrained body."""
    seconds: float = 0.0
    """Time for all epochs, 0 for no limit: the rate falls with whichever is further, the steps or the time, and is 0 at the end."""
    seed: int = 1
    device: str = "cpu"


def shorten(row: Row, cut: int) -> Row:
    """The first words of a long text with the blanks that lie wholly in them."""
    if len(row.concrete) <= cut:
        return row
    return row._replace(
        concrete=row.concrete[:cut], blanks=tuple((a, b) for a, b in row.blanks if b <= cut), fed=row.fed[:cut]
    )


def tune(
    network: Any,
    rows: Sequence[Row],
    tuning: Tuning,
    change: Callable[[Row, random.Random], Row] = lambda row, _: row,
    log: Callable[[str], None] = lambda _: None,
    after_epoch: Callable[[int], bool | None] = lambda _: None,
) -> Any:
    """The network, fine-tuned in place; ``change`` may alter each row anew every time it is shown, ``after_epoch`` may say stop."""
    chance = random.Random(tuning.seed)
    rows = [short for row in rows if (short := shorten(row, tuning.cut)).blanks]
    body: list[nn.Parameter] = []
    own: list[nn.Parameter] = []
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            (own if name.startswith(("head.", "project.", "body.marks")) else body).append(weight)
    groups = [{"params": body, "lr": tuning.rate}, {"params": own, "lr": tuning.rate * tuning.head_rate}]
    optimiser = torch.optim.AdamW(
        [g for g in groups if g["params"]], weight_decay=tuning.decay, betas=(0.9, 0.98), fused=(body or own)[0].is_cuda
    )
    steps = tuning.epochs * -(-len(rows) // tuning.size)
    warm = max(1, int(steps * tuning.warm))
    began, total, count = time.monotonic(), 0.0, 0

    def spent() -> float:
        return (time.monotonic() - began) / tuning.seconds if tuning.seconds else 0.0

    plan = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: max(0.0, min((step + 1) / warm, (steps - step) / max(1, steps - warm), 1 - spent()))
    )
    learned = [*body, *own]
    mean = [weight.detach().clone() for weight in learned] if tuning.average else []
    for epoch in range(tuning.epochs):
        network.train()
        shown = [change(row, chance) for row in rows]
        for group in alike(shown, tuning.size, chance):
            optimiser.zero_grad(set_to_none=True)
            loss = backward(network, group)
            nn.utils.clip_grad_norm_(learned, tuning.clip)
            optimiser.step()
            plan.step()
            count += 1
            if mean:
                torch._foreach_lerp_(
                    mean, [one.detach() for one in learned], 1 - min(tuning.average, count / (count + 9))
                )
            if count % 50 == 0:
                total = float(loss)
            if spent() >= 1:
                break
        log(f"epoch {epoch + 1}: loss {total:.3f} after {time.monotonic() - began:.0f} s")
        network.eval()
        swap(learned, mean)
        stop = after_epoch(epoch + 1)
        if stop or epoch + 1 == tuning.epochs or spent() >= 1:
            break
        swap(learned, mean)
    return network.eval()


def backward(network: Any, group: Sequence[Row]) -> torch.Tensor:
    """The loss of a batch and its gradient; where memory runs out, of the first half of it."""
    try:
        loss: torch.Tensor = network.loss(group)
        loss.backward()
        return loss.detach()
    except torch.OutOfMemoryError:
        if len(group) < 4:
            raise
    network.zero_grad(set_to_none=True)
    torch.cuda.empty_cache()
    return backward(network, group[: len(group) // 2])


def swap(weights: Sequence[nn.Parameter], others: Sequence[torch.Tensor]) -> None:
    """Exchange the values of weights with those of others (nothing where there are none)."""
    with torch.no_grad():
        for weight, other in zip(weights, others, strict=False):
            kept = weight.detach().clone()
            weight.copy_(other)
            other.copy_(kept)


def alike(rows: Sequence[Row], size: int, chance: random.Random) -> list[list[Row]]:
    """Batches of about one length in random order."""
    order = list(range(len(rows)))
    chance.shuffle(order)
    pool, groups = 16 * size, []
    for first in range(0, len(order), pool):
        near = sorted(order[first : first + pool], key=lambda at: len(rows[at].abstract) + len(rows[at].concrete))
        groups += [[rows[at] for at in near[at : at + size]] for at in range(0, len(near), size)]
    chance.shuffle(groups)
    return groups
