"""Story with segments x Scripts -> Unsaid: what belongs to the told scenarios and is neither mentioned nor denied.

How likely an event happened although nobody says so: how many tellers of the scenario mention it, given which of its usual
companions this story tells. Its place: between the told events it usually stands between. Beyond the five papers; the
idea that typical and untold means implied is Schank and Abelson's.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scenarist.account import Unsaid
from scenarist.learning.scripts import occurrences
from scenarist.reading.synonyms import synonyms
from scenarist.script import EventType, Reason, Script
from scenarist.story import Segment, Story

PRIOR = 3.0
"""Tellers' worth of trust in an event's share against its companions."""


class Match(NamedTuple):
    """A told event that is an instance of an event type."""

    type: int
    event: int
    denied: bool


class Known:
    """One script, ready to be matched with a story."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.types = script.events
        place = {one.id: number for number, one in enumerate(self.types)}
        self.by_phrase: dict[str, int] = {}
        self.by_verb: dict[str, list[int]] = defaultdict(list)
        self.by_pair: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, one in enumerate(self.types):
            for phrase in one.phrases:
                self.by_phrase.setdefault(phrase, number)
                verb, head = parts(phrase)
                self.by_verb[verb].append(number)
                if head:
                    self.by_pair[head, ""].append(number)
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

    def types_of(self, story: Story, number: int) -> set[int]:
        """The event types one told event is an instance of: by phrase, by synonym with the same head, by a bare verb."""
        event = story.events[number]
        found: set[int] = set()
        ways = occurrences(event)
        for way in ways:
            if (known := self.by_phrase.get(str(way))) is not None:
                found.add(known)
        for way in ways:
            if way.head:
                for known in self.by_pair.get((way.head, ""), ()):
                    verb = parts(self.types[known].phrases[0])[0]
                    if (
                        verb in synonyms(way.verb)
                        or way.verb in synonyms(verb)
                        or verb.split("_")[0] == way.verb.split("_")[0]
                    ):
                        found.add(known)
        if not found:  # a bare or otherwise filled verb: it may be any type of that verb
            found.update(self.by_verb.get(event.predicate, ()))
        return found


def parts(phrase: str) -> tuple[str, str]:
    """Verb (with particle) and head of a phrase as it is written in a script.

    >>> parts("order food"), parts("pick_up book"), parts("wait"), parts("put in oven")
    (('order', 'food'), ('pick_up', 'book'), ('wait', ''), ('put', 'oven'))
    """
    verb, *rest = phrase.split()
    return verb, rest[-1] if rest else ""


def shown(phrase: str) -> str:
    """A phrase for people.

    >>> shown("pick_up book")
    'pick up book'
    """
    return phrase.replace("_", " ")


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

    def matches(self, story: Story, segment: Segment, known: Known) -> list[Match]:
        """The told (or denied) events of a segment that the script knows."""
        found = []
        for number, event in enumerate(story.events):
            if segment.start <= event.start < segment.stop:
                found += [Match(one, number, not event.polarity) for one in sorted(known.types_of(story, number))]
        return found

    def unsaid(self, story: Story) -> tuple[tuple[Unsaid, ...], tuple[tuple[str, int], ...]]:
        """All that the segments of a story leave unsaid, and what they deny."""
        result: list[Unsaid] = []
        denials: list[tuple[str, int]] = []
        for index, segment in enumerate(story.segments):
            if not segment.labels:
                continue
            known = self.known(segment.names[0])
            if known is None:
                continue
            matched = self.matches(story, segment, known)
            denied = {match.type: match.event for match in matched if match.denied}
            mentioned = {match.type for match in matched if not match.denied}
            denials += [(known.types[one].id, event) for one, event in denied.items() if one not in mentioned]
            result += self.rank(story, index, segment, known, matched, mentioned, set(denied))
        return tuple(result), tuple(denials)

    def rank(
        self,
        story: Story,
        index: int,
        segment: Segment,
        known: Known,
        matched: Sequence[Match],
        told: set[int],
        denied: set[int],
    ) -> list[Unsaid]:
        """The likeliest untold events of a segment, at their places."""
        mentioned_heads = {role.head.lower() for event in story.events for role in event.roles if role.head}
        scored = []
        for number, one in enumerate(known.types):
            if number in told or number in denied or one.tellers < 2:
                continue
            scored.append((self.likely(known, number, told), number))
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        chosen: list[Unsaid] = []
        taken: set[str] = set()
        for probability, number in scored:
            one = known.types[number]
            verb, head = parts(one.phrases[0])
            if probability < self.least or len(chosen) >= self.most:
                break
            if verb in taken and head in taken:
                continue
            taken |= {verb, head} - {""}
            after, before, at = self.place(story, segment, known, number, matched)
            reason = self.reason(story, known, one, number, told, after, before, head in mentioned_heads)
            chosen.append(
                Unsaid(segment.names[0], one.id, shown(one.id), round(probability, 4), index, after, before, at, reason)
            )
        return chosen

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

    def place(
        self, story: Story, segment: Segment, known: Known, number: int, matched: Sequence[Match]
    ) -> tuple[int, int, int]:
        """(told event before, told event after, character offset): where the orders with told events agree best."""
        told = sorted({(match.event, match.type) for match in matched if not match.denied})
        events = sorted({event for event, _ in told})
        best, best_score = 0, -math.inf
        for slot in range(len(events) + 1):  # slot: before events[slot]
            score = 0.0
            for event, kind in told:
                weight = known.before.get((kind, number))
                if weight is None:
                    gap = known.types[number].place - known.types[kind].place
                    weight = 1 / (1 + math.exp(-4 * gap))
                earlier = event < events[slot] if slot < len(events) else True
                score += math.log(weight if earlier else 1 - weight) if 0 < weight < 1 else 0.0
            if score > best_score:
                best, best_score = slot, score
        after = events[best - 1] if best > 0 else -1
        before = events[best] if best < len(events) else -1
        return after, before, self.offset(story, segment, after, before)

    @staticmethod
    def offset(story: Story, segment: Segment, after: int, before: int) -> int:
        """The character at which to show it: the end of the sentence of the event before, or the start of the next one's."""
        if after >= 0:
            at = story.events[after].start
            stop = next((s.stop for s in story.sentences if s.start <= at < s.stop), story.events[after].stop)
            if before >= 0 and story.events[before].start < stop:  # both in one sentence: right behind the first event
                return story.events[after].stop
            return min(stop, segment.stop)
        if before >= 0:
            at = story.events[before].start
            return max(segment.start, next((s.start for s in story.sentences if s.start <= at < s.stop), at))
        return segment.start

    @staticmethod
    def reason(
        story: Story, known: Known, one: EventType, number: int, told: set[int], after: int, before: int, near: bool
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
        if len(one.phrases) > 1:
            evidence.append(f"also put as: {', '.join(map(shown, one.phrases[1:4]))}")
        if near:
            evidence.append("what it is about is named in the story")
        return Reason(text + ".", tuple(evidence), one.share)
