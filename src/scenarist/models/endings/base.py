"""Question -> Guesses, for all that choose an ending: one number for each ending, the highest wins.

A model of this family writes ``scores(context, endings)``; this file turns the numbers into a ranked Prediction. Numbers
become probabilities by a softmax, so that ties stay ties. ``see="ending"`` makes any of them blind to the story: the bias
audit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from hashlib import sha1
from typing import Any

from scenarist.errors import BadInput
from scenarist.question import AnyQuestion, Choice, Guess, Prediction, Question

VIEWS = ("story", "last", "ending")
WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+")


def words(text: str) -> list[str]:
    """Lower-cased words of a sentence.

    >>> words("Don't stop, Ann!")
    ["don't", 'stop', 'ann']
    """
    return [word.lower() for word in WORD.findall(text)]


def fold_of(context: Sequence[str], folds: int = 10) -> int:
    """The fold a context belongs to, by its text alone, so that 2016 and 2018 agree.

    >>> fold_of(["Ann ran.", "She fell."]) == fold_of(["ann  ran. She", "fell."])
    True
    """
    text = " ".join(" ".join(context).lower().split())
    return int(sha1(text.encode("utf-8")).hexdigest(), 16) % folds


def choice(question: AnyQuestion, name: str) -> Choice:
    """The question as a Choice between endings, or what is wrong with it."""
    if not isinstance(question, Choice):
        raise BadInput(f"{name} chooses among endings; it cannot answer a question of kind {type(question).__name__}.")
    if not question.choices or not all(ending.strip() for ending in question.choices):
        raise BadInput(
            f"{name}: expected endings to choose from, got {list(question.choices)}; an ending must not be empty."
        )
    return question


def ranked(scores: Sequence[float], by: str, why: Sequence[Sequence[str]] = (), note: str = "") -> Prediction:
    """Numbers as a ranked prediction.

    >>> [guess.answer for guess in ranked([0.0, 1.0], "x").guesses]
    ['1', '0']
    """
    top = max(scores)
    total = top + math.log(math.fsum(math.exp(score - top) for score in scores))
    order = sorted(range(len(scores)), key=lambda choice: (-scores[choice], choice))
    reasons = why or [()] * len(scores)
    guesses = tuple(Guess(str(choice), scores[choice] - total, tuple(reasons[choice])) for choice in order)
    return Prediction("", guesses, by=by, rest=0.0, note=note)


class EndingModel:
    """Base of the models that choose an ending."""

    name = "ending"
    learns = "nothing"
    asks: tuple[type[Question], ...] = (Choice,)

    def __init__(self, see: str = "story") -> None:
        if see not in VIEWS:
            raise BadInput(f"{self.name}: `see` is one of {', '.join(VIEWS)}, not {see!r}.")
        self.see = see

    def fit(self, data: Iterable[Any]) -> EndingModel:
        """Nothing to learn, unless a model says otherwise."""
        return self

    def seen(self, context: Sequence[str]) -> tuple[str, ...]:
        """What of the story the model may look at."""
        return {"story": tuple(context), "last": tuple(context[-1:]), "ending": ()}[self.see]

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        """One number for each ending."""
        raise NotImplementedError

    def answer(self, question: AnyQuestion) -> Prediction:
        asked = choice(question, self.name)
        return ranked(self.scores(self.seen(asked.context), asked.choices), self.name)


class ConstantFirst(EndingModel):
    """Always the first ending (Mostafazadeh et al. 2016, Table 6, *Constant-choose-first*)."""

    name = "constant-first"
    positional = True

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        return [0.0] + [-1.0] * (len(endings) - 1)
