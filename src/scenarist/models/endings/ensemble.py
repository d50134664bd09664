"""Choice -> Guesses: several ending models together: the weighted mean of their log-probabilities.

By default the labelled folds and the unlabelled discriminator's three seeds, none of which has seen the question's context with its label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.models.endings.base import choice, ranked
from scenarist.question import AnyQuestion, Choice, Prediction, Question
from scenarist.registry import make

MEMBERS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("lm-classifier", {}, 1.0),
    ("story-discriminator", {"weights": "stories-2"}, 0.5),
    ("story-discriminator", {"weights": "stories-3"}, 0.5),
)


class EndingEnsemble:
    """A weighted mean of members, each a name, its settings and a weight."""

    name = "ending-ensemble"
    asks: tuple[type[Question], ...] = (Choice,)

    def __init__(self, members: Sequence[Any] = MEMBERS) -> None:
        if not members:
            raise BadInput("ending-ensemble: expected one or more members as [name, settings, weight].")
        self.members = [(make("model", name, **settings), float(weight)) for name, settings, weight in members]
        needs = {model.learns for model, _ in self.members} - {"nothing"}
        if len(needs) > 1:
            raise BadInput(
                f"ending-ensemble: members must learn from the same thing, not from {' and '.join(sorted(needs))}."
            )
        self.learns = needs.pop() if needs else "nothing"
        self.positional = any(getattr(model, "positional", False) for model, _ in self.members)

    @property
    def trained_on(self) -> tuple[str, ...]:
        """What its members learned from beforehand."""
        return tuple(dict.fromkeys(name for model, _ in self.members for name in getattr(model, "trained_on", ())))

    def reads(self) -> list[Path]:
        """What its members read."""
        return [path for model, _ in self.members if hasattr(model, "reads") for path in model.reads()]

    def fit(self, data: Iterable[Any]) -> EndingEnsemble:
        """Fit the members that learn."""
        kept = list(data)
        for model, _ in self.members:
            if model.learns != "nothing":
                model.fit(kept)
        return self

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """Every member answers all questions."""
        asked = [choice(question, self.name) for question in questions]
        sums = [[0.0] * len(one.choices) for one in asked]
        for model, weight in self.members:
            many = getattr(model, "answer_many", None)
            answers = many(questions) if many else [model.answer(question) for question in questions]
            for row, answer in zip(sums, answers, strict=True):
                for guess in answer.guesses:
                    row[int(str(guess.answer))] += weight * (guess.logp or 0.0)
        total = sum(weight for _, weight in self.members)
        return [ranked([value / total for value in row], self.name) for row in sums]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
