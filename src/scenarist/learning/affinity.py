"""Stories -> stories ranked by how much they tell the scenarios: how Wanzare et al. (2019), section 3, chose their 504 texts.

A logistic regression learned from stories that name their scenario gives a chance for each scenario, and a text's affinity is the
greatest of them. The paper's features are a text's topics (LDA; ``features="topics"``). What is carried also looks at words
(``topics+words``), and knows texts that tell no scenario (``None``, which is never a label). Carried: topics and regression
learned from MCScript (`resources/topics`; made by `training/detector/affinity.py`), so any corpus can be ranked without MCScript
at hand. `Affinity.fit` learns from anybody's labels.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.formats.plain import sentences
from scenarist.learning.topics import Topics, carried_topics
from scenarist.networks.layers import softmax, unit
from scenarist.noun import Noun
from scenarist.reading.content_words import FORMS, content_words
from scenarist.store.home import resource, whole_file
from scenarist.story import Story

Array = npt.NDArray[Any]
SCHEMA = 1
NONE = "None"
FEATURES = ("topics", "words")
MOST = 2000
"""Words of the vocabulary, by the number of stories they stand in."""
PENALTY, STEPS, RATE = 1e-5, 300, 0.05


class RankedText(Noun, frozen=True):
    """A text with its affinity."""

    id: str
    affinity: float
    """The chance of its likeliest scenario."""
    scenario: str
    words: int


class Choosing(NamedTuple):
    """Which texts are kept."""

    top: int | None = None
    """So many, the highest first."""
    least: int = 0
    """Texts with fewer content words are left out."""
    cutoff: float = 0.0
    """Texts with less affinity are left out."""
    quota: int = 0
    """At most so many texts of a scenario; 0: any number."""

    def check(self) -> None:
        """Refuse what cannot be meant."""
        if self.top is not None and self.top < 1:
            raise BadInput(f"rank: top must be at least 1, not {self.top}.")
        if not 0 <= self.cutoff <= 1 or self.quota < 0:
            raise BadInput("rank: cutoff is a chance from 0 to 1, quota is 0 (any number) or more texts of a scenario.")


ALL = Choosing()


class Affinity:
    """Logistic regression from a text's topics and words to the scenarios."""

    def __init__(self, features: str = "topics+words", words: str = "lemmas", topics: int = 0, seed: int = 13) -> None:
        """``topics``: 0 for the carried ones, or so many learned from the stories given, as in the paper."""
        self.kinds = tuple(features.split("+"))
        if not set(self.kinds) <= set(FEATURES) or words not in FORMS:
            raise BadInput(
                f"affinity: features are {' or '.join(FEATURES)} or both ('topics+words'); words are {', '.join(FORMS)}."
            )
        self.words, self.topics, self.seed = words, topics, seed
        self.topics_: Topics | None = None

    def fit(self, stories: Iterable[Story], none: Iterable[Story] = ()) -> Affinity:
        """Learn from stories that name their scenario; ``none``: texts that tell none."""
        named = [(story, story.scenario) for story in stories if story.scenario]
        if len({name for _, name in named}) < 2:
            raise BadInput(
                "affinity: expected stories of two scenarios or more, each naming its own (a label, or the folder it lies in)."
            )
        named += [(story, NONE) for story in none]
        documents = list(self.documents([story for story, _ in named]))
        if "topics" in self.kinds:
            learned = Topics(self.topics, passes=8, seed=self.seed).fit(documents) if self.topics else None
            self.topics_ = learned or carried_topics(self.words)
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(set(document))
        heaviest = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
        self.vocabulary_ = tuple(heaviest[:MOST]) if "words" in self.kinds else ()
        self.place_ = {word: number for number, word in enumerate(self.vocabulary_)}
        self.idf_ = np.log((1 + len(documents)) / (1 + np.array([counts[word] for word in self.vocabulary_]))) + 1
        rows = np.array([self.row(document) for document in documents])
        self.labels_, self.weights_, self.bias_ = regression(rows, [name for _, name in named])
        return self

    def documents(self, stories: Sequence[Story]) -> Iterator[list[str]]:
        """The content words of each story."""
        lines = [[story.of(span) for span in story.sentences or sentences(story.text)] for story in stories]
        content_words([line for part in lines for line in part], self.words)  # one batch for the parser
        for part in lines:
            yield [word for sentence in content_words(part, self.words) for word in sentence]

    def row(self, document: Sequence[str]) -> Array:
        """A text as the regression sees it: square roots of topic shares, so that small shares count; tf.idf of length one."""
        parts = [np.sqrt(self.topics_.infer(document))] if self.topics_ is not None else []
        if self.vocabulary_:
            counts = np.zeros(len(self.vocabulary_))
            for word in document:
                if word in self.place_:
                    counts[self.place_[word]] += 1
            parts.append(2 * unit((counts * self.idf_)[None])[0])
        return np.concatenate(parts)

    def rate(self, story: Story) -> RankedText:
        """One text's affinity; 0 where no word of it is known, or where it rather tells no scenario at all."""
        (document,) = self.documents([story])
        chances = softmax(self.row(document) @ self.weights_ + self.bias_)
        known = any(
            word in self.place_ or (self.topics_ is not None and word in self.topics_.place_) for word in document
        )
        own = [number for number, label in enumerate(self.labels_) if label != NONE]
        top = max(own, key=lambda number: float(chances[number]))
        if not known:
            return RankedText(story.id, 0.0, "", len(document))
        return RankedText(story.id, round(float(chances[top]), 6), self.labels_[top], len(document))

    def save(self, path: Path) -> None:
        """Keep it as one file of arrays, whole or not at all."""
        parts = {"labels": self.labels_, "vocabulary": self.vocabulary_, "settings": (*self.kinds, self.words)}
        arrays: dict[str, Array] = {name: packed("\n".join(words)) for name, words in parts.items()}
        scale = float(np.abs(self.weights_).max()) / 127 or 1.0
        arrays |= {
            "schema": np.array([SCHEMA]), "idf": self.idf_.astype(np.float32), "bias": self.bias_.astype(np.float32),
            "weights": np.round(self.weights_ / scale).astype(np.int8), "scale": np.array([scale]),
        }  # fmt: skip
        if self.topics_ is not None and self.topics:
            arrays |= {
                "topics": np.log(self.topics_.weights_).astype(np.float16),
                "topic_words": packed("\n".join(self.topics_.words_)),
            }
        with whole_file(path) as temporary, temporary.open("wb") as out:
            np.savez_compressed(out, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Affinity:
        """What ``save`` kept."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                if int(arrays["schema"][0]) != SCHEMA:
                    raise BadInput(
                        f"{path}: affinities of another version. Fit them again: scenarist corpus affinity CORPUS -o {path}"
                    )
                *kinds, words = text_of(arrays["settings"])
                affinity = cls("+".join(kinds), words)
                affinity.labels_, affinity.vocabulary_ = text_of(arrays["labels"]), text_of(arrays["vocabulary"])
                affinity.idf_, affinity.bias_ = arrays["idf"].astype(float), arrays["bias"].astype(float)
                affinity.weights_ = arrays["weights"].astype(float) * float(arrays["scale"][0])
                if "topics" in arrays:
                    own = Topics(len(arrays["topics"]))
                    own.words_, own.weights_ = text_of(arrays["topic_words"]), np.exp(arrays["topics"].astype(float))
                    own.place_ = {word: number for number, word in enumerate(own.words_)}
                    affinity.topics, affinity.topics_ = own.topics, own
        except (OSError, KeyError, ValueError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(
                f"{path}: not a file of affinities ({error}). Make one with: scenarist corpus affinity CORPUS -o FILE"
            ) from error
        affinity.place_ = {word: number for number, word in enumerate(affinity.vocabulary_)}
        if "topics" in affinity.kinds and affinity.topics_ is None:
            affinity.topics_ = carried_topics(affinity.words)
        return affinity


def regression(rows: Array, names: Sequence[str]) -> tuple[tuple[str, ...], Array, Array]:
    """Multinomial logistic regression by Adam, with a light penalty: labels, weights, bias."""
    labels = tuple(sorted(set(names)))
    place = {label: number for number, label in enumerate(labels)}
    wanted = np.eye(len(labels))[[place[name] for name in names]]
    values = [np.zeros((rows.shape[1], len(labels))), np.zeros(len(labels))]
    first, second = [np.zeros_like(value) for value in values], [np.zeros_like(value) for value in values]
    for step in range(1, STEPS + 1):
        error = (softmax(rows @ values[0] + values[1]) - wanted) / len(rows)
        for number, slope in enumerate((rows.T @ error + PENALTY * values[0], error.sum(axis=0))):
            first[number] = 0.9 * first[number] + 0.1 * slope
            second[number] = 0.999 * second[number] + 0.001 * slope * slope
            values[number] -= (
                RATE * (first[number] / (1 - 0.9**step)) / (np.sqrt(second[number] / (1 - 0.999**step)) + 1e-9)
            )
    return labels, values[0], values[1]


def packed(text: str) -> Array:
    """Text as bytes, for an array file."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def text_of(array: Array) -> tuple[str, ...]:
    """The lines of packed text."""
    text = array.tobytes().decode()
    return tuple(text.split("\n")) if text else ()


@cache
def carried() -> Affinity:
    """The affinities inside the package."""
    return Affinity.load(resource("topics/affinity.npz"))


def rank(stories: Iterable[Story], choosing: Choosing = ALL, model: Affinity | None = None) -> list[RankedText]:
    """Texts by affinity, the highest first, as many as are asked for."""
    choosing.check()
    rater = model or carried()
    rated = (rater.rate(story) for story in stories)
    texts = (text for text in rated if text.words >= choosing.least and text.affinity >= choosing.cutoff)

    def order(text: RankedText) -> tuple[float, str]:
        return -text.affinity, text.id

    if choosing.top is not None and not choosing.quota:
        return heapq.nsmallest(choosing.top, texts, key=order)
    ranked = sorted(texts, key=order)
    if choosing.quota:
        taken: Counter[str] = Counter()
        kept = []
        for text in ranked:
            taken[text.scenario] += 1
            if taken[text.scenario] <= choosing.quota:
                kept.append(text)
        ranked = kept
    return ranked[: choosing.top]
