"""Which recipe for DSSM? Trains a grid of them, then the best on Story Cloze validation with three seeds; made pairs of held-out stories beside it.

    python -m training.storycloze.dssm_grid texts.json.xz --out out/storycloze --budget 400

``texts.json.xz`` holds ``stories`` (lists of five sentences), ``dev`` (which of them are held out), ``items`` (context, endings, answer).
The made endings come from `learning/negatives`, in several processes.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import random
from pathlib import Path

import numpy as np
import torch

from scenarist.learning.wrong_endings import Negatives
from scenarist.models.endings.dssm import DssmRecipe, Letters, Tower, TrigramCounts, learn, pack
from training.storycloze.job import Job

KINDS = ("nearest", "nearest2", "flipped", "backward", "backward2")
MAKER: list[Negatives] = []


def made(story: list[str]) -> list[str]:
    """One wrong ending of every kind, empty where there is none."""
    dice = random.Random(" ".join(story))
    turns = {
        "nearest": dice.randrange(3),
        "nearest2": 3 + dice.randrange(5),
        "flipped": 0,
        "backward": 0,
        "backward2": 1,
    }
    found = [MAKER[0].make(story, kind.rstrip("2"), turns[kind]) for kind in KINDS]
    return [one.text if one else "" for one in found]


def cosines(towers: tuple[Tower, Tower], stories: TrigramCounts, endings: TrigramCounts) -> np.ndarray:
    """Cosine of each story with its ending."""
    with torch.no_grad():
        return (towers[0](stories) * towers[1](endings)).sum(-1).cpu().numpy()


def grid() -> list[tuple[str, tuple[str, ...], DssmRecipe]]:
    """Names, kinds of made endings, recipes."""
    near, plain = ("nearest", "nearest2", "flipped"), DssmRecipe(epochs=12, dropout=0.5)
    return [
        ("all", KINDS, plain),
        ("others only", (), plain),
        ("nearest, flipped; no others", near, plain._replace(others=False)),
        ("all; no others", KINDS, plain._replace(others=False)),
        ("flipped, backward", ("flipped", "backward", "backward2"), plain),
        ("all, made 3, scale 20", KINDS, plain._replace(made=3.0, scale=20.0)),
        ("all, dropout 0.3", KINDS, plain._replace(dropout=0.3)),
        ("nearest, flipped", near, plain),
        ("all, made 3, scale 5", KINDS, plain._replace(made=3.0, scale=5.0)),
        ("all, dropout 0.7", KINDS, plain._replace(dropout=0.7)),
    ]


def main() -> None:
    """Run the grid while there is time; every recipe's figures after every fourth epoch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--out", type=Path, default=Path("out/storycloze"))
    parser.add_argument("--budget", type=float, default=400.0)
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    job = Job(given.out, given.budget, given.tiny)
    with lzma.open(given.texts, "rt", encoding="utf-8") as file:
        texts = json.load(file)
    stories, dev = texts["stories"], np.array(texts["dev"])
    if given.tiny:
        stories, dev = stories[:400], dev[:400]
    MAKER.append(Negatives(seed=13).fit(stories))
    with multiprocessing.get_context("fork").Pool(2 if given.tiny else 8) as pool:
        endings = pool.map(made, stories, chunksize=200)
    job.say(
        f"{len(stories)} stories, made endings: {[sum(bool(row[k]) for row in endings) for k in range(len(KINDS))]}"
    )
    train, held = np.flatnonzero(~dev), np.flatnonzero(dev)
    letters = Letters([stories[at] for at in train], least=20)

    def on(counts: TrigramCounts) -> TrigramCounts:
        return TrigramCounts(counts.ids.to(job.device), counts.weights.to(job.device))

    def rows(which: np.ndarray, kind: int | None) -> TrigramCounts:
        picked = [[stories[at][4]] if kind is None else [endings[at][kind]] for at in which]
        return on(letters.counts(picked))

    told = on(letters.counts([stories[at][:4] for at in train]))
    right = rows(train, None)
    wrong = {kind: rows(train, number) for number, kind in enumerate(KINDS)}
    held_told, held_right = on(letters.counts([stories[at][:4] for at in held])), rows(held, None)
    held_wrong = {kind: rows(held, number) for number, kind in enumerate(KINDS)}
    items = texts["items"]
    asked = on(letters.counts([item["context"] for item in items]))
    choices = [on(letters.counts([[item["endings"][k]] for item in items])) for k in range(2)]
    answer = np.array([item["answer"] for item in items])
    job.say(f"{len(letters.known)} trigrams, {len(train)} to train on, {len(held)} held out, {len(items)} items")

    def run(name: str, kinds: tuple[str, ...], recipe: DssmRecipe, seed: int, keep: bool = False) -> float:
        """Train one; its accuracy on Story Cloze, and how often it finds the told ending of a held-out story."""
        towers = learn(letters, told, right, [wrong[kind] for kind in kinds], recipe, seed, job.device)
        first, second = (cosines(towers, asked, one) for one in choices)
        cloze = float(((second > first) == (answer == 1)).mean())
        good = cosines(towers, held_told, held_right)
        shares = {}
        for kind, other in held_wrong.items():
            there = (other.ids[:, 0] > 0).cpu().numpy()
            shares[kind] = round(float((good > cosines(towers, held_told, other))[there].mean()), 3)
        job.say(f"{name}, {recipe.epochs} epochs, seed {seed}: Story Cloze {cloze:.4f}; made pairs {shares}")
        if keep:
            job.save(
                "dssm",
                [pack(letters, towers)],
                {"what": f"DSSM, wrong endings: {' '.join(kinds)}", "recipe": recipe._asdict(), "seed": seed},
            )
        return cloze

    found: list[tuple[float, str, tuple[str, ...], DssmRecipe]] = []
    for name, kinds, recipe in grid():
        if found and job.left() < 0.4 * job.budget:
            job.say("no time for more recipes")
            break
        recipe = recipe._replace(epochs=1, batch=32) if given.tiny else recipe
        found.append((run(name, kinds, recipe, 1), name, kinds, recipe))
    _, name, kinds, recipe = max(found, key=lambda one: one[0])
    for seed in (1, 2, 3):
        run(f"best ({name})", kinds, recipe if given.tiny else recipe._replace(epochs=24), seed, keep=seed == 1)


if __name__ == "__main__":
    main()
