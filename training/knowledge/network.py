"""Tellings -> the slot network (torch): words around a missing sentence, with cross-fitted count features.

Features of a training story come from tables of the other folds: a story never votes for itself.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from scenarist.learning.slots import BUCKETS, NAMES, Tables, tables
from scenarist.models.slot_network import SCHEMA, WINDOWS, bags

FOLDS = 5


class Story(NamedTuple):
    """Fillers and words by sentence, the scenario (empty: unknown), and how much the story counts."""

    fillers: list[str]
    words: list[tuple[str, ...]]
    scenario: str
    weight: float = 1.0
    asked: bool = True
    """Are its slots training questions (False: it is only counted)?"""


class Net(nn.Module):
    """One hidden layer over bags of words and embeddings; see models/slot_network.py for the same in numpy."""

    def __init__(self, words: int, fillers: int, scenarios: int, d: int, h: int, drop: float) -> None:
        super().__init__()
        self.word = nn.EmbeddingBag(words, d, mode="mean")
        self.project = nn.Parameter(torch.randn(len(WINDOWS), d, h) * d**-0.5)
        self.scenario, self.place = nn.Embedding(scenarios + 1, h), nn.Embedding(BUCKETS, h)
        self.left, self.right = nn.Embedding(fillers + 1, h), nn.Embedding(fillers + 1, h)
        for one in (self.scenario, self.place, self.left, self.right):
            nn.init.normal_(one.weight, std=0.05)
        self.bias = nn.Parameter(torch.zeros(h))
        self.out = nn.Linear(h, fillers)
        nn.init.normal_(self.out.weight, std=0.02)
        nn.init.zeros_(self.out.bias)
        start = torch.zeros(len(NAMES))
        start[0], start[1], start[2], start[3] = 0.3, 0.4, 0.2, 0.2
        self.weights = nn.Parameter(start)
        self.drop = nn.Dropout(drop)

    def forward(self, batch: dict[str, Any], features: torch.Tensor) -> torch.Tensor:
        h = self.bias + self.scenario(batch["scenario"]) + self.place(batch["place"])  # (b, h)
        h = h + self.left(batch["left"]) + self.right(batch["right"])
        for number, (flat, offsets) in enumerate(batch["windows"]):
            h = h + self.drop(self.word(flat, offsets)) @ self.project[number]
        h = self.drop(torch.relu(h))
        return self.out(h) + torch.einsum("f,bfv->bv", self.weights, features)  # (b, v)


def vocabulary(stories: Sequence[Story], least: int) -> list[str]:
    """Fillers seen at least so often, commonest first."""
    counted = Counter(one for story in stories for one in story.fillers if one)
    return [one for one, n in counted.most_common() if n >= least]


def batch_of(rows: Sequence[tuple[Story, int, Tables]], row: dict[str, int]) -> tuple[dict[str, Any], torch.Tensor]:
    """Tensors of some slots and their count features."""
    slots, features = [], []
    windows: list[list[list[int]]] = [[] for _ in WINDOWS]
    for story, number, table in rows:
        ids = [table.filler.get(one, -1) for one in story.fillers]
        slot = table.slot(ids, table.scenario.get(story.scenario, -1), number)
        slots.append(slot)
        features.append(table.features(slot))
        told = [*story.words[:number], *story.words[number + 1 :]]
        for window, found in zip(windows, bags(told, number, row), strict=True):
            window.append(found)
    packed = []
    for window in windows:
        flat = torch.tensor([one for found in window for one in found], dtype=torch.long)
        offsets = torch.tensor(np.cumsum([0, *(len(found) for found in window[:-1])]), dtype=torch.long)
        packed.append((flat, offsets))
    batch = {
        "scenario": torch.tensor([slot.scenario + 1 for slot in slots]),
        "place": torch.tensor([min(BUCKETS - 1, int(BUCKETS * slot.place)) for slot in slots]),
        "left": torch.tensor([slot.before[-1] + 1 if slot.before else 0 for slot in slots]),
        "right": torch.tensor([slot.after[0] + 1 if slot.after else 0 for slot in slots]),
        "windows": packed,
    }
    return batch, torch.tensor(np.stack(features))


def train(
    stories: Sequence[Story], scenarios: Sequence[str], seed: int, least: int, d: int, h: int, drop: float, epochs: int,
    rate: float, log: Any, dev: Sequence[Story] = (), words_least: int = 4, restrict: bool = False,
) -> tuple[dict[str, Any], Tables]:  # fmt: skip
    """The arrays of a trained network, and the tables of all stories. ``restrict``: score within the scenario's fillers only."""
    torch.manual_seed(seed)
    draw = random.Random(seed)
    fillers = vocabulary(stories, least)
    known = {one: number for number, one in enumerate(fillers)}
    counted = Counter(word for story in stories for sentence in story.words for word in sentence)
    words = [word for word, n in counted.most_common(8000) if n >= words_least]
    row = {word: number for number, word in enumerate(words)}
    fold = [draw.randrange(FOLDS) for _ in stories]
    triples = [(story.fillers, story.scenario, story.weight) for story in stories]
    crossed = [
        tables([t for t, f in zip(triples, fold, strict=True) if f != one], fillers, scenarios) for one in range(FOLDS)
    ]
    whole = tables(triples, fillers, scenarios)
    asked = [
        (story, number, crossed[f])
        for story, f in zip(stories, fold, strict=True) if story.asked
        for number, one in enumerate(story.fillers) if one in known
    ]  # fmt: skip
    allowed = torch.tensor(
        np.concatenate([np.ones((1, len(fillers)), bool), whole.by_scenario > 0])
    )  # (scenarios + 1, v)
    net = Net(len(words), len(fillers), len(scenarios), d, h, drop)
    decay = [p for name, p in net.named_parameters() if name != "weights"]
    steps = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": [net.weights], "weight_decay": 0.0}], lr=rate
    )
    log(f"{len(stories)} stories, {len(asked)} slots, {len(fillers)} fillers, {len(words)} words")
    size = 128
    total = epochs * (len(asked) // size + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(steps, rate, total_steps=total + 1, pct_start=0.1)
    for epoch in range(epochs):
        net.train()
        draw.shuffle(asked)
        lost, seen = 0.0, 0
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            batch, features = batch_of(part, row)
            key = torch.tensor([known[story.fillers[number]] for story, number, _ in part])
            logits = net(batch, features)
            if restrict:
                logits = logits.masked_fill(~allowed[batch["scenario"]], -1e4)
            weight = torch.tensor([story.weight for story, _, _ in part])
            loss = (nn.functional.cross_entropy(logits, key, reduction="none") * weight).mean()
            steps.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            steps.step()
            schedule.step()
            lost, seen = lost + float(loss.detach()) * len(part), seen + len(part)
        text = f"epoch {epoch + 1} loss {lost / seen:.3f}"
        if dev:
            text += f" dev {evaluate(net, dev, whole, row, known)}"
        log(text)
    net.eval()
    state = net.state_dict()
    half = {name: state[name].numpy().astype(np.float16) for name in state}
    arrays: dict[str, Any] = {
        "schema": np.int64(SCHEMA), "words": np.array(words), "fillers": np.array(fillers), "scenarios": np.array(scenarios),
        "word": half["word.weight"], "project": half["project"], "scenario": half["scenario.weight"], "place": half["place.weight"],
        "left": half["left.weight"], "right": half["right.weight"], "bias": half["bias"], "out": half["out.weight"].T,
        "out_bias": half["out.bias"], "weights": state["weights"].numpy().astype(np.float32),
    }  # fmt: skip
    return arrays, whole


def evaluate(
    net: Net, dev: Sequence[Story], table: Tables, row: dict[str, int], known: dict[str, int]
) -> dict[str, float]:
    """recall@1, recall@10 and MRR on all slots of some stories, and of the count features alone."""
    net.eval()
    ranks: list[float] = []
    plain: list[float] = []
    rows = [(story, number, table) for story in dev for number, one in enumerate(story.fillers) if one]
    with torch.no_grad():
        for start in range(0, len(rows), 256):
            part = rows[start : start + 256]
            batch, features = batch_of(part, row)
            logits = net(batch, features)
            for (story, number, _), scores, counted in zip(part, logits, features, strict=True):
                key = known.get(story.fillers[number])
                ranks.append(float("inf") if key is None else 1 + int((scores > scores[key]).sum()))
                plain.append(float("inf") if key is None else 1 + int((counted[0] > counted[0][key]).sum()))
    found = np.array(ranks)
    base = np.array(plain)
    return {
        "r@1": round(float((found <= 1).mean()), 4), "r@10": round(float((found <= 10).mean()), 4),
        "mrr": round(float((1 / found).mean()), 4), "frequency r@1": round(float((base <= 1).mean()), 4),
        "frequency r@10": round(float((base <= 10).mean()), 4),
    }  # fmt: skip
