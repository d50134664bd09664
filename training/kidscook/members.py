"""All pretrained word models of the release on one graphics card, within a time: jobs in order, several workers.

    python -m training.kidscook.members --out FOLDER --seconds 1200     # once for each worker

Five teachers first, each on four fifths of the abstracts (training/kidscook/lessons.py); then what learns from them (transducers and
word heads, three seeds each), the causal models, and heads of other recipes for the ensemble. A worker takes the first job that nobody
has and whose lessons are there. Each job has a time of its own, by which its rate has fallen to zero if its epochs have not ended before.
A run that was broken off goes on: what has its report is not made again (`--anew` forgets who had taken what).
"""

from __future__ import annotations

import argparse
import time
import traceback
from pathlib import Path
from typing import NamedTuple

import torch

from training.kidscook import lessons, tune

FOLDS = 5
COMMON = ("average=0.98", "dropout=0.1", "size=32")
TAUGHT = (*COMMON, "epochs=4", "redraw=0.5", "taught=0.5")
TEACHER = {"average": 0.98, "dropout": 0.1, "size": 32, "epochs": 3, "redraw": 0.5}
DROPOUT = 0.05
LEARNERS = ("word-head", "pretrained-transducer")


class Job(NamedTuple):
    """A model to be made; ``kind`` "teacher" is a fold. ``most``: seconds it may take."""

    name: str
    kind: str
    seed: int
    most: float
    settings: tuple[str, ...] = ()
    settle: bool = True
    taught: bool = True


JOBS = [
    *(Job(f"fold-{fold}", "teacher", fold, 200) for fold in range(FOLDS)),
    *(Job(f"pretrained-transducer-{seed}", "pretrained-transducer", seed, 520, TAUGHT) for seed in (1, 2, 3)),
    *(Job(f"word-head-{seed}", "word-head", seed, 320, TAUGHT) for seed in (1, 2, 3)),
    *(Job(f"causal-lm-tuned-{seed}", "causal-lm-tuned", seed, 320, ("epochs=3", "size=32")) for seed in (2, 3)),
    Job("word-head-plain-2", "word-head", 2, 260, (*COMMON, "epochs=4"), taught=False),
    Job("word-head-plain-3", "word-head", 3, 260, (*COMMON, "epochs=4"), taught=False),
    Job("untaught-1", "word-head", 1, 260, (*COMMON, "epochs=4", "redraw=0.5"), taught=False),
    Job("aside-1", "word-head", 5, 260, (*TAUGHT, "aside=1.0")),
    Job("word-head-plain-4", "word-head", 4, 260, (*COMMON, "epochs=4", "rate=0.002"), taught=False),
    Job("untaught-transducer-1", "pretrained-transducer", 1, 400, (*COMMON, "epochs=4", "redraw=0.5"), taught=False),
    Job("infill-head-1", "infill-head", 1, 300, (*COMMON, "epochs=4", "redraw=0.5")),
]


def claim(folder: Path, done: set[str]) -> Job | None:
    """The first job that is free and may begin, None where all are taken."""
    over = {path.stem for path in [*folder.glob("lessons/fold-?.npz"), *folder.glob("*.failed")]}
    ready = all(f"fold-{fold}" in over for fold in range(FOLDS))
    waiting = False
    for job in JOBS:
        if job.name in done:
            continue
        if (folder / f"{job.name}.json").exists() or (folder / "lessons" / f"{job.name}.npz").exists():
            done.add(job.name)
            continue
        if job.taught and job.kind in LEARNERS and not ready:
            waiting = True
            continue
        try:
            (folder / f"{job.name}.taken").open("x").close()
        except FileExistsError:
            done.add(job.name)
            continue
        return job
    return Job("", "wait", 0, 0.0) if waiting else None


def do(job: Job, out: Path, until: float, limit: int | None) -> None:
    """Make one model; ``until``: when all are to be done."""
    seconds = max(2.0, min(job.most, until - time.time()))
    if job.kind == "teacher":
        return lessons.teach(job.seed, FOLDS, out / "lessons", "auto", {**TEACHER, "seconds": seconds}, DROPOUT, limit)
    words = [job.kind, job.name, "--seed", str(job.seed), "--out", str(out), "--until", str(time.time() + seconds)]
    words += ["--dropout", str(DROPOUT), "--set", *job.settings]
    if job.settle:
        words.append("--settle")
    if job.taught and job.kind in LEARNERS:
        words += ["--lessons", str(out / "lessons")]
    if limit:
        words += ["--limit", str(limit)]
    tune.run(tune.arguments(words))


def work(out: Path, until: float, limit: int | None = None) -> None:
    """Take jobs until all are taken or the time is short."""
    done: set[str] = set()
    while (job := claim(out, done)) is not None:
        if job.kind == "wait":
            time.sleep(1)
            continue
        left = until - time.time()
        if left < 60 and not limit:
            break
        print(f"begin {job.name}, {left:.0f} s left", flush=True)
        try:
            do(job, out, until, limit)
        except Exception:  # the other jobs go on
            traceback.print_exc()
            (out / f"{job.name}.failed").touch()
        torch.cuda.empty_cache()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--began", type=float, default=time.time())
    parser.add_argument("--anew", action="store_true", help="nobody has taken anything yet; then stop")
    parser.add_argument("--limit", type=int, help="the first rows only, to try things out")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.anew:
        for path in [*given.out.glob("*.taken"), *given.out.glob("*.failed")]:
            path.unlink()
        return
    work(given.out, given.began + given.seconds, given.limit)


if __name__ == "__main__":
    main()
