"""Story with segments x library -> UnsaidEvents, and LeftOut -> Suggestions: the model behind `scenarist read`, examined as
`untold-library`.

*Which* events: those of the scenario's written script that no sentence tells (`learning/library/alignment.py`), nor denies, and whose
way is not
excluded by another way that is told; the likeliest by what is written, by what tellers say, and by how little the story speaks of them.
*Where*:
in the gap where the story steps over the event in the script. What is asked by a gap (`Unsaid`) is answered as by `untold-scripts`, and
so are
scenarios that have no written script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scenarist.interpretation import UnsaidEvent
from scenarist.learning.library.alignment import StoryAlignment, Array, ReadyScript, align, place_chances, ready_script
from scenarist.learning.library.evidence import HAPPENS, likely
from scenarist.learning.library.scenario_words import carried_words
from scenarist.learning.library.story_phrases import cast_roles, event_phrase, slot_wordings
from scenarist.learning.script_matches import ScenarioPassage, scenario_passages
from scenarist.models.untold.base import scenarios_of, story_segments
from scenarist.models.untold.scripts import ScriptModel
from scenarist.question import AnyQuestion, Guess, LeftOut, Prediction, Suggestion, Suggestions
from scenarist.registry import make
from scenarist.script import Reason, Script
from scenarist.store.home import inside, resource
from scenarist.story import Sentence, Story

MOST_IN_GAP = 2
"""Notes in a gap; the rest is folded into the last of them."""


@cache
def story_detector() -> Any:
    """The detector of `read` and `detect`."""
    return make("model", "library-detector")


class UnsaidCandidate(NamedTuple):
    """An event that may be unsaid: its number in the script, how likely it is, and the gaps where it may stand (gaps)."""

    number: int
    chance: float
    gaps: Array

    @property
    def gap(self) -> int:
        """The likeliest gap."""
        return int(self.gaps.argmax())


class WrittenScriptModel(ScriptModel):
    """What a story leaves unsaid, by the written scripts of the library."""

    name = "untold-library"

    def __init__(
        self, most: int = 6, least: float = 0.25, taught: bool = False, scripts: Mapping[str, Script] | None = None
    ) -> None:
        """As `untold-scripts`: ``most`` unsaid events a passage, each of at least ``least`` probability."""
        super().__init__(most, least, taught, scripts)

    def reads(self) -> list[Path]:
        """What `untold-scripts` reads, and the library."""
        return [*super().reads(), *inside(resource("scripts"), resource("meaning"))]

    def answer(self, question: AnyQuestion) -> Prediction:
        """The likeliest fillers of a gap, or all that a story leaves out."""
        if not isinstance(question, LeftOut):
            return super().answer(question)
        segments = story_segments(story_detector(), question.story)
        unsaid, _ = self.unsaid(msgspec.structs.replace(question.story, segments=segments))
        suggestions = tuple(
            Suggestion(event.phrase, event.at, event.wordings, event.scenario) for event in unsaid if not event.folded
        )
        return Prediction("", (Guess(Suggestions(scenarios_of(segments), suggestions)),), by=self.name)

    def unsaid(self, story: Story) -> tuple[tuple[UnsaidEvent, ...], tuple[tuple[str, int], ...]]:
        """All that the segments of a story leave unsaid, and what they deny."""
        written = carried_words().number
        events: list[UnsaidEvent] = []
        others: list[int] = []
        for passage in scenario_passages(story):
            if passage.scenario in written:
                events += self.written_unsaid(story, passage)
            else:
                others += passage.segments
        rest = msgspec.structs.replace(story, segments=tuple(story.segments[index] for index in others))
        learned, denied = super().unsaid(rest) if others else ((), ())
        events += (msgspec.structs.replace(event, segment=others[event.segment]) for event in learned)
        return tuple(sorted(events, key=lambda event: event.at)), denied

    def written_unsaid(self, story: Story, passage: ScenarioPassage) -> list[UnsaidEvent]:
        """The unsaid events of a passage, in the order of the text and, at one place, of the script."""
        script = ready_script(passage.scenario)
        spans = [story.segments[index] for index in passage.segments]
        sentences = [
            sentence for sentence in story.sentences
            if any(span.start <= (sentence.start + sentence.stop) / 2 < span.stop for span in spans)
        ]  # fmt: skip
        if not sentences:
            return []
        alignment = align(story, sentences, script)
        cast = cast_roles(story, script.script)
        chosen = sorted(self.choose(alignment, script), key=lambda one: (one.gap, script.steps[one.number]))
        return [
            self.note(story, passage, script, sentences, one, event_phrase(script.script.events[one.number], cast))
            for one in chosen
        ]

    def choose(self, alignment: StoryAlignment, script: ReadyScript) -> list[UnsaidCandidate]:
        """The likeliest unsaid events."""
        gaps = place_chances(alignment, script)
        ever = alignment.ever
        candidates = []
        for number, event in enumerate(script.script.events):
            told = ever[number]
            chance = likely(event, script.evidence, number) if script.evidence.events else HAPPENS[event.happens]
            ways = [
                ever[n]
                for n, other in enumerate(script.script.events)
                if event.one_of and other.one_of == event.one_of and n != number
            ]
            chance *= (1 - told) * (1 - max(ways, default=0.0)) / (len(ways) + 1)
            if alignment.denied[:, number].max(initial=0.0) >= 0.6:
                continue
            candidates.append(UnsaidCandidate(number, float(chance), gaps[:, number]))
        candidates.sort(key=lambda one: -one.chance * one.gaps.max() ** 0.5)
        return candidates[: self.most]

    def note(
        self,
        story: Story,
        passage: ScenarioPassage,
        script: ReadyScript,
        sentences: Sequence[Sentence],
        one: UnsaidCandidate,
        phrase: str,
    ) -> UnsaidEvent:
        """An unsaid event as it is shown."""
        event = script.script.events[one.number]
        at = sentences[one.gap - 1].stop if one.gap else sentences[0].start
        return UnsaidEvent(
            passage.scenario, event.id, phrase, round(min(one.chance, 0.99), 4), passage.segments[0], -1, -1, at, Reason(""),
            slot_wordings(event, script.participants),
        )  # fmt: skip
