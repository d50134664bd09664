"""TopicTiling as printed, with one thing changed at a time: window, x, topics, and what the stitched documents are made of.

Wanzare et al. (2019), section 5.2, give Pk 0.28 on documents of their own, which they do not describe further; ours as printed has 0.36
on ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenarist import __version__
from scenarist.bench import marks
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.bench.sit import data_hash
from scenarist.corpora.stitched import Stitched
from scenarist.formats.plain import sentences
from scenarist.learning.topics import Topics, carried_topics
from scenarist.models.scenarios.tiling import Segmenter, spans_of, tile, topic_vectors
from scenarist.question import Item, Prediction
from scenarist.reading.content_words import content_words
from scenarist.registry import make
from scenarist.signature import sign
from scenarist.story import Story

METRICS = ("pk", "windowdiff")
PLAIN: Mapping[str, Any] = {}
CORPORA: Mapping[str, Mapping[str, Any]] = {
    "segments of 3 to 8 sentences": PLAIN,
    "segments of 6 to 12": {"sentences": (6, 12)},
    "segments of 10 to 20": {"sentences": (10, 20)},
    "whole stories": {"sentences": (200, 200)},
    "5 to 10 segments a document": {"segments": (5, 10)},
    "whole stories, 5 to 10 a document": {"sentences": (200, 200), "segments": (5, 10)},
    "neighbours that are related": {"related": 1.0},
}
"""What documents are made of."""
WINDOWS = (1, 2, 3, 4, 6, 8)
WEIGHTS = (0.1, 0.5, 1.0, -0.7)
TOPICS = (50, 200)
"""Learned from MCScript's training stories alone."""


class Tiling(Segmenter):
    """TopicTiling with topics, window and threshold of its own."""

    name = "tiling"

    def __init__(self, topics: Topics, window: int = 2, x: float = 0.1, over: str = "minima") -> None:
        self.topics, self.window, self.x, self.over = topics, window, x, over

    def cuts(self, story: Story, size: int) -> list[int]:
        words = content_words([story.of(span) for span in spans_of(story)], "lemmas")
        return tile(topic_vectors(words, self.topics.likeliest, self.topics.topics), self.window, self.x, self.over)


def items_of(split: str, seed: int, limit: int | None, recipe: Mapping[str, Any]) -> list[Item]:
    """The items of a recipe."""
    return list(make("exam", "detection").set(Stitched(split, documents=100, seeds=(seed,), **recipe)))[:limit]


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:
    """One row a change."""
    carried = carried_topics()
    plain = items_of(split, seed, limit, PLAIN)
    rows = [
        measured(f"as printed: {name}", Tiling(carried), items_of(split, seed, limit, recipe), split, seed)
        for name, recipe in CORPORA.items()
    ]
    rows += [measured(f"window {window}", Tiling(carried, window), plain, split, seed) for window in WINDOWS]
    rows += [
        measured(
            f"window {window}, whole stories",
            Tiling(carried, window),
            items_of(split, seed, limit, CORPORA["whole stories"]),
            split,
            seed,
        )
        for window in WINDOWS[1:]
    ]
    for x in WEIGHTS:
        for over in ("minima", "gaps"):
            rows.append(measured(f"x {x:g} over {over}", Tiling(carried, 2, x, over), plain, split, seed))
    documents = training_documents()
    for number in TOPICS:
        topics = Topics(number, passes=8, least=5, seed=seed).fit(documents)
        rows.append(measured(f"{number} topics of MCScript alone", Tiling(topics), plain, split, seed))
    fields = {
        "exam": "detection",
        "data": f"stitched#{data_hash(plain)}",
        "split": split,
        "seed": seed,
        "v": __version__,
    }
    return Analysis(rows, sign("segmentation-why", fields))


def training_documents() -> list[Sequence[str]]:
    """MCScript's training stories as content words."""
    stories = list(make("corpus", "mcscript", split="train"))
    lines = [[story.of(span) for span in story.sentences or sentences(story.text)] for story in stories]
    return [[word for part in content_words(some, "lemmas") for word in part] for some in lines]


def measured(name: str, model: Tiling, items: Sequence[Item], split: str, seed: int) -> FigureRow:
    """A row: boundary metrics of one way to cut on one kind of documents."""
    predictions: dict[str, Prediction] = {item.id: model.answer(item.question) for item in items}
    scores = {}
    for metric in METRICS:
        fields = {
            "exam": "detection",
            "model": "topic-tiling",
            "row": name,
            "data": f"stitched#{data_hash(items)}",
            "split": split,
            "seed": seed,
            "v": __version__,
        }
        scores[f"{metric}/documents"] = Figure.of(marks.score(make("metric", metric), items, predictions, fields))
    return FigureRow(name, "baseline", scores)
