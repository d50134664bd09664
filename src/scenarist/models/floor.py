"""Question -> Guesses: the floor every table stands on. No knowledge of the world, only of the form of the question.

``constant`` always gives the first option, ``random`` a seeded draw that depends on the question alone (so the order of
asking changes nothing), ``majority`` the commonest training answer, ``frequency`` all training answers by how often
they were right. Questions without options take the answers seen in training as options.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

from scenarist.errors import BadInput
from scenarist.noun import to_json
from scenarist.question import (
    AboutEvent,
    Answer,
    AnyQuestion,
    Choice,
    EventGap,
    Example,
    Guess,
    LeftOut,
    Order,
    Permutation,
    Prediction,
    Question,
    Read,
    Segments,
    SentenceGap,
    Suggestions,
    Unsaid,
    Where,
    WordGap,
)
from scenarist.signature import content_hash


def options(question: AnyQuestion, seen: Iterable[Answer] = ()) -> list[Answer]:
    """The answers a question offers by its form, or those seen in training."""
    match question:
        case Choice(choices=choices):
            return [str(number) for number in range(len(choices))]
        case EventGap(choices=links) if links:
            return [str(link) for link in links]
        case AboutEvent(choices=choices):
            return list(choices)
        case Unsaid(choices=choices) if choices:
            return list(choices)
        case Order(sentences=sentences):
            return [Permutation(tuple(range(len(sentences))))]
        case Where(whole=False):
            return [Segments(())]
        case LeftOut():
            return [Suggestions()]
        case Read():
            raise BadInput("the floor models choose among answers; a text cannot be read so. Ask the model 'reading'.")
        case EventGap() | WordGap() | Unsaid() | Where() | SentenceGap():
            return list(seen)
    raise BadInput(f"the floor models do not answer questions of the kind {type(question).__name__}.")


class Floor:
    """What the floor models share."""

    name = "floor"
    learns = "examples"
    asks: tuple[type[Question], ...] = (
        Choice,
        EventGap,
        WordGap,
        Order,
        Unsaid,
        Where,
        LeftOut,
        AboutEvent,
        SentenceGap,
    )
    positional = True

    def __init__(self) -> None:
        self.answers_: Counter[Answer] = Counter()

    def fit(self, data: Iterable[Any]) -> Floor:
        """Count the answers of worked examples."""
        self.answers_ = Counter(example.answer for example in data if isinstance(example, Example))
        return self


class Constant(Floor):
    """The first option, always (``constant-first`` in Mostafazadeh et al. 2016)."""

    name = "constant"
    learns = "nothing"

    def __init__(self, answer: str = "") -> None:
        super().__init__()
        self.constant = answer

    def answer(self, question: AnyQuestion) -> Prediction:
        found = [self.constant] if self.constant else options(question)[:1]
        return Prediction("", tuple(Guess(one) for one in found), by=self.name)


class Random(Floor):
    """A uniform draw among the options, seeded by the question."""

    name = "random"

    def __init__(self, seed: int = 13) -> None:
        super().__init__()
        self.seed = seed

    def answer(self, question: AnyQuestion) -> Prediction:
        draw = random.Random(content_hash([str(self.seed).encode(), to_json(question)], length=16))
        if isinstance(question, Order):
            order = list(range(len(question.sentences)))
            draw.shuffle(order)
            return Prediction("", (Guess(Permutation(tuple(order))),), by=self.name)
        found = options(question, sorted(self.answers_, key=str))
        draw.shuffle(found)
        return Prediction("", tuple(Guess(one) for one in found), by=self.name)


class Frequency(Floor):
    """All options by how often each was the answer in training; ties share their rank."""

    name = "frequency"

    def answer(self, question: AnyQuestion) -> Prediction:
        found = options(question, self.answers_)
        total = sum(self.answers_[one] for one in found) + len(found)
        scored = sorted(((self.answers_[one] + 1) / total, number) for number, one in enumerate(found))[::-1]
        return Prediction("", tuple(Guess(found[number], math.log(p)) for p, number in scored), by=self.name)


class Majority(Frequency):
    """Only the commonest answer."""

    name = "majority"

    def answer(self, question: AnyQuestion) -> Prediction:
        whole = super().answer(question)
        best = [guess for guess in whole.guesses if guess.logp == whole.guesses[0].logp]
        return Prediction("", tuple(best), by=self.name)
