"""Fine-tune a pretrained word model on KidsCook with adapters: pairs -> `OUT/NAME.safetensors` and what it measured.

    python -m training.kidscook.tune word-head word-head-1 --seed 1 --set rank=32 epochs=6 smooth=0.1 agree=1 average=0.996

Every 25th abstract of the training set is held out. The epoch and the temperature are chosen there (least surprisal), dev is
only measured. What is measured is the checkpoint as it comes back from the file (bytes and scales), so the figures are those of the
release. `--lessons FOLDER` (training/kidscook/lessons.py) adds what a teacher says of texts it has not learned from (`--set taught=0.5`),
and shows a share (`--own`) of the texts with that teacher's own words in their blanks.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scenarist.corpora.kidscook import KidsCook
from scenarist.models.words.base import hidden_words, rows_of
from scenarist.models.words.batches import Admissible, PairRow, lengths
from scenarist.models.words.pretrained import learned, redraw, shorten, tune
from scenarist.models.words.pretrained_transducer import PretrainedTransducer
from scenarist.networks import checkpoint as word_checkpoint
from scenarist.registry import make
from training.kidscook import lessons
from training.kidscook.measuring import halves, measure, oracle
from training.kidscook.networks import prepare


def hidden(row: PairRow) -> PairRow:
    """The row with its text shown before it, blanks hidden."""
    return row._replace(template=hidden_words(row))


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["word-head", "infill-head", "pretrained-transducer", "causal-lm-tuned"])
    parser.add_argument("name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=Path("release/kidscook"))
    parser.add_argument("--set", nargs="*", default=[], help="settings of the model and of its tuning, as name=value")
    parser.add_argument("--dropout", type=float, default=0.0, help="of each layer's additions to the states")
    parser.add_argument("--full", action="store_true", help="train all matrices; what is saved is cut to the rank")
    parser.add_argument("--lessons", type=Path, help="a folder of training.kidscook.lessons")
    parser.add_argument("--own", type=float, default=0.0, help="share of the texts shown with the teacher's own fills")
    parser.add_argument(
        "--settle",
        action="store_true",
        help="draw fewer and fewer blanks anew, none at the end (the mean share is `redraw`)",
    )
    parser.add_argument(
        "--until", type=float, default=float("inf"), help="be done with training by this time (of `date +%%s`)"
    )
    parser.add_argument("--limit", type=int, help="the first rows only, to try things out")
    return parser.parse_args(words)


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Fine-tune, save, and measure what was saved."""
    began = time.monotonic()
    settings = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given.set)}
    model = prepare(given.kind, given.seed, given.device, settings, given.dropout, given.full)
    network, tuning = model.network_, model.tuning
    allowed: Admissible = model.admissible("kidscook")
    rows = [shorten(row, tuning.cut) for row in rows_of(KidsCook(split="train"))]
    learn, out = halves(rows)
    taught = lessons.load(given.lessons, rows, allowed) if given.lessons else lessons.Taught({}, {}, {})
    network.lessons = taught.lessons
    parts = {
        "train": [rows[at] for at in learn],
        "held": [rows[at] for at in out],
        "dev": rows_of(KidsCook(split="dev")),
    }
    parts = {
        name: [hidden(row) if given.kind == "infill-head" else row for row in some[: given.limit]]
        for name, some in parts.items()
    }
    if isinstance(network, PretrainedTransducer):
        network.set_ratio(*lengths(parts["train"], tuning.cut))
    redrawn = float(model.own.get("redraw", 0.0))

    shown, all_shown = 0, tuning.epochs * len(parts["train"])

    def change(row: PairRow, chance: random.Random) -> PairRow:
        nonlocal shown
        shown += 1
        if given.own and taught.fills.get(row) and chance.random() < given.own:
            return row._replace(fed=chance.choice(taught.fills[row]))
        share = min(1.0, 2 * redrawn * (1 - shown / all_shown)) if given.settle else redrawn
        if not redrawn or chance.random() >= share:
            return row
        other = chance.choice(taught.others[row]) if taught.others.get(row) else redraw(row, allowed, chance)
        return hidden(other) if row.template else other

    weights = [weight for weight in network.parameters() if weight.requires_grad]
    best: dict[str, Any] = {}
    history: list[dict[str, Any]] = []

    def after(epoch: int) -> bool:
        if given.kind == "causal-lm-tuned":  # a fixed number of epochs
            best.update(weights=[weight.detach().clone() for weight in weights], temperature=1.0, epoch=epoch)
            return False
        if 2 * epoch < tuning.epochs:  # never the best: the rate is still high
            return False
        found = measure(*oracle(network.logits, parts["held"], allowed))
        line = {"epoch": epoch, "seconds": round(time.monotonic() - began), "held": found}
        history.append(line)
        print(given.name, json.dumps(line), flush=True)
        if not best or found["surprisal"] < best["surprisal"]:
            kept = [weight.detach().clone() for weight in weights]
            best.update(weights=kept, temperature=found["temperature"], surprisal=found["surprisal"], epoch=epoch)
        return False

    if given.until < float("inf"):
        tuning = tuning._replace(seconds=max(1.0, given.until - time.time()))
    tune(network, parts["train"], tuning, change, lambda line: print(given.name, line, flush=True), after)
    if not best:  # out of time early
        after(tuning.epochs)
    with torch.no_grad():
        for weight, kept in zip(weights, best.pop("weights"), strict=True):
            weight.copy_(kept)
    saved = {"base": model.base, "rank": tuning.rank, "scale": tuning.scale, "seed": given.seed, **model.own}
    saved["temperature"] = best["temperature"]
    path = given.out / f"{given.name}.safetensors"
    lists = {"vocabulary": model.vocabulary_.words, "whitelist": model.whitelist_}
    word_checkpoint.save(path, given.kind, saved, lists, word_checkpoint.shrink(learned(network)))
    report: dict[str, Any] = {
        "name": given.name, "kind": given.kind, "seed": given.seed, "set": settings, "dropout": given.dropout, "full": given.full,
        "lessons": len(taught.lessons), "own": given.own, "settle": given.settle, "epoch": best["epoch"], "temperature": best["temperature"], "history": history,
    }  # fmt: skip
    if given.kind != "causal-lm-tuned":
        report |= of_release(given, path, parts)
    report["seconds"] = round(time.monotonic() - began)
    (given.out / f"{given.name}.json").write_text(json.dumps(report, indent=1))
    print(given.name, json.dumps({name: value for name, value in report.items() if name != "history"}), flush=True)
    return report


def of_release(given: argparse.Namespace, path: Path, parts: dict[str, list[PairRow]]) -> dict[str, Any]:
    """What the saved file measures on the held-out texts and on dev; its best words go to an `npz` beside it."""
    released = make("model", given.kind, weights=str(path), device=given.device).fit(())
    allowed = released.admissible("kidscook")
    report: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for split in ("held", "dev"):
        table, keys, blanks = oracle(released.network(), parts[split], allowed)
        report[f"released_{split}"] = measure(table, keys, blanks, released.temperature)
        top = (table / released.temperature).log_softmax(1).topk(32)
        kept |= {
            f"{split}_ids": top.indices.numpy().astype(np.uint16), f"{split}_logp": top.values.numpy().astype(np.float16),
            f"{split}_keys": keys.numpy().astype(np.uint16),
        }  # fmt: skip
    np.savez_compressed(path.with_suffix(".npz"), **kept)
    return report


if __name__ == "__main__":
    run(arguments())
