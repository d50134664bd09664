"""Features -> scores: gradient-boosted trees (Friedman 2001) as arrays, in numpy. Trained with scikit-learn, run without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


class Trees:
    """Trees padded to one size: at node ``n`` go to ``left`` where the feature is at most the threshold; a leaf leads to itself."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self.feature, self.threshold = (
            np.asarray(arrays["feature"], np.int64),
            np.asarray(arrays["threshold"], np.float32),
        )
        self.left, self.right = np.asarray(arrays["left"], np.int64), np.asarray(arrays["right"], np.int64)
        self.value, self.base = np.asarray(arrays["value"], np.float32), float(arrays["base"])
        self.depth = int(arrays["depth"])

    def scores(self, x: Array) -> Array:
        """(n, f) -> (n,)"""
        trees = np.arange(len(self.feature))
        nodes = np.zeros((len(x), len(trees)), np.int64)  # (n, trees)
        rows = np.arange(len(x))[:, None]
        for _ in range(self.depth):
            low = x[rows, self.feature[trees, nodes]] <= self.threshold[trees, nodes]
            nodes = np.where(low, self.left[trees, nodes], self.right[trees, nodes])
        return np.asarray(self.value[trees, nodes].sum(1) + self.base, np.float32)


def packed(trees: Sequence[Sequence[Mapping[str, Any]]], base: float) -> dict[str, Any]:
    """Arrays of trees, each a list of nodes with ``leaf``, ``feature``, ``threshold``, ``left``, ``right``, ``value`` and ``depth``.

    >>> stump = [dict(leaf=False, feature=1, threshold=0.5, left=1, right=2, value=0.0, depth=0),
    ...          dict(leaf=True, value=-1.0, depth=1), dict(leaf=True, value=2.0, depth=1)]
    >>> Trees(packed([stump], 0.25)).scores(np.array([[9.0, 0.5], [9.0, 0.6]], np.float32)).tolist()
    [-0.75, 2.25]
    """
    size = max(map(len, trees))
    arrays: dict[str, Any] = {
        "feature": np.zeros((len(trees), size), np.int16), "threshold": np.zeros((len(trees), size), np.float32),
        "left": np.tile(np.arange(size, dtype=np.int16), (len(trees), 1)), "value": np.zeros((len(trees), size), np.float32),
    }  # fmt: skip
    arrays["right"] = arrays["left"].copy()
    for number, tree in enumerate(trees):
        for place, node in enumerate(tree):
            arrays["value"][number, place] = node["value"] if node["leaf"] else 0.0
            if not node["leaf"]:
                for name in ("feature", "threshold", "left", "right"):
                    arrays[name][number, place] = node[name]
    return {
        **arrays,
        "base": np.float32(base),
        "depth": np.int64(max(node["depth"] for tree in trees for node in tree)),
    }
