"""Labelled sentences -> the network we carry (`network.py`), on a CPU or a GPU.

It learns from gold sentences and, where a teacher's labels are given (`teacher.py`), from sentences labelled by a larger network.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from training.reader import exchange
from training.reader.augment import noun_or_verb
from training.reader.batches import Row, ahead, batches, prepare, read, ready, tensors
from training.reader.network import Net, Words, load, mean, save
from training.reader.scoring import loss_of, score


def fit(
    gold: list[Row],
    silver: list[Row],
    dev: list[Row],
    vectors: Path,
    out: Path,
    *,
    seed: int = 1,
    seconds: float = 1e9,
    epochs: float = 12,
    repeat: int = 3,
    batch: int = 3000,
    rate: float = 2e-3,
    dropout: float = 0.33,
    state: int = 128,
    device: str = "cpu",
    log: Any = print,
    every: float = 90,
    start: Path | None = None,
    both: list[str] | None = None,
) -> dict[str, dict[str, float]]:
    """Trains and writes `out` (npz). An epoch is all silver and `repeat` times the gold; the schedule ends at `seconds` at the latest.

    ``start`` is a network to go on from, with its own words and labels; ``both`` are words to put in the place of others (`augment.swapped`).
    """
    rng = random.Random(seed)
    torch.manual_seed(seed)
    labels = {key: sorted({one for sentence in gold for one in sentence.get(key, []) if one}) for key in "tde"}
    if start:
        words, labels, net = load(start, dropout)
    else:
        with np.load(vectors) as arrays:
            words = Words(str(arrays["words"]).split("\n"))
            net = Net(arrays["rows"].astype("float32") * arrays["scale"][:, None], labels, dropout, state)
    prepare(gold, labels), prepare(silver, labels), prepare(dev, labels)
    net = net.to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=rate, betas=(0.9, 0.95), fused=device == "cuda")
    pool = (silver + gold * repeat) if silver else gold
    steps = int(epochs * len(batches(pool, batch, random.Random(0))))
    warm = min(300, steps // 10 + 1)
    average = {name: value.detach().clone() for name, value in net.state_dict().items()}
    begun, step, part, said = time.time(), 0, 0.0, time.time()
    while part < 1.0:
        for given, truth in ahead(tensors(cut, words, rng, device, both) for cut in batches(pool, batch, rng)):
            part = max(step / steps, (time.time() - begun) / seconds)
            if part >= 1.0:
                break
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / warm) * max(0.02, 1.0 - part)
            net.train()
            found = net(given)
            deps = net.labels(found["pair"], truth["h"])
            loss = (
                loss_of(found["h"], truth["h"])
                + loss_of(deps, truth["d"])
                + loss_of(found["t"], truth["t"])
                + 0.5 * loss_of(found["e"], truth["e"])
                + 0.5 * loss_of(found["r"], truth["r"])
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            step += 1
            if step % 10 == 0:
                decay = min(0.99, step / (step + 100))
                for name, value in net.state_dict().items():
                    average[name].mul_(decay).add_(value, alpha=1 - decay)
            if time.time() - said > every:
                said = time.time()
                log("step", step, "of", steps, "part", round(part, 3), score(net, dev, words, labels, device))
                save(net, words, labels, out)
    net.load_state_dict(average)
    figures = score(net, dev, words, labels, device)
    log("done", step, figures)
    save(net, words, labels, out)
    return figures


def train_one(work: Path, seed: int, seconds: float = 1e9) -> None:
    """One network from the files of ``work`` -> network{seed}.npz and its dev figures, network{seed}.json.

    With a teacher's labels it is the mean of a long run and a short one that goes on from it (`polish`), in which words of two classes
    take each other's places. All ends after about ``seconds``: seven eighths for the long run."""
    begun, device = time.time(), ready()
    gold, dev = read(work / "train.jsonl.gz"), read(work / "dev.jsonl.gz")
    found, out = work / "silver.npz", work / f"network{seed}.npz"
    silver = list(exchange.silver(work / "raw.jsonl.gz", found)) if found.exists() else []
    both = noun_or_verb(chain(gold, silver), verbs(work))
    say = partial(print, f"seed {seed}:", flush=True)
    say(f"{len(gold)} gold sentences, {len(silver)} of the teacher, {len(both)} words of both classes")
    long = work / f"network{seed}-long.npz" if silver else out
    figures = fit(
        gold,
        silver,
        dev,
        work / "vectors.npz",
        long,
        seed=seed,
        seconds=seconds * 7 / 8 - (time.time() - begun) if silver else seconds,
        epochs=12 if silver else 25,
        repeat=4,
        batch=6000 if silver else 3000,
        rate=3e-3 if silver else 2e-3,
        dropout=0.25 if silver else 0.33,
        device=device,
        both=None if silver else both,
        log=say,
    )
    if silver:
        short = work / f"network{seed}-short.npz"
        polish(gold, silver, dev, long, short, both, max(20.0, seconds - (time.time() - begun) - 15), device, say)
        mean(long, short, out)
        words, labels, net = load(out)
        figures = score(net.to(device), dev, words, labels, device)
        say("mean of both", figures)
    (work / f"network{seed}.json").write_text(json.dumps(figures), encoding="utf-8")


def verbs(work: Path) -> list[str]:
    """WordNet's verbs of one word, as the stage `rows` left them."""
    path = work / "verbs.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def rarely(rows: list[Row], share: float = 0.3, least: int = 4) -> list[Row]:
    """The rows that use a word in the rarer of its two classes, noun or verb (*the sailors began to row*)."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for word, tag in zip(row["w"], row["t"], strict=True):
            if tag.startswith(("NOUN/", "VERB/")):
                counts.setdefault(word.lower(), Counter())[tag[:4]] += 1
    rare = {
        (word, kind)
        for word, count in counts.items()
        for kind, number in count.items()
        if count.total() >= least and number <= share * count.total()
    }
    return [
        row
        for row in rows
        if any((word.lower(), tag[:4]) in rare for word, tag in zip(row["w"], row["t"], strict=True))
    ]


def polish(
    gold: list[Row],
    silver: list[Row],
    dev: list[Row],
    start: Path,
    out: Path,
    both: list[str],
    seconds: float,
    device: str,
    log: Any,
) -> None:
    """Goes on from a network for an epoch of gold sentences, the teacher's with rare uses of words, and as many others."""
    rare = rarely(silver)
    others = random.Random(9).sample(silver, min(len(rare), len(silver)))
    log(f"polished on {len(gold)} gold sentences, {len(rare)} with a rare use of a word, {len(others)} others")
    fit(
        gold, rare + others, dev, start, out, seed=9, seconds=seconds, epochs=1, repeat=1, batch=3000, rate=6e-4, dropout=0.2,
        device=device, start=start, both=both, log=log,
    )  # fmt: skip


def best(work: Path) -> Path:
    """The network with the best dev figures: core arguments on EWT, GUM and its fiction, and realis."""

    def worth(path: Path) -> float:
        found = json.loads(path.read_text(encoding="utf-8"))
        return float(sum(found[group]["core"] for group in ("ewt", "gum", "gum-fiction")) + found["litbank"]["realis"])

    return max(sorted(work.glob("network?.json")), key=worth).with_suffix(".npz")
