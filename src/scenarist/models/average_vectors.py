"""Choice -> Guesses: the ending whose mean word vector is nearer the story's (Mostafazadeh et al. 2016, section 5, model 3).

The paper takes ready word2vec vectors through gensim; here the vectors are learned with gensim (skip-gram with negative
sampling) from the training stories, so that nothing is downloaded. Words never seen are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, missing_extra
from scenarist.models.endings import EndingModel, words
from scenarist.story import Story, sentence_texts


class Told:
    """The words of stories, one story a line, to be read several times."""

    def __init__(self, stories: Iterable[Story]) -> None:
        self.stories = stories

    def __iter__(self) -> Any:
        for story in self.stories:
            yield [word for sentence in sentence_texts(story) for word in words(sentence)]


def cosine(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> float:
    """Cosine of two vectors, 0 where one of them is nought."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 0.0


class AverageVectors(EndingModel):
    """Mean word vectors and their cosine."""

    name = "average-word2vec"
    learns = "stories"

    def __init__(self, size: int = 100, window: int = 10, epochs: int = 15, least: int = 3, see: str = "story", seed: int = 13) -> None:
        super().__init__(see)
        self.size, self.window, self.epochs, self.least, self.seed = size, window, epochs, least, seed

    def fit(self, data: Iterable[Any]) -> AverageVectors:
        """Learn word vectors from stories; one worker, so that a seed gives the same vectors twice."""
        try:
            from gensim.models import Word2Vec
        except ModuleNotFoundError as error:
            raise missing_extra("gensim", "stories", "The word2vec baseline") from error
        model = Word2Vec(
            sentences=list(Told(data)), vector_size=self.size, window=self.window, min_count=self.least, sg=1, negative=10,
            epochs=self.epochs, seed=self.seed, workers=1, sample=1e-4,
        )  # fmt: skip
        self.vectors_ = {word: model.wv.vectors[at] for word, at in model.wv.key_to_index.items()}
        return self

    def mean(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """The mean vector of the words of some sentences."""
        if not hasattr(self, "vectors_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table.")
        found = [self.vectors_[word] for text in texts for word in words(text) if word in self.vectors_]
        return np.mean(found, axis=0) if found else np.zeros(self.size)

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        story = self.mean(context)
        return [cosine(story, self.mean([ending])) for ending in endings]
