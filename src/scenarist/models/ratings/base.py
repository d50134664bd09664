"""Context and text -> surprise in nats, and what follows from it: a rating, a choice.

A rating rises with surprise from the low end of the scale to the high one; ``logp`` of the guess is minus the surprise, so that nothing is
lost in the rounding. Of several texts the least surprising is chosen, with chances as its surprise says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from scenarist.errors import BadInput
from scenarist.question import AnyQuestion, Choice, Guess, Prediction, Question, Rate


class SurpriseModel:
    """Base: a subclass gives the surprise of a text behind a context."""

    name = "surprise"
    learns = "nothing"
    asks: tuple[type[Question], ...] = (Rate, Choice)
    middle = 3.0
    """The surprise that gets the middle of a scale."""

    def fit(self, data: Iterable[Any]) -> SurpriseModel:
        """Nothing to learn, unless a model says otherwise."""
        return self

    def surprises(self, context: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Nats for each of some texts in one context."""
        raise NotImplementedError

    def compared(self, context: Sequence[str], texts: Sequence[str]) -> list[float]:
        """What is compared in a choice: nats, unless texts of different length need something else."""
        return self.surprises(context, texts)

    def answer(self, question: AnyQuestion) -> Prediction:
        """A rating by surprise, or the least surprising choice."""
        match question:
            case Rate(text=text, context=context, low=low, high=high):
                (surprise,) = self.surprises(context, [text])
                share = surprise / (surprise + self.middle)
                return Prediction("", (Guess(str(round(low + share * (high - low))), -surprise),), by=self.name)
            case Choice(context=context, choices=choices):
                scores = [-value for value in self.compared(context, choices)]
                top = max(scores)
                total = top + math.log(math.fsum(math.exp(score - top) for score in scores))
                order = sorted(range(len(scores)), key=lambda number: (-scores[number], choices[number]))
                return Prediction(
                    "", tuple(Guess(str(number), scores[number] - total) for number in order), by=self.name, rest=0.0
                )
        raise BadInput(f"{self.name} rates and chooses texts; it does not answer {type(question).__name__} questions.")
