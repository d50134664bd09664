"""Log-odds of steps -> the edges of a partial order; the last step is the goal."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from scenarist.learning.library.orders import best_order

Edges = set[tuple[int, int]]


def closure(edges: Iterable[tuple[int, int]], size: int) -> npt.NDArray[np.bool_]:
    """Which step comes before which, by way of others too: (n, n).

    >>> closure([(0, 1), (1, 2)], 3).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    later = np.zeros((size, size), bool)
    for first, second in edges:
        later[first, second] = True
    for middle in range(size):
        later |= later[:, middle : middle + 1] & later[middle : middle + 1]
    return later


def line_edges(ahead: npt.NDArray[np.floating]) -> Edges:
    """Log-odds of the steps (without the goal) -> the edges of the line that agrees with them best, the goal at its end."""
    line = [*best_order(ahead.astype(float)), len(ahead)]
    return set(zip(line, line[1:], strict=False))


def edges_of(before: npt.NDArray[np.float32], follows: npt.NDArray[np.float32], bar: float) -> Edges:
    """Edges along the best line whose chance to follow directly is at least ``bar``; every step leads on to its likeliest next one, and
    every step but those that begin is led to. What other edges say already is left out."""
    size = len(before)
    line = [*best_order(before[: size - 1, : size - 1].astype(float)), size - 1]
    chance = 1 / (1 + np.exp(-follows))
    edges: Edges = set()
    for place, step in enumerate(line[:-1]):
        later = line[place + 1 :]
        edges.add((step, max(later, key=lambda other: chance[step, other])))
        edges |= {(step, other) for other in later if chance[step, other] >= bar}
    for place, step in enumerate(line[1:], start=1):
        if not any(second == step for _, second in edges):
            first = max(line[:place], key=lambda other: chance[other, step])
            if chance[first, step] >= bar / 2:
                edges.add((first, step))
    later_than = closure(edges, size)
    return {
        (first, second) for first, second in edges
        if not any(later_than[first, middle] and later_than[middle, second] for middle in range(size))
    }  # fmt: skip
