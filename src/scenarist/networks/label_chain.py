"""Scores of sentences -> best row of labels and the chance of each: a chain with a cost for every switch, in numpy.

From sentence to sentence the label stays, or it is drawn anew at the score ``switch[t] + enter[label]``; a step costs O(labels).
The costs are learned and depend on the place, so that a segment may be as long as it wants (no fixed durations). Shapes:
emission (T, C), switch (T), enter (C).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


def best(emission: Array, switch: Array, enter: Array) -> list[int]:
    """The best row of labels (Viterbi).

    >>> emission = np.array([[2.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    >>> best(emission, np.full(3, -5.0), np.zeros(2)), best(emission, np.zeros(3), np.zeros(2))
    ([0, 0, 0], [0, 1, 0])
    """
    size, labels = emission.shape
    if not size:
        return []
    score = emission[0] + enter
    stays = np.empty((size, labels), dtype=bool)
    comes = np.zeros(size, dtype=np.int64)
    for t in range(1, size):
        top = int(score.argmax())
        anew = score[top] + switch[t] + enter
        stays[t] = score >= anew
        comes[t] = top
        score = np.maximum(score, anew) + emission[t]
    label = int(score.argmax())
    path = [label]
    for t in range(size - 1, 0, -1):
        label = label if stays[t, label] else int(comes[t])
        path.append(label)
    return path[::-1]


def chances(emission: Array, switch: Array, enter: Array) -> Array:
    """The chance of every label at every sentence (T, C), given the whole text (forward and backward sums).

    Sums are kept as shares that are scaled anew at every sentence, so no text is too long.
    """
    size, labels = emission.shape
    if not size:
        return np.zeros((0, labels))
    local = np.exp(emission - emission.max(axis=1, keepdims=True))
    entry = np.exp(enter - enter.max())
    ratio = np.exp(np.minimum(switch + enter.max(), 50.0))
    ahead = np.empty((size, labels))
    ahead[0] = scaled(local[0] * entry)
    for t in range(1, size):
        ahead[t] = scaled((ahead[t - 1] + ratio[t] * ahead[t - 1].sum() * entry) * local[t])
    back = np.full(labels, 1.0)
    table = np.empty((size, labels))
    table[size - 1] = ahead[size - 1]
    for t in range(size - 1, 0, -1):
        after = back * local[t]
        back = scaled(after + ratio[t] * (after * entry).sum())
        table[t - 1] = scaled(ahead[t - 1] * back)
    return table


def scaled(values: Array) -> Array:
    """Values divided by their sum; equal shares where all of them are zero."""
    total = values.sum()
    if total > 0 and np.isfinite(total):
        return np.asarray(values / total)
    return np.full(values.shape, 1.0 / len(values))
