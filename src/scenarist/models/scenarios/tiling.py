"""Content words of sentences -> boundaries: TextTiling (Hearst 1994) and TopicTiling (Riedl and Biemann 2012).

Both compare the block of ``window`` sentences before a gap with the block behind it (cosine), give each local minimum its
depth (the climb to the nearest peaks on either side), and cut where the depth exceeds mu - sigma / x. Mean and deviation are those
of the minima, as Riedl and Biemann have them, or, as a variant, of all gaps, where most depths are zero (``over``). TextTiling's
blocks are counts of words; TopicTiling's are counts of each word's most likely topic (Wanzare et al. 2019, section 5.1). Settings as
printed are the defaults: window 2, x 0.1, with which every local minimum is cut. On our stitched stories, whose segments are short,
that cuts far too often; tuned rows take x -0.7 over all gaps (mu + 1.4 sigma), chosen on stitched training stories.

Where -> Segments without names: even cuts, random cuts, TextTiling and TopicTiling, for the table of segmentation.

The pieces bear the labels ``part 1``, ``part 2``, ... so that neighbours differ; only boundary metrics make sense of them.
``even`` is told nothing but the usual length of a segment, like Beeferman's baseline.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.errors import BadInput
from scenarist.formats.plain import sentences as cut
from scenarist.learning.topics import carried_topics
from scenarist.networks.label_chain import Array
from scenarist.networks.layers import cosine
from scenarist.question import AnyQuestion, Guess, Prediction, Question, Segments, Where
from scenarist.reading.content_words import content_words
from scenarist.signature import content_hash
from scenarist.store.home import inside, resource
from scenarist.story import Label, Segment, Sentence, Story


def word_vectors(sentences: Sequence[Sequence[str]]) -> Array:
    """Counts of words (T, V)."""
    place = {word: index for index, word in enumerate(dict.fromkeys(word for one in sentences for word in one))}
    counts = np.zeros((len(sentences), max(1, len(place))))
    for index, words in enumerate(sentences):
        for word in words:
            counts[index, place[word]] += 1
    return counts


def topic_vectors(sentences: Sequence[Sequence[str]], likeliest: Mapping[str, int], topics: int) -> Array:
    """Share of each sentence's words per topic (T, K)."""
    shares = np.zeros((len(sentences), topics))
    for index, words in enumerate(sentences):
        for word in words:
            if word in likeliest:
                shares[index, likeliest[word]] += 1
        total = shares[index].sum()
        if total:
            shares[index] /= total
    return shares


def coherence(vectors: Array, window: int = 2) -> Array:
    """Cosine between the blocks on both sides of each gap (T - 1)."""
    size = len(vectors)
    scores = np.zeros(max(0, size - 1))
    for gap in range(1, size):
        left, right = vectors[max(0, gap - window) : gap].sum(axis=0), vectors[gap : gap + window].sum(axis=0)
        scores[gap - 1] = cosine(left, right)
    return scores


def depths(scores: Array) -> Array:
    """How deep each local minimum lies below the peaks on both its sides; zero elsewhere.

    A minimum has higher scores on either side, so the first and the last gap of a text, whose blocks are cut short, are none; of several
    equal gaps in a row the middle one stands for all.

    >>> depths(np.array([0.9, 0.2, 0.8, 0.5, 0.6])).round(2).tolist()
    [0.0, 1.3, 0.0, 0.4, 0.0]
    >>> depths(np.array([0.0, 0.4, 0.1, 0.1, 0.1, 0.3])).round(2).tolist()
    [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]
    """
    depth = np.zeros(len(scores))
    first = 0
    while first < len(scores):
        last = first
        while last + 1 < len(scores) and scores[last + 1] == scores[first]:
            last += 1
        left, right = first, last
        while left > 0 and scores[left - 1] >= scores[left]:
            left -= 1
        while right < len(scores) - 1 and scores[right + 1] >= scores[right]:
            right += 1
        if left < first and right > last:
            depth[(first + last) // 2] = (scores[left] - scores[first]) + (scores[right] - scores[first])
        first = last + 1
    return depth


OVER = ("minima", "gaps")
"""Where the mean and the deviation of the depths are taken."""


def tile(vectors: Array, window: int = 2, x: float = 0.1, over: str = "minima") -> list[int]:
    """Starts of the segments after the first: gaps whose depth is above zero and not below mu - sigma / x; one minimum alone is its mean.

    >>> tile(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    [2]
    """
    if over not in OVER:
        raise BadInput(f"over is one of {', '.join(OVER)}, not {over!r}.")
    depth_of = depths(coherence(vectors, window))
    if not depth_of.any():
        return []
    counted = depth_of[depth_of > 0] if over == "minima" else depth_of
    threshold = counted.mean() - counted.std() / x
    return [gap + 1 for gap, depth in enumerate(depth_of) if depth > 0 and depth >= threshold - 1e-12]


class Segmenter:
    """Base: a subclass gives the cuts."""

    name = "segmenter"
    learns = "nothing"
    asks: tuple[type[Question], ...] = (Where,)

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
        segments = tuple(
            Segment(spans[first].start, spans[last - 1].stop, (Label(f"part {number}"),), by=self.name)
            for number, (first, last) in enumerate(pieces, start=1)
        )
        return Prediction("", (Guess(Segments(segments)),), by=self.name)


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
    trained_on = ("mcscript", "rocstories", "reader")

    def __init__(self, window: int = 2, x: float = 0.1, words: str = "lemmas", over: str = "minima") -> None:
        self.window, self.x, self.words, self.over = window, x, words, over

    def reads(self) -> list[Path]:
        """The carried topics, and the reader behind lemmas."""
        return inside(resource("topics"), *([resource("reader")] if self.words == "lemmas" else []))

    def cuts(self, story: Story, size: int) -> list[int]:
        words = content_words([story.of(span) for span in spans_of(story)], self.words)
        return tile(word_vectors(words), self.window, self.x, self.over)


class TopicTiling(TextTiling):
    """Riedl and Biemann's, on the carried topics."""

    name = "topic-tiling"

    def cuts(self, story: Story, size: int) -> list[int]:
        topics = carried_topics(self.words)
        words = content_words([story.of(span) for span in spans_of(story)], self.words)
        return tile(topic_vectors(words, topics.likeliest, topics.topics), self.window, self.x, self.over)


def spans_of(story: Story) -> tuple[Sentence, ...]:
    """The sentences of a story, cut by rule where it has none."""
    return story.sentences or cut(story.text) or (Sentence(0, len(story.text)),)


def random_cuts(story: Story, size: int, seed: int) -> list[int]:
    """Starts of pieces of one to ten sentences."""
    draw = random.Random(content_hash([str(seed).encode(), story.text.encode()], length=16))
    borders, place = [], draw.randint(1, 10)
    while place < size:
        borders.append(place)
        place += draw.randint(1, 10)
    return borders
