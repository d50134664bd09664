"""Slot and the words around it -> scores of fillers: the network behind `reader`, in numpy.

Count features (``learning/slots.py``) with learned weights, plus two hidden layers over the words of the sentences around the slot (each
distance with its own projection), the whole story, the fillers told around it, the scenario and the place. Trained by
``python -m training.knowledge`` (with the deep reader as a teacher, ``training/knowledge/network.py``); arrays only, half precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.slots import BUCKETS, Slot, Tables
from scenarist.networks.layers import relu

Array = npt.NDArray[np.float32]
SCHEMA = 2
WINDOWS = ("left3", "left2", "left", "right", "right2", "right3", "story")
"""Bags of words the network sees; each has its own projection. ``left3`` holds the third to fifth sentence before the slot."""
TOLD = ("left2", "left", "right", "right2", "all")
"""Bags of told fillers, likewise."""
NAMES = (
    "word", "project", "verb", "told", "scenario", "place", "bias", "deep", "deep_bias", "out", "out_bias", "weights",
)  # fmt: skip


def bags(sentences: Sequence[Sequence[str]], number: int, row: Mapping[str, int]) -> list[list[int]]:
    """Rows of known words for each window around slot ``number``; ``sentences`` are those that are told, without the slot."""

    def ids(first: int, last: int) -> list[int]:
        return [row[word] for sentence in sentences[max(0, first) : max(0, last)] for word in sentence if word in row]

    return [
        ids(number - 5, number - 2), ids(number - 2, number - 1), ids(number - 1, number), ids(number, number + 1),
        ids(number + 1, number + 2), ids(number + 2, number + 5), ids(0, len(sentences)),
    ]  # fmt: skip


def told(before: Sequence[int], after: Sequence[int]) -> list[list[int]]:
    """Rows of told fillers for each bag."""
    return [list(before[-2:-1]), list(before[-1:]), list(after[:1]), list(after[1:2]), [*before, *after]]


class SlotNetwork:
    """Scores every filler for a slot."""

    def __init__(self, arrays: Mapping[str, Any], tables: Tables) -> None:
        if int(arrays["schema"]) != SCHEMA:
            raise BadInput(
                f"slot network: expected schema {SCHEMA}, found {int(arrays['schema'])}. Train it again with this version."
            )
        self.tables = tables
        self.row = {str(word): number for number, word in enumerate(arrays["words"])}
        self.a = {name: np.asarray(arrays[name], np.float32) for name in NAMES}

    def hidden(self, slot: Slot, windows: Sequence[Sequence[int]]) -> Array:
        """The last hidden layer (h,)."""
        a = self.a
        h = a["bias"] + a["scenario"][slot.scenario + 1] + a["place"][min(BUCKETS - 1, int(BUCKETS * slot.place))]
        for number, rows in enumerate(windows):
            if len(rows):
                h = h + a["word"][list(rows)].mean(0) @ a["project"][number]  # (d) @ (d, h)
        for number, rows in enumerate(told(slot.before, slot.after)):
            if len(rows):
                h = h + a["verb"][list(rows)].mean(0) @ a["told"][number]
        h = relu(h)
        return np.asarray(h + relu(h @ a["deep"] + a["deep_bias"]), np.float32)

    def logits(self, slot: Slot, sentences: Sequence[Sequence[str]], number: int) -> Array:
        """Unnormalised log-chances of all fillers (v,)."""
        features = self.tables.features(slot)  # (f, v)
        scored = self.hidden(slot, bags(sentences, number, self.row)) @ self.a["out"] + self.a["out_bias"]
        return np.asarray(scored + self.a["weights"] @ features, np.float32)


def load(path: Path) -> Mapping[str, Any]:
    """The arrays of a file."""
    with np.load(path, allow_pickle=False) as found:
        return dict(found)
