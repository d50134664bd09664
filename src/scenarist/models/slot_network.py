"""Slot and the words around it -> scores of fillers: the network behind `reader`, in numpy.

Count features (``learning/slots.py``) with learned weights, plus one hidden layer over the words of the neighbouring sentences, the whole
story, the neighbouring fillers, the scenario and the place. Trained by ``python -m training.knowledge``; arrays only, half precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.slots import BUCKETS, Slot, Tables

Array = npt.NDArray[np.float32]
SCHEMA = 1
WINDOWS = ("left2", "left", "right", "right2", "story")
"""Bags of words the network sees; each has its own projection."""


def bags(sentences: Sequence[Sequence[str]], number: int, row: Mapping[str, int]) -> list[list[int]]:
    """Rows of known words for each window around slot ``number``; ``sentences`` are those that are told, without the slot."""

    def ids(place: int) -> list[int]:
        return [row[word] for word in sentences[place] if word in row] if 0 <= place < len(sentences) else []

    story = [row[word] for sentence in sentences for word in sentence if word in row]
    return [ids(number - 2), ids(number - 1), ids(number), ids(number + 1), story]


class SlotNetwork:
    """Scores every filler for a slot."""

    def __init__(self, arrays: Mapping[str, Any], tables: Tables) -> None:
        if int(arrays["schema"]) != SCHEMA:
            raise BadInput(
                f"slot network: expected schema {SCHEMA}, found {int(arrays['schema'])}. Train it again with this version."
            )
        self.tables = tables
        self.row = {str(word): number for number, word in enumerate(arrays["words"])}
        names = ("word", "project", "scenario", "place", "left", "right", "bias", "out", "out_bias", "weights")
        self.a = {name: np.asarray(arrays[name], np.float32) for name in names}

    def hidden(self, slot: Slot, windows: Sequence[Sequence[int]]) -> Array:
        """The hidden layer (h,)."""
        a = self.a
        h = a["bias"].copy()
        for number, rows in enumerate(windows):
            if len(rows):
                h += a["word"][list(rows)].mean(0) @ a["project"][number]  # (d) @ (d, h)
        h += a["scenario"][slot.scenario + 1] + a["place"][min(BUCKETS - 1, int(BUCKETS * slot.place))]
        h += a["left"][slot.before[-1] + 1 if slot.before else 0] + a["right"][slot.after[0] + 1 if slot.after else 0]
        return np.maximum(h, 0)

    def logits(self, slot: Slot, sentences: Sequence[Sequence[str]], number: int) -> Array:
        """Unnormalised log-chances of all fillers (v,)."""
        features = self.tables.features(slot)  # (f, v)
        scored = self.hidden(slot, bags(sentences, number, self.row)) @ self.a["out"] + self.a["out_bias"]
        return np.asarray(scored + self.a["weights"] @ features, np.float32)


def load(path: Path) -> Mapping[str, Any]:
    """The arrays of a file."""
    with np.load(path, allow_pickle=False) as found:
        return dict(found)
