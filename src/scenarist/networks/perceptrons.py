"""Feature vectors -> one small perceptron a scenario (Wanzare et al. 2019, section 4), trained in numpy.

As printed: an input layer of 100 units with ReLU, dropout 0.2, a sigmoid output, cross-entropy, Adam; one classifier per
scenario against all others. The paper does not say how long it trains; ``rounds``, ``rate`` and
``batch`` were chosen on MCScript's dev stories; `training/detector/tune_perceptrons.py` tries them on held-out training stories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from scenarist.networks.label_chain import Array
from scenarist.networks.layers import relu, sigmoid


class Batch(NamedTuple):
    """Some rows of the feature matrix, reduced to the columns that occur in them."""

    columns: Array
    values: Array
    """(rows, columns)."""
    rows: Array


class Perceptron(NamedTuple):
    """The weights of one classifier."""

    into: Array
    bias: Array
    out: Array
    shift: float


class OneVsAll:
    """A classifier a label."""

    def __init__(
        self,
        units: int = 100,
        dropout: float = 0.2,
        rounds: int = 6,
        rate: float = 5e-3,
        batch: int = 64,
        seed: int = 13,
    ) -> None:
        self.units, self.dropout, self.rounds, self.rate = units, dropout, rounds, rate
        self.batch, self.seed = batch, seed
        self.labels_: tuple[str, ...] = ()
        self.into_: Array = np.zeros((0, 0, 0), dtype=np.float32)

    def fit(self, features: Array, labels: Sequence[str], tick: Callable[[int, int], None] | None = None) -> OneVsAll:
        """Train on rows of features (N, F) with a label each."""
        self.labels_ = tuple(sorted(set(labels)))
        draw = np.random.default_rng(self.seed)
        batches = [one for _ in range(self.rounds) for one in self.batches(features, draw)]
        found = []
        for number, label in enumerate(self.labels_):
            wanted = np.array([one == label for one in labels], dtype=np.float32)
            found.append(self.train(batches, wanted, features.shape[1], np.random.default_rng((self.seed, number))))
            if tick:
                tick(number + 1, len(self.labels_))
        self.into_ = np.stack([one.into for one in found]).astype(np.float16)  # (C, F, U)
        self.bias_ = np.stack([one.bias for one in found])
        self.out_ = np.stack([one.out for one in found])
        self.shift_ = np.array([one.shift for one in found], dtype=np.float32)
        return self

    def batches(self, features: Array, draw: np.random.Generator) -> list[Batch]:
        """One round over the rows in a new order."""
        order = draw.permutation(len(features))
        groups = []
        for start in range(0, len(order), self.batch):
            rows = order[start : start + self.batch]
            columns = np.flatnonzero(features[rows].any(axis=0))
            groups.append(Batch(columns, np.ascontiguousarray(features[np.ix_(rows, columns)], dtype=np.float32), rows))
        return groups

    def train(self, batches: Sequence[Batch], wanted: Array, width: int, draw: np.random.Generator) -> Perceptron:
        """One classifier; Adam touches only the columns that occur in a batch."""
        limit = np.sqrt(6.0 / (width + self.units))
        into = draw.uniform(-limit, limit, (width, self.units)).astype(np.float32)
        out = draw.uniform(-0.2, 0.2, self.units).astype(np.float32)
        bias, shift = np.zeros(self.units, dtype=np.float32), np.zeros(1, dtype=np.float32)
        first, second = np.zeros_like(into), np.zeros_like(into)
        small = [np.zeros_like(one) for one in (bias, bias, out, out, shift, shift)]
        keep = 1.0 - self.dropout
        for step, batch in enumerate(batches, start=1):
            own = into[batch.columns]
            before = batch.values @ own + bias
            mask = (draw.random(before.shape, dtype=np.float32) < keep) / np.float32(keep)
            hidden = relu(before) * mask
            guess = sigmoid(hidden @ out + shift)
            error = ((guess - wanted[batch.rows]) / len(batch.rows)).astype(np.float32)
            back = error[:, None] * out * mask * (before > 0)
            slope = batch.values.T @ back
            rate = self.rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            one = 0.9 * first[batch.columns] + 0.1 * slope
            two = 0.999 * second[batch.columns] + 0.001 * slope * slope
            first[batch.columns], second[batch.columns] = one, two
            into[batch.columns] = own - rate * one / (np.sqrt(two) + 1e-7)
            for at, (value, gradient) in enumerate(
                ((bias, back.sum(axis=0)), (out, hidden.T @ error), (shift, error.sum(keepdims=True)))
            ):
                small[2 * at] = 0.9 * small[2 * at] + 0.1 * gradient
                small[2 * at + 1] = 0.999 * small[2 * at + 1] + 0.001 * gradient * gradient
                value -= rate * small[2 * at] / (np.sqrt(small[2 * at + 1]) + 1e-7)
        return Perceptron(into, bias, out, float(shift[0]))

    def chances(self, features: Array) -> Array:
        """The sigmoid output of every classifier for each row (N, C)."""
        table = np.zeros((len(features), len(self.labels_)), dtype=np.float32)
        columns = np.flatnonzero(features.any(axis=0)) if len(features) else np.zeros(0, dtype=np.int64)
        values = np.ascontiguousarray(features[:, columns], dtype=np.float32)
        for number in range(len(self.labels_)):
            own = self.into_[number][columns].astype(np.float32)
            hidden = np.maximum(values @ own + self.bias_[number], 0)
            table[:, number] = sigmoid(hidden @ self.out_[number] + self.shift_[number])
        return table
