"""Bags of words -> topics: latent Dirichlet allocation (Blei et al. 2003) by online variational Bayes (Hoffman et al. 2010).

What Wanzare et al. (2019), section 4, take from Gensim: topics over all stories at hand, a document's share of each topic, and
for TopicTiling the most likely topic of every word (Riedl and Biemann 2012). Settings as printed: 200 topics. Plain numpy,
one pass after another over small batches; the same seed gives the same topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.store.home import resource

Array: TypeAlias = npt.NDArray[Any]
SCHEMA = 1


class Topics:
    """Topics and the words they are made of."""

    def __init__(
        self, topics: int = 200, passes: int = 3, batch: int = 256, least: int = 3, most: float = 0.5, seed: int = 13
    ) -> None:
        """``least``: documents a word must occur in; ``most``: the share of documents above which it is left out."""
        self.topics, self.passes, self.batch = topics, passes, batch
        self.least, self.most, self.seed = least, most, seed
        self.words_: tuple[str, ...] = ()
        self.weights_: Array = np.zeros((topics, 0))
        self.place_: dict[str, int] = {}

    def fit(self, documents: Sequence[Sequence[str]]) -> Topics:
        """Learn the topics of documents given as words."""
        counts_: Counter[str] = Counter()
        for document in documents:
            counts_.update(set(document))
        limit = max(self.least, self.most * len(documents))
        self.words_ = tuple(sorted(word for word, count in counts_.items() if self.least <= count <= limit))
        if not self.words_:
            raise BadInput(f"topics: no word occurs in at least {self.least} of the {len(documents)} documents.")
        self.place_ = {word: at for at, word in enumerate(self.words_)}
        bags = [bag for document in documents if (bag := self.bag(document))[0].size]
        draw = np.random.default_rng(self.seed)
        alpha, eta = 1.0 / self.topics, 1.0 / self.topics
        weights = draw.gamma(100.0, 0.01, (self.topics, len(self.words_)))
        step = 0
        for _ in range(self.passes):
            order = draw.permutation(len(bags))
            for start in range(0, len(order), self.batch):
                some = [bags[at] for at in order[start : start + self.batch]]
                expected = np.exp(log_expectation(weights))
                sums = np.zeros_like(weights)
                for words, counts in some:
                    beta = expected[:, words]  # (K, n)
                    _, theta = shares(beta, counts, alpha)
                    norm = theta @ beta + 1e-100
                    sums[:, words] += np.outer(theta, counts / norm)
                rate = (8.0 + step) ** -0.7
                weights = (1 - rate) * weights + rate * (eta + len(bags) / len(some) * sums * expected)
                step += 1
        self.weights_ = weights
        return self

    def bag(self, document: Sequence[str]) -> tuple[Array, Array]:
        """The known words of a document as numbers, and how often each occurs."""
        counted = Counter(self.place_[word] for word in document if word in self.place_)
        return np.array(sorted(counted), dtype=np.int64), np.array(
            [counted[number] for number in sorted(counted)], dtype=float
        )

    def infer(self, document: Sequence[str]) -> Array:
        """A document's share of each topic (K,); equal shares where no word is known."""
        words, counts = self.bag(document)
        if not words.size:
            return np.full(self.topics, 1.0 / self.topics)
        gamma, _ = shares(self.expected[:, words], counts, 1.0 / self.topics)
        return np.asarray(gamma / gamma.sum())

    @property
    def expected(self) -> Array:
        """exp E[log beta] (K, V), made once."""
        if not hasattr(self, "expected_"):
            self.expected_ = np.exp(log_expectation(self.weights_))
        return self.expected_

    @property
    def likeliest(self) -> dict[str, int]:
        """Every word's most likely topic, made once."""
        if not hasattr(self, "likeliest_"):
            share = self.weights_ / self.weights_.sum(axis=1, keepdims=True)
            tops = share.argmax(axis=0)
            self.likeliest_ = {word: int(tops[index]) for index, word in enumerate(self.words_)}
        return self.likeliest_

    def top(self, topic: int, count: int = 10) -> list[str]:
        """A topic's heaviest words."""
        return [self.words_[index] for index in np.argsort(-self.weights_[topic], kind="stable")[:count]]

    def save(self, path: Path) -> None:
        """Keep the topics as arrays."""
        meta = np.array([SCHEMA, self.topics], dtype=np.int64)
        text = np.frombuffer("\n".join(self.words_).encode(), dtype=np.uint8)
        np.savez_compressed(path, meta=meta, words=text, weights=np.log(self.weights_).astype(np.float16))

    @classmethod
    def load(cls, path: Path) -> Topics:
        """Topics kept before."""
        with np.load(path, allow_pickle=False) as arrays:
            schema, topics = (int(number) for number in arrays["meta"])
            if schema != SCHEMA:
                raise BadInput(f"{path}: expected topics of schema {SCHEMA}, found {schema}.")
            topics_ = cls(topics)
            topics_.words_ = tuple(arrays["words"].tobytes().decode().split("\n"))
            topics_.weights_ = np.exp(arrays["weights"].astype(np.float64))
        topics_.place_ = {word: index for index, word in enumerate(topics_.words_)}
        return topics_


def shares(beta: Array, counts: Array, alpha: float, rounds: int = 40) -> tuple[Array, Array]:
    """One document: variational gamma (K,) and exp E[log theta]."""
    gamma = np.full(len(beta), alpha + counts.sum() / len(beta))
    theta = np.exp(digamma(gamma) - digamma(gamma.sum()))
    for _ in range(rounds):
        before = gamma
        gamma = alpha + theta * (beta @ (counts / (theta @ beta + 1e-100)))
        theta = np.exp(digamma(gamma) - digamma(gamma.sum()))
        if np.abs(gamma - before).mean() < 1e-3:
            break
    return gamma, theta


def log_expectation(weights: Array) -> Array:
    """E[log] of Dirichlet rows."""
    return np.asarray(digamma(weights) - digamma(weights.sum(axis=1, keepdims=True)))


def digamma(values: Any) -> Any:
    """The digamma function for positive numbers: up by the recurrence, then its asymptotic series.

    >>> [round(float(digamma(one)), 6) for one in (1.0, 0.5, 10.0)]
    [-0.577216, -1.96351, 2.251753]
    """
    x = np.asarray(values, dtype=float)
    low = np.zeros_like(x)
    for _ in range(6):
        small = x < 6
        low = np.where(small, low - 1 / x, low)
        x = np.where(small, x + 1, x)
    inverse = 1 / (x * x)
    return low + np.log(x) - 0.5 / x - inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))


@cache
def carried_topics(words: str = "lemmas") -> Topics:
    """The topics inside the package (200, from MCScript and ROCStories, train splits), over lemmas or over stems."""
    return Topics.load(resource("topics/topics.npz" if words == "stems" else "topics/topics-lemmas.npz"))
