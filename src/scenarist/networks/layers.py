"""Arrays -> arrays: what networks in numpy are made of, each in one place.

The numpy reader, its coreference, the light detector and the event models run without torch; their results are compared bit for bit, so
the order of operations here is part of what they are.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


def softmax(scores: Array, axis: int = -1) -> Array:
    """Scores as shares that sum to one.

    >>> softmax(np.array([0.0, np.log(3.0)])).round(6).tolist()
    [0.25, 0.75]
    """
    shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis=axis, keepdims=True))


def logsumexp(scores: Array, axis: int = -1) -> Array:
    """The log of summed exponentials, many times faster than ``np.logaddexp.reduce``."""
    top = scores.max(axis=axis, keepdims=True)
    total = top + np.log(np.exp(scores - top).sum(axis=axis, keepdims=True))
    return np.asarray(np.squeeze(total, axis))


def log_softmax(scores: Array, axis: int = -1) -> Array:
    """Scores as log-chances."""
    top = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(scores - top - np.log(np.exp(scores - top).sum(axis=axis, keepdims=True)))


def sigmoid(scores: Array) -> Array:
    """Scores as chances."""
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-scores, 80.0))))


def relu(values: Array) -> Array:
    """What lies below zero is zero."""
    return np.asarray(np.maximum(values, 0))


def leaky(values: Array) -> Array:
    """What lies below zero counts a tenth."""
    return np.asarray(np.where(values > 0, values, np.float32(0.1) * values))


def gelu(values: Array) -> Array:
    """The Gaussian error linear unit, with erf by Abramowitz and Stegun 7.1.26 (error below 2e-7)."""
    x = np.abs(values) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * x)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    erf = np.sign(values) * (1.0 - series * np.exp(-x * x))
    return np.asarray(0.5 * values * (1.0 + erf), np.float32)


def layer_norm(values: Array, weight: Array, bias: Array) -> Array:
    """Layer normalisation over the last axis (Ba et al. 2016)."""
    centred = values - values.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight + bias)


def unit(rows: Array) -> Array:
    """Rows of length one; a row of zeros stays.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1.0))


def cosine(vector: Array, other: Array) -> float:
    """Cosine of two vectors, 0 where one of them is nought.

    >>> cosine(np.array([1.0, 0.0]), np.array([3.0, 4.0]))
    0.6
    """
    size = float(np.linalg.norm(vector) * np.linalg.norm(other))
    return float(vector @ other) / size if size else 0.0
