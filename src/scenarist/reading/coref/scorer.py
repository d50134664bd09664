"""Pairs -> scores: a feed-forward network over both mentions and their pair, and one for having no antecedent.

Trained by `training.reader.coreference` with the marginal likelihood of all right antecedents (Lee et al. 2017). The part of
the first layer that sees a mention alone is computed once a mention, not once a pair.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Scorer:
    """The carried weights of the pair network."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as arrays:
            self.weights: dict[str, Array] = {name: arrays[name].astype(np.float32) for name in arrays.files}

    def __call__(self, own: Array, mine: Array, its: Array, features: Array) -> tuple[Array, Array]:
        """own [mentions, n], pairs [p], features [p, f] -> (score of each pair [p], score of being new [mentions])."""
        w = self.weights
        new = _relu(own @ w["new1"] + w["new1_bias"]) @ w["new2"] + w["new2_bias"]
        new = new[:, 0]
        if not len(mine):
            return np.zeros(0, dtype=np.float32), new
        my, other = own @ w["mine"], own @ w["its"]
        hidden = features @ w["pair"]
        hidden += my[mine]
        hidden += other[its]
        hidden += w["pair_bias"]
        np.maximum(hidden, 0, out=hidden)
        deep = _relu(hidden @ w["deep"] + w["deep_bias"])
        return (deep @ w["out"] + w["out_bias"])[:, 0], new


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)
