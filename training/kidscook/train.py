"""Train the KidsCook word models and save them: pairs -> `out/kidscook/NAME[-VARIANT]-SEED.safetensors` (or --out).

    python -m training.kidscook.train lstm-lm seq2seq seq2seq-attention transducer transducer-param --seeds 1 2 3 --set dropout=0.2 hard=false
    python -m training.kidscook.train transducer seq2seq-attention --seeds 1 2 3 --variant both --set dropout=0.2 hard=false both=true
    python -m training.kidscook.train word-head pretrained-transducer causal-lm-tuned --device cuda

`hard=false` keeps the transducers to the marginal likelihood; without it Viterbi EM follows after ten epochs (`transducer-em-1` was made so).
`--variant` is a name for the files; `python -m experiments.kidscook.train` trains the variants that follow the paper's code.
Dev decides when to stop, as in the paper. After each model its figures on dev (match, top-5, surprisal; oracle and greedy; spans) are
printed. What the runs printed that made the released in-domain files is in
results/runs/kidscook-in-domain-dev.json.

Each file says in its header how it was made. A file that was made with the same settings is not made again (its measures are printed as they
are), so that an interrupted run goes on; `--again` makes it anew. A file that the clock cut short (`--seconds`) does not count.
`python -m training.publish kidscook FILES` takes files over into the release.

Networks are small, so they are trained side by side (`--jobs`), each on its share of the cores, rather than one on all of them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from scenarist.corpora.kidscook import KidsCook
from scenarist.errors import ScenaristError
from scenarist.learning.alignments import shape
from scenarist.models.words.base import WordModel, pick_device
from scenarist.models.words.in_domain import STOPPED
from scenarist.networks import checkpoint
from scenarist.registry import make
from scenarist.story import Pair
from training.kidscook.measuring import examined
from training.kidscook.settings import grouped, parsed

OUT = Path("out") / "kidscook"
CARD_JOBS = 8
"""Networks that a graphics card trains at a time unless told otherwise."""


def measured(model: WordModel, dev: Sequence[Pair]) -> dict[str, float]:
    """What the exam says of a trained model, and the mean length of its spans."""
    figures = examined(model, dev)
    if hasattr(model, "align"):
        figures["span/viterbi"] = shape(model.align(dev), {}).span
    return figures


def made_already(path: Path, what: dict[str, Any]) -> dict[str, Any]:
    """The note of a file that was made in this way and to the end; else nothing."""
    note = checkpoint.note(path)
    return note if not note.get("stopped") and {key: note.get(key) for key in what} == what else {}


class Part(KidsCook):
    """A part of the corpus, or its beginning."""

    def __init__(self, split: str, limit: int | None) -> None:
        super().__init__(split=split)
        self.limit = limit

    def __iter__(self) -> Iterator[Pair]:
        return islice(super().__iter__(), self.limit)


def make_one(name: str, seed: int, given: argparse.Namespace) -> dict[str, Any]:
    """Train, save, measure; or only what of it is missing."""
    variant, settings = given.variant, given.settings
    target = given.targets.get(name, name)
    path = given.out / f"{'-'.join(filter(None, (name, variant, str(seed))))}.safetensors"
    what = {"model": name, "seed": seed, "variant": variant, "set": settings, "limit": given.limit}
    note = {} if given.again else made_already(path, what)
    if note:
        print(f"{path.name}: made already with {json.dumps(settings)} (--again makes it anew)", flush=True)
        if "scores" in note:
            return note
        model = make("model", target, weights=str(path), variant=variant, seed=seed, device=given.device).fit(())
    else:
        print(f"{path.name}: {json.dumps(settings)}", flush=True)
        began, worked, lines = time.monotonic(), time.process_time(), list[str]()

        def log(line: str) -> None:
            lines.append(line)
            print(f"   {path.stem}: {line}", flush=True)

        limit = {"seconds": given.seconds} if given.seconds else {}
        model = make(
            "model", target, variant=variant, seed=seed, device=given.device, **grouped(target, {**settings, **limit})
        )
        model.log = log
        model.fit(Part("train", given.limit), held=Part("dev", given.limit))
        model.save(path)
        note = {
            **what, "epochs": sum(line.startswith("epoch") for line in lines), "stopped": any(line.startswith(STOPPED) for line in lines),
            "device": model.device, "seconds": round(time.monotonic() - began), "cpu_seconds": round(time.process_time() - worked),
        }  # fmt: skip
        checkpoint.add_note(path, note)
    note["scores"] = {key: round(value, 4) for key, value in measured(model, list(Part("dev", given.limit))).items()}
    checkpoint.add_note(path, note)
    return note


def share_cores(jobs: int) -> None:
    """In a process beside others: its share of the cores; Ctrl-C ends it without a word (the parent has one)."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // jobs))


def make_all(todo: Sequence[tuple[str, int]], given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The notes of all networks, as they are ready."""
    jobs = min(given.jobs or (os.cpu_count() or 1 if pick_device(given.device) == "cpu" else CARD_JOBS), len(todo))
    if jobs == 1:
        yield from (make_one(*job, given) for job in todo)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), share_cores, (jobs,)) as pool:
        try:
            for ready in as_completed([pool.submit(make_one, *job, given) for job in todo]):
                yield ready.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def arguments() -> argparse.ArgumentParser:
    """What may be typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--variant", default="", help="a name for the files, e.g. both")
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--jobs", type=int, default=0, help=f"networks at a time; 0: one a core, {CARD_JOBS} on a graphics card"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--set", nargs="*", default=[], help="settings as name=value, e.g. epochs=3 rate=0.0005")
    parser.add_argument("--limit", type=int, default=None, help="learn from the first pairs only (to try things out)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=0.0,
        help="stop training a model after this time; the best epoch so far is kept",
    )
    parser.add_argument("--again", action="store_true", help="train what was trained already, too")
    return parser


def main(words: Sequence[str] | None = None, targets: Mapping[str, str] | None = None) -> None:
    """Make what is asked for; ``targets``: model -> `module:Class` where it is not the registered one."""
    parser = arguments()
    given = parser.parse_args(words)
    given.settings, given.targets = parsed(given.set, parser), dict(targets or {})
    todo = [(name, seed) for seed in given.seeds for name in given.models]
    try:
        for number, note in enumerate(make_all(todo, given), 1):
            print(f"{number} of {len(todo)} {json.dumps(note)}", flush=True)
    except (KeyboardInterrupt, BrokenProcessPool):
        print("\nstopped: the same command goes on with what is missing", file=sys.stderr)
        raise SystemExit(130) from None
    except ScenaristError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
