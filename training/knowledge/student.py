"""Rows (and the deep reader's answers) -> the small network of main verbs: `python -m training.knowledge.student --rows FILE --out FILE`.

Needs torch only. ``--teacher`` names the files that `deep.py --fold` wrote.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenarist.learning.slots import Tables
from training.knowledge import network

WEIGHT = {"mcscript": 1.0, "inscript": 1.0, "descript": 0.3, "rocstories": 0.3}


def sparse(table: Tables) -> dict[str, np.ndarray]:
    """Count tables as coordinates and counts, small enough to carry."""
    packed: dict[str, np.ndarray] = {}
    for name in ("by_scenario", "by_place", "follows", "skips", "pairs", "alone", "order"):
        counts = getattr(table, name)
        if counts is None:
            continue
        at = np.flatnonzero(counts)
        packed[f"{name}.at"] = np.diff(at, prepend=0).astype(np.uint32)
        packed[f"{name}.n"] = counts.reshape(-1)[at].astype(np.float16)
    return packed


def stories(path: Path, split: str, limit: int | None = None) -> list[network.Story]:
    """The stories of a file of rows."""
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row: dict[str, Any] = json.loads(line)
            if row["split"] == split and "verbs" in row:
                found.append(
                    network.Story(
                        row["verbs"], [tuple(words.split(" ")) for words in row["words"]], row["scenario"], WEIGHT[row["corpus"]],
                        row["corpus"] != "descript", row["id"],
                    )
                )  # fmt: skip
    return found[:limit]


def answers(paths: list[Path]) -> tuple[Any, Any, Any, Any]:
    """What the teachers said of the stories each had not seen; their words are the same."""
    held = [np.load(path) for path in paths]
    ids, top, logp = (np.concatenate([one[name] for one in held]) for name in ("id", "top", "logp"))
    return ids, held[0]["words"], top, logp


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--teacher", type=Path, nargs="*", default=[])
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--seed", type=int, default=13)
    options.add_argument("--limit", type=int, default=None, help="stories, for a try")
    for name, value in network.Settings()._asdict().items():
        if not isinstance(value, bool):
            options.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    args = options.parse_args()
    begun = time.time()

    def log(text: str) -> None:
        print(f"[{time.time() - begun:5.0f} s] {args.out.stem}: {text}", flush=True)

    own = stories(args.rows, "train", args.limit)
    how = network.Settings(**{name: getattr(args, name) for name in network.Settings._fields if hasattr(args, name)})
    scenarios = sorted({story.scenario for story in own if story.scenario})
    taught = answers(args.teacher) if args.teacher else None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    log(str(how))
    arrays, table, _ = network.train(own, scenarios, how, args.seed, log, stories(args.rows, "dev", args.limit), taught, device)
    np.savez_compressed(args.out, **arrays, **sparse(table))
    log(f"written, {args.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
