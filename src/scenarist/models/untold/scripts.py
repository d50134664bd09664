"""Story with segments x Scripts -> UnsaidEvents, and Unsaid -> Guesses: the model behind `scenarist read`, examined as `untold-scripts`.

*Which* events: those of the scenario's script that the story neither mentions nor denies, each as likely as it is mentioned by tellers
who also tell what this story tells. *Where*: in the gap where three voices agree best: the script's order with the told events; the
network at a gap (network.py), which says how well the event's verbs fit there; in the scenarios of InScript the ranker of labels
(labels.py). The exam asks the other way round, which event is missing in this gap; network and ranker answer, with the script beside
them. Beyond the five papers; the idea that typical and untold means implied is Schank and Abelson's.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np

from scenarist.interpretation import UnsaidEvent
from scenarist.learning.script_matches import (
    IndexedScript,
    ScenarioPassage,
    ToldEvent,
    TypeMatch,
    scenario_passages,
    told_events,
)
from scenarist.learning.script_phrases import USUAL, names_scenario, phrase_text, verb_and_head, wording
from scenarist.learning.scripts import carried, known_scripts
from scenarist.learning.tellings import content_lemmas, event_verbs, main_verb
from scenarist.models.untold.base import Array, SlotGap, detector, log_chances, scenarios_of, story_segments
from scenarist.models.untold.counts import UntoldNetwork
from scenarist.models.untold.labels import event_labels, label_knowledge
from scenarist.models.untold.network import carried_network
from scenarist.question import AnyQuestion, Guess, LeftOut, Prediction, Question, Suggestion, Suggestions, Unsaid
from scenarist.script import EventType, Reason, Script
from scenarist.story import Label, Segment, Story

PRIOR = 3.0
"""Tellers' worth of trust in an event's share against its companions."""
FIT = 5.0
"""How much the network's log-chance of an event's verbs in a gap counts beside the order (chosen on MCScript dev)."""
INSIDE = 2.0
"""How much surer a place inside a sentence must be than one between two."""
SPREAD = 0.18
"""How far from its usual place an event is told, as a standard deviation; the whole telling is 1 (chosen on MCScript dev)."""
AGAIN = 0.3
"""The chance of a told event to be told once more, against its chance to be told."""
MIXED = 0.1
"""The share of the script's verbs in the answer for a gap (chosen on MCScript dev)."""
LISTED_PHRASES = 8
"""Phrases of an event type whose verbs stand for it in the answer for a gap."""


class Position(NamedTuple):
    """A place in a passage: before sentence ``gap``, or inside the one before it (``gap`` ends in .5), behind so many told events."""

    gap: float
    behind: int


class MatchedPassage:
    """A passage matched with its script, and the places where something may be missing."""

    def __init__(
        self, story: Story, passage: ScenarioPassage, script: IndexedScript, matches: Sequence[TypeMatch]
    ) -> None:
        self.story, self.passage, self.script, self.matches = story, passage, script, matches
        self.told = {match.type for match in matches if not match.denied}
        self.denied = {match.type for match in matches if match.denied}
        plain = {match.event for match in matches if match.exact}
        near = (
            match
            for match in matches
            if match.inside and not match.denied and (match.exact or match.event not in plain)
        )
        self.anchors = sorted({(match.event, match.type) for match in near})
        """(event, type) of the told events by which others are placed."""
        self.events = sorted({event for event, _ in self.anchors})

    @cached_property
    def sentences(self) -> list[int]:
        """The sentences of the passage: those whose middle lies in one of its segments."""
        numbers: set[int] = set()
        for segment in (self.story.segments[index] for index in self.passage.segments):
            first, last = (
                bisect_left(self.story.sentences, 2 * end, key=lambda sentence: sentence.start + sentence.stop)
                for end in (segment.start, segment.stop)
            )
            numbers.update(range(first, last))
        return sorted(numbers)

    @cached_property
    def positions(self) -> list[Position]:
        """All gaps between its sentences, and those between two told events of one sentence, in the order of the text."""
        starts = [self.story.sentences[number].start for number in self.sentences]
        homes = [max(0, bisect_right(starts, self.story.events[event].start) - 1) for event in self.events]
        gaps = [Position(gap, bisect_right(homes, gap - 1)) for gap in range(len(starts) + 1)]
        inner = [
            Position(home + 0.5, behind)
            for behind, (home, following) in enumerate(zip(homes, homes[1:], strict=False), start=1)
            if home == following
        ]
        return sorted({*gaps, *inner})

    @cached_property
    def verb_chances(self) -> Array:
        """The network's log-chances of all verbs in each gap between its sentences (gaps, verbs)."""
        network = carried_network("verbs")
        own = [self.story.sentences[number] for number in self.sentences]
        verbs = event_verbs(self.story.events[event] for event in self.passage.events)
        ids = [network.tables.filler.get(main_verb(self.story, sentence, verbs), -1) for sentence in own]
        words = [content_lemmas(self.story, sentence) for sentence in own]
        return network.gap_chances(ids, self.passage.scenario, words)

    @cached_property
    def label_chances(self) -> Mapping[str, Array]:
        """In the scenarios of InScript: the ranker's log-chances of each label behind so many of the told events (events + 1)."""
        labels = event_labels(self.passage.scenario)
        by_event = dict(self.anchors)
        told = [labels.get(self.script.types[by_event[event]].id, "") for event in self.events]
        return label_knowledge().gap_chances(self.passage.scenario, told) if labels else {}

    def order_scores(self, number: int) -> Array:
        """What the script says for an event type in each position: its order with the told events, and its usual place (positions)."""
        types, ways = self.script.types, Counter(event for event, _ in self.anchors)
        gain: dict[int, float] = defaultdict(
            float
        )  # what each told event says for standing before the gap, not after it
        for event, kind in self.anchors:
            weight = self.script.before.get((kind, number))
            if weight is None:
                weight = 1 / (1 + math.exp(-4 * (types[number].place - types[kind].place)))
            weight = min(max(weight, 0.01), 0.99)
            gain[event] += (math.log(weight) - math.log(1 - weight)) / ways[event]
        order = np.cumsum([0.0, *(gain[event] for event in self.events)])  # behind none of them, one, two, ...
        gaps = np.array([position.gap for position in self.positions]) / max(1, len(self.sentences))
        usual = -((gaps - types[number].place) ** 2) / (2 * SPREAD**2)
        return np.asarray(order[[position.behind for position in self.positions]] + usual, np.float32)

    def fit_scores(self, number: int) -> Array:
        """How well an event type's verbs fit in each position, by the network: inside a sentence as well as around it (positions)."""
        filler = carried_network("verbs").tables.filler
        verbs = {verb_and_head(phrase)[0] for phrase in self.script.types[number].phrases[:USUAL]}
        columns = sorted(filler[verb] for verb in verbs if verb in filler)
        if not columns:
            return np.zeros(len(self.positions), np.float32)
        fit = np.logaddexp.reduce(self.verb_chances[:, columns], axis=1)  # (gaps)
        around = [(math.floor(position.gap), math.ceil(position.gap)) for position in self.positions]
        return np.asarray(fit[around].mean(axis=1), np.float32)

    def label_scores(self, number: int) -> Array:
        """How well an event type's label fits in each position, by the ranker; nothing where it has none (positions)."""
        label = event_labels(self.passage.scenario).get(self.script.types[number].id, "")
        if label not in self.label_chances:
            return np.zeros(len(self.positions), np.float32)
        return self.label_chances[label][[position.behind for position in self.positions]]

    def place(self, number: int) -> Position:
        """Where an event type belongs: script, network and ranker together."""
        inside = np.array([position.gap % 1 > 0 for position in self.positions])
        scores = self.order_scores(number) + FIT * self.fit_scores(number) + self.label_scores(number) - INSIDE * inside
        return self.positions[int(scores.argmax())]

    def neighbours(self, position: Position) -> tuple[int, int]:
        """(told event before, told event after), -1 for none."""
        behind = position.behind
        return (
            self.events[behind - 1] if behind else -1,
            self.events[behind] if behind < len(self.events) else -1,
        )

    def offset(self, position: Position) -> tuple[int, int]:
        """(segment, character) at which to show it: behind a sentence, between two told events, or ahead of all."""
        story, last = self.story, math.ceil(position.gap) - 1
        if last < 0:
            return self.passage.segments[0], story.segments[self.passage.segments[0]].start
        sentence = story.sentences[self.sentences[last]]
        middle = (sentence.start + sentence.stop) / 2
        segment = next(n for n in self.passage.segments if story.segments[n].start <= middle < story.segments[n].stop)
        if position.gap % 1:
            after, before = (story.events[event] for event in self.neighbours(position))
            return segment, clause_end(story.text, after.stop, before.start)
        return segment, min(sentence.stop, story.segments[segment].stop)


def clause_end(text: str, start: int, stop: int) -> int:
    """Where one sentence tells both neighbours: at the last comma or *and* between them, else right behind the first.

    >>> clause_end("I sorted the clothes and carried them.", 8, 25)
    20
    """
    between = text[start:stop]
    for mark, length in ((", ", 1), (" and ", 0), (" then ", 0)):
        if (found := between.rfind(mark)) >= 0:
            return start + found + length
    return start


class ScriptModel(UntoldNetwork):
    """What a story leaves unsaid, by scripts, with a network at its gaps; the model behind `read`."""

    name = "untold-scripts"
    asks: tuple[type[Question], ...] = (Unsaid, LeftOut)

    def __init__(
        self, most: int = 6, least: float = 0.25, taught: bool = False, scripts: Mapping[str, Script] | None = None
    ) -> None:
        """``most`` unsaid events a passage, each of at least ``least`` probability; ``taught``: know the scenarios a user added too;
        ``scripts``: other scripts than the carried ones."""
        self.most, self.least = most, least
        self.taught, self._scripts = taught, scripts
        self._indexed: dict[str, IndexedScript] = {}

    @cached_property
    def scripts(self) -> Mapping[str, Script]:
        """The scripts by scenario, read when first asked for: a scenario of the library needs none of them."""
        if self._scripts is not None:
            return self._scripts
        return known_scripts() if self.taught else carried()

    def indexed(self, scenario: str) -> IndexedScript | None:
        """The script of a scenario, None where nothing is known of it."""
        if scenario not in self._indexed and scenario in self.scripts:
            self._indexed[scenario] = IndexedScript(self.scripts[scenario])
        return self._indexed.get(scenario)

    # what a story leaves unsaid

    def answer(self, question: AnyQuestion) -> Prediction:
        """The likeliest fillers of a gap, or all that a story leaves out."""
        if not isinstance(question, LeftOut):
            return super().answer(question)
        segments = story_segments(detector(), question.story)
        unsaid, _ = self.unsaid(msgspec.structs.replace(question.story, segments=segments))
        suggestions = tuple(Suggestion(event.phrase, event.at, scenario=event.scenario) for event in unsaid)
        return Prediction("", (Guess(Suggestions(scenarios_of(segments), suggestions)),), by=self.name)

    def unsaid(self, story: Story) -> tuple[tuple[UnsaidEvent, ...], tuple[tuple[str, int], ...]]:
        """All that the segments of a story leave unsaid, and what they deny."""
        events: list[UnsaidEvent] = []
        denied: dict[int, EventType] = {}
        passages = scenario_passages(story)
        told = told_events(story, passages)
        for passage in passages:
            script = self.indexed(passage.scenario)
            if script is None:
                continue
            for event, kind in self.denials(story, passage, told).items():
                if event not in denied or denied[event].share < kind.share:
                    denied[event] = kind
            events += self.rank(MatchedPassage(story, passage, script, script.matches(story, passage, told)))
        return tuple(events), tuple(
            (kind.id, event) for event, kind in sorted(denied.items(), key=lambda pair: pair[0])
        )

    def denials(self, story: Story, passage: ScenarioPassage, told: Mapping[int, ToldEvent]) -> dict[int, EventType]:
        """What is said not to have happened, by event: the most typical type of any scenario the passage may tell."""
        denied: dict[int, EventType] = {}
        if all(told[number].event.polarity for number in passage.events):
            return denied
        names = dict.fromkeys(name for index in passage.segments for name in story.segments[index].names)
        for script in filter(None, map(self.indexed, names)):
            matches = script.matches(story, passage, told)
            mentioned = {match.type for match in matches if not match.denied}
            for match in matches:
                kind = script.types[match.type]
                likelier = match.event not in denied or denied[match.event].share < kind.share
                if match.denied and match.type not in mentioned and likelier:
                    denied[match.event] = kind
        return denied

    def rank(self, passage: MatchedPassage) -> list[UnsaidEvent]:
        """The likeliest untold events of a passage, at their places, in the order of the text and, at one place, of the script."""
        story, types, scenario = passage.story, passage.script.types, passage.passage.scenario
        heads = {role.head.lower() for n in passage.passage.events for role in story.events[n].roles if role.head}
        likely = [
            (self.likely(passage.script, number, passage.told), number)
            for number, kind in enumerate(types)
            if number not in passage.told and number not in passage.denied and kind.tellers >= 2
        ]
        chosen: list[UnsaidEvent] = []
        taken: set[str] = set()
        for probability, number in sorted(likely, key=lambda pair: (-pair[0], pair[1])):
            kind = types[number]
            verb, _ = verb_and_head(kind.phrases[0])
            if probability < self.least or len(chosen) >= self.most:
                break
            phrase = wording(kind, heads)
            if verb in taken or names_scenario(
                phrase, scenario
            ):  # *put in oven* and *put pan* are two views of one event
                continue
            taken.add(verb)
            position = passage.place(number)
            after, before = passage.neighbours(position)
            segment, offset = passage.offset(position)
            reason = explain_unsaid(passage, number, after, before, phrase)
            chosen.append(
                UnsaidEvent(
                    scenario,
                    kind.id,
                    phrase_text(phrase),
                    round(probability, 4),
                    segment,
                    after,
                    before,
                    offset,
                    reason,
                )
            )
        usual = {kind.id: kind.place for kind in types}
        return sorted(chosen, key=lambda event: (event.at, usual[event.event]))

    @staticmethod
    def likely(script: IndexedScript, number: int, told: set[int]) -> float:
        """P(event | what is told): its share among all tellers, moved by the tellers who also tell what this story tells."""
        votes, weight = PRIOR * script.types[number].share, PRIOR
        for other in told:
            tellers = script.types[other].tellers
            if other != number and tellers >= 2:
                trust = math.log1p(tellers)
                votes += trust * script.both.get((number, other), 0) / tellers
                weight += trust
        return min(0.99, votes / weight)

    # which event is missing in this gap

    def scores(self, gap: SlotGap) -> Array:
        """The network's log-chances, and among them the script's."""
        network = log_chances(super().scores(gap))
        verbs = self.verb_shares(gap) if gap.network.tables.order is None else None
        if verbs is None:
            return network
        return np.asarray(
            np.logaddexp(math.log(1 - MIXED) + network, math.log(MIXED) + np.log(verbs + 1e-9)), np.float32
        )

    def verb_shares(self, gap: SlotGap) -> Array | None:
        """The chance of each verb by the script: of its event types, of this gap among all gaps, and of the verb in its phrases."""
        script = self.indexed(gap.scenario)
        whole = Segment(0, len(gap.story.text), (Label(gap.scenario, 1.0),))
        story = msgspec.structs.replace(gap.story, segments=(whole,) if gap.scenario else ())
        passages = scenario_passages(story)
        if script is None or not passages:
            return None
        matches = script.matches(story, passages[0], told_events(story, passages))
        passage = MatchedPassage(story, passages[0], script, matches)
        filler = gap.network.tables.filler
        shares = np.zeros(len(filler), np.float64)
        gaps = [row for row, position in enumerate(passage.positions) if position.gap % 1 == 0]
        for number, kind in enumerate(script.types):
            here = log_chances(passage.order_scores(number)[gaps])[min(gap.number, len(gaps) - 1)]
            chance = self.likely(script, number, passage.told) * (AGAIN if number in passage.told else 1.0)
            phrases = kind.phrases[:LISTED_PHRASES]
            ranks = [1 / (rank + 1) for rank in range(len(phrases))]
            for phrase, rank in zip(phrases, ranks, strict=True):
                if (row := filler.get(verb_and_head(phrase)[0])) is not None:
                    shares[row] += chance * math.exp(here) * rank / sum(ranks)
        total = float(shares.sum())
        return np.asarray(shares / total, np.float32) if total else None


def explain_unsaid(passage: MatchedPassage, number: int, after: int, before: int, phrase: str) -> Reason:
    """Why it is said: how typical, how often seen, which told neighbours speak for it."""
    script, kind = passage.script, passage.script.types[number]
    text = f"{kind.tellers} of {script.script.tellers} tellers of “{script.script.scenario}” mention it"
    neighbours = [phrase_text(passage.story.events[event].predicate) for event in (after, before) if event >= 0]
    if after >= 0 and before >= 0:
        text += f", between “{neighbours[0]}” and “{neighbours[1]}”"
    elif after >= 0:
        text += f", after “{neighbours[0]}”"
    elif before >= 0:
        text += f", before “{neighbours[0]}”"
    company = sorted(
        ((script.both.get((number, other), 0), script.types[other].id) for other in passage.told), reverse=True
    )[:3]
    evidence = []
    if any(tellers for tellers, _ in company):
        names = ", ".join(phrase_text(name) for tellers, name in company if tellers)
        evidence.append(f"told here and often told with it: {names}")
    if others := [other for other in kind.phrases if other != phrase and "-" not in other][:3]:
        evidence.append(f"also put as: {', '.join(map(phrase_text, others))}")
    return Reason(text + ".", tuple(evidence), kind.share)
