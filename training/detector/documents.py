"""Sentences -> endless made-up documents to train on: several scenarios in a row, other text between them, nested ones.

Mirrors `scenarist.corpora.stitched`, over indices into one list of sentences, so that a batch costs nothing. Stories of the
dev split are only used by ``watch``.
"""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any, NamedTuple


class Text(NamedTuple):
    """Sentences ``start`` to ``stop`` of the list, with the label's number (0 is *None*, -1 unknown)."""

    start: int
    stop: int
    label: int


class Document(NamedTuple):
    """Sentence numbers and their labels."""

    sentences: list[int]
    labels: list[int]


def read(path: Path, every: int = 0) -> list[dict[str, Any]]:
    """The records of a file, or every n-th."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for at, line in enumerate(stream) if not every or at % every == 0]


class Store:
    """All texts of the training file by kind and split."""

    def __init__(self, path: Path, every: int = 0) -> None:
        """``every`` n-th text only, to try things out."""
        self.sentences: list[str] = []
        self.texts: dict[str, list[Text]] = {}
        records = read(path, every)
        self.labels = ["None", *sorted({record["label"] for record in records if record["label"]})]
        number = {label: at for at, label in enumerate(self.labels)} | {"": 0}
        for record in records:
            start = len(self.sentences)
            self.sentences += record["sentences"]
            label = -1 if record["kind"] == "free" else number[record["label"]]
            key = f"{record['kind']}-{record.get('source', '')}".rstrip("-") + f"-{record['split']}"
            self.texts.setdefault(key, []).append(Text(start, len(self.sentences), label))
        self.kin: dict[int, list[Text]] = {}
        for text in self.texts.get("told-train", []):
            self.kin.setdefault(text.label, []).append(text)

    def run(self, kind: str, rng: random.Random, low: int, high: int) -> range:
        """Some neighbouring sentences of a text."""
        text = rng.choice(self.texts[kind])
        return stretch(text, rng, low, high)


def exam_of(data: Path, store: Store, smoke: bool) -> tuple[dict[str, list[Document]], list[str]]:
    """The exam's documents by condition (some, to try things out), and the sentences they are numbered by: the store's, then the exam's."""
    with gzip.open(data / "exam.json.gz", "rt", encoding="utf-8") as stream:
        exam = json.load(stream)
    extra = len(store.sentences)
    number = {label: at for at, label in enumerate(store.labels)}
    found = {
        name: [
            Document([extra + at for at in one["sentences"]], [number.get(label, 0) for label in one["labels"]])
            for one in (some[:3] if smoke else some)
        ]
        for name, some in exam["documents"].items()
    }
    return found, store.sentences + exam["sentences"]


def stretch(text: Text, rng: random.Random, low: int, high: int) -> range:
    """Between ``low`` and ``high`` neighbouring sentences of a text, or all of it where it is shorter."""
    size = min(rng.randint(low, high), text.stop - text.start)
    start = rng.randint(text.start, text.stop - size)
    return range(start, start + size)


NONE_TRAIN = (("none-short-fiction-train", 0.36), ("none-gum-train", 0.31), ("none-ewt-train", 0.33))
"""ROCStories is not among them: many of its stories tell a scenario."""
NONE_DEV = (("none-short-fiction-dev", 1.0), ("none-gum-dev", 1.0), ("none-ewt-dev", 1.0))
TOLD_TRAIN = (("told-train", 0.85), ("told-inscript-train", 0.03), ("listed-train", 0.05), ("weak-train", 0.07))


def pick(kinds: tuple[tuple[str, float], ...], rng: random.Random) -> str:
    """A kind by its weight."""
    return rng.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]


def stitched(
    store: Store,
    rng: random.Random,
    told: tuple[tuple[str, float], ...],
    none: tuple[tuple[str, float], ...],
    segments: tuple[int, int] = (2, 4),
    lengths: tuple[int, int] = (3, 8),
    other: float = 0.0,
    nested: float = 0.0,
    skip: float = 0.0,
) -> Document:
    """One document; ``other``: the share of *None*; ``nested``: the chance that a segment holds another inside; ``skip``: the chance that
    a segment leaves out a quarter of its sentences, so that no story is learned by heart."""
    parts: list[tuple[int, list[int]]] = []
    used: set[int] = set()
    for _ in range(rng.randint(*segments)):
        text = rng.choice(store.texts[pick(told, rng)])
        if text.label in used:
            continue
        used.add(text.label)
        own = list(stretch(text, rng, *lengths))
        if skip and rng.random() < skip:
            own = [at for at in own if rng.random() > 0.25] or own
        parts.append((text.label, own))
    count = sum(len(part) for _, part in parts)
    want = count * other / (1 - other)
    while want > 0.5:
        run = list(store.run(pick(none, rng), rng, 2, 6))
        parts.insert(rng.randint(0, len(parts)), (0, run))
        want -= len(run)
    sentences: list[int] = []
    labels: list[int] = []
    for label, part in parts:
        inner = nested and label and len(part) > 3 and rng.random() < nested
        cut = rng.randint(1, len(part) - 1) if inner else len(part)
        sentences += part[:cut]
        labels += [label] * cut
        if inner:
            text = rng.choice(store.texts["told-train"])
            middle = list(stretch(text, rng, 2, 5))
            sentences += middle
            labels += [text.label] * len(middle)
            sentences += part[cut:]
            labels += [label] * (len(part) - cut)
    return Document(sentences, labels)


def lesson(store: Store, rng: random.Random) -> Document:
    """A training document of any kind: long, short, clean, noisy, nested, a whole story, a passage, *None* alone."""
    chance = rng.random()
    if chance < 0.12:
        return stitched(store, rng, TOLD_TRAIN, NONE_TRAIN, (1, 1), (20, 40), skip=0.5)
    if chance < 0.26:
        return stitched(store, rng, TOLD_TRAIN, NONE_TRAIN, (1, 1), (1, 6))
    if chance < 0.31:
        run = list(store.run(pick(NONE_TRAIN, rng), rng, 1, 20))
        return Document(run, [0] * len(run))
    other = rng.choice((0.0, 0.0, 0.2, 0.33, 0.5))
    return stitched(store, rng, TOLD_TRAIN, NONE_TRAIN, (2, 5), (2, 9), other, nested=0.12, skip=0.3)


def alone(store: Store, rng: random.Random) -> Document:
    """A training document of one label: a stretch of a story, all of it, or other text."""
    chance = rng.random()
    if chance < 0.12:
        run = list(store.run(pick(NONE_TRAIN, rng), rng, 1, 9))
        return Document(run, [0] * len(run))
    lengths = (20, 40) if chance < 0.3 else (2, 9)
    return stitched(store, rng, TOLD_TRAIN, NONE_TRAIN, (1, 1), lengths, skip=0.4)


def mixed(store: Store, rng: random.Random, document: Document, chance: float) -> Document:
    """Now and then half of a stretch comes from another train story of the same scenario, so that no story is learned by heart."""
    label = document.labels[0]
    if rng.random() >= chance or len(document.sentences) < 3 or label not in store.kin:
        return document
    half = len(document.sentences) // 2
    other = list(stretch(rng.choice(store.kin[label]), rng, half, len(document.sentences) - half))
    own = document.sentences[:-half] + other if rng.random() < 0.5 else other + document.sentences[half:]
    return Document(own, [label] * len(own))


def loose(store: Store, count: int, seed: int = 7) -> list[Document]:
    """Single stories without labels, for those that name segments to label: the same ones wherever the data are the same."""
    rng = random.Random(seed)
    texts = rng.sample(store.texts["free-train"], min(count, len(store.texts["free-train"])))
    return [Document(own, [-1] * len(own)) for own in (list(stretch(text, rng, 3, 5)) for text in texts)]


def pool(store: Store, count: int, seed: int = 7) -> list[Document]:
    """Documents for teachers to label: the same ones wherever the data are the same."""
    rng = random.Random(seed)
    return [free(store, rng) for _ in range(count)]


def free(store: Store, rng: random.Random) -> Document:
    """A document without labels, for the teacher to label: ROCStories in a row, with other text between."""
    sentences: list[int] = []
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(store.texts["free-train"])
        sentences += range(text.start, text.stop)
        if rng.random() < 0.3:
            sentences += store.run(pick(NONE_TRAIN, rng), rng, 2, 6)
        if rng.random() < 0.3:
            sentences += store.run("told-train", rng, 2, 8)
    return Document(sentences, [-1] * len(sentences))


def watch(store: Store, seed: int, other: float, count: int = 400) -> list[Document]:
    """Dev documents as the table makes them (not the same ones)."""
    rng = random.Random(seed)
    told = (("told-dev", 1.0),)
    return [stitched(store, rng, told, NONE_DEV, other=other) for _ in range(count)]
