"""Student in half precision -> the carried files of `resources/detector`: `python -m training.detector.export STUDENT.npz FOLDER`.

Phrase vectors become int8 with a scale a row, everything else half precision; the phrases with the longest vectors are kept.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

SHIFT = -2.0
"""What `train.Sequence` adds to the switch score."""


def export(student: Path, folder: Path, keep: int = 64_000) -> dict[str, object]:
    """Write weights.npz, phrases.txt.gz and card.json."""
    arrays = {name: array.astype(np.float32) for name, array in np.load(student).items()}
    if "rows" in arrays:
        arrays["bag.weight"] = arrays["rows"] * arrays["scales"][:, None]
    about = json.loads(student.with_suffix(".json").read_text(encoding="utf-8"))
    rows = arrays["bag.weight"]
    norms = np.linalg.norm(rows, axis=1)
    kept = np.sort(np.argsort(-norms, kind="stable")[:keep])  # what was hardly ever touched is still noise
    rows = rows[kept]
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-8) / 127.0
    enter = arrays["sequence.enter"]
    enter = enter - enter.max() - np.log(np.exp(enter - enter.max()).sum())
    made: dict[str, np.ndarray] = {
        "rows": np.round(rows / scales[:, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "direct": arrays["sequence.direct.weight"].T,
        "direct_bias": arrays["sequence.direct.bias"] + arrays["sequence.context.bias"],
        "context": arrays["sequence.context.weight"].T,
        "edge": arrays["sequence.edge.weight"][0],
        "edge_bias": arrays["sequence.edge.bias"][0] + SHIFT,
        "enter": enter,
    }
    for side, end in (("forward", ""), ("backward", "_reverse")):
        # torch keeps the gates as (reset, update, new), each (units, inputs)
        made[f"{side}_input"] = arrays[f"sequence.rnn.weight_ih_l0{end}"].T
        made[f"{side}_hidden"] = arrays[f"sequence.rnn.weight_hh_l0{end}"].T
        made[f"{side}_input_bias"] = arrays[f"sequence.rnn.bias_ih_l0{end}"]
        made[f"{side}_hidden_bias"] = arrays[f"sequence.rnn.bias_hh_l0{end}"]
    halves = {name: array if name in ("rows", "scales") else array.astype(np.float16) for name, array in made.items()}
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "weights.npz", **halves)
    with (
        (folder / "phrases.txt.gz").open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as stream,
    ):
        stream.write("".join(f"{about['vocabulary'][at]}\n" for at in kept).encode())
    card = {
        "schema": 1,
        "labels": about["labels"],
        "figures": about["figures"],
        "phrases": len(kept),
        "width": int(rows.shape[1]),
    }
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("student", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=int, default=64_000, help="so many phrases, by the length of their vectors")
    options = parser.parse_args()
    card = export(options.student, options.folder, options.keep)
    size = sum(path.stat().st_size for path in options.folder.iterdir())
    print({"phrases": card["phrases"], "width": card["width"], "bytes": size})


if __name__ == "__main__":
    main()
