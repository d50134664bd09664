"""Choice -> Guesses: the ending whose main event is commoner (Mostafazadeh et al. 2016, section 5, model 1).

The paper asks a search engine for the main verb with its roles ("I*poison*flowers"); here they are counted in a corpus: subject, verb
and object together, and where that was never seen the verb with its object, then the verb alone, each step at a price.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.models.endings.base import EndingModel, choice, ranked
from scenarist.models.endings.narrative_chains import depth, read_first
from scenarist.question import AnyQuestion, Prediction
from scenarist.registry import make
from scenarist.store.home import inside, resource
from scenarist.story import Event, Story

PRICE = math.log(0.1)
"""What each step back costs."""


def patterns(event: Event) -> tuple[str, str, str]:
    """The main event with its roles, from the fullest to the verb alone."""
    subject, thing = event.role("subj"), event.role("obj")
    who, what = subject.head if subject else "", thing.head if thing else ""
    return f"{who}*{event.predicate}*{what}", f"*{event.predicate}*{what}", event.predicate


def main_event(story: Story) -> Event | None:
    """The event nearest the root."""
    return min(story.events, key=lambda event: (depth(story, event.token), event.start), default=None)


class EventFrequency(EndingModel):
    """How often the main event occurs."""

    name = "event-frequency"
    learns = "stories"
    trained_on = ("reader",)

    def __init__(self, reader: str = "default", limit: int | None = None) -> None:
        super().__init__("ending")
        self.reader, self.limit = reader, limit

    def reads(self) -> list[Path]:
        """The carried reader."""
        return inside(resource("reader")) if self.reader == "default" else []

    def fit(self, data: Iterable[Any]) -> EventFrequency:
        """Count the events of stories, which are read where they come without."""
        self.counts_: Counter[str] = Counter()
        for story in read_first(data, self.reader, self.limit):
            if isinstance(story, Story):
                for event in story.events:
                    self.counts_.update(patterns(event))
        if not self.counts_:
            raise BadInput("event-frequency: no event was found in the training stories.")
        return self

    def score(self, event: Event | None) -> float:
        """Log frequency, with a price for each step back."""
        if event is None:
            return 4 * PRICE
        for step, pattern in enumerate(patterns(event)):
            if count := self.counts_[pattern]:
                return math.log(count) + step * PRICE
        return 3 * PRICE

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        if not hasattr(self, "counts_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
        asked = [choice(question, self.name) for question in questions]
        stories = iter(make("reader", self.reader)([ending for one in asked for ending in one.choices]))
        return [ranked([self.score(main_event(next(stories))) for _ in one.choices], self.name) for one in asked]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
