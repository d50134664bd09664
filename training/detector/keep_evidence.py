"""Scores of deep models on the exam's documents -> `release/detector/evidence.npz` and `names.npz`: `python -m training.detector.keep_evidence DATA OUT SCORES... [--namer FILE --teller FILE]`.

Averages the members' scores (`deep.py` wrote them), keeps the likeliest labels of every sentence and a hash of every document. The documents of
another seed that are there to tune on (`tune-...`) are left out. What a namer and tellers said of segments (`namers.py`, `tellers.py`) is put into one file beside OUT,
by a hash of each segment.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from scenarist.networks.pretrained import fingerprint

TOP, KEPT, TOLD = 24, 32, 16
"""Labels of a sentence whose scores are kept: for the tables, and of each member by itself; labels of a segment."""


def dense(member: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A member's scores of some documents (N, C), in twelfths below the best; what it did not keep lies a little below its last."""
    labels, below = member[f"{name}/labels"], member[f"{name}/below"].astype(np.float32)
    found = np.repeat(below.max(axis=1, keepdims=True) + 12.0, len(member["enter"]), axis=1)
    np.put_along_axis(found, labels.astype(np.int64), below, axis=1)
    return found


def names(namer: Path, tellers: list[Path], shares: list[float], out: Path) -> None:
    """What a namer and tellers said, in one file; the tellers' scores of the same few names added up, each by its share."""
    one, *others = (dict(np.load(path, allow_pickle=False)) for path in (namer, *tellers))
    if any(not np.array_equal(one["marks"], two["marks"]) or one["steps"] != two["steps"] for two in others):
        raise SystemExit("Namer and tellers were asked about different segments.")
    labels = np.sort(others[0]["labels"], axis=1)
    total = np.zeros(labels.shape)
    for share, two in zip(shares, others, strict=True):
        order = np.argsort(two["labels"], axis=1, kind="stable")
        if not np.array_equal(np.take_along_axis(two["labels"], order, axis=1), labels):
            raise SystemExit("The tellers were asked about different names.")
        total += share * np.take_along_axis(two["below"], order, axis=1)
    total -= total.min(axis=1, keepdims=True)
    order = np.argsort(total, axis=1, kind="stable")
    made = {
        "marks": one["marks"],
        "steps": one["steps"],
        "named": one["labels"][:, :TOLD],
        "named_below": one["below"][:, :TOLD],
        "told": np.take_along_axis(labels, order, axis=1),
        "told_below": np.round(np.take_along_axis(total, order, axis=1)).clip(max=255).astype(np.uint8),
    }
    np.savez_compressed(out, **made)  # type: ignore[arg-type]
    print(len(one["marks"]), "segments,", out.stat().st_size, "bytes")


def main() -> None:
    """Average and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("scores", type=Path, nargs="+")
    parser.add_argument("--shares", default="", help="weights of the members, joined by commas; equal ones otherwise")
    parser.add_argument("--namer", type=Path, help="what a namer said of segments")
    parser.add_argument(
        "--teller",
        type=Path,
        action="append",
        default=[],
        help="what a teller said of the same; as often as there are tellers",
    )
    parser.add_argument(
        "--teller-shares", default="", help="weights of the tellers, joined by commas; equal ones otherwise"
    )
    options = parser.parse_args()
    if options.namer and options.teller:
        count = len(options.teller)
        each = (
            [float(one) for one in options.teller_shares.split(",")] if options.teller_shares else [1 / count] * count
        )
        names(options.namer, options.teller, each, options.out.with_name("names.npz"))
    with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
        exam = json.load(stream)
    members = [dict(np.load(path, allow_pickle=False)) for path in options.scores]
    shares = [float(one) for one in options.shares.split(",")] if options.shares else [1.0] * len(members)
    below, switch, marks, starts, stops = [], [], [], [], []
    at = 0
    seen: set[str] = set()
    for name, documents in exam["documents"].items():
        if name.startswith("tune-"):
            continue
        scores = np.average([dense(one, name) for one in members], axis=0, weights=shares)
        scores -= scores.min(axis=1, keepdims=True)
        between = np.average([one[f"{name}/switch"].astype(np.float32) for one in members], axis=0, weights=shares)
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
        options.out, labels=labels.astype(np.uint8), below=np.round(np.take_along_axis(every, labels, axis=1).clip(max=255)).astype(np.uint8),
        switch=np.concatenate(switch).astype(np.float16), enter=np.average([one["enter"] for one in members], axis=0, weights=shares).astype(np.float32),
        steps=np.array(12), marks=np.stack(marks), starts=np.array(starts, dtype=np.int32), stops=np.array(stops, dtype=np.int32),
    )  # fmt: skip
    print(len(marks), "documents,", len(every), "sentences,", options.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
