"""Slot and the words around it -> scores of fillers: the small network at a gap of a story, in numpy.

Count features (``learning/slots.py``) with learned weights, plus two hidden layers over the words of the sentences around the slot (each
distance with its own projection), the whole story, the fillers told around it, the scenario and the place. Trained by
``python -m training.knowledge`` (with the deep model as a teacher, ``training/knowledge/network.py``); arrays only, half precision.
`untold-network` asks it for the fillers of one gap, `untold-scripts` for the gaps of one filler too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, Missing
from scenarist.learning.slots import BUCKETS, Slot, Tables
from scenarist.networks.layers import log_softmax, relu
from scenarist.parallel import part
from scenarist.store.home import release_file, resource

Array = npt.NDArray[np.float32]
SCHEMA = 2
WINDOWS = ("left3", "left2", "left", "right", "right2", "right3", "story")
"""Bags of words the network sees; each has its own projection. ``left3`` holds the third to fifth sentence before the slot."""
SPANS = ((-5, -2), (-2, -1), (-1, 0), (0, 1), (1, 2), (2, 5))
"""The sentences of each window but the last, counted from the slot."""
TOLD = ("left2", "left", "right", "right2", "all")
"""Bags of told fillers, likewise."""
NAMES = (
    "word", "project", "verb", "told", "scenario", "place", "bias", "deep", "deep_bias", "out", "out_bias", "weights",
)  # fmt: skip


def bags(sentences: Sequence[Sequence[str]], number: int, row: Mapping[str, int]) -> list[list[int]]:
    """Rows of known words for each window around slot ``number``; ``sentences`` are those that are told, without the slot."""

    def ids(first: int, last: int) -> list[int]:
        return [row[word] for sentence in sentences[max(0, first) : max(0, last)] for word in sentence if word in row]

    return [*(ids(number + first, number + last) for first, last in SPANS), ids(0, len(sentences))]


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

    def slot(self, ids: Sequence[int], scenario: str, number: int) -> Slot:
        """The slot before sentence ``number`` of a telling that does not hold it; ``ids``: its fillers, -1 for none."""
        before = tuple(filler for filler in ids[:number] if filler >= 0)
        after = tuple(filler for filler in ids[number:] if filler >= 0)
        return Slot(self.tables.scenario.get(scenario, -1), number / max(1, len(ids) + 1), before, after)

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

    def gap_chances(self, ids: Sequence[int], scenario: str, sentences: Sequence[Sequence[str]]) -> Array:
        """Log-chances of all fillers in each gap of a telling (sentences + 1, v): `logits` for all gaps at once."""
        a, size = self.a, len(sentences)
        rows = [[self.row[word] for word in sentence if word in self.row] for sentence in sentences]
        sums = np.zeros((size + 1, a["word"].shape[1]), np.float32)  # of the words before each gap
        counts = np.zeros(size + 1, np.float32)
        for number, words in enumerate(rows):
            sums[number + 1] = sums[number] + a["word"][words].sum(0)
            counts[number + 1] = counts[number] + len(words)
        slots = [self.slot(ids, scenario, number) for number in range(size + 1)]
        h = np.stack([a["place"][min(BUCKETS - 1, int(BUCKETS * slot.place))] for slot in slots])  # (gaps, h)
        h += a["bias"] + a["scenario"][slots[0].scenario + 1]
        gaps = np.arange(size + 1)
        for window, (first, last) in enumerate(SPANS):
            start, stop = (np.clip(gaps + side, 0, size) for side in (first, last))
            known = counts[stop] - counts[start]
            means = (sums[stop] - sums[start]) / np.maximum(known, 1)[:, None]  # (gaps, d)
            h += means @ a["project"][window]
        h += sums[-1] / max(1.0, float(counts[-1])) @ a["project"][len(SPANS)]  # the whole story
        for number, slot in enumerate(slots):
            for bag, fillers in enumerate(told(slot.before, slot.after)):
                if fillers:
                    h[number] += a["verb"][fillers].mean(0) @ a["told"][bag]
        h = relu(h)
        h = h + relu(h @ a["deep"] + a["deep_bias"])
        scores = h @ a["out"] + a["out_bias"]
        for number, slot in enumerate(slots):
            scores[number] += a["weights"] @ self.tables.features(slot)
            part("looking for what is unsaid, sentences", number, size)
        return np.asarray(log_softmax(scores), np.float32)


def load_arrays(path: Path) -> Mapping[str, Any]:
    """The arrays of a file."""
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def labels_file() -> list[Path]:
    """The network of labels, of a release; nothing where it is not at hand."""
    try:
        return [release_file("untold", "labels.npz")]
    except Missing:
        return []


@cache
def carried_network(kind: str) -> SlotNetwork:
    """Network and tables of main verbs (``verbs``, carried) or of script event labels by sentence (``labels``, a release file)."""
    arrays = load_arrays(resource("knowledge/verbs.npz") if kind == "verbs" else release_file("untold", "labels.npz"))
    table = Tables([str(filler) for filler in arrays["fillers"]], [str(name) for name in arrays["scenarios"]])
    for name in ("by_scenario", "by_place", "follows", "skips", "pairs", "alone", "order"):
        counts = getattr(table, name)
        if counts is not None:
            flat = counts.reshape(-1)
            flat[np.cumsum(arrays[f"{name}.at"], dtype=np.int64)] = arrays[f"{name}.n"].astype(np.float32)
    return SlotNetwork(arrays, table.finish())
