"""How far a training is, and the figures it is watched by."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import torch


class Clock:
    """How far a training is: by steps, or by seconds where a budget is given; sets the learning rate (up, then down to zero)."""

    def __init__(self, steps: int, seconds: float, optimisers: list[torch.optim.Optimizer]) -> None:
        self.steps, self.seconds, self.optimisers = steps, seconds, optimisers
        self.rates = [[group["lr"] for group in one.param_groups] for one in optimisers]
        self.begin, self.step = time.time(), 0

    def passed(self) -> float:
        """The share of the training that is over."""
        return (time.time() - self.begin) / self.seconds if self.seconds else self.step / self.steps

    def next(self) -> bool:
        """Go one step on; False at the end."""
        passed = self.passed()
        if passed >= 1 or self.step >= self.steps:
            return False
        self.step += 1
        share = (
            min(passed / 0.1, (1 - passed) / 0.9)
            if passed < 0.1
            else 0.5 * (1 + math.cos(math.pi * (passed - 0.1) / 0.9))
        )
        for one, rates in zip(self.optimisers, self.rates, strict=True):
            for group, rate in zip(one.param_groups, rates, strict=True):
                group["lr"] = rate * max(share, 0.02)
        return True


def pk(gold: list[int], guess: list[int]) -> float:
    """Pk with half the mean gold segment as window."""
    edges = [[int(one != two) for one, two in itertools.pairwise(path)] for path in (gold, guess)]
    window = max(2, round(len(gold) / (sum(edges[0]) + 1) / 2))
    places = range(len(gold) - window)
    wrong = sum((sum(edges[0][i : i + window]) > 0) != (sum(edges[1][i : i + window]) > 0) for i in places)
    return wrong / max(1, len(places))


def measure(golds: list[list[int]], guesses: list[list[int]]) -> dict[str, float]:
    """Micro F1 without None, None F1, Pk."""
    pairs = [
        (one, two) for gold, guess in zip(golds, guesses, strict=True) for one, two in zip(gold, guess, strict=True)
    ]
    right = sum(one == two != 0 for one, two in pairs)
    f1 = 2 * right / max(1, sum(one != 0 for one, _ in pairs) + sum(two != 0 for _, two in pairs))
    both = sum(one == two == 0 for one, two in pairs)
    none = 2 * both / max(1, sum(one == 0 for one, _ in pairs) + sum(two == 0 for _, two in pairs))
    return {"f1": round(f1, 4), "none": round(none, 4), "pk": round(float(np.mean(list(map(pk, golds, guesses)))), 4)}
