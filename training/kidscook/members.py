"""All pretrained word models of the release on one graphics card, within a time: jobs in order, several workers, one schedule.

    python -m training.kidscook.members --out FOLDER --seconds 330     # once for each worker

Five teachers first, each on four fifths of the abstracts (training/kidscook/lessons.py), and a head without lessons beside them; then the
heads and transducers that learn from them, and the causal models. Each job has a share of the time by which its rate has fallen to zero. A
worker takes the first job that nobody has and whose lessons are there.
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
HEAD = ["average=0.99", "dropout=0.2", "redraw=0.5", "agree=0.5", "size=48"]
TRANSDUCER = ["average=0.99", "dropout=0.2", "redraw=0.4", "size=48", "epochs=4", "taught=0.5"]


class Job(NamedTuple):
    """A model to be made; ``kind`` "teacher" is a fold. ``by``: when it is done, as a share of the time."""

    name: str
    kind: str
    seed: int
    by: float
    settings: tuple[str, ...] = ()
    own: float = 0.0
    taught: bool = True


JOBS = [
    *(Job(f"fold-{fold}", "teacher", fold, 0.13 if fold < 3 else 0.27) for fold in range(FOLDS)),
    Job("plain-1", "word-head", 1, 0.27, (*HEAD, "epochs=5"), taught=False),
    *(Job(f"word-head-{seed}", "word-head", seed, 0.48, (*HEAD, "epochs=6", "taught=0.5")) for seed in (1, 2, 3)),
    *(Job(f"pretrained-transducer-{seed}", "pretrained-transducer", seed, 0.74, tuple(TRANSDUCER)) for seed in (1, 2, 3)),
    Job("own-1", "word-head", 1, 0.88, (*HEAD, "epochs=6", "taught=0.5"), own=0.4),
    *(Job(f"causal-lm-tuned-{seed}", "causal-lm-tuned", seed, 0.88, ("epochs=3", "size=32")) for seed in (1, 2, 3)),
    Job("wide-1", "word-head", 4, 1.0, (*HEAD, "epochs=6", "taught=0.7", "rank=32", "scale=64")),
    Job("infill-head-1", "infill-head", 1, 1.0, (*HEAD, "epochs=6")),
]


def claim(folder: Path, done: set[str]) -> Job | None:
    """The first job that is free and may begin, None where all are taken."""
    over = {path.stem for path in [*folder.glob("lessons/fold-?.npz"), *folder.glob("*.failed")]}
    ready = all(f"fold-{fold}" in over for fold in range(FOLDS))
    waiting = False
    for job in JOBS:
        if job.name in done:
            continue
        if job.taught and job.kind in ("word-head", "pretrained-transducer") and not ready:
            waiting = True
            continue
        try:
            (folder / f"{job.name}.taken").open("x").close()
        except FileExistsError:
            done.add(job.name)
            continue
        return job
    return Job("", "wait", 0, 0.0) if waiting else None


def do(job: Job, out: Path, began: float, seconds: float, limit: int | None) -> None:
    until = began + job.by * seconds
    left = max(1.0 if limit else 4.0, until - time.time())
    if job.kind == "teacher":
        settings = {"epochs": 4, "size": 48, "redraw": 0.5, "average": 0.99, "dropout": 0.2, "seconds": left}
        return lessons.teach(job.seed, FOLDS, out / "lessons", "auto", settings, 0.1, limit)
    words = [job.kind, job.name, "--seed", str(job.seed), "--out", str(out), "--dropout", "0.1", "--until", str(time.time() + left)]
    words += ["--set", *job.settings, "--own", str(job.own)]
    if job.taught and job.kind in ("word-head", "pretrained-transducer"):
        words += ["--lessons", str(out / "lessons")]
    if limit:
        words += ["--limit", str(limit)]
    tune.run(tune.arguments(words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--began", type=float, default=time.time())
    parser.add_argument("--limit", type=int, help="the first rows only, to try things out")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    done: set[str] = set()
    while (job := claim(given.out, done)) is not None:
        left = given.began + given.seconds - time.time()
        if left < (-600 if given.limit else 15):
            break
        if job.kind == "wait":
            time.sleep(1)
            continue
        print(f"begin {job.name}, {left:.0f} s left", flush=True)
        try:
            do(job, given.out, given.began, given.seconds, given.limit)
        except Exception:  # the other jobs go on
            traceback.print_exc()
            (given.out / f"{job.name}.failed").touch()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
