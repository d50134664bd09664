"""Read -> Reading: a reader (`reading/`) as a solver, so that it sits the exam `reading` like any other model.

Where the question gives the words, the reader reads those; otherwise the text. The time it took stands in the prediction's
note (``seconds:0.0123``), shared out by length, for the metric ``sentences_per_s``; loading the weights is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.question import AnyQuestion, Guess, Prediction, Question, Read, Reading
from scenarist.registry import make
from scenarist.store.home import inside, resource
from scenarist.story import Story


class ReadingModel:
    """A registered reader by name; ``jobs`` processes read raw texts."""

    name = "reading"
    learns = "nothing"
    trained_on = ("ewt", "gum", "ontogum", "litbank", "fiction")
    asks: tuple[type[Question], ...] = (Read,)

    def __init__(self, reader: str = "default", jobs: int = 1) -> None:
        self.reader = reader
        self.jobs = jobs
        self.made_: Any = None

    def reads(self) -> list[Path]:
        """The carried reader."""
        return inside(resource("reader")) if self.reader == "default" else []

    def fit(self, data: Iterable[Any]) -> ReadingModel:
        """Nothing to learn: a reader comes trained."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """Readings of many texts, in batches where only the text is given."""
        for question in questions:
            if not isinstance(question, Read):
                raise BadInput(f"model reading answers the question 'read', not {type(question).__name__}.")
        reads = [question for question in questions if isinstance(question, Read)]
        reader = self.made()
        plain = [question.text for question in reads if not question.words]
        if plain and (warm := getattr(reader, "warm", None)):
            warm()
        begun = time.perf_counter()
        stories = iter(list(reader(plain)))
        pace = (time.perf_counter() - begun) / max(1, sum(map(len, plain)))
        made = []
        for question in reads:
            if question.words:
                made.append(reading(self.on_words(question)))
            else:
                made.append(reading(next(stories), f"seconds:{pace * len(question.text):.6f}"))
        return made

    def made(self) -> Any:
        """The reader, made once."""
        if self.made_ is None:
            settings = {"jobs": self.jobs} if self.reader == "default" and self.jobs > 1 else {}
            self.made_ = make("reader", self.reader, **settings)
        return self.made_

    def on_words(self, question: Read) -> Story:
        """The reading of given words, where the reader can do that."""
        words = getattr(self.made(), "words", None)
        if words is None:
            raise BadInput(f"the reader {self.reader} cannot read given words; ask it with tokens = 'raw'.")
        story: Story = words(question.words, question.text)
        return story


def reading(story: Story, note: str = "") -> Prediction:
    return Prediction("", (Guess(Reading(story)),), note=note)
