"""Scores of deep models on the exam's documents -> `release/detector/evidence.npz`: `python -m training.detector.keep_evidence DATA OUT SCORES...`.

Averages the members' scores (`deep.py --kept 0` wrote them), keeps the likeliest labels of every sentence and a hash of every document.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from scenarist.models.deep_detector import fingerprint

TOP = 24


def main() -> None:
    """Average and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("scores", type=Path, nargs="+")
    options = parser.parse_args()
    with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
        exam = json.load(stream)
    members = [dict(np.load(path, allow_pickle=False)) for path in options.scores]
    below, switch, marks, starts, stops = [], [], [], [], []
    at = 0
    seen: set[str] = set()
    for name, documents in exam["documents"].items():
        scores = np.mean([one[f"{name}/below"].astype(np.float32) for one in members], axis=0)
        scores -= scores.min(axis=1, keepdims=True)
        between = np.mean([one[f"{name}/switch"].astype(np.float32) for one in members], axis=0)
        first = 0
        for document in documents:
            last = first + len(document["sentences"])
            mark = fingerprint([exam["sentences"][number] for number in document["sentences"]])
            if mark not in seen:
                seen.add(mark)
                below.append(scores[first:last])
                switch.append(between[first:last])
                marks.append(np.frombuffer(bytes.fromhex(mark), dtype=np.uint8))
                starts.append(at)
                at += last - first
                stops.append(at)
            first = last
        if first != len(scores):
            raise SystemExit(f"{name}: {len(scores)} rows of scores for {first} sentences.")
    every = np.concatenate(below)
    labels = np.argpartition(every, TOP, axis=1)[:, :TOP]
    np.savez_compressed(
        options.out, labels=labels.astype(np.uint8), below=np.round(np.take_along_axis(every, labels, axis=1)).astype(np.uint8),
        switch=np.concatenate(switch).astype(np.float16), enter=np.mean([one["enter"] for one in members], axis=0).astype(np.float32),
        marks=np.stack(marks), starts=np.array(starts, dtype=np.int32), stops=np.array(stops, dtype=np.int32),
    )  # fmt: skip
    print(len(marks), "documents,", len(every), "sentences,", options.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
