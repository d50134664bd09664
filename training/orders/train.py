"""Partial orders of crowd-written scripts -> an adapter that orders steps (`networks/step_reader`), on a graphics card.

    python -m training.orders.prepare > orders.json            # here: proScript train and dev, DeScript train, ROCStories train
    python -m training.orders.train orders.json OUT --gguf FILE # there: a minute a seed; adapters of all seeds, and a log

First a warm-up on lists and stories of which only the line is known (DeScript, ROCStories), then proScript's train part. The goal is the
last step. Settings are chosen on a tenth of train that is left out (``--folds``); dev is looked at with what was chosen.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.learning.library.step_edges import closure, edges_of, line_edges
from scenarist.networks import checkpoint
from scenarist.networks.adapters import Lora, Setup
from scenarist.networks.llama import Llama
from scenarist.networks.step_reader import HEADS, WIDTH, pair_logits, shown, step_odds

Record = Mapping[str, Any]
"""``scenario``, ``steps`` (the goal last), ``edges``."""


def learn(
    llama: Llama,
    lora: Lora,
    records: Sequence[Record],
    epochs: int,
    rate: float,
    seed: int,
    size: int = 16,
    say: Callable[[str], None] = print,
) -> None:
    """Train on partial orders, each shown in another shuffled order every time."""
    draw = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(
        [{"params": list(lora.low.values()), "base": rate}, {"params": list(lora.heads.values()), "base": 3 * rate, "weight_decay": 0.0}],
        lr=rate, weight_decay=0.01, betas=(0.9, 0.99),
    )  # fmt: skip
    total, done, begun = epochs * ((len(records) + size - 1) // size), 0, time.time()
    closures = [closure(record["edges"], len(record["steps"])) for record in records]
    lora.train()
    losses: list[float] = []
    for _ in range(epochs):
        order = draw.permutation(len(records))
        for start in range(0, len(order), size):
            pace = min(1.0, (done + 1) / (0.06 * total)) * max(0.02, 1 - done / total)
            for group in optimiser.param_groups:
                group["lr"] = group["base"] * pace
            picked = order[start : start + size]
            turns = [draw.permutation(len(records[index]["steps"])) for index in picked]
            texts = [
                shown(llama, records[index]["scenario"], [records[index]["steps"][number] for number in turn])
                for index, turn in zip(picked, turns, strict=True)
            ]
            loss = torch.zeros((), device=llama.device)
            for index, turn, logits in zip(picked, turns, pair_logits(llama, lora, texts), strict=True):
                n, later = len(turn), closures[index][np.ix_(turn, turn)]
                direct = np.zeros((n, n), np.float32)
                place = {int(step): shown_at for shown_at, step in enumerate(turn)}
                for first, second in records[index]["edges"]:
                    direct[place[first], place[second]] = 1.0
                decided = torch.from_numpy(later).to(llama.device)
                loss = loss + F.softplus(-logits.before[decided]).mean() if later.any() else loss
                others = ~torch.eye(n, dtype=torch.bool, device=llama.device)
                wanted = torch.from_numpy(direct).to(llama.device)
                loss = loss + F.binary_cross_entropy_with_logits(logits.follows[others], wanted[others]) * 3
            loss = loss / len(picked)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(lora.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            losses.append(float(loss.detach()))
            done += 1
    lora.eval()
    say(
        f"  {done} steps in {time.time() - begun:.0f} s, loss {np.mean(losses[:20]):.3f} to {np.mean(losses[-50:]):.3f}"
    )


def examine(odds: Sequence[tuple[np.ndarray, np.ndarray]], records: Sequence[Record]) -> dict[str, float]:
    """Pairs that the gold order decides, and F1 of edges: of the line, and of edges by the next steps."""
    right = pairs = 0
    counts: dict[str, list[int]] = {}
    for (before, follows), record in zip(odds, records, strict=True):
        n, sought = len(record["steps"]), {tuple(edge) for edge in record["edges"]}
        later = closure(record["edges"], n)
        later[:, -1] = False
        right, pairs = right + int((before[later] > 0).sum()), pairs + int(later.sum())
        given = {"line": line_edges(before[:-1, :-1])}
        for bar in (0.2, 0.3, 0.4, 0.5):
            given[f"edges-{bar}"] = edges_of(before, follows, bar)
        for name, edges in given.items():
            row = counts.setdefault(name, [0, 0, 0])
            row[0], row[1], row[2] = row[0] + len(edges & sought), row[1] + len(edges), row[2] + len(sought)
    return {"pairs": right / pairs} | {name: 2 * row[0] / (row[1] + row[2]) for name, row in counts.items()}


def odds_of(
    llama: Llama, lora: Lora, records: Sequence[Record], readings: int = 4
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The numbers of each record."""
    return [step_odds(llama, lora, record["scenario"], record["steps"], readings) for record in records]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folds", action="store_true", help="try settings on a tenth of train that is left out")
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    data = json.loads(given.records.read_text(encoding="utf-8"))
    llama = Llama.read(given.gguf).to(given.device)
    heads = dict.fromkeys(HEADS, (llama.size, WIDTH))

    def trained(
        train: Sequence[Record], warm: int, epochs: int, rate: float, rank: int, drop: float, seed: int
    ) -> Lora:
        torch.manual_seed(seed)
        lora = Lora.fresh(llama, rank, [seed], heads=heads, setup=Setup(drop=drop))
        if warm:
            learn(llama, lora, [*data["descript"], *data["roc"]], warm, rate, seed, 32)
        learn(llama, lora, train, epochs, rate, seed)
        return lora

    if given.folds:
        cut = len(data["train"]) // 10
        held, rest = data["train"][:cut], data["train"][cut:]
        for warm, epochs, rate, rank, drop in (
            (0, 6, 5e-4, 8, 0.05), (0, 12, 5e-4, 8, 0.1), (1, 6, 5e-4, 8, 0.05), (1, 12, 5e-4, 8, 0.1), (1, 12, 2e-4, 16, 0.1), (1, 20, 5e-4, 16, 0.15),
        ):  # fmt: skip
            lora = trained(rest, warm, epochs, rate, rank, drop, 1)
            figures = examine(odds_of(llama, lora, held), held)
            print(
                warm, epochs, rate, rank, drop, {name: round(value, 4) for name, value in figures.items()}, flush=True
            )
        return
    given.out.mkdir(parents=True, exist_ok=True)
    whole = []
    for seed in range(1, given.seeds + 1):
        lora = trained(data["train"], 1, 16, 5e-4, 8, 0.1, seed)
        path = given.out / f"steps-{seed}.safetensors"
        checkpoint.save(path, "steps", {"factor": lora.setup.factor, "rank": 8, "seed": seed}, {}, lora.packed())
        odds = odds_of(llama, lora, data["dev"])
        whole.append(odds)
        print("dev", seed, {name: round(value, 4) for name, value in examine(odds, data["dev"]).items()}, flush=True)
    mean = [
        tuple(np.mean([odds[index][side] for odds in whole], 0) for side in (0, 1)) for index in range(len(data["dev"]))
    ]
    print(
        "dev, mean of seeds", {name: round(value, 4) for name, value in examine(mean, data["dev"]).items()}, flush=True
    )


if __name__ == "__main__":
    main()
