"""Rows -> gaps as token ids -> batches of tensors, made ahead by another thread: what the deep reader is trained with."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
import torch

from scenarist.models.untold.deep import GAP, PRECEDES, GapText, gap_ids

TOLD = 1024
"""Pieces of missing sentences told a step, drawn from all."""
WEIGHT = {"mcscript": 1.0, "inscript": 1.0, "descript": 0.5, "rocstories": 0.5, "inscript-labels": 1.0}
Ids = npt.NDArray[np.uint16]


class Task(NamedTuple):
    """A gap as token ids, what is missing, and what may be said (labels only)."""

    id: str
    corpus: str
    ids: Ids
    key: int
    text: Ids
    allowed: tuple[int, ...] = ()


class Vocabulary(NamedTuple):
    """Verbs and (scenario, label) pairs in the order of the heads."""

    verbs: list[str]
    labels: list[tuple[str, str]]


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def vocabulary(rows: Sequence[dict[str, Any]], least: int) -> Vocabulary:
    """Verbs seen at least so often in train, commonest first, and InScript's labels."""
    counted = Counter(verb for row in rows if row["split"] == "train" for verb in row.get("verbs", ()) if verb)
    labels = sorted({(row["scenario"], row["key"]) for row in rows if row["split"] == "train" and "key" in row})
    return Vocabulary([verb for verb, n in counted.most_common() if n >= least], labels)


def tasks(rows: Sequence[dict[str, Any]], words: Vocabulary, encode: Any, hide: float, seed: int) -> Iterator[Task]:
    """All gaps of some rows; ``hide`` is the share of scenario names that are not told."""
    verb = {one: number for number, one in enumerate(words.verbs)}
    label = {one: number for number, one in enumerate(words.labels)}
    of_scenario: dict[str, list[str]] = defaultdict(list)
    for scenario, one in words.labels:
        of_scenario[scenario].append(one)
    draw = random.Random(seed)
    for row in rows:
        scenario = "" if draw.random() < hide else row["scenario"]
        if "key" in row:
            told = set(row["told"])
            allowed = tuple(label[row["scenario"], one] for one in of_scenario[row["scenario"]] if one not in told)
            gap = GapText(row["scenario"], tuple(row["before"]), tuple(row["after"]))
            yield Task(
                row["id"],
                row["corpus"],
                np.array(gap_ids(gap, encode), np.uint16),
                label.get((row["scenario"], row["key"]), -1),
                np.zeros(0, np.uint16),
                allowed,
            )
            continue
        said = row["sentences"]
        for number, one in enumerate(row["verbs"]):
            if not one or len(said) < 3 or (row["split"] == "train" and one not in verb):
                continue
            gap = GapText(scenario, tuple(said[:number]), tuple(said[number + 1 :]))
            text = np.array([*encode(" " + said[number])[:30], PRECEDES], np.uint16)
            yield Task(
                f"{row['id']}.{number}",
                row["corpus"],
                np.array(gap_ids(gap, encode), np.uint16),
                verb.get(one, -1),
                text,
            )


def batches(some: Sequence[Task], tokens: int, seed: int | None) -> list[list[Task]]:
    """Batches of one kind and about one length, in random order (or as they come, for answers)."""
    made: list[list[Task]] = []
    draw = random.Random(seed)
    for labels in (False, True):
        mine = [one for one in some if bool(one.allowed) == labels]
        noise = {id(one): draw.random() * 16 for one in mine} if seed is not None else {}
        mine.sort(key=lambda one: len(one.ids) + len(one.text) + noise.get(id(one), 0.0))
        batch: list[Task] = []
        longest = 0
        for one in mine:
            size = len(one.ids) + len(one.text)
            if batch and (len(batch) + 1) * max(longest, size) > tokens:
                made.append(batch)
                batch, longest = [], 0
            batch.append(one)
            longest = max(longest, size)
        if batch:
            made.append(batch)
    if seed is not None:
        draw.shuffle(made)
    return made


class Pool:
    """Batches of some tasks, again and again, each time in another order."""

    def __init__(self, some: Sequence[Task], tokens: int, seed: int) -> None:
        self.tasks, self.tokens, self.seed = some, tokens, seed
        self.held: list[list[Task]] = []
        self.size = len(batches(some, tokens, seed)) if some else 0
        self.given = 0

    def next(self) -> list[Task]:
        """The next batch."""
        if not self.held:
            self.seed += 100
            self.held = batches(self.tasks, self.tokens, self.seed)
        self.given += 1
        return self.held.pop()

    @property
    def seen(self) -> float:
        """How often all of it was given."""
        return self.given / max(1, self.size)


def wide_share(part: float) -> float:
    """How many batches are of the wide corpora, at a part of the training: 0.2 in all."""
    return 0.5 * (1 - 2 * part) if part < 0.4 else 0.17 * (1 - part)


class Batch(NamedTuple):
    """Tasks of one kind as tensors; pads stand at the end, so a causal network never sees them."""

    tokens: torch.Tensor  # (b, t)
    gap: torch.Tensor  # (b,) where the network stands
    key: torch.Tensor  # (b,)
    weight: torch.Tensor  # (b,)
    told: torch.Tensor  # (3, n) row, place and piece of what is told
    mask: torch.Tensor | None  # (b, v) what may not be said (labels)

    @classmethod
    def of(cls, some: Sequence[Task], labels: int, tell: bool, draw: np.random.Generator) -> Batch:
        """``labels``: how many there are; ``tell``: the missing sentences stand behind the gaps."""
        whole = [np.concatenate([one.ids, one.text]) if tell else one.ids for one in some]
        tokens = np.full((len(some), max(map(len, whole))), GAP, np.int64)
        for row, one in zip(tokens, whole, strict=True):
            row[: len(one)] = one
        told = np.zeros((3, 0), np.int64)
        if tell:
            sizes = [len(one.text) for one in some]
            place = np.concatenate([len(one.ids) - 1 + np.arange(len(one.text)) for one in some])
            told = np.stack([np.repeat(np.arange(len(some)), sizes), place, np.concatenate([one.text for one in some])])
            told = draw.permutation(told, axis=1)[:, :TOLD]
        mask = None
        if some[0].allowed:
            mask = np.full((len(some), labels), -1e4, np.float32)
            for number, one in enumerate(some):
                mask[number, list(one.allowed)] = 0
        return cls(
            torch.from_numpy(tokens), torch.tensor([len(one.ids) - 1 for one in some]), torch.tensor([one.key for one in some]),
            torch.tensor([WEIGHT[one.corpus] for one in some]), torch.from_numpy(np.ascontiguousarray(told, np.int64)),
            None if mask is None else torch.from_numpy(mask),
        )  # fmt: skip

    def to(self, device: str) -> Batch:
        """The same where the network is, without waiting for it."""
        if device == "cpu":
            return self
        return Batch(*(one if one is None else one.pin_memory().to(device, non_blocking=True) for one in self))


def ahead(made: Iterator[Batch], size: int = 6) -> Iterator[Batch]:
    """The same, made by another thread while the network works."""
    line: Queue[Batch] = Queue(size)

    def fill() -> None:
        for one in made:
            line.put(one)

    Thread(target=fill, daemon=True).start()
    while True:
        yield line.get()


def left_out(row: dict[str, Any], fold: tuple[int, int] | None) -> bool:
    """Is a story in the fold that is predicted?"""
    return fold is not None and crc32(row["id"].split(".")[0].encode()) % fold[1] == fold[0]


def encoder(tokenizer: Any, rows: Sequence[dict[str, Any]]) -> Callable[[str], list[int]]:
    """Text -> token ids; what the rows hold is encoded at once, by all cores."""
    texts = {" " + text for row in rows for name in ("sentences", "before", "after") for text in row.get(name, ())}
    known = dict(
        zip(texts, (one.ids for one in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)), strict=True)
    )

    def encode(text: str) -> list[int]:
        if text not in known:
            known[text] = tokenizer.encode(text, add_special_tokens=False).ids
        return known[text]

    return encode
