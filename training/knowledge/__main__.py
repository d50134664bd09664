"""Learn what the package knows of everyday scenarios: `python -m training.knowledge [--jobs 2]`.

From the train splits of MCScript, InScript, DeScript and ROCStories on SCENARIST_DATA, through our own reader; writes scripts,
count tables and the slot networks to resources/knowledge, and prints dev figures. Nothing of dev or test is learned from;
no sentence is kept.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from scenarist.learning import knowledge
from scenarist.learning.scripts import script
from scenarist.learning.slots import Tables
from scenarist.learning.tellings import telling
from scenarist.story import Story as Read
from training.knowledge import labels, network
from training.knowledge.reading import gold_tellings, read

HERE = Path(__file__).parents[2] / "src" / "scenarist" / "resources" / "knowledge"
EVIDENCE = "MCScript train, InScript train, DeScript (event sequence descriptions)"


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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--seed", type=int, default=13)
    options.add_argument("--roc", type=int, default=12000, help="ROCStories to learn from, 0 for none")
    options.add_argument("--limit", type=int, default=None, help="stories a corpus, for a try")
    options.add_argument("--epochs", type=int, default=3)
    options.add_argument("--out", type=Path, default=HERE)
    args = options.parse_args()
    begun = time.time()

    def log(text: str) -> None:
        print(f"[{time.time() - begun:6.0f} s] {text}", flush=True)

    by_scenario: dict[str, list[Read]] = defaultdict(list)
    verbs: list[network.Story] = []
    for name, weight in (("mcscript", 1.0), ("inscript", 1.0), ("descript", 0.3)):
        number = 0
        for story in read(name, "train", args.jobs, args.limit):
            by_scenario[story.scenario].append(story)
            told = telling(story)
            verbs.append(
                network.Story(
                    [s.verb for s in told.steps],
                    [s.words for s in told.steps],
                    story.scenario,
                    weight,
                    name != "descript",
                )
            )
            number += 1
        log(f"{name}: {number} stories read")
    if args.roc:
        for story in read("rocstories", "train", args.jobs, args.roc):
            told = telling(story)
            verbs.append(network.Story([s.verb for s in told.steps], [s.words for s in told.steps], "", 0.3))
        log("rocstories read")
    scripts = [script(name, stories, EVIDENCE, most=50) for name, stories in sorted(by_scenario.items())]
    knowledge.write(args.out / "scripts.jsonl.gz", scripts, EVIDENCE)
    log(f"{len(scripts)} scripts written")
    scenarios = sorted(by_scenario)
    dev = []
    for story in read("mcscript", "dev", args.jobs):
        told = telling(story)
        dev.append(network.Story([s.verb for s in told.steps], [s.words for s in told.steps], story.scenario))
    arrays, table = network.train(verbs, scenarios, args.seed, 6, 96, 192, 0.5, args.epochs, 2e-3, log, dev)
    np.savez_compressed(args.out / "verbs.npz", **arrays, **sparse(table))
    own = [
        network.Story([s.label for s in t.steps], [s.words for s in t.steps], t.scenario)
        for t in gold_tellings("train")
    ]
    held = [
        network.Story([s.label for s in t.steps], [s.words for s in t.steps], t.scenario) for t in gold_tellings("dev")
    ]
    names = sorted({story.scenario for story in own})
    arrays, table = network.train(own, names, args.seed, 2, 64, 128, 0.4, 8, 2e-3, log, held, 2, True)
    np.savez_compressed(args.out / "labels.npz", **arrays, **sparse(table))
    np.savez_compressed(args.out / "events.npz", **labels.learn(log))
    log("done")


if __name__ == "__main__":
    main()
