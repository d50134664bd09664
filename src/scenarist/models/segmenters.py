"""Where -> Segments without names: even cuts, random cuts, TextTiling and TopicTiling, for the table of segmentation.

The pieces bear the labels ``part 1``, ``part 2``, ... so that neighbours differ; only boundary metrics make sense of them.
``even`` is told nothing but the usual length of a segment, like Beeferman's baseline.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.learning.content_words import content_words
from scenarist.learning.topics import carried_topics
from scenarist.models.tiling_labels import random_cuts, spans_of
from scenarist.models.topic_tiling import tile, topic_vectors, word_vectors
from scenarist.question import AnyQuestion, Guess, Prediction, Segments, Where
from scenarist.store import inside, resource
from scenarist.story import Label, Segment, Story


class Segmenter:
    """Base: a subclass gives the cuts."""

    name = "segmenter"
    learns = "nothing"

    def fit(self, data: Iterable[Any]) -> Segmenter:
        """Nothing to learn."""
        return self

    def cuts(self, story: Story, size: int) -> list[int]:
        """Numbers of the sentences at which a new piece starts."""
        raise NotImplementedError

    def answer(self, question: AnyQuestion) -> Prediction:
        """The pieces."""
        if not isinstance(question, Where) or question.whole:
            raise BadInput(f"{self.name} only cuts texts; it names no scenario.")
        spans = spans_of(question.story)
        edges = [0, *self.cuts(question.story, len(spans)), len(spans)]
        pieces = [(first, last) for first, last in itertools.pairwise(edges) if last > first]
        found = tuple(
            Segment(spans[first].start, spans[last - 1].stop, (Label(f"part {number}"),), by=self.name)
            for number, (first, last) in enumerate(pieces, start=1)
        )
        return Prediction("", (Guess(Segments(found)),), by=self.name)


class Even(Segmenter):
    """Equal pieces of ``length`` sentences."""

    name = "even-segments"

    def __init__(self, length: int = 5) -> None:
        self.length = length

    def cuts(self, story: Story, size: int) -> list[int]:
        return list(range(self.length, size, self.length))


class RandomCuts(Segmenter):
    """Random pieces."""

    name = "random-segments"

    def __init__(self, seed: int = 13) -> None:
        self.seed = seed

    def cuts(self, story: Story, size: int) -> list[int]:
        return random_cuts(story, size, self.seed)


class TextTiling(Segmenter):
    """Hearst's, on content words."""

    name = "text-tiling"

    def __init__(self, window: int = 2, x: float = -0.7, words: str = "lemmas") -> None:
        self.window, self.x, self.words = window, x, words

    def reads(self) -> list[Path]:
        """The carried topics, and the reader behind lemmas."""
        return inside(resource("topics"), *([resource("reader")] if self.words == "lemmas" else []))

    def cuts(self, story: Story, size: int) -> list[int]:
        return tile(
            word_vectors(content_words([story.of(one) for one in spans_of(story)], self.words)), self.window, self.x
        )


class TopicTiling(TextTiling):
    """Riedl and Biemann's, on the carried topics."""

    name = "topic-tiling"

    def cuts(self, story: Story, size: int) -> list[int]:
        topics = carried_topics(self.words)
        words = content_words([story.of(one) for one in spans_of(story)], self.words)
        return tile(topic_vectors(words, topics.likeliest, topics.topics), self.window, self.x)
