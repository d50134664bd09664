"""The training file and the carried weights -> `resources/detector/sample.npz`: `python -m training.detector.sample FOLDER WEIGHTS`.

Vectors and states of some thousand training sentences, as int8: what `scenarist scenarios add` sets a new scenario against. No text.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from scenarist.models.scenarios.phrase_network import PhraseNetwork
from training.detector.documents import Store


def main() -> None:
    """Draw, read, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder that prepare.py wrote")
    parser.add_argument("weights", type=Path, help="the folder with the network's weights, where sample.npz goes too")
    parser.add_argument("--stories", type=int, default=120)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    store = Store(options.folder / "sentences.jsonl.gz", 40 if options.smoke else 0)
    network = PhraseNetwork(options.weights)
    draw = random.Random(13)
    kinds = ("told-train", "none-short-fiction-train", "none-gum-train", "none-ewt-train", "free-train")
    vectors, hidden = [], []
    for kind in kinds:
        texts = draw.sample(
            store.texts[kind],
            min(len(store.texts[kind]), options.stories if kind == "told-train" else options.stories // 6),
        )
        for text in texts:
            scores = network.scores(store.sentences[text.start : min(text.stop, text.start + 12)])
            vectors.append(scores.vectors)
            hidden.append(scores.hidden)
    own, deep = np.concatenate(vectors), np.concatenate(hidden)
    scales = np.array([np.abs(own).max(), np.abs(deep).max()], dtype=np.float32) / 127
    np.savez_compressed(
        options.weights / "sample.npz",
        vectors=np.round(own / scales[0]).astype(np.int8), hidden=np.round(deep / scales[1]).astype(np.int8), scales=scales,
    )  # fmt: skip
    print(own.shape, deep.shape)


if __name__ == "__main__":
    main()
