"""Sentences of one segment -> the chance of every scenario: logistic regression on tf.idf of the whole segment.

The network (`phrase_network`) sees where scenarios change; what a segment as a whole tells is better said by a plain linear
model over all its words and pairs, trained on whole stories. Its weights are kept for the phrases that matter most, reduced to
some dozens of dimensions (`resources/detector/segments.npz`); made by `training/detector/segment_labels.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scenarist.models.label_chain import Array
from scenarist.models.phrase_network import Network


class SegmentLabels:
    """The weights, and the log-chances they give."""

    def __init__(self, path: Path, network: Network) -> None:
        with np.load(path, allow_pickle=False) as arrays:
            places = arrays["places"]  # numbers of the network's phrases
            self.rows = arrays["rows"]  # (V, D) int8
            self.scales = arrays["scales"].astype(np.float32)
            self.idf = arrays["idf"].astype(np.float32)
            self.direct = arrays["direct"].astype(np.float32)  # (D, C)
            self.bias = arrays["bias"].astype(np.float32)
        self.row = {int(place): at for at, place in enumerate(places)}
        self.network = network

    def scores(self, texts: Sequence[str]) -> Array:
        """Log-chances of the labels (C,)."""
        counts = Counter(
            self.row[number] for text in texts for number in self.network.numbers(text) if number in self.row
        )
        rows = np.fromiter(counts, dtype=np.int64, count=len(counts))
        values = (1 + np.log(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))) * self.idf[rows]
        values /= max(float(np.linalg.norm(values)), 1e-9)
        found = ((values * self.scales[rows]) @ self.rows[rows]) @ self.direct + self.bias
        return log_shares(found)


def log_shares(scores: Array) -> Array:
    """Scores as log-chances over the last axis."""
    top = scores.max(axis=-1, keepdims=True)
    return np.asarray(scores - top - np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))
