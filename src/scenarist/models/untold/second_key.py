"""LeftOut -> Suggestions of a second judge: the ceiling of table `judged`, as the row `second-key`.

The judge read the forty stories without the first key, without the library and without any answer of a program, and named for each story
its scenarios and what most surely happened unsaid, each event in one sentence and at one gap. Held against the first key as a reader's
suggestions are held, they say how far two judges agree under this measure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from scenarist import inventory
from scenarist.errors import BadInput
from scenarist.question import AnyQuestion, Guess, LeftOut, Prediction, Question, Suggestion, Suggestions
from scenarist.store.home import resource
from scenarist.story import Story

KEYS = "judged/second/keys.jsonl"


class SecondEvent(msgspec.Struct, frozen=True):
    """What happened unsaid, and the gap where it belongs: gap *i* is just before sentence *i*."""

    event: str
    gap: int


class SecondKey(msgspec.Struct, frozen=True):
    """What the second judge says of a story."""

    id: str
    scenarios: tuple[str, ...]
    unsaid: tuple[SecondEvent, ...]


@cache
def second_keys() -> dict[str, SecondKey]:
    """Story -> what the second judge says of it."""
    keys = msgspec.json.Decoder(SecondKey)
    return {key.id: key for key in map(keys.decode, resource(KEYS).read_bytes().splitlines())}


def offset_of(story: Story, gap: int) -> int:
    """The character offset of a gap: the end of the sentence before it."""
    if not story.sentences or gap <= 0:
        return 0
    return story.sentences[min(gap, len(story.sentences)) - 1].stop


class SecondJudge:
    """The answers of a second judge to the forty stories; a story that was not judged gets none."""

    name = "second-key"
    learns = "nothing"
    trained_on = ()
    asks: tuple[type[Question], ...] = (LeftOut,)

    def __init__(self, most: int = 4) -> None:
        """``most`` events a story, the surest first."""
        self.most = most

    def reads(self) -> list[Path]:
        """The second key."""
        return [resource(KEYS)]

    def fit(self, data: Iterable[Any]) -> SecondJudge:
        """Nothing to learn."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        """What the judge says of this story."""
        if not isinstance(question, LeftOut):
            raise BadInput(f"model {self.name} says what a story leaves out, not {type(question).__name__}.")
        key = second_keys().get(question.story.id)
        if key is None:
            return Prediction(
                "", (Guess(Suggestions()),), by=self.name, note="the second judge has not read this story"
            )
        scenarios = tuple(inventory.find(name).name if inventory.known(name) else name for name in key.scenarios)
        events = tuple(
            Suggestion(event.event, offset_of(question.story, event.gap)) for event in key.unsaid[: self.most]
        )
        return Prediction("", (Guess(Suggestions(scenarios, events)),), by=self.name)
