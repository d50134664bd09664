"""Story with segments x Scripts -> UnsaidEvent: what belongs to the told scenarios and is neither mentioned nor denied.

How likely an event happened although nobody says so: how many tellers of the scenario mention it, given which of its usual
companions this story tells. Its place: between the told events it usually stands between. Beyond the five papers; the
idea that typical and untold means implied is Schank and Abelson's.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from scenarist.interpretation import UnsaidEvent
from scenarist.learning.scripts import BARE, VAGUE, Occurrence, occurrences
from scenarist.reading.wordnet import synonyms
from scenarist.script import EventType, Reason, Script
from scenarist.story import Entity, Event, Story

PRIOR = 3.0
"""Tellers' worth of trust in an event's share against its companions."""


NEARBY = 1500
"""Segments of one scenario at most so many characters apart are one telling, and what is told so near it counts as told."""

LIGHT = frozenset({"make", "get", "have", "do"})
"""Verbs that any other verb with the same object says as well."""


USUAL = 6
"""So many phrases of an event type, the commonest, are recognised by their verb alone, and shown."""

ALONE = frozenset({"arrive", "come", "go", "sit", "sleep", "stand", "wait"})
"""Verbs without objects: a phrase that gives them one (*wait cake*) was misread."""


class Match(NamedTuple):
    """A told event that is an instance of an event type."""

    type: int
    event: int
    denied: bool
    inside: bool = True
    """Is it told within the scenario's segments (or only near them)?"""
    exact: bool = False
    """Is it told in words the script knows (or in other words)?"""


class Told(NamedTuple):
    """A told event, its pronouns resolved, and the ways it may be counted (and as they are written)."""

    event: Event
    ways: tuple[tuple[Occurrence, str], ...]


class Passage(NamedTuple):
    """The segments (by index) that tell one scenario, and the events in and around them."""

    scenario: str
    segments: tuple[int, ...]
    events: tuple[int, ...]


class Known:
    """One script, ready to be matched with a story."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.types = script.events
        place = {one.id: number for number, one in enumerate(self.types)}
        self.by_phrase: dict[str, int] = {}
        self.by_verb: dict[str, list[int]] = defaultdict(list)
        self.by_head: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self.light: dict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(self.types):
            if parts(one.id)[0] in LIGHT and len(one.id.split()) == 2:
                self.light[parts(one.id)[1]].append(number)
            for rank, phrase in enumerate(one.phrases):
                self.by_phrase.setdefault(phrase, number)
                verb, head = parts(phrase)
                if rank < USUAL:
                    self.by_verb[verb].append(number)
                if head:
                    self.by_head[head].append((verb, number))
        self.before: dict[tuple[int, int], float] = {}
        for earlier, later, weight in script.order:
            if earlier in place and later in place:
                self.before[place[earlier], place[later]] = weight
                self.before[place[later], place[earlier]] = 1 - weight
        self.both: dict[tuple[int, int], int] = {}
        for one_id, other_id, tellers in script.together:
            if one_id in place and other_id in place:
                self.both[place[one_id], place[other_id]] = tellers
                self.both[place[other_id], place[one_id]] = tellers

    def types_of(self, told: Told) -> tuple[set[int], set[int], set[int]]:
        """The event types one told event is an instance of in the script's words, with those it is in other words (a synonym with the same
        head), and those it may be (the bare verb, whatever it is filled with)."""
        exact: set[int] = set()
        sure: set[int] = set()
        for way, text in told.ways:
            if (known := self.by_phrase.get(text)) is not None:
                exact.add(known)
            sure.update(number for verb, number in self.by_head.get(way.head, ()) if same(verb, way.verb))
            if way.head and not way.preposition:  # *write a list* tells *make a list*
                sure.update(self.light.get(way.head, ()))
        sure |= exact
        return exact, sure, set() if sure else set(self.by_verb.get(told.event.predicate, ()))


@cache
def same(one: str, other: str) -> bool:
    """May two verbs with one head say the same? A particle may be left out, but doing it *back*, or *off* and not *on*, is another event.

    >>> same("pick_up", "pick"), same("eat", "sell"), same("go_back", "go"), same("turn_on", "turn_off")
    (True, False, False, False)
    """
    (verb, _, particle), (second, _, other_particle) = one.partition("_"), other.partition("_")
    alike = verb == second and (not (particle and other_particle)) and "back" not in (particle, other_particle)
    return one == other or alike or one in synonyms(other) or other in synonyms(one)


def parts(phrase: str) -> tuple[str, str]:
    """Verb (with particle) and head of a phrase as it is written in a script.

    >>> parts("order food"), parts("pick_up book"), parts("wait"), parts("put in oven")
    (('order', 'food'), ('pick_up', 'book'), ('wait', ''), ('put', 'oven'))
    """
    verb, *rest = phrase.split()
    return verb, rest[-1] if rest else ""


def is_whole(phrase: str, scenario: str) -> bool:
    """Is the phrase the name of the scenario? Then it is told by all that is told, and not unsaid.

    >>> is_whole("take bath", "taking a bath"), is_whole("fly on plane", "flying in a plane"), is_whole("fill tub", "taking a bath")
    (True, True, False)
    >>> is_whole("get haircut", "getting a haircut"), is_whole("pay for haircut", "getting a haircut")
    (True, False)
    """
    verb, head = parts(phrase)
    verb = verb.split("_")[0]
    first, *rest = scenario.lower().split()
    forms = {verb, verb + "ing", verb[:-1] + "ing", verb + verb[-1:] + "ing", verb.removesuffix("ie") + "ying"}
    return first in forms and head != "" and any(word in (head, head + "s") for word in rest)


def shown(phrase: str) -> str:
    """A phrase for people.

    >>> shown("pick_up book")
    'pick up book'
    """
    return phrase.replace("_", " ")


def seam(text: str, start: int, stop: int) -> int:
    """Where one sentence tells both neighbours: at the last comma or *and* between them, else right behind the first.

    >>> seam("I sorted the clothes and carried them.", 8, 25)
    20
    """
    between = text[start:stop]
    for mark, behind in ((", ", 1), (" and ", 0), (" then ", 0)):
        if (found := between.rfind(mark)) >= 0:
            return start + found + behind
    return start


def wording(one: EventType, heads: Collection[str]) -> str:
    """The phrase to show, with the verb of its name: the commonest about what the story names, else the name, or any about something.

    >>> wording(EventType("pay", ("pay", "pay for grocery", "pay fare")), {"fare"})
    'pay fare'
    >>> wording(EventType("wait", ("wait", "wait cake")), {"cake"})
    'wait'
    >>> wording(EventType("drain water", ("drain", "let water", "drain water")), {"water"})
    'drain water'
    """
    verb, head = parts(one.id)
    usual = [phrase for phrase in one.phrases[:USUAL] if parts(phrase)[0] == verb and parts(phrase)[1].isalpha()]
    about = [phrase for phrase in usual if verb not in ALONE or len(phrase.split()) > 2]
    return next((phrase for phrase in about if parts(phrase)[1] in heads), one.id if head or not about else about[0])


def head_of(story: Story, entity: Entity) -> str:
    """The noun an entity is first called by, empty where it is only a pronoun or a name."""
    nouns = (m.head for m in entity.mentions if m.kind == "nominal" and 0 <= m.head < len(story.tokens))
    return next((story.tokens[at].lemma for at in nouns), "")


def resolved(event: Event, entities: Mapping[str, str]) -> Event:
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


def told_of(event: Event, entities: Mapping[str, str]) -> Told:
    """A told event, ready to be matched."""
    one = resolved(event, entities)
    return Told(one, tuple((way, str(way)) for way in occurrences(one)))


def passages(story: Story) -> list[Passage]:
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
    found = []
    for scenario, runs in by_scenario.items():
        for run in runs:
            first = bisect_left(starts, story.segments[run[0]].start - NEARBY)
            last = bisect_left(starts, max(story.segments[index].stop for index in run) + NEARBY)
            found.append(Passage(scenario, tuple(run), tuple(sorted(order[first:last]))))
    return found


class Teller:
    """Finds what a story leaves unsaid, with scripts by scenario."""

    def __init__(self, scripts: Mapping[str, Script], most: int = 6, least: float = 0.25) -> None:
        self.scripts, self.most, self.least = scripts, most, least
        self._known: dict[str, Known] = {}

    def known(self, scenario: str) -> Known | None:
        """The script of a scenario, None where nothing is known of it."""
        if scenario not in self._known and scenario in self.scripts:
            self._known[scenario] = Known(self.scripts[scenario])
        return self._known.get(scenario)

    def matches(self, story: Story, passage: Passage, known: Known, told: Mapping[int, Told]) -> list[Match]:
        """The told (or denied) events of a passage that the script knows."""
        spans = sorted((story.segments[index].start, story.segments[index].stop) for index in passage.segments)
        starts = [start for start, _ in spans]
        found = []
        for number in passage.events:
            event = told[number].event
            near = bisect_right(starts, event.start)
            inside = any(start <= event.start < stop for start, stop in spans[max(0, near - 2) : near])
            exact, sure, maybe = known.types_of(told[number])
            about = any(way.head for way, _ in told[number].ways)
            if inside and (
                event.predicate not in BARE or (event.polarity and not about)
            ):  # *gave his place* is not *give money*
                sure |= maybe
            found += [Match(one, number, not event.polarity, inside, one in exact) for one in sorted(sure)]
        return found

    def unsaid(self, story: Story) -> tuple[tuple[UnsaidEvent, ...], tuple[tuple[str, int], ...]]:
        """All that the segments of a story leave unsaid, and what they deny."""
        result: list[UnsaidEvent] = []
        said: dict[int, EventType] = {}
        entities = {entity.id: head for entity in story.entities if (head := head_of(story, entity))}
        found = passages(story)
        told = {number: told_of(story.events[number], entities) for passage in found for number in passage.events}
        for passage in found:
            known = self.known(passage.scenario)
            if known is None:
                continue
            matched = self.matches(story, passage, known, told)
            mentioned = {match.type for match in matched if not match.denied}
            denied = {match.type for match in matched if match.denied}
            for event, kind in self.denials(story, passage, told).items():
                if event not in said or said[event].share < kind.share:
                    said[event] = kind
            result += self.rank(story, passage, known, matched, mentioned, denied)
        return tuple(result), tuple((kind.id, event) for event, kind in sorted(said.items(), key=lambda one: one[0]))

    def denials(self, story: Story, passage: Passage, told: Mapping[int, Told]) -> dict[int, EventType]:
        """What is said not to have happened, by event: the most typical type of any scenario the passage may tell."""
        found: dict[int, EventType] = {}
        if all(told[number].event.polarity for number in passage.events):
            return found
        names = dict.fromkeys(name for index in passage.segments for name in story.segments[index].names)
        for known in filter(None, map(self.known, names)):
            matched = self.matches(story, passage, known, told)
            mentioned = {match.type for match in matched if not match.denied}
            for match in matched:
                kind = known.types[match.type]
                if (
                    match.denied
                    and match.type not in mentioned
                    and (match.event not in found or found[match.event].share < kind.share)
                ):
                    found[match.event] = kind
        return found

    def rank(
        self,
        story: Story,
        passage: Passage,
        known: Known,
        matched: Sequence[Match],
        told: set[int],
        denied: set[int],
    ) -> list[UnsaidEvent]:
        """The likeliest untold events of a passage, at their places, in the order of the text and, at one place, of the script."""
        heads = {role.head.lower() for event in passage.events for role in story.events[event].roles if role.head}
        scored = []
        for number, one in enumerate(known.types):
            if number in told or number in denied or one.tellers < 2:
                continue
            scored.append((self.likely(known, number, told), number))
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        chosen: list[UnsaidEvent] = []
        taken: set[str] = set()
        for probability, number in scored:
            one = known.types[number]
            verb, _ = parts(one.phrases[0])
            if probability < self.least or len(chosen) >= self.most:
                break
            phrase = wording(one, heads)
            if verb in taken or is_whole(
                phrase, passage.scenario
            ):  # *put in oven* and *put pan* are two views of one event
                continue
            taken.add(verb)
            after, before = self.place(known, number, matched)
            index, at = self.offset(story, passage, after, before)
            reason = self.reason(story, known, one, number, told, after, before, phrase)
            chosen.append(
                UnsaidEvent(
                    passage.scenario, one.id, shown(phrase), round(probability, 4), index, after, before, at, reason
                )
            )
        usual = {one.id: one.place for one in known.types}
        return sorted(chosen, key=lambda one: (one.at, usual[one.event]))

    def likely(self, known: Known, number: int, told: set[int]) -> float:
        """P(event | what is told): its share among all tellers, moved by the tellers who also tell what this story tells."""
        share = known.types[number].share
        votes, weight = PRIOR * share, PRIOR
        for other in told:
            tellers = known.types[other].tellers
            if other != number and tellers >= 2:
                trust = math.log1p(tellers)
                votes += trust * known.both.get((number, other), 0) / tellers
                weight += trust
        return min(0.99, votes / weight)

    def place(self, known: Known, number: int, matched: Sequence[Match]) -> tuple[int, int]:
        """(told event before, told event after), -1 for none: where the orders with told events agree best."""
        plain = {match.event for match in matched if match.exact}
        near = (
            match
            for match in matched
            if match.inside and not match.denied and (match.exact or match.event not in plain)
        )
        told = sorted({(match.event, match.type) for match in near})
        events = sorted({event for event, _ in told})
        ways = Counter(event for event, _ in told)
        gain: dict[int, float] = defaultdict(
            float
        )  # what each told event says for standing before the gap, not after it
        for event, kind in told:
            weight = known.before.get((kind, number))
            if weight is None:
                weight = 1 / (1 + math.exp(-4 * (known.types[number].place - known.types[kind].place)))
            weight = min(max(weight, 0.01), 0.99)
            gain[event] += (math.log(weight) - math.log(1 - weight)) / ways[event]
        best, best_score, score = 0, 0.0, 0.0
        for slot, event in enumerate(events, start=1):  # slot: before events[slot]
            score += gain[event]
            if score > best_score:
                best, best_score = slot, score
        return events[best - 1] if best > 0 else -1, events[best] if best < len(events) else -1

    @staticmethod
    def offset(story: Story, passage: Passage, after: int, before: int) -> tuple[int, int]:
        """(segment, character) at which to show it: behind the sentence of the event before, or ahead of the next one's."""

        def segment_of(event: int) -> int:
            at = story.events[event].start
            held = [n for n in passage.segments if story.segments[n].start <= at < story.segments[n].stop]
            return held[0] if held else passage.segments[0]

        def sentence_of(event: int) -> tuple[int, int]:
            at = story.events[event].start
            found = story.sentences[max(0, bisect_right(story.sentences, at, key=lambda one: one.start) - 1) :][:1]
            return (found[0].start, found[0].stop) if found and found[0].stop > at else (at, story.events[event].stop)

        if after >= 0:
            index = segment_of(after)
            stop = sentence_of(after)[1]
            if before >= 0 and story.events[before].start < stop:  # both in one sentence: right behind the first event
                return index, seam(story.text, story.events[after].stop, story.events[before].start)
            return index, min(stop, story.segments[index].stop)
        if before >= 0:
            index = segment_of(before)
            return index, max(story.segments[index].start, sentence_of(before)[0])
        return passage.segments[0], story.segments[passage.segments[0]].start

    @staticmethod
    def reason(
        story: Story, known: Known, one: EventType, number: int, told: set[int], after: int, before: int, phrase: str
    ) -> Reason:
        """Why it is said: how typical, how often seen, which told neighbours speak for it."""
        text = f"{one.tellers} of {known.script.tellers} tellers of “{known.script.scenario}” mention it"
        neighbours = [story.events[event].predicate.replace("_", " ") for event in (after, before) if event >= 0]
        if after >= 0 and before >= 0:
            text += f", between “{neighbours[0]}” and “{neighbours[1]}”"
        elif after >= 0:
            text += f", after “{neighbours[0]}”"
        elif before >= 0:
            text += f", before “{neighbours[0]}”"
        friends = sorted(((known.both.get((number, other), 0), known.types[other].id) for other in told), reverse=True)[
            :3
        ]
        evidence = (
            [f"told here and often told with it: {', '.join(shown(name) for n, name in friends if n)}"]
            if any(n for n, _ in friends)
            else []
        )
        if others := [other for other in one.phrases if other != phrase and "-" not in other][:3]:
            evidence.append(f"also put as: {', '.join(map(shown, others))}")
        return Reason(text + ".", tuple(evidence), one.share)
