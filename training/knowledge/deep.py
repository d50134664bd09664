"""Rows -> the deep reader of gaps: SmolLM2 with adapters stands at the gap and says which verb, or which script event, is missing.

`python -m training.knowledge.deep --rows FILE --gguf FILE --out FOLDER [--fold 0/2]`; needs torch, transformers and a GPU for a full run (minutes).
One network, two heads: main verbs (every sentence of MCScript, InScript, DeScript and ROCStories taken out in turn) and InScript's labels. Beside
them it learns to tell the sentence that is missing. With ``--fold`` a part of the scenario stories is left out and predicted: what the small
network is taught with, so that no teacher speaks of what it has seen.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from scenarist.networks.llama import Llama
from training.knowledge.deep_network import Answers, Deep, answers, resume, save, scores
from training.knowledge.gaps import Batch, Pool, Task, ahead, encoder, left_out, lines, tasks, vocabulary, wide_share

NEAR = ("mcscript", "inscript", "inscript-labels")
"""Corpora like the exam's: seen throughout. The others are seen mostly at the beginning (``wide_share``)."""
WIDE_TOP, NEAR_TOP, DEV_TOP = 20, 50, 300
"""Answers kept of a gap: of the wide corpora, of the near ones, of dev."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--gguf", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--name", default="deep")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--fold", default="", help="e.g. 0/2: leave out and predict this part of the stories")
    options.add_argument("--rank", type=int, default=16)
    options.add_argument("--rate", type=float, default=4e-4)
    options.add_argument("--least", type=int, default=3)
    options.add_argument("--epochs", type=float, default=3, help="how often the near corpora are seen")
    options.add_argument(
        "--labels",
        choices=("no", "too", "only"),
        default="no",
        help="InScript's labels: not, beside the verbs, or alone",
    )
    options.add_argument("--start", type=Path, default=None, help="go on from these weights")
    options.add_argument("--tell", type=float, default=0.3, help="weight of telling the missing sentence")
    options.add_argument("--tokens", type=int, default=16384, help="a step")
    options.add_argument("--seconds", type=float, default=420, help="the schedule ends here at the latest")
    options.add_argument(
        "--wide", action=argparse.BooleanOptionalAction, default=True, help="with --fold, predict ROCStories as well"
    )
    options.add_argument("--smoke", action="store_true")
    args = options.parse_args()
    begun = time.time()

    def log(text: str) -> None:
        print(f"[{time.time() - begun:5.0f} s] {args.name}: {text}", flush=True)

    def save_answers(answered: Answers, name: str, said: Sequence[Any]) -> None:
        np.savez_compressed(args.out / f"{args.name}-{name}.npz", id=answered.id, top=answered.top, logp=answered.logp, rank=answered.rank,
                            words=np.array(said))  # fmt: skip

    args.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    fold = tuple(map(int, args.fold.split("/"))) if args.fold else None
    rows = lines(args.rows)
    words = vocabulary(rows, args.least)
    rows = [row for row in rows if args.labels == "too" or ("key" in row) == (args.labels == "only")]
    if args.smoke:
        rows = rows[::499]
    llama = Llama.read(args.gguf)
    encode = encoder(llama.tokenizer, rows)
    train = [row for row in rows if row["split"] == "train" and not left_out(row, fold)]
    dev = list(tasks([row for row in rows if row["split"] == "dev"], words, encode, 0.0, 0))
    held = list(tasks([row for row in rows if row["split"] == "train" and left_out(row, fold)], words, encode, 0.0, 0))
    by_corpus: dict[str, list[Task]] = defaultdict(list)
    for one in tasks(train, words, encode, 0.1, args.seed):
        by_corpus[one.corpus].append(one)
    log(
        f"{ {name: len(some) for name, some in by_corpus.items()} }, {len(words.verbs)} verbs, dev {len(dev)}, held {len(held)}"
    )
    llama = llama.to(device, torch.bfloat16 if device == "cuda" else None, whole=True)
    net = Deep(llama, encode, words, args.rank)
    if args.start:
        resume(net, args.start, words)
    adapters, heads = list(net.adapter.parameters()), [net.verbs, net.labels, net.verbs_bias, net.labels_bias]
    optimizer = torch.optim.AdamW([*adapters, *heads], lr=args.rate, weight_decay=0.01, fused=device == "cuda")
    near = Pool([one for name, some in by_corpus.items() if name in NEAR for one in some], args.tokens, args.seed)
    wide = Pool(
        [one for name, some in by_corpus.items() if name not in NEAR for one in some], args.tokens, args.seed + 1
    )
    steps = 3 if args.smoke else max(1, round(args.epochs * near.size / (1 - 0.2 * (wide.size > 0))))
    log(
        f"{near.size} + {wide.size} batches, {steps} steps planned, {sum(p.numel() for p in adapters) / 1e6:.2f} M in adapters"
    )
    asked = {"verbs": [one for one in dev if not one.allowed], "labels": [one for one in dev if one.allowed]}
    done = [0.0]  # part of the schedule, also seen by the thread that makes the batches

    def drawn() -> Iterator[Batch]:
        draw, tell = random.Random(args.seed), np.random.default_rng(args.seed)
        while True:
            pool = wide if wide.size and draw.random() < wide_share(done[0]) else near
            yield Batch.of(pool.next(), len(net.labels), args.tell > 0, tell)

    def check(last: bool = False) -> None:
        for kind, some in asked.items():
            if some:
                found = answers(net, some, args.tokens * 2, device, DEV_TOP)
                log(f"dev {kind} {found}")
                if last:
                    save_answers(found, f"dev-{kind}", words.verbs if kind == "verbs" else words.labels)

    def keep() -> None:
        save(net, args.out / f"{args.name}.safetensors", words, {"rank": args.rank, "seed": args.seed})

    net.train()
    lost, step, start, checks = torch.zeros(2, device=device), 0, time.time(), [0.33, 0.67]
    for batch in ahead(drawn()):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 40) * (1 - done[0])
        batch = batch.to(device)
        logp, telling = scores(net, batch)
        loss = (F.nll_loss(logp, batch.key, reduction="none") * batch.weight).mean()
        (loss + args.tell * telling).backward()
        nn.utils.clip_grad_norm_([*adapters, *heads], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        lost += torch.stack([loss.detach(), telling.detach()])
        step += 1
        done[0] = max(step / steps, (time.time() - start) / args.seconds)
        if step % 100 == 0 or args.smoke:
            log(f"step {step} loss and telling {(lost / (1 if args.smoke else 100)).tolist()}")
            lost.zero_()
        if checks and done[0] > checks[0]:
            check()
            if len(checks) == 1 and not fold:
                keep()
            checks.pop(0)
        if done[0] >= 1:
            break
    log(f"{step} steps, {near.seen:.1f} times the near corpora, {wide.seen:.1f} times the wide ones")
    check(last=True)
    if not fold:
        keep()
    for name, some, most in (
        ("held-verbs", [one for one in held if one.corpus in NEAR and not one.allowed], NEAR_TOP),
        ("held-labels", [one for one in held if one.allowed], NEAR_TOP),
        ("held-wide", [one for one in held if one.corpus == "rocstories" and args.wide], WIDE_TOP),
    ):
        if some:
            found = answers(net, some, args.tokens * 2, device, most)
            log(f"{name} {found}")
            save_answers(found, name, words.labels if name == "held-labels" else words.verbs)
    log("done")


if __name__ == "__main__":
    main()
