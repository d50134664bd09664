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

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from scenarist import inventory
from scenarist.interpretation import UnsaidEvent
from scenarist.learning.library.alignment import (
    Array,
    ReadyScript,
    StoryAlignment,
    align,
    place_chances,
    ready_script,
    story_clauses,
)
from scenarist.learning.library.evidence import HAPPENS, origin, told_share
from scenarist.learning.library.scenario_words import carried_words
from scenarist.learning.library.story_phrases import cast_roles, event_phrase, slot_wordings
from scenarist.learning.library.wordings import Clause
from scenarist.learning.script_matches import ScenarioPassage, scenario_passages
from scenarist.models.untold.base import scenarios_of, story_segments
from scenarist.models.untold.scripts import ScriptModel
from scenarist.networks.layers import sigmoid
from scenarist.question import AboutEvent, AnyQuestion, Guess, LeftOut, Prediction, Question, Suggestion, Suggestions
from scenarist.registry import make
from scenarist.script import Reason, Script
from scenarist.store.home import inside, resource
from scenarist.story import Sentence, Story

MOST_IN_GAP = 2
"""Notes in a gap; the rest is folded."""
PLACED = 0.6
"""How much the sureness of an event's place counts in choosing it."""
BESIDE = 0.35
"""How much the gaps beside a gap speak for it where the place of a named event is asked for (chosen on train parts of InScript and
DeScript)."""
INSIDE = 0.8
"""A place inside a sentence must be so much likelier than one between two: it stands for the gaps before and behind the sentence."""
DENIED = 0.6
"""From this likeness on a denied clause denies an event."""
NAMED, NAMED_EVENTS = 12.0, 4
"""How sharply words name one event and not another; so many events are kept."""
TOLD_ODDS = -0.1
"""Log-odds above which a named event is called told (chosen on InScript train)."""
FEATURES = (
    "always", "sometimes", "silent", "log-told", "told", "other-way", "meaning", "words", "person", "behind", "ahead", "late",
    "wordings", "assumed", "depends", "way", "bias",
)  # fmt: skip


@cache
def story_detector() -> Any:
    """The detector of `read` and `detect`."""
    return make("model", "library-detector")


class UnsaidCandidate(NamedTuple):
    """An event that may be unsaid: its number in the script, the chance that it happened and is not told, and where it may stand."""

    number: int
    chance: float
    gaps: Array
    """The chance of each gap (sentences + 1)."""


class NotePlace(NamedTuple):
    """Where a note stands, and how sure that is."""

    offset: int
    gap: float
    """Before this sentence, or inside the one before it (.5)."""
    mass: float


def unsaid_features(alignment: StoryAlignment, script: ReadyScript) -> Array:
    """What speaks for each event to have happened without being told (events, features)."""
    ever, events = alignment.ever, script.script.events
    told = np.nonzero(ever >= 0.4)[0]
    late = script.steps / max(1, len(events))
    near = alignment.features.max(1) if alignment.features.shape[1] else np.zeros((4, len(events)))
    rows = []
    for number, event in enumerate(events):
        others = [
            ever[n] for n, other in enumerate(events) if n != number and event.one_of and other.one_of == event.one_of
        ]
        behind = [other for other in told if other != number and script.before[other, number] > 0.5]
        ahead = [other for other in told if other != number and script.before[number, other] >= 0.5]
        person = script.participants[event.by].kind in ("person", "group", "animal")
        rows.append(
            [
                event.happens == "always", event.happens == "sometimes", event.silent, np.log(ever[number] + 0.01), ever[number],
                max(others, default=0.0), near[3, number], near[1, number], person, bool(behind), bool(ahead), late[number],
                min(len(event.wordings), 8) / 8, event.assumed == "yes", event.assumed == "depends", bool(event.one_of), 1.0,
            ]
        )  # fmt: skip
    return np.array(rows, float)


@cache
def chance_weights() -> Array:
    """The weights of the features, fitted by `training/library/fit.py`."""
    weights: Mapping[str, float] = json.loads(resource("scripts/reader.json").read_text(encoding="utf-8"))["chance"]
    return np.array([weights.get(name, 0.0) for name in FEATURES])


def clause_breaks(story: Story, sentence: Sentence) -> list[int]:
    """Where a sentence may be interrupted: ends of clauses between two of its events, never within a quotation."""
    inside = sorted(
        (event.start, event.stop)
        for event in story.events
        if sentence.start <= event.start < sentence.stop and event.kind == "verb"
    )
    breaks = []
    for (_, stop), (start, _) in itertools.pairwise(inside):
        between = story.text[stop:start] if stop < start else ""
        match = next((match for mark in CLAUSE_ENDS if (match := mark.search(between))), None)
        if match is not None and not quoted(story.text, sentence.start, stop + match.start()):
            breaks.append(stop + match.end(1))
    return breaks


CLAUSE_ENDS = (
    re.compile(r"(;) "),
    re.compile(r"(,) (?:and|but|so|then|or|until|while|because) "),
    re.compile(r"()(?: and then | then )"),
)
QUOTES = re.compile(r"[\"“”]")


def quoted(text: str, start: int, place: int) -> bool:
    """Does a place stand within a quotation that its sentence opens, or that began before?

    >>> text = 'He said, "Wait, and sit down."'
    >>> quoted(text, 0, 15), quoted(text, 0, 8)
    (True, False)
    """
    paragraph = text.rfind("\n", 0, start) + 1
    return len(QUOTES.findall(text[paragraph:place])) % 2 == 1


@cache
def label_events() -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Scenario -> label of InScript -> event of its script: the share of the label's train mentions that tell it."""
    path = resource("scripts/labels.json")
    content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"labels": {}}
    labels: Mapping[str, Mapping[str, Mapping[str, float]]] = content["labels"]
    return labels


def named_events(scenario: str, name: str, script: ReadyScript) -> dict[int, float]:
    """The events of a script that a label, or a step in words, means, with how surely."""
    ids = {event.id: number for number, event in enumerate(script.script.events)}
    learned = label_events().get(scenario, {}).get(name, {})
    if learned:
        return {ids[id]: share for id, share in learned.items() if id in ids}
    clause = Clause.of(name.removeprefix("ScrEv_").replace("_", " "))
    scores = 0.5 * script.meant([" ".join(clause.words)])[0]
    for number, likeness in script.matcher.likenesses(clause).items():
        scores[number] += likeness
    weights = np.exp(NAMED * (scores - scores.max()))
    return {int(number): float(weights[number] / weights.sum()) for number in np.argsort(-scores)[:NAMED_EVENTS]}


class WrittenScriptModel(ScriptModel):
    """What a story leaves unsaid, by the written scripts of the library."""

    name = "untold-library"
    trained_on = (*ScriptModel.trained_on, "library", "minilm")
    asks: tuple[type[Question], ...] = (*ScriptModel.asks, AboutEvent)

    def __init__(
        self, most: int = 6, least: float = 0.5, taught: bool = False, scripts: Mapping[str, Script] | None = None
    ) -> None:
        """As `untold-scripts`: ``most`` unsaid events a passage, each of at least ``least`` probability, times that of the scenario."""
        super().__init__(most, least, taught, scripts)

    def reads(self) -> list[Path]:
        """What `untold-scripts` reads, and the library."""
        return [*super().reads(), *inside(resource("scripts"), resource("meaning"))]

    def answer(self, question: AnyQuestion) -> Prediction:
        """The likeliest fillers of a gap, where a named event belongs, whether it is told, or all that a story leaves out."""
        if isinstance(question, AboutEvent):
            return self.about_event(question)
        if not isinstance(question, LeftOut):
            return super().answer(question)
        segments = story_segments(story_detector(), question.story)
        unsaid, _ = self.unsaid(msgspec.structs.replace(question.story, segments=segments))
        suggestions = tuple(
            Suggestion(event.phrase, event.at, event.wordings, event.scenario) for event in unsaid if not event.folded
        )
        return Prediction("", (Guess(Suggestions(scenarios_of(segments), suggestions)),), by=self.name)

    def about_event(self, question: AboutEvent) -> Prediction:
        """The gaps of a named event by their chances, or whether it is told."""
        story = question.story
        name = question.scenario or next(iter(scenarios_of(story_segments(story_detector(), story))), "")
        scenario = inventory.find(name).name if inventory.known(name) else name
        if scenario not in carried_words().number:
            return Prediction("", tuple(Guess(choice, 0.0) for choice in question.choices), by=self.name)
        script = ready_script(scenario)
        meant = named_events(scenario, question.event, script)
        alignment = align(story, story.sentences, script)
        if "told" in question.choices:
            most = max(meant.values())
            chance = max(weight / most * float(alignment.ever[number]) for number, weight in meant.items())
            odds = float(np.log(max(chance, 1e-6) / max(1 - chance, 1e-6))) - TOLD_ODDS
            levels = {"told": -float(np.logaddexp(0.0, -odds)), "None": -float(np.logaddexp(0.0, odds))}
        else:
            gaps = place_chances(alignment, script)
            weighed = sum((weight * gaps[:, number] for number, weight in meant.items()), np.full(len(gaps), 1e-6))
            chances = with_neighbours(weighed, BESIDE)
            levels = {str(gap): float(np.log(chance / chances.sum())) for gap, chance in enumerate(chances)}
        ranked = sorted(question.choices, key=lambda choice: -levels.get(choice, -99.0))
        return Prediction("", tuple(Guess(choice, levels.get(choice, -99.0)) for choice in ranked), by=self.name)

    def unsaid(self, story: Story) -> tuple[tuple[UnsaidEvent, ...], tuple[tuple[str, int], ...]]:
        """All that the segments of a story leave unsaid, and what they deny."""
        written = carried_words().number
        events: list[UnsaidEvent] = []
        others: list[int] = []
        negated: dict[int, str] = {}
        for passage in scenario_passages(story):
            if passage.scenario in written:
                events += self.written_unsaid(story, passage)
                negated |= denied_events(story, passage)
            else:
                others += passage.segments
        rest = msgspec.structs.replace(story, segments=tuple(story.segments[index] for index in others))
        learned, denied = super().unsaid(rest) if others else ((), ())
        events += (msgspec.structs.replace(event, segment=others[event.segment]) for event in learned)
        negated |= {event: name for name, event in denied}
        refused = tuple((name, event) for event, name in sorted(negated.items()))
        return tuple(sorted(events, key=lambda event: event.at)), refused

    def written_unsaid(self, story: Story, passage: ScenarioPassage) -> list[UnsaidEvent]:
        """The unsaid events of a passage, in the order of the text and, at one place, of the script."""
        script = ready_script(passage.scenario)
        sentences = passage_sentences(story, passage)
        if not sentences:
            return []
        alignment = align(story, sentences, script)
        cast = cast_roles(story, script.script)
        breaks = [clause_breaks(story, sentence) for sentence in sentences]
        sure = max(story.segments[index].labels[0].weight for index in passage.segments)
        placed = [
            (one, note_place(sentences, breaks, one.gaps))
            for one in self.candidates(alignment, script)
            if one.chance * sure >= self.least
        ]
        placed.sort(key=lambda pair: -pair[0].chance * pair[1].mass ** PLACED)
        chosen = sorted(placed[: self.most], key=lambda pair: (pair[1].offset, script.steps[pair[0].number]))
        notes: list[UnsaidEvent] = []
        for one, place in chosen:
            here = sum(note.at == place.offset and not note.folded for note in notes)
            event = script.script.events[one.number]
            after, before = told_neighbours(story, sentences, place)
            notes.append(
                UnsaidEvent(
                    passage.scenario, event.id, event_phrase(event, cast), round(min(one.chance, 0.99), 4),
                    segment_at(story, passage, place.offset), after, before, place.offset,
                    written_reason(story, script, one.number, after, before), slot_wordings(event, script.participants),
                    told_rounded(script, one.number), event_origin(script, one.number), here >= MOST_IN_GAP,
                )
            )  # fmt: skip
        return notes

    def candidates(self, alignment: StoryAlignment, script: ReadyScript) -> list[UnsaidCandidate]:
        """The events that may be unsaid: likely enough, not denied."""
        gaps = place_chances(alignment, script)
        chances = sigmoid(unsaid_features(alignment, script) @ chance_weights())
        denied = alignment.denied.max(0, initial=0.0) >= DENIED
        return [
            UnsaidCandidate(number, float(chances[number]), gaps[:, number])
            for number in range(len(script.script.events))
            if chances[number] >= self.least and not denied[number]
        ]


def with_neighbours(gaps: Array, beside: float) -> Array:
    """Chances of gaps (gaps, ...), each with a share of those beside it: a place that is nearly right is worth something.

    >>> int(with_neighbours(np.array([0.4, 0.0, 0.3, 0.3]), 0.5).argmax())
    2
    """
    chances = gaps.copy()
    chances[1:] += beside * gaps[:-1]
    chances[:-1] += beside * gaps[1:]
    return np.asarray(chances / chances.sum(0))


def passage_sentences(story: Story, passage: ScenarioPassage) -> list[Sentence]:
    """The sentences that lie mostly inside a passage."""
    spans = [story.segments[index] for index in passage.segments]
    return [
        sentence for sentence in story.sentences
        if any(span.start <= (sentence.start + sentence.stop) / 2 < span.stop for span in spans)
    ]  # fmt: skip


def denied_events(story: Story, passage: ScenarioPassage) -> dict[int, str]:
    """The story's events that say of an event of the script that it did not happen, and which."""
    script, refused = ready_script(passage.scenario), dict[int, str]()
    for clause in story_clauses(story, passage_sentences(story, passage)):
        if clause.denied and clause.event >= 0:
            likeness = script.matcher.likenesses(clause.clause)
            best = max(likeness, key=lambda number: (likeness[number], -number), default=-1)
            if best >= 0 and likeness[best] >= DENIED:
                refused[clause.event] = script.script.events[best].id.replace("-", "_")
    return refused


def note_place(sentences: Sequence[Sentence], breaks: Sequence[Sequence[int]], gaps: Array) -> NotePlace:
    """Where a note stands: at the likeliest gap between two sentences, or at the end of a clause inside the sentence between two gaps."""
    best = int(gaps.argmax())
    place = NotePlace(sentences[best - 1].stop if best else sentences[0].start, float(best), float(gaps[best]))
    for number, offsets in enumerate(breaks):
        both = float(gaps[number] + gaps[number + 1])
        if offsets and INSIDE * both > max(place.mass, float(gaps[best])) and both > place.mass:
            place = NotePlace(offsets[len(offsets) // 2], number + 0.5, INSIDE * both)
    return place


def segment_at(story: Story, passage: ScenarioPassage, offset: int) -> int:
    """The passage's segment in which, or behind which, a place stands."""
    return next(
        (index for index in passage.segments if story.segments[index].start <= offset <= story.segments[index].stop),
        passage.segments[0],
    )


def told_neighbours(story: Story, sentences: Sequence[Sentence], place: NotePlace) -> tuple[int, int]:
    """The story's events before and behind a place, those in sentences that tell something of the script first; -1 for none."""
    before = [
        number
        for number, event in enumerate(story.events)
        if sentences[0].start <= event.start and event.stop <= place.offset
    ]
    after = [
        number
        for number, event in enumerate(story.events)
        if event.start >= place.offset and event.stop <= sentences[-1].stop
    ]
    return (before[-1] if before else -1), (after[0] if after else -1)


def told_rounded(script: ReadyScript, number: int) -> float | None:
    """How often tellers say it."""
    share = told_share(script.evidence, number) if script.evidence.events else None
    return None if share is None else round(share, 4)


def event_origin(script: ReadyScript, number: int) -> str:
    """Where an event is known from."""
    return origin(script.evidence.events[number]) if script.evidence.events else "written"


def written_reason(story: Story, script: ReadyScript, number: int, after: int, before: int) -> Reason:
    """Why it is said: how typical it is by its writer, how often tellers say it, and between what it stands."""
    event, evidence = script.script.events[number], script.evidence
    how = {"always": "nearly always", "usually": "usually", "sometimes": "sometimes"}[event.happens]
    text = f"In “{script.script.scenario}” it {how} happens"
    if evidence.events and evidence.stories:
        text += f"; {evidence.events[number].in_stories} of {evidence.stories} tellers say so"
    around = [story.of(story.events[index]) for index in (after, before) if index >= 0]
    if after >= 0 and before >= 0:
        text += f". Here between “{around[0]}” and “{around[1]}”"
    elif around:
        text += f". Here {'after' if after >= 0 else 'before'} “{around[0]}”"
    lines = ["hardly anybody tells it"] if event.silent else []
    if event.needs:
        lines.append(f"it needs: {', '.join(event.needs)}")
    if event.results:
        lines.append(f"what comes of it: {', '.join(event.results)}")
    return Reason(text + ".", tuple(lines), HAPPENS[event.happens])
