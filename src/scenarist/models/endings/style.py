"""Choice -> Guesses: a linear model on the style of the endings (in the manner of Schwartz et al. 2017), trained on labelled ones.

Feature families, any of them alone for the bias audit: ``length`` (words, characters), ``words`` (1- and 2-grams), ``chars``
(4-grams), ``sentiment`` (VADER), ``negation``, ``frequency`` (mean log frequency of the words in the training endings'
contexts), ``overlap`` (words shared with the story), ``lm`` (ln P(ending | story), ln P(ending) and their difference under SmolLM2
tuned on stories). All but the last two look at the ending alone.

Cross-fitting: the labelled set is also the one it is scored on, so ``fit`` trains one model for each of ten folds of
contexts, each blind to its fold, and a question is answered by the model that has not seen its context. Weights are those of
a logistic regression on the *difference* of the two endings' features (L2, Nesterov's gradient), in numpy. The penalty was chosen on
the same folds among 0.001, 0.01 and 0.1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.models.endings.base import EndingModel, choice, fold_of, ranked, words
from scenarist.question import AnyQuestion, Choice, Example, Prediction

FAMILIES = ("length", "words", "chars", "sentiment", "negation", "frequency", "overlap", "lm")
NEGATION = re.compile(r"\b(?:not|no|never|nothing|nobody|none|without|refused|failed)\b|n't\b")


def logistic(gram: npt.NDArray[Any], y: npt.NDArray[Any], penalty: float, steps: int = 250) -> npt.NDArray[Any]:
    """L2-regularised logistic regression without intercept, from inner products: weights = coefficients @ rows; y in {-1, 1}.

    There are far more features than stories, so the gradient is followed in the span of the rows: the same steps, a matrix of
    stories by stories instead of stories by features.

    >>> rows = np.array([[1.0], [-1.0], [2.0]])
    >>> weights = logistic(rows @ rows.T, np.array([1.0, -1.0, 1.0]), 0.01) @ rows
    >>> bool(weights[0] > 0)
    True
    """
    n = len(y)
    vector = np.ones(n, dtype=gram.dtype)
    for _ in range(20):  # the largest eigenvalue by power iteration gives the longest safe step
        vector = gram @ (vector / (float(np.linalg.norm(vector)) + 1e-12))
    step = 1.0 / (0.26 * float(np.linalg.norm(vector)) / n + penalty + 1e-12)
    weights = ahead = np.zeros(n, dtype=gram.dtype)
    pace = 1.0
    for _ in range(steps):
        margin = np.clip(y * (gram @ ahead), -30, 30)
        new = (1.0 - step * penalty) * ahead + step / n * y / (1.0 + np.exp(margin))
        faster = (1.0 + math.sqrt(1.0 + 4.0 * pace * pace)) / 2.0
        ahead = new + (pace - 1.0) / faster * (new - weights)
        weights, pace = new, faster
    return weights


class StyleLinear(EndingModel):
    """A linear model of style, cross-fitted."""

    name = "style-linear"
    learns = "examples"

    def __init__(
        self, features: Sequence[str] = ("length", "words", "chars", "sentiment", "negation", "frequency"), penalty: float = 1e-3,
        least: int = 3, folds: int = 10, see: str = "story",
    ) -> None:  # fmt: skip
        super().__init__(see)
        self.features = tuple(features)
        for family in self.features:
            if family not in FAMILIES:
                raise BadInput(f"style-linear: a feature family is one of {', '.join(FAMILIES)}, not {family!r}.")
        if see == "ending" and {"overlap", "lm"} & set(self.features):
            raise BadInput(
                "style-linear: the families overlap and lm look at the story; they cannot be had with see=ending."
            )
        self.penalty, self.least, self.folds = penalty, least, folds

    @property
    def trained_on(self) -> tuple[str, ...]:
        """What its language model learned from, where it is among the features."""
        return ("smollm2", "rocstories") if "lm" in self.features else ()

    def reads(self) -> list[Path]:
        """The language model, where it is among the features."""
        if "lm" not in self.features:
            return []
        from scenarist.models.endings.story_network import story_files

        return story_files()

    def counted(self, ending: str) -> Counter[str]:
        """Sparse features of an ending: words and characters."""
        counts: Counter[str] = Counter()
        tokens = ["<", *words(ending), ">"]
        if "words" in self.features:
            counts.update(f"w:{a}" for a in tokens[1:-1])
            counts.update(f"w:{a} {b}" for a, b in pairwise(tokens))
        if "chars" in self.features:
            edged = f" {' '.join(ending.lower().split())} "
            counts.update(f"c:{edged[start : start + 4]}" for start in range(len(edged) - 3))
        return counts

    def measured(self, context: Sequence[str], ending: str, lm: Sequence[float] = ()) -> list[float]:
        """Dense features of an ending, each of about unit size."""
        tokens = words(ending)
        out: list[float] = []
        if "length" in self.features:
            out += [len(tokens) / 5.0, len(ending) / 25.0]
        if "sentiment" in self.features:
            from scenarist.models.endings.similarity import feeling

            value = feeling(ending)
            out += [2.0 * value, 2.0 * abs(value)]
        if "negation" in self.features:
            out.append(2.0 * len(NEGATION.findall(ending.lower())))
        if "frequency" in self.features:
            out.append(
                sum(math.log((self.frequency_[word] + 1) / self.total_) for word in tokens) / max(1, len(tokens))
            )
        if "overlap" in self.features:
            known = {word for sentence in context for word in words(sentence)}
            out.append(4.0 * sum(word in known for word in tokens) / max(1, len(tokens)))
        return [*out, *lm]

    def lm_features(self, asked: Sequence[Choice]) -> list[list[list[float]]]:
        """For each question and ending: ln P(ending | story), ln P(ending), the difference, each by the token."""
        if "lm" not in self.features:
            return [[[] for _ in question.choices] for question in asked]
        from scenarist.models.endings.language_model import StoryLm

        return StoryLm().features([(question.context, question.choices) for question in asked])

    def table(self, asked: Sequence[Choice]) -> npt.NDArray[Any]:
        """Difference of the features of second and first ending, one row a question: [N, F]."""
        out = np.zeros((len(asked), len(self.known_) + self.dense_), dtype=np.float32)
        for row, (question, lm) in enumerate(zip(asked, self.lm_features(asked), strict=True)):
            for sign, ending, extra in ((-1.0, question.choices[0], lm[0]), (1.0, question.choices[1], lm[1])):
                counts = self.counted(ending)
                size = math.sqrt(sum(count * count for count in counts.values())) or 1.0
                for name, count in counts.items():
                    if (column := self.known_.get(name)) is not None:
                        out[row, column] += sign * 3.0 * count / size
                out[row, len(self.known_) :] += sign * np.array(
                    self.measured(self.seen(question.context), ending, extra), dtype=np.float32
                )
        return out

    def fit(self, data: Iterable[Any]) -> StyleLinear:
        """Learn from labelled stories, one model a fold; the same story twice (2016 and 2018 share many) counts once."""
        examples = list(
            {
                (e.question, e.answer): e for e in data if isinstance(e, Example) and isinstance(e.question, Choice)
            }.values()
        )
        asked = [choice(example.question, self.name) for example in examples]
        if len(asked) < 2 or any(len(question.choices) != 2 for question in asked):
            raise BadInput(f"style-linear: expected two or more labelled stories with two endings, got {len(asked)}.")
        self.frequency_ = Counter(
            word for question in asked for sentence in question.context for word in words(sentence)
        )
        self.total_ = sum(self.frequency_.values()) + len(self.frequency_) + 1
        totals = Counter(
            name for question in asked for ending in question.choices for name in set(self.counted(ending))
        )
        self.known_ = {
            name: column for column, name in enumerate(sorted(name for name, n in totals.items() if n >= self.least))
        }
        self.dense_ = len(self.measured((), "x")) + (3 if "lm" in self.features else 0)
        x = self.table(asked)
        y = np.array([1.0 if example.answer == "1" else -1.0 for example in examples], dtype=np.float32)
        folds = np.array([fold_of(question.context, self.folds) for question in asked])
        gram = x @ x.T  # [N, N]
        self.weights_ = []
        for fold in range(self.folds):
            kept = np.flatnonzero(folds != fold)
            self.weights_.append(logistic(gram[np.ix_(kept, kept)], y[kept], self.penalty) @ x[kept])
        return self

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go, each by the model that did not see its context."""
        if not hasattr(self, "weights_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(examples), or name a training corpus in the table."
            )
        asked = [choice(question, self.name) for question in questions]
        margins = [
            float(row @ self.weights_[fold_of(one.context, self.folds)])
            for one, row in zip(asked, self.table(asked), strict=True)
        ]
        return [ranked([0.0, margin], self.name) for margin in margins]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
