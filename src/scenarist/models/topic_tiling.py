"""Content words of sentences -> boundaries: TextTiling (Hearst 1994) and TopicTiling (Riedl and Biemann 2012).

Both compare the block of ``window`` sentences before a gap with the block behind it (cosine), give each local minimum its
depth (the climb to the nearest peaks on either side), and cut where the depth exceeds mu - sigma / x. TextTiling's blocks are
counts of words; TopicTiling's are counts of each word's most likely topic (Wanzare et al. 2019, section 5.1). Settings as
printed: window 2, x 0.1, with which every local minimum is cut; on our stitched stories, whose segments are short, that
cuts far too often, so the rows of our tables take x -0.7 (mu + 1.4 sigma), tuned on stitched training stories, and give the
printed setting beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scenarist.models.label_chain import Array


def word_vectors(sentences: Sequence[Sequence[str]]) -> Array:
    """Counts of words (T, V)."""
    place = {word: at for at, word in enumerate(dict.fromkeys(word for one in sentences for word in one))}
    found = np.zeros((len(sentences), max(1, len(place))))
    for at, words in enumerate(sentences):
        for word in words:
            found[at, place[word]] += 1
    return found


def topic_vectors(sentences: Sequence[Sequence[str]], likeliest: Mapping[str, int], topics: int) -> Array:
    """Share of each sentence's words per topic (T, K)."""
    found = np.zeros((len(sentences), topics))
    for at, words in enumerate(sentences):
        for word in words:
            if word in likeliest:
                found[at, likeliest[word]] += 1
        total = found[at].sum()
        if total:
            found[at] /= total
    return found


def coherence(vectors: Array, window: int = 2) -> Array:
    """Cosine between the blocks on both sides of each gap (T - 1)."""
    size = len(vectors)
    found = np.zeros(max(0, size - 1))
    for gap in range(1, size):
        left, right = vectors[max(0, gap - window) : gap].sum(axis=0), vectors[gap : gap + window].sum(axis=0)
        norm = float(np.linalg.norm(left) * np.linalg.norm(right))
        found[gap - 1] = float(left @ right) / norm if norm else 0.0
    return found


def depths(scores: Array) -> Array:
    """How deep each local minimum lies below the peaks on both its sides; zero elsewhere.

    A minimum has higher scores on either side, so the first and the last gap of a text, whose blocks are cut short, are none; of several
    equal gaps in a row the middle one stands for all.

    >>> depths(np.array([0.9, 0.2, 0.8, 0.5, 0.6])).round(2).tolist()
    [0.0, 1.3, 0.0, 0.4, 0.0]
    >>> depths(np.array([0.0, 0.4, 0.1, 0.1, 0.1, 0.3])).round(2).tolist()
    [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]
    """
    found = np.zeros(len(scores))
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
            found[(first + last) // 2] = (scores[left] - scores[first]) + (scores[right] - scores[first])
        first = last + 1
    return found


def tile(vectors: Array, window: int = 2, x: float = 0.1) -> list[int]:
    """Starts of the segments after the first: gaps whose depth is above zero and above mu - sigma / x.

    >>> tile(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    [2]
    """
    found = depths(coherence(vectors, window))
    if not found.any():
        return []
    threshold = found.mean() - found.std() / x
    return [at + 1 for at, depth in enumerate(found) if depth > 0 and depth > threshold]
