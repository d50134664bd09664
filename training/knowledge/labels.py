"""InScript's labels -> the ranker of missing script events: a small network over count features, one candidate at a time.

Features of a training story come from tables of the other folds; the loss is over all candidates of a hole. Two networks: with the
place of the missing event and without. Several seeds are averaged by being kept side by side.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from scenarist.learning.label_tables import NAMES, Hole, LabelTables, count, holes
from scenarist.learning.tellings import is_script
from scenarist.registry import make
from training.knowledge.reading import canonical, held_out, marks

FOLDS = 10
SEEDS = (1, 2, 3, 4, 5)
WIDTH = 24


class Sequenced(NamedTuple):
    """A telling as labels in order."""

    labels: list[str]
    scenario: str


class Asked(NamedTuple):
    """Features of the candidates of one hole (c, f), and which one it is."""

    features: np.ndarray
    key: int


def sequences(split: str) -> list[Sequenced]:
    """InScript's tellings; train without stories that are also in a dev split."""
    return [
        Sequenced([event.label for event in story.events if is_script(event.label)], canonical(story.scenario))
        for story in make("corpus", "inscript", split=split)
        if split != "train" or not marks(story.text) & held_out()
    ]


def asked(tables: LabelTables, tellings: Sequence[Sequenced], placed: bool) -> list[Asked | None]:
    """All holes of some tellings; None where the missing event is no candidate."""
    found: list[Asked | None] = []
    for one in tellings:
        scenario = tables.scenario[one.scenario]
        ids = [tables.label.get(label, -1) for label in one.labels]
        for hole, key in holes([x for x in ids if x >= 0], scenario):
            hole = Hole(hole.scenario, hole.before, hole.after, placed)
            able = tables.candidates(hole)
            at = np.flatnonzero(able == key)
            found.append(Asked(tables.features(hole)[:, able].T, int(at[0])) if len(at) else None)
    return found


class Ranker(nn.Module):
    """(candidates, features) -> (candidates,): one hidden layer and a straight way past it."""

    def __init__(self, drop: float) -> None:
        super().__init__()
        self.hidden, self.out, self.straight = nn.Linear(len(NAMES), WIDTH), nn.Linear(WIDTH, 1), nn.Linear(len(NAMES), 1, bias=False)
        self.drop = nn.Dropout(drop)
        nn.init.zeros_(self.straight.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.out(self.drop(torch.relu(self.hidden(x)))) + self.straight(x)).squeeze(-1)


def train(rows: Sequence[Asked], seed: int, epochs: int = 12, rate: float = 3e-3, drop: float = 0.1) -> Ranker:
    """A ranker of standardised features."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    net = Ranker(drop)
    steps = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01)
    rows = list(rows)
    size = 64
    schedule = torch.optim.lr_scheduler.OneCycleLR(steps, rate, total_steps=epochs * -(-len(rows) // size) + 1, pct_start=0.1)
    for _ in range(epochs):
        draw.shuffle(rows)
        for start in range(0, len(rows), size):
            batch = rows[start : start + size]
            widest = max(len(one.features) for one in batch)
            x = np.zeros((len(batch), widest, len(NAMES)), np.float32)
            mask = np.full((len(batch), widest), -1e4, np.float32)
            for number, one in enumerate(batch):
                x[number, : len(one.features)] = one.features
                mask[number, : len(one.features)] = 0
            logits = net(torch.from_numpy(x)) + torch.from_numpy(mask)
            loss = nn.functional.cross_entropy(logits, torch.tensor([one.key for one in batch]))
            steps.zero_grad()
            loss.backward()
            steps.step()
            schedule.step()
    return net.eval()


def recall(rows: Sequence[Asked | None], score: Callable[[np.ndarray], np.ndarray]) -> float:
    """recall@1 with ties at their expected share."""
    hits = 0.0
    for one in rows:
        if one is not None:
            scores = score(one.features)
            best = scores == scores.max()
            hits += float(best[one.key]) / best.sum()
    return round(hits / len(rows), 4)


def learn(log: Callable[[str], None]) -> dict[str, Any]:
    """Tables and rankers as arrays; prints dev figures."""
    own, dev = sequences("train"), sequences("dev")
    labels = sorted({label for one in own for label in one.labels})
    scenarios = sorted({one.scenario for one in own})
    draw = random.Random(13)
    fold = [draw.randrange(FOLDS) for _ in own]
    whole = count([(one.labels, one.scenario, 1.0) for one in own], labels, scenarios)
    arrays: dict[str, Any] = {"schema": np.int64(1), "labels": np.array(labels), "scenarios": np.array(scenarios), **whole.arrays()}
    for placed, name in ((True, "placed"), (False, "free")):
        rows: list[Asked] = []
        for number in range(FOLDS):
            others = count([(one.labels, one.scenario, 1.0) for one, f in zip(own, fold, strict=True) if f != number], labels, scenarios)
            mine = [one for one, f in zip(own, fold, strict=True) if f == number]
            rows += [one for one in asked(others, mine, placed) if one is not None]
        stacked = np.concatenate([one.features for one in rows])
        mean, spread = stacked.mean(0), stacked.std(0) + 1e-6
        scaled = [Asked((one.features - mean) / spread, one.key) for one in rows]
        nets = [train(scaled, seed) for seed in SEEDS]
        state = [net.state_dict() for net in nets]
        arrays |= {
            f"{name}.mean": mean, f"{name}.spread": spread,
            f"{name}.hidden": np.stack([s["hidden.weight"].numpy() for s in state]), f"{name}.bias": np.stack([s["hidden.bias"].numpy() for s in state]),
            f"{name}.out": np.stack([s["out.weight"].numpy()[0] for s in state]), f"{name}.straight": np.stack([s["straight.weight"].numpy()[0] for s in state]),
        }  # fmt: skip
        held = asked(whole, dev, placed)

        def together(x: np.ndarray, mean: Any = mean, spread: Any = spread, nets: Any = nets) -> np.ndarray:
            with torch.no_grad():
                scaled = torch.from_numpy(((x - mean) / spread).astype(np.float32))
                return np.asarray(torch.stack([net(scaled).log_softmax(0) for net in nets]).mean(0).numpy())

        counted = {
            "tellers": recall(held, lambda x: x[:, 0]), "mentions": recall(held, lambda x: x[:, 1]), "place": recall(held, lambda x: x[:, 2]),
            "bigram": recall(held, lambda x: x[:, 4] + x[:, 7]), "both sides": recall(held, lambda x: x[:, 4] + x[:, 5]),
            "together": recall(held, lambda x: x[:, 14]),
        }  # fmt: skip
        log(f"{name}: {len(rows)} holes, dev {len(held)}: {counted}, ranker {recall(held, together)}")
    return arrays


if __name__ == "__main__":
    learn(print)
