"""Content words -> feature vectors: tf.idf, topics, word vectors, and any of them side by side (Wanzare et al. 2019, section 4).

tf.idf is scikit-learn's (smoothed, rows of length one). Word vectors are our own, since the paper names none: positive pointwise
mutual information of words in a story, reduced to ``width`` dimensions, averaged over a segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from scenarist.errors import BadInput
from scenarist.learning.topics import Topics
from scenarist.models.label_chain import Array

KINDS = ("tfidf", "lda", "vectors")


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
        found: Counter[str] = Counter()
        for document in documents:
            found.update(set(document))
        words = sorted((word for word, count in found.items() if count > 1), key=lambda word: (-found[word], word))[
            : self.most
        ]
        self.place_ = {word: at for at, word in enumerate(words)}
        self.idf_ = np.array([np.log((1 + len(documents)) / (1 + found[word])) + 1 for word in words], dtype=np.float32)
        if "vectors" in self.kinds:
            self.vectors_ = self.learn_vectors(documents)
        if "lda" in self.kinds and self.topics is None:
            self.topics = Topics().fit(documents)
        return self

    def learn_vectors(self, documents: Sequence[Sequence[str]]) -> Array:
        """Word vectors (V, width) from which words share stories."""
        within = np.zeros((len(documents), len(self.place_)), dtype=np.float32)
        for at, document in enumerate(documents):
            for word in set(document) & self.place_.keys():
                within[at, self.place_[word]] = 1
        both = within.T @ within
        alone = np.maximum(both.diagonal(), 1)
        mutual = np.log(np.maximum(both, 1e-9) * len(documents) / np.outer(alone, alone))
        values, vectors = np.linalg.eigh(np.maximum(mutual, 0))
        top = np.argsort(-values)[: self.width]
        return np.asarray(vectors[:, top] * np.sqrt(np.maximum(values[top], 0)), dtype=np.float32)

    def __call__(self, documents: Sequence[Sequence[str]]) -> Array:
        """One row a document (N, F)."""
        counts = np.zeros((len(documents), len(self.place_)), dtype=np.float32)
        for at, document in enumerate(documents):
            for word in document:
                if word in self.place_:
                    counts[at, self.place_[word]] += 1
        parts = []
        for kind in self.kinds:
            if kind == "tfidf":
                weighted = counts * self.idf_
                parts.append(weighted / np.maximum(np.linalg.norm(weighted, axis=1, keepdims=True), 1e-9))
            elif kind == "vectors":
                mean = (counts * self.idf_) @ self.vectors_
                parts.append(mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9))
            else:
                assert self.topics is not None
                parts.append(
                    np.array([self.topics.infer(one) for one in documents], dtype=np.float32).reshape(
                        len(documents), -1
                    )
                )
        return np.concatenate(parts, axis=1)
