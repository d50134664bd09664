"""A detector network written by hand: three scenarios, a few words, no memory between sentences."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

LABELS = ("None", "baking a cake", "going fishing", "making tea")
WORDS = {
    "baking a cake": ("flour", "oven", "cak", "butter"),
    "going fishing": ("fish", "lak", "hook", "boat"),
    "making tea": ("tea", "kettl", "cup", "boil"),
    "None": ("parliament", "tax", "minister", "vot"),
}
PLAIN = ("the", "we", "i", "a", "in", "and", "it", "was", "wa", "to", "put", "then", "had", "our", "of")


def write(folder: Path, switch: float = -4.0) -> Path:
    """The weights as files: each scenario's words point along its own axis."""
    phrases = [word for words in WORDS.values() for word in words] + list(PLAIN)
    rows = np.zeros((len(phrases), len(LABELS)), dtype=np.int8)
    for label, words in WORDS.items():
        for word in words:
            rows[phrases.index(word), LABELS.index(label)] = 127
    width, units = len(LABELS), 2
    zeros = {
        f"{side}_{what}": np.zeros(shape, dtype=np.float16)
        for side in ("forward", "backward")
        for what, shape in (
            ("input", (width, 3 * units)),
            ("hidden", (units, 3 * units)),
            ("input_bias", 3 * units),
            ("hidden_bias", 3 * units),
        )
    }
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        folder / "weights.npz",
        rows=rows,
        scales=np.full(len(phrases), 1 / 127, dtype=np.float32),
        direct=6 * np.eye(width, dtype=np.float16),
        direct_bias=np.zeros(width, dtype=np.float16),
        context=np.zeros((2 * units, width), dtype=np.float16),
        edge=np.zeros(4 * units, dtype=np.float16),
        edge_bias=np.float16(switch),
        enter=np.log(np.full(width, 1 / width)).astype(np.float16),
        **zeros,
    )
    with gzip.open(folder / "phrases.txt.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(f"{one}\n" for one in phrases)
    (folder / "card.json").write_text(json.dumps({"schema": 1, "labels": LABELS}))
    return folder
