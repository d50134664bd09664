"""Kept models -> their scores of documents to tune on, without a GPU: `python -m training.detector.score_here DATA OUT NAMES --count 100`.

The same form as `deep.py` writes, for the first documents of each set; slow (SmolLM2 reads about a document in three seconds on one core).
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from scenarist.models.scenarios.deep import member

KEPT = 32
"""Labels of a sentence whose scores are kept."""


def main() -> None:
    """Read and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", help="models of the release, joined by commas")
    parser.add_argument("--count", type=int, default=100, help="documents of each set")
    parser.add_argument("--sets", default="tune-clean,tune-noisy")
    options = parser.parse_args()
    with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
        exam = json.load(stream)
    for name in options.names.split(","):
        arrays: dict[str, np.ndarray] = {}
        for which in options.sets.split(","):
            rows = []
            for one in exam["documents"][which][: options.count]:
                found = member(name).evidence([exam["sentences"][number] for number in one["sentences"]])
                labels = np.argsort(-found.emission, axis=1)[:, :KEPT]
                values = np.take_along_axis(found.emission, labels, axis=1)
                below = np.round((values[:, :1] - values) * 12).clip(max=255)
                rows.append((labels.astype(np.uint8), below.astype(np.uint8), found.switch.astype(np.float16)))
                arrays["enter"] = found.enter
            for part, values in zip(("labels", "below", "switch"), zip(*rows, strict=True), strict=True):
                arrays[f"{which}/{part}"] = np.concatenate(values)
            print(name, which, len(rows), "documents", flush=True)
        np.savez_compressed(options.out / f"{name}-scores.npz", **arrays)


if __name__ == "__main__":
    main()
