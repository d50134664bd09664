"""Stories -> stories ranked by how much they tell the scenarios: how Wanzare et al. (2019), section 3, chose their 504 texts.

A text's topics (LDA) are inferred, a logistic regression learned from MCScript gives a chance for each scenario, and the
text's affinity is the greatest of them. Topics and regression are carried (`resources/topics/topics.npz`, `affinity.npz`;
made by `training/detector/topics.py`), so any corpus can be ranked without MCScript at hand.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.formats.plain import sentences
from scenarist.learning.topics import Topics, carried_topics
from scenarist.networks.layers import softmax
from scenarist.noun import Noun
from scenarist.reading.content_words import content_words
from scenarist.store.home import resource
from scenarist.story import Story


class RankedText(Noun, frozen=True):
    """A text with its affinity."""

    id: str
    affinity: float
    """The chance of its likeliest scenario."""
    scenario: str
    words: int


class Regression(NamedTuple):
    """Logistic regression from topic shares to scenarios, and the form of words the topics were learned from."""

    labels: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    words: str


@cache
def carried() -> tuple[Topics, Regression]:
    """Topics and regression inside the package."""
    with np.load(resource("topics/affinity.npz"), allow_pickle=False) as arrays:
        labels = tuple(arrays["labels"].tobytes().decode().split("\n"))
        words = arrays["words"].tobytes().decode()
        regression = Regression(labels, arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32), words)
    return carried_topics("stems"), regression


def features(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Topic shares as the regression sees them: square roots, so that small shares count."""
    return np.sqrt(shares)


def affinity(story: Story) -> RankedText:
    """One text's affinity."""
    topics, regression = carried()
    lines = [story.of(span) for span in story.sentences or sentences(story.text)]
    words = [word for sentence in content_words(lines, regression.words) for word in sentence]
    scores = features(topics.infer(words)) @ regression.weights + regression.bias
    shares = softmax(scores)
    top = int(shares.argmax())
    known = sum(word in topics.place_ for word in words)
    return RankedText(
        story.id, round(float(shares[top]), 6) if known else 0.0, regression.labels[top] if known else "", len(words)
    )


def rank(stories: Iterable[Story], top: int | None = None, least: int = 0) -> list[RankedText]:
    """Texts by affinity, the highest first; ``top`` keeps so many, ``least`` leaves out texts with fewer content words."""
    if top is not None and top < 1:
        raise BadInput(f"rank: top must be at least 1, not {top}.")
    texts = (text for story in stories if (text := affinity(story)).words >= least)

    def order(text: RankedText) -> tuple[float, str]:
        return -text.affinity, text.id

    return sorted(texts, key=order) if top is None else heapq.nsmallest(top, texts, key=order)
