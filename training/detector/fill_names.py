"""Segments of the exam's documents that the training machine did not foresee are read here and put beside the others: `python -m training.detector.fill_names DATA OUT/names.npz`.

The deep detector joins the parts of a scenario around another, and its shares are tuned afterwards; so some of its segments were not among those that readers found (`namers.py`). They are
few. Works on the release (`scenarist get detector`), of which OUT/names.npz is to be a file; takes minutes.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from scenarist.models.scenarios.deep import DeepDetector
from scenarist.story import Story


def main() -> None:
    """Read what is missing, add it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
        exam = json.load(stream)
    detector = DeepDetector(recorded=True)
    if detector.namers is None:
        raise SystemExit("The deep detector names segments by nothing; there is nothing to fill.")
    for name, documents in exam["documents"].items():
        if name.startswith("tune-"):
            continue
        for one in documents:
            story = Story.from_sentences(one["id"], [exam["sentences"][number] for number in one["sentences"]])
            detector.whole(story) if name == "whole" else detector.segments(story)
        print(name, len(detector.namers.named.maps[0]), "segments read", flush=True)
    with np.load(options.out, allow_pickle=False) as file:
        arrays = dict(file)
    fresh = sorted(set(detector.namers.named.maps[0]) & set(detector.namers.told.maps[0]))
    steps = float(arrays["steps"])
    for part, kept in (("named", detector.namers.named), ("told", detector.namers.told)):
        width = arrays[part].shape[1]
        for mark in fresh:
            labels, below = kept[mark]
            order = np.argsort(below, kind="stable")[:width]
            order = np.append(order, np.full(width - len(order), order[-1]))  # fewer were asked about
            arrays[part] = np.concatenate([arrays[part], labels[order][None].astype(np.uint8)])
            rounded = np.round(below[order] * steps).clip(max=255).astype(np.uint8)
            arrays[f"{part}_below"] = np.concatenate([arrays[f"{part}_below"], rounded[None]])
    marks = np.array([list(bytes.fromhex(mark)) for mark in fresh], dtype=np.uint8).reshape(-1, 8)
    arrays["marks"] = np.concatenate([arrays["marks"], marks])
    np.savez_compressed(options.out, **arrays)
    print(len(arrays["marks"]), "segments,", options.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
