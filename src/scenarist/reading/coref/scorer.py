"""Pairs -> scores: a feed-forward network over both mentions and their pair, and one for having no antecedent.

Trained by `training.reader.coreference` with the marginal likelihood of all right antecedents (Lee et al. 2017). The part of
the first layer that sees a mention alone is computed once a mention, not once a pair.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.networks.layers import relu

Array = npt.NDArray[Any]


class Scorer:
    """The carried weights of the pair network."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as arrays:
            self.weights: dict[str, Array] = {name: arrays[name].astype(np.float32) for name in arrays.files}

    def alone(self, own: Array) -> tuple[Array, Array, Array]:
        """own [mentions, n] -> (its part as a mention, its part as an antecedent, score of being new)."""
        w = self.weights
        new = relu(own @ w["new1"] + w["new1_bias"]) @ w["new2"] + w["new2_bias"]
        return own @ w["mine"] + w["pair_bias"], own @ w["its"], new[:, 0]

    def pairs(self, my: Array, other: Array, mine: Array, its: Array, features: Array) -> Array:
        """Parts of mentions, pairs [p] and their features [p, f] -> score of each pair."""
        w = self.weights
        hidden = features @ w["pair"]
        hidden += my[mine]
        hidden += other[its]
        np.maximum(hidden, 0, out=hidden)
        deep = relu(hidden @ w["deep"] + w["deep_bias"])
        return np.asarray((deep @ w["out"] + w["out_bias"])[:, 0])
