"""Story with segments x Script -> which of its events are instances of which event types: told, denied, or in other words.

An event tells a type in the script's own words, in other words (a synonym with the same head), or by its bare verb. Passages are the
segments that tell one scenario, parts of one telling together. What `read` takes for told decides what it calls unsaid.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from scenarist.learning.script_phrases import USUAL, same_verb, verb_and_head
from scenarist.learning.scripts import BARE, VAGUE, Occurrence, occurrences
from scenarist.script import Script
from scenarist.story import Entity, Event, Story

NEARBY = 1500
"""Segments of one scenario at most so many characters apart are one telling, and what is told so near it counts as told."""

LIGHT = frozenset({"make", "get", "have", "do"})
"""Verbs that any other verb with the same object says as well."""


class TypeMatch(NamedTuple):
    """A told event that is an instance of an event type."""

    type: int
    event: int
    denied: bool
    inside: bool = True
    """Is it told within the scenario's segments (or only near them)?"""
    exact: bool = False
    """Is it told in words the script knows (or in other words)?"""


class ToldEvent(NamedTuple):
    """A told event, its pronouns resolved, and the ways it may be counted (and as they are written)."""

    event: Event
    ways: tuple[tuple[Occurrence, str], ...]


class ScenarioPassage(NamedTuple):
    """The segments (by index) that tell one scenario, and the events in and around them."""

    scenario: str
    segments: tuple[int, ...]
    events: tuple[int, ...]


class IndexedScript:
    """One script, ready to be matched with a story."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.types = script.events
        number_of = {kind.id: number for number, kind in enumerate(self.types)}
        self.by_phrase: dict[str, int] = {}
        self.by_verb: dict[str, list[int]] = defaultdict(list)
        self.by_head: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self.light: dict[str, list[int]] = defaultdict(list)
        for number, kind in enumerate(self.types):
            if verb_and_head(kind.id)[0] in LIGHT and len(kind.id.split()) == 2:
                self.light[verb_and_head(kind.id)[1]].append(number)
            for rank, phrase in enumerate(kind.phrases):
                self.by_phrase.setdefault(phrase, number)
                verb, head = verb_and_head(phrase)
                if rank < USUAL:
                    self.by_verb[verb].append(number)
                if head:
                    self.by_head[head].append((verb, number))
        self.before: dict[tuple[int, int], float] = {}
        for earlier, later, weight in script.order:
            if earlier in number_of and later in number_of:
                self.before[number_of[earlier], number_of[later]] = weight
                self.before[number_of[later], number_of[earlier]] = 1 - weight
        self.both: dict[tuple[int, int], int] = {}
        for first, second, tellers in script.together:
            if first in number_of and second in number_of:
                self.both[number_of[first], number_of[second]] = tellers
                self.both[number_of[second], number_of[first]] = tellers

    def types_of(self, told: ToldEvent) -> tuple[set[int], set[int], set[int]]:
        """The event types one told event is an instance of in the script's words, with those it is in other words (a synonym with the same
        head), and those it may be (the bare verb, whatever it is filled with)."""
        exact: set[int] = set()
        sure: set[int] = set()
        for way, text in told.ways:
            if (number := self.by_phrase.get(text)) is not None:
                exact.add(number)
            sure.update(number for verb, number in self.by_head.get(way.head, ()) if same_verb(verb, way.verb))
            if way.head and not way.preposition:  # *write a list* tells *make a list*
                sure.update(self.light.get(way.head, ()))
        sure |= exact
        return exact, sure, set() if sure else set(self.by_verb.get(told.event.predicate, ()))

    def matches(self, story: Story, passage: ScenarioPassage, told: Mapping[int, ToldEvent]) -> list[TypeMatch]:
        """The told (or denied) events of a passage that the script knows."""
        spans = sorted((story.segments[index].start, story.segments[index].stop) for index in passage.segments)
        starts = [start for start, _ in spans]
        matched = []
        for number in passage.events:
            event = told[number].event
            near = bisect_right(starts, event.start)
            inside = any(start <= event.start < stop for start, stop in spans[max(0, near - 2) : near])
            exact, sure, maybe = self.types_of(told[number])
            about = any(way.head for way, _ in told[number].ways)
            # *gave his place* is not *give money*
            if inside and (event.predicate not in BARE or (event.polarity and not about)):
                sure |= maybe
            matched += [TypeMatch(kind, number, not event.polarity, inside, kind in exact) for kind in sorted(sure)]
        return matched


def head_of(story: Story, entity: Entity) -> str:
    """The noun an entity is first called by, empty where it is only a pronoun or a name."""
    nouns = (m.head for m in entity.mentions if m.kind == "nominal" and 0 <= m.head < len(story.tokens))
    return next((story.tokens[token].lemma for token in nouns), "")


def resolve_pronouns(event: Event, entities: Mapping[str, str]) -> Event:
    """The event with its pronouns replaced by what they stand for, as far as the reader knows."""
    if not any(role.entity in entities and role.head.lower() in VAGUE for role in event.roles):
        return event
    roles = (
        msgspec.structs.replace(role, head=entities[role.entity])
        if role.entity in entities and role.head.lower() in VAGUE
        else role
        for role in event.roles
    )
    return msgspec.structs.replace(event, roles=tuple(roles))


def told_event(event: Event, entities: Mapping[str, str]) -> ToldEvent:
    """A told event, ready to be matched."""
    resolved = resolve_pronouns(event, entities)
    return ToldEvent(resolved, tuple((way, str(way)) for way in occurrences(resolved)))


def told_events(story: Story, passages: Sequence[ScenarioPassage]) -> dict[int, ToldEvent]:
    """The events of some passages by their number, ready to be matched."""
    entities = {entity.id: head for entity in story.entities if (head := head_of(story, entity))}
    return {number: told_event(story.events[number], entities) for passage in passages for number in passage.events}


def scenario_passages(story: Story) -> list[ScenarioPassage]:
    """The segments of a story by their first label, parts of one telling together."""
    by_scenario: dict[str, list[list[int]]] = {}
    for index, segment in enumerate(story.segments):
        if segment.labels:
            runs = by_scenario.setdefault(segment.names[0], [])
            if runs and segment.start - story.segments[runs[-1][-1]].stop <= NEARBY:
                runs[-1].append(index)
            else:
                runs.append([index])
    starts = [event.start for event in story.events]
    order = sorted(range(len(starts)), key=lambda number: (starts[number], number))
    starts.sort()
    passages = []
    for scenario, runs in by_scenario.items():
        for run in runs:
            first = bisect_left(starts, story.segments[run[0]].start - NEARBY)
            last = bisect_left(starts, max(story.segments[index].stop for index in run) + NEARBY)
            passages.append(ScenarioPassage(scenario, tuple(run), tuple(sorted(order[first:last]))))
    return passages
