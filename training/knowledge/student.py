"""Rows (and the deep reader's answers) -> the small network of main verbs: `python -m training.knowledge.student --rows FILE --out FILE`.

Needs torch only. ``--teacher`` names the files that `deep.py --fold` wrote.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenarist.learning.slots import Tables
from training.knowledge import network

CHOSEN = network.Settings(least=4, d=192, h=512, drop=0.5, epochs=6, taught=0.8)
"""What the carried network was trained with; chosen on dev (docs/log/untold.md)."""
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


def answers(paths: list[Path], most: int = 50) -> tuple[Any, Any, Any, Any]:
    """What the teachers said of the stories each had not seen: ids, words, the likeliest words of each and their log-chances; where several
    speak of one gap, the mean of their chances. All know the same words."""
    held = [np.load(path) for path in paths]
    words, ids = held[0]["words"], np.unique(np.concatenate([one["id"] for one in held]))
    chance, voices = np.zeros((len(ids), len(words)), np.float16), np.zeros(len(ids), np.int64)
    for one in held:
        at = np.searchsorted(ids, one["id"])
        chance[at[:, None], one["top"].astype(np.int64)] += np.exp(one["logp"].astype(np.float32)).astype(np.float16)
        voices[at] += 1
    top = np.concatenate(
        [np.argpartition(-some, most, 1)[:, :most] for some in np.array_split(chance, 1 + len(ids) // 4096)]
    ).astype(np.uint16)
    with np.errstate(divide="ignore"):
        logp = np.log(np.take_along_axis(chance, top.astype(np.int64), 1) / voices[:, None])
    return ids, words, top, logp.astype(np.float16)


def learn(
    rows: Path,
    teachers: list[Path],
    out: Path,
    how: network.Settings,
    seed: int,
    log: Callable[[str], None],
    limit: int | None = None,
) -> None:
    """Train on a file of rows and write the network with its tables."""
    own = stories(rows, "train", limit)
    scenarios = sorted({story.scenario for story in own if story.scenario})
    device = "cuda" if torch.cuda.is_available() else "cpu"
    log(str(how))
    taught = answers(teachers) if teachers else None
    arrays, table, _ = network.train(own, scenarios, how, seed, log, stories(rows, "dev", limit), taught, device)
    np.savez_compressed(out, **arrays, **sparse(table))
    log(f"{out.name} written, {out.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--teacher", type=Path, nargs="*", default=[])
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--seed", type=int, default=13)
    options.add_argument("--limit", type=int, default=None, help="stories, for a try")
    for name, value in CHOSEN._asdict().items():
        if not isinstance(value, bool):
            options.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    args = options.parse_args()
    begun = time.time()
    how = network.Settings(**{name: getattr(args, name) for name in network.Settings._fields if hasattr(args, name)})

    def log(text: str) -> None:
        print(f"[{time.time() - begun:5.0f} s] {args.out.stem}: {text}", flush=True)

    learn(args.rows, args.teacher, args.out, how, args.seed, log, args.limit)


if __name__ == "__main__":
    main()
