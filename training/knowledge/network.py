"""Tellings -> the slot network (torch): words around a missing sentence, with cross-fitted count features, taught by the deep reader.

Features of a training story come from tables of the other folds: a story never votes for itself. Where a teacher is given (log-chances
of the deep reader for gaps of stories it has not seen, ``deep.py --fold``), the network learns from these as well as from the key.
All in tensors, so that it runs on a GPU, and in minutes without one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from scenarist.learning.slots import BUCKETS, NAMES, Tables, tables
from scenarist.models.untold.network import SCHEMA, TOLD, WINDOWS, bags, told

FOLDS = 5
AROUND = 6


class Story(NamedTuple):
    """Fillers and words by sentence, the scenario (empty: unknown), and how much the story counts."""

    fillers: list[str]
    words: list[tuple[str, ...]]
    scenario: str
    weight: float = 1.0
    asked: bool = True
    """Are its slots training questions (False: it is only counted)?"""
    id: str = ""


class Settings(NamedTuple):
    """How a network is built and trained."""

    least: int = 6
    """A filler is seen so often."""
    words_least: int = 4
    words_most: int = 9000
    d: int = 128
    h: int = 256
    drop: float = 0.4
    word_drop: float = 0.2
    epochs: int = 6
    rate: float = 2e-3
    decay: float = 0.02
    taught: float = 0.5
    """Weight of the teacher against the key."""
    restrict: bool = False
    """Score within the scenario's fillers only (labels)."""


class Question(NamedTuple):
    """A slot as ids."""

    scenario: int
    place: int
    before: list[int]
    after: list[int]
    windows: list[list[int]]
    key: int
    weight: float
    fold: int
    id: str


class Counted:
    """The tables of a fold as tensors; gives the features of a batch."""

    def __init__(self, table: Tables, device: str) -> None:
        def put(array: Any) -> torch.Tensor:
            return torch.tensor(np.asarray(array, np.float32), device=device)

        def with_base(rows: Any) -> torch.Tensor:
            return put(np.concatenate([table.log_base[None], rows]))

        self.base = put(table.log_base)
        self.scenario = with_base(table.log_scenario)
        everywhere = np.repeat(table.log_base[None, None], BUCKETS, 1)
        self.place = put(np.concatenate([everywhere, table.log_place]))
        self.follows, self.precedes = with_base(table.log_follows), with_base(table.log_precedes)
        self.skips, self.skipped = with_base(table.log_skips), with_base(table.log_skipped)
        self.pairs = put(np.concatenate([np.zeros_like(table.log_base)[None], table.log_pairs]))
        self.before = self.after = None
        if table.order is not None:
            both = table.order + table.order.swapaxes(1, 2) + 2
            none = np.zeros((len(table.scenarios), 1, len(table.fillers)), np.float32)
            self.before = put(
                np.concatenate([none, np.log((table.order + 1) / both)], 1)
            )  # (s, v + 1, v): row told before
            self.after = put(np.concatenate([none, np.log((table.order.swapaxes(1, 2) + 1) / both)], 1))

    def features(self, some: Sequence[Question], device: str) -> torch.Tensor:
        """(b, f, v), as ``Tables.features`` gives them."""

        def at(ids: list[int]) -> torch.Tensor:
            return torch.tensor(ids, device=device)

        scenario = at([one.scenario + 1 for one in some])
        around = [sorted({*one.before[-AROUND:], *one.after[:AROUND]}) for one in some]
        size = torch.tensor([max(1, len(one)) for one in around], device=device)[:, None]
        rows = [
            self.scenario[scenario], self.place[scenario, at([one.place for one in some])],
            self.follows[at([one.before[-1] + 1 if one.before else 0 for one in some])],
            self.precedes[at([one.after[0] + 1 if one.after else 0 for one in some])],
            self.skips[at([one.before[-2] + 1 if len(one.before) > 1 else 0 for one in some])],
            self.skipped[at([one.after[1] + 1 if len(one.after) > 1 else 0 for one in some])],
            self.pairs[padded(around, device) + 1].sum(1) / size, self.base.expand(len(some), -1),
        ]  # fmt: skip
        ids = padded([[*one.before, *one.after] for one in some], device) + 1
        counts = torch.zeros(len(some), len(self.base) + 1, device=device)
        counts.scatter_add_(1, ids, torch.ones_like(ids, dtype=torch.float32))
        rows.append(counts[:, 1:].clamp(max=2))
        order = torch.zeros_like(rows[0])
        if self.before is not None and self.after is not None:
            known = scenario.clamp(min=1) - 1
            for table, side in ((self.before, [one.before for one in some]), (self.after, [one.after for one in some])):
                order = order + table[known[:, None], padded(side, device) + 1].sum(1)
            order = (
                order
                / torch.tensor([max(1, len(o.before) + len(o.after)) ** 0.5 for o in some], device=device)[:, None]
            )
            order = order * (scenario > 0)[:, None]
        return torch.stack([*rows, order], 1)


def padded(lists: Sequence[Sequence[int]], device: str) -> torch.Tensor:
    """Ids in rows, -1 where there are none."""
    longest = max(1, max(map(len, lists)))
    return torch.tensor([[*one, *[-1] * (longest - len(one))] for one in lists], device=device)


class Net(nn.Module):
    """Two hidden layers over bags and embeddings; see models/untold/network.py for the same in numpy."""

    def __init__(self, words: int, fillers: int, scenarios: int, how: Settings) -> None:
        super().__init__()
        d, h = how.d, how.h
        self.word, self.verb = nn.EmbeddingBag(words, d, mode="mean"), nn.EmbeddingBag(fillers, d, mode="mean")
        self.project = nn.Parameter(torch.randn(len(WINDOWS), d, h) * d**-0.5)
        self.told = nn.Parameter(torch.randn(len(TOLD), d, h) * d**-0.5)
        self.scenario, self.place = nn.Embedding(scenarios + 1, h), nn.Embedding(BUCKETS, h)
        for one in (self.word, self.verb):
            nn.init.normal_(one.weight, std=0.3)
        for table in (self.scenario, self.place):
            nn.init.normal_(table.weight, std=0.05)
        self.bias = nn.Parameter(torch.zeros(h))
        self.deep, self.out = nn.Linear(h, h), nn.Linear(h, fillers)
        nn.init.normal_(self.out.weight, std=0.02)
        nn.init.zeros_(self.out.bias)
        start = torch.zeros(len(NAMES))
        start[0], start[1], start[2], start[3] = 0.3, 0.4, 0.2, 0.2
        self.weights = nn.Parameter(start)
        self.drop = nn.Dropout(how.drop)
        self.word_drop = how.word_drop

    def bag(self, table: nn.EmbeddingBag, lists: Sequence[Sequence[int]], device: str) -> torch.Tensor:
        """Means of some rows; in training some of them are left out."""
        if self.training and self.word_drop:
            lists = [[one for one in some if random.random() > self.word_drop] for some in lists]
        flat = torch.tensor([one for some in lists for one in some], dtype=torch.long, device=device)
        offsets = torch.tensor(np.cumsum([0, *(len(some) for some in lists[:-1])]), dtype=torch.long, device=device)
        found: torch.Tensor = table(flat, offsets)
        return found

    def forward(self, some: Sequence[Question], features: torch.Tensor, device: str) -> torch.Tensor:
        scenario = torch.tensor([one.scenario + 1 for one in some], device=device)
        h = (
            self.bias + self.scenario(scenario) + self.place(torch.tensor([one.place for one in some], device=device))
        )  # (b, h)
        for number in range(len(WINDOWS)):
            h = h + self.drop(self.bag(self.word, [one.windows[number] for one in some], device)) @ self.project[number]
        around = [told(one.before, one.after) for one in some]
        for number in range(len(TOLD)):
            h = h + self.drop(self.bag(self.verb, [one[number] for one in around], device)) @ self.told[number]
        h = torch.relu(h)
        h = self.drop(h + torch.relu(self.deep(self.drop(h))))
        return self.out(h) + torch.einsum("f,bfv->bv", self.weights, features)  # (b, v)

    def arrays(self) -> dict[str, Any]:
        """What models/untold/network.py reads."""
        state = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in self.state_dict().items()}
        return {
            "schema": np.int64(SCHEMA), "word": state["word.weight"], "verb": state["verb.weight"], "project": state["project"],
            "told": state["told"], "scenario": state["scenario.weight"], "place": state["place.weight"], "bias": state["bias"],
            "deep": state["deep.weight"].T, "deep_bias": state["deep.bias"], "out": state["out.weight"].T, "out_bias": state["out.bias"],
            "weights": self.weights.detach().cpu().numpy().astype(np.float32),
        }  # fmt: skip


def vocabulary(stories: Sequence[Story], least: int) -> list[str]:
    """Fillers seen at least so often, commonest first."""
    counted = Counter(one for story in stories for one in story.fillers if one)
    return [one for one, n in counted.most_common() if n >= least]


def questions(
    stories: Sequence[Story], folds: Sequence[int], table: Tables, row: Mapping[str, int], all_keys: bool
) -> Iterator[Question]:
    """The slots of some stories; ``all_keys`` keeps those whose filler is unknown."""
    for story, fold in zip(stories, folds, strict=True):
        if not story.asked:
            continue
        ids = [table.filler.get(one, -1) for one in story.fillers]
        for number, one in enumerate(story.fillers):
            if not one or (ids[number] < 0 and not all_keys):
                continue
            slot = table.slot(ids, table.scenario.get(story.scenario, -1), number)
            left = [*story.words[:number], *story.words[number + 1 :]]
            yield Question(
                slot.scenario, min(BUCKETS - 1, int(BUCKETS * slot.place)), list(slot.before), list(slot.after),
                bags(left, number, row), ids[number], story.weight, fold, f"{story.id}.{number}",
            )  # fmt: skip


class Teacher(NamedTuple):
    """For some questions the likeliest fillers (n, k) and their chances (n, k); -1 where the network has no such filler."""

    number: dict[str, int]
    top: torch.Tensor
    chance: torch.Tensor


def teacher(
    ids: Sequence[str], words: Sequence[str], top: Any, logp: Any, fillers: Mapping[str, int], device: str
) -> Teacher:
    """The deep reader's answers in the network's own fillers."""
    own = np.array([fillers.get(word, -1) for word in words])
    return Teacher(
        {one: number for number, one in enumerate(ids)},
        torch.tensor(own[np.asarray(top, np.int64)], device=device),
        torch.tensor(np.exp(np.asarray(logp, np.float32)), device=device),
    )


def soft_loss(logp: torch.Tensor, some: Sequence[Question], known: Teacher, device: str) -> torch.Tensor:
    """Cross-entropy with the teacher where it speaks, else 0 (b,)."""
    numbers = torch.tensor([known.number.get(one.id, -1) for one in some], device=device)
    top, chance = known.top[numbers], known.chance[numbers] * (known.top[numbers] >= 0)
    loss: torch.Tensor = -(logp.gather(1, top.clamp(min=0)) * chance).sum(1) / chance.sum(1).clamp(min=1e-6)
    return loss * (numbers >= 0)


def train(
    stories: Sequence[Story], scenarios: Sequence[str], how: Settings, seed: int, log: Callable[[str], None], dev: Sequence[Story] = (),
    taught: tuple[Any, Any, Any, Any] | None = None, device: str = "cpu",
) -> tuple[dict[str, Any], Tables, Net]:  # fmt: skip
    """The arrays of a trained network, and the tables of all stories. ``taught``: ids, words, top and logp of the teacher."""
    torch.manual_seed(seed)
    random.seed(seed)
    draw = random.Random(seed)
    fillers = vocabulary(stories, how.least)
    counted = Counter(word for story in stories for sentence in story.words for word in sentence)
    words = [word for word, n in counted.most_common(how.words_most) if n >= how.words_least]
    row = {word: number for number, word in enumerate(words)}
    fold = [draw.randrange(FOLDS) for _ in stories]
    triples = [(story.fillers, story.scenario, story.weight) for story in stories]
    crossed = [
        Counted(tables([t for t, f in zip(triples, fold, strict=True) if f != one], fillers, scenarios), device)
        for one in range(FOLDS)
    ]
    whole = tables(triples, fillers, scenarios)
    asked = list(questions(stories, fold, whole, row, all_keys=False))
    known = teacher(taught[0], taught[1], taught[2], taught[3], whole.filler, device) if taught else None
    allowed = torch.tensor(
        np.concatenate([np.ones((1, len(fillers)), bool), whole.by_scenario > 0]), device=device
    )  # (s + 1, v)
    net = Net(len(words), len(fillers), len(scenarios), how).to(device)
    rest = [p for name, p in net.named_parameters() if name != "weights"]
    steps = torch.optim.AdamW(
        [{"params": rest, "weight_decay": how.decay}, {"params": [net.weights], "weight_decay": 0.0}], lr=how.rate
    )
    log(
        f"{len(stories)} stories, {len(asked)} slots, {len(fillers)} fillers, {len(words)} words, taught {len(known.number) if known else 0}"
    )
    size = 128

    def shuffled() -> list[list[Question]]:
        """Batches of one fold each, since a batch has one set of tables."""
        made = []
        for number in range(FOLDS):
            mine = [one for one in asked if one.fold == number]
            draw.shuffle(mine)
            made += [mine[start : start + size] for start in range(0, len(mine), size)]
        draw.shuffle(made)
        return made

    total = how.epochs * len(shuffled())
    schedule = torch.optim.lr_scheduler.OneCycleLR(steps, how.rate, total_steps=total + 1, pct_start=0.1)
    final, held = Counted(whole, device), list(questions(dev, [0] * len(dev), whole, row, all_keys=True))
    for epoch in range(how.epochs):
        net.train()
        lost, seen = 0.0, 0
        for batch in shuffled():
            logits = net(batch, crossed[batch[0].fold].features(batch, device), device)
            if how.restrict:
                logits = logits.masked_fill(~allowed[[one.scenario + 1 for one in batch]], -1e4)
            logp = F.log_softmax(logits, -1)
            weight = torch.tensor([one.weight for one in batch], device=device)
            hard = F.nll_loss(logp, torch.tensor([one.key for one in batch], device=device), reduction="none")
            if known is None:
                loss = (hard * weight).mean()
            else:
                soft = soft_loss(logp, batch, known, device)
                loss = (torch.where(soft > 0, (1 - how.taught) * hard + how.taught * soft, hard) * weight).mean()
            steps.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            steps.step()
            schedule.step()
            lost, seen = lost + float(loss.detach()) * len(batch), seen + len(batch)
        text = f"epoch {epoch + 1} loss {lost / seen:.3f}"
        if held:
            text += f" dev {evaluate(net, held, final, device)}"
        log(text)
    net.eval()
    names = {"words": np.array(words), "fillers": np.array(fillers), "scenarios": np.array(scenarios)}
    return {**net.arrays(), **names}, whole, net


@torch.no_grad()
def logits_of(net: Net, held: Sequence[Question], counts: Counted, device: str) -> np.ndarray:
    """Log-chances of all fillers (n, v)."""
    net.eval()
    found = [
        F.log_softmax(net(held[at : at + 256], counts.features(held[at : at + 256], device), device), -1).cpu().numpy()
        for at in range(0, len(held), 256)
    ]
    return np.concatenate(found)


def evaluate(net: Net, held: Sequence[Question], counts: Counted, device: str) -> dict[str, float]:
    """recall@1, recall@10 and MRR on some slots."""
    scores = logits_of(net, held, counts, device)
    keys = [one.key for one in held]
    ranks = np.array(
        [np.inf if key < 0 else 1 + int((line > line[key]).sum()) for line, key in zip(scores, keys, strict=True)]
    )
    return {
        "r@1": round(float((ranks <= 1).mean()), 4), "r@10": round(float((ranks <= 10).mean()), 4), "mrr": round(float((1 / ranks).mean()), 4),
    }  # fmt: skip
