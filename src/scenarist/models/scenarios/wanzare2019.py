"""Content words -> feature vectors: tf.idf, topics, word vectors, and any of them side by side (Wanzare et al. 2019, section 4).

tf.idf is scikit-learn's (smoothed, rows of length one). Word vectors are our own, since the paper names none: positive pointwise
mutual information of words in a story, reduced to ``width`` dimensions, averaged over a segment.

Where -> Segments, the benchmark of Wanzare et al. (2019), section 4: cut the text first, then label each piece.

``tt-tfidf``: TopicTiling, then one perceptron a scenario on tf.idf; a piece whose distribution over scenarios has too high an
entropy is *None*, the threshold being tuned on the documents ``held`` (the paper's 18; the table hands over 18 stitched ones, half
of them with *None* text, since the paper's are not to be had), whose stories are kept out of the training; without them no piece is
*None*. ``sent-tfidf`` takes every sentence for a segment,
``random-tfidf`` cuts at random, ``sent-maj`` always says the commonest label. ``features`` are tf.idf, topics, word vectors or
several of them. Words are lemmas of nouns, verbs and particles from the carried parser, as in the paper; ``words="stems"`` takes light
stems of content words, without parsing.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scenarist.errors import BadInput
from scenarist.formats.plain import sentences as cut
from scenarist.inventory import find, known
from scenarist.learning.topics import Topics, carried_topics
from scenarist.models.scenarios.tiling import random_cuts, spans_of, tile, topic_vectors
from scenarist.networks.label_chain import Array
from scenarist.networks.layers import unit
from scenarist.networks.perceptrons import OneVsAll
from scenarist.question import AnyQuestion, Guess, Prediction, Question, Segments, Where
from scenarist.reading.content_words import content_words
from scenarist.signature import content_hash
from scenarist.store.home import inside, resource
from scenarist.store.recent import Recent
from scenarist.story import Label, Segment, Story

KINDS = ("tfidf", "words", "lda", "vectors")
"""``words`` is tf.idf over all words that stand in two documents, not only the commonest 2,000."""


class Features:
    """A way to turn documents of words into rows of numbers."""

    def __init__(
        self, kinds: Sequence[str] = ("tfidf",), most: int = 2000, width: int = 100, topics: Topics | None = None
    ) -> None:
        """``most``: words in the tf.idf vocabulary, by document frequency; ``topics``: learned beforehand."""
        for kind in kinds:
            if kind not in KINDS:
                raise BadInput(f"features are {', '.join(KINDS)}, not {kind!r}.")
        self.kinds, self.most, self.width, self.topics = tuple(kinds), most, width, topics

    def fit(self, documents: Sequence[Sequence[str]]) -> Features:
        """Learn vocabulary, weights and vectors."""
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(set(document))
        words = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
        if "words" not in self.kinds:
            words = words[: self.most]
        self.place_ = {word: index for index, word in enumerate(words)}
        self.idf_ = np.array(
            [np.log((1 + len(documents)) / (1 + counts[word])) + 1 for word in words], dtype=np.float32
        )
        if "vectors" in self.kinds:
            self.vectors_ = self.learn_vectors(documents)
        if "lda" in self.kinds and self.topics is None:
            self.topics = Topics().fit(documents)
        return self

    def learn_vectors(self, documents: Sequence[Sequence[str]]) -> Array:
        """Word vectors (V, width) from which words share stories."""
        within = np.zeros((len(documents), len(self.place_)), dtype=np.float32)
        for row, document in enumerate(documents):
            for word in set(document) & self.place_.keys():
                within[row, self.place_[word]] = 1
        both = within.T @ within
        alone = np.maximum(both.diagonal(), 1)
        mutual = np.log(np.maximum(both, 1e-9) * len(documents) / np.outer(alone, alone))
        values, vectors = np.linalg.eigh(np.maximum(mutual, 0))
        top = np.argsort(-values)[: self.width]
        return np.asarray(vectors[:, top] * np.sqrt(np.maximum(values[top], 0)), dtype=np.float32)

    def __call__(self, documents: Sequence[Sequence[str]]) -> Array:
        """One row a document (N, F)."""
        counts = np.zeros((len(documents), len(self.place_)), dtype=np.float32)
        for row, document in enumerate(documents):
            for word in document:
                if word in self.place_:
                    counts[row, self.place_[word]] += 1
        parts = []
        for kind in self.kinds:
            if kind in ("tfidf", "words"):
                parts.append(unit(counts * self.idf_))
            elif kind == "vectors":
                parts.append(unit((counts * self.idf_) @ self.vectors_))
            else:
                assert self.topics is not None
                parts.append(
                    np.array([self.topics.infer(one) for one in documents], dtype=np.float32).reshape(
                        len(documents), -1
                    )
                )
        return np.concatenate(parts, axis=1)


STEPS, ROUNDS = 40, 6
"""Thresholds tried; passes over the training stories."""


class Learned(NamedTuple):
    """What is learned from stories: the features and the classifiers."""

    features: Features
    classifiers: OneVsAll


LEARNED: Recent[tuple[object, ...], Learned] = Recent(4)
"""Rows that differ only in how they cut share their classifiers."""


class SegmentThenLabel:
    """Base: a subclass says where to cut."""

    name = "segment-then-label"
    learns = "stories"
    trained_on = ("mcscript", "rocstories", "reader")
    held = True
    asks: tuple[type[Question], ...] = (Where,)

    def __init__(
        self,
        features: Sequence[str] = ("tfidf",),
        window: int = 2,
        x: float = 0.1,
        words: str = "lemmas",
        threshold: float | None = None,
        over: str = "minima",
        seed: int = 13,
    ) -> None:
        """``threshold``: entropy (as a share of the greatest possible) above which a piece is *None*, else tuned; ``over``: as `tile`."""
        if isinstance(features, str):
            features = features.split("+")
        self.features, self.window, self.x, self.words = tuple(features), window, x, words
        self.threshold, self.over, self.seed = threshold, over, seed
        self.threshold_ = threshold

    def reads(self) -> list[Path]:
        """The carried topics, and the reader behind lemmas."""
        return inside(resource("topics"), *([resource("reader")] if self.words == "lemmas" else []))

    def fit(self, data: Iterable[Any], held: Iterable[Story] | None = None) -> SegmentThenLabel:
        """Learn from stories with a scenario; ``held``: documents with segments, to tune the threshold on."""
        stories = [story for story in data if isinstance(story, Story) and story.scenario]
        if not stories:
            raise BadInput(f"{self.name}: expected stories that name their scenario to learn from, got none.")
        documents = tuple(held or ()) if self.threshold is None else ()
        mark = content_hash((story.text.encode() for story in (*stories, *documents)), length=16)
        key = (mark, self.features, self.words, self.seed)
        self.learned_ = LEARNED.get_or_make(key, lambda: self.learn(stories, documents))
        if documents:
            self.threshold_ = self.tune(documents)
        return self

    def learn(self, stories: Sequence[Story], held: Sequence[Story]) -> Learned:
        """Features and classifiers, without the stories of the documents held."""
        used = {story.of(sentence) for story in held for sentence in story.sentences}
        documents, labels = [], []
        lines = [
            [" ".join(story.of(sentence).split()) for sentence in story.sentences or cut(story.text)]
            for story in stories
        ]
        content_words([line for some in lines for line in some], self.words)  # one batch for the parser
        for story, some in zip(stories, lines, strict=True):
            if sum(line in used for line in some) < 2:
                documents.append([word for words in content_words(some, self.words) for word in words])
                labels.append(find(story.scenario).name if known(story.scenario) else story.scenario)
        features = Features(self.features, topics=carried_topics(self.words) if "lda" in self.features else None).fit(
            documents
        )
        return Learned(features, OneVsAll(rounds=ROUNDS, seed=self.seed).fit(features(documents), labels))

    def tune(self, documents: Sequence[Story]) -> float:
        """The threshold with the best F1 over the tuning documents."""
        pairs: list[tuple[float, int, int, int]] = []  # entropy, right, claimed, to find, a piece
        to_find = 0
        for story in documents:
            spans = story.sentences
            gold = [
                next((one.names[0] for one in story.segments if one.start <= span.start < one.stop), "")
                for span in spans
            ]
            to_find += sum(bool(one) for one in gold)
            for first, last, ranked, entropy in self.pieces(story):
                right = sum(one == ranked[0].name for one in gold[first:last])
                pairs.append((entropy, right, last - first, 0))
        best, chosen = -1.0, 1.0
        for threshold in np.linspace(0.02, 1.0, STEPS):
            right = sum(one[1] for one in pairs if one[0] <= threshold)
            claimed = sum(one[2] for one in pairs if one[0] <= threshold)
            score = 2 * right / max(1, claimed + to_find)
            if score > best:
                best, chosen = score, float(threshold)
        return chosen

    def cuts(self, story: Story, words: Sequence[Sequence[str]]) -> list[int]:
        """Numbers of the sentences at which a new piece starts."""
        raise NotImplementedError

    def pieces(self, story: Story) -> list[tuple[int, int, tuple[Label, ...], float]]:
        """First and last sentence, ranked labels and entropy of each piece."""
        words = content_words([story.of(one) for one in spans_of(story)], self.words)
        edges = [0, *self.cuts(story, words), len(words)]
        borders = list(itertools.pairwise(edges))
        rows = self.learned_.features(
            [[word for some in words[first:last] for word in some] for first, last in borders]
        )
        chances = self.learned_.classifiers.chances(rows)
        return [(first, last, *self.judge(chances[index])) for index, (first, last) in enumerate(borders)]

    def judge(self, chances: Array, most: int = 5) -> tuple[tuple[Label, ...], float]:
        """Ranked labels and the entropy of the classifiers' outputs as a distribution, 1 for the greatest possible."""
        shares = chances / max(float(chances.sum()), 1e-12)
        entropy = float(-(shares * np.log(np.maximum(shares, 1e-12))).sum()) / math.log(max(2, len(shares)))
        order = np.argsort(-chances, kind="stable")[:most]
        return tuple(Label(self.learned_.classifiers.labels_[label], float(chances[label])) for label in order), entropy

    def answer(self, question: AnyQuestion) -> Prediction:
        """Segments; for a whole story the labels of the story as one piece."""
        if not isinstance(question, Where):
            raise BadInput(f"{self.name} answers 'where' questions only, not {type(question).__name__}.")
        story = question.story
        if question.whole:
            words = content_words([story.of(one) for one in spans_of(story)], self.words)
            row = self.learned_.features([[word for some in words for word in some]])
            chances = self.learned_.classifiers.chances(row)[0]
            labels, _ = self.judge(chances, most=10)
            total = max(float(chances.sum()), 1e-12)  # the classifiers are apart: their outputs as one distribution
            guesses = (Guess(label.name, math.log(max(label.weight / total, 1e-12))) for label in labels)
            return Prediction("", tuple(guesses), by=self.name)
        spans = spans_of(story)
        threshold = 1.0 if self.threshold_ is None else self.threshold_
        segments = tuple(
            Segment(spans[first].start, spans[last - 1].stop, labels, by=self.name)
            for first, last, labels, entropy in self.pieces(story)
            if last > first and entropy <= threshold
        )
        return Prediction("", (Guess(Segments(segments)),), by=self.name)


class TopicTilingLabels(SegmentThenLabel):
    """TopicTiling, then classification: the paper's model."""

    name = "tt-tfidf"

    def cuts(self, story: Story, words: Sequence[Sequence[str]]) -> list[int]:
        topics = carried_topics(self.words)
        return tile(topic_vectors(words, topics.likeliest, topics.topics), self.window, self.x, self.over)


class SentenceLabels(SegmentThenLabel):
    """Each sentence a segment of its own."""

    name = "sent-tfidf"

    def cuts(self, story: Story, words: Sequence[Sequence[str]]) -> list[int]:
        return list(range(1, len(words)))


class RandomLabels(SegmentThenLabel):
    """Random segments of one to ten sentences, drawn from the text itself, so that asking twice gives the same."""

    name = "random-tfidf"

    def cuts(self, story: Story, words: Sequence[Sequence[str]]) -> list[int]:
        return random_cuts(story, len(words), self.seed)


class MajorityScenario:
    """The commonest label for every sentence; by sentences, as the paper counts."""

    name = "sent-maj"
    learns = "stories"
    asks: tuple[type[Question], ...] = (Where,)

    def fit(self, data: Iterable[Any]) -> MajorityScenario:
        """Count sentences a scenario."""
        counts: Counter[str] = Counter()
        for story in data:
            if isinstance(story, Story) and story.scenario:
                counts[find(story.scenario).name if known(story.scenario) else story.scenario] += len(spans_of(story))
        if not counts:
            raise BadInput("sent-maj: expected stories that name their scenario to learn from, got none.")
        self.label_ = min(counts, key=lambda name: (-counts[name], name))
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        """One segment, or one name."""
        if not isinstance(question, Where):
            raise BadInput(f"sent-maj answers 'where' questions only, not {type(question).__name__}.")
        if question.whole:
            return Prediction("", (Guess(self.label_, 0.0),), by=self.name)
        whole = Segment(0, len(question.story.text), (Label(self.label_),), by=self.name)
        return Prediction("", (Guess(Segments((whole,))),), by=self.name)
