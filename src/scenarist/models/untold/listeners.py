"""Unsaid -> Guesses by a listener who knows the script and, if rational, the teller (Bennett, Appendix; Goodman and Frank 2016).

`literal-listener` takes a story to be true and goes by the script's prior; `rational-listener` also asks why these events were told and not
others: what is obvious is left out by a teller who wants to be understood, so what is left out is obvious. Told events are those with the
ids of the script's events as labels; in any other story the library's wordings find them (`learning/library/wordings.py`), and the answers
are verbs: those of the wordings of each event that may have happened in this place. The inference is exact (`learning/storyteller`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.learning.library.evidence import story_telling
from scenarist.learning.library.wordings import Clause, WordingMatcher
from scenarist.learning.storyteller.inference import guess_missing, hear, places
from scenarist.learning.storyteller.known_scripts import scripts_by_scenario
from scenarist.learning.storyteller.prior import StoryPrior
from scenarist.learning.storyteller.teller import Teller
from scenarist.models.scenarios.detector import Detector
from scenarist.models.untold.base import scenario_of
from scenarist.question import Answer, AnyQuestion, Guess, Prediction, Question, Unsaid
from scenarist.script import WrittenScript
from scenarist.store.home import inside, resource
from scenarist.story import Story

LEAST = 1e-9
"""The chance of an answer that the script does not know."""
REMEMBERED = 4096


class LiteralListener:
    """Who takes the story to be true, and no more."""

    name = "literal-listener"
    learns = "nothing"
    trained_on = ("library", *Detector.trained_on)
    asks: tuple[type[Question], ...] = (Unsaid,)

    def reads(self) -> list[Path]:
        """The scripts, and what finds the scenario of a story."""
        return inside(resource("scripts"), resource("toy-scripts"), resource("detector"))

    def fit(self, data: Iterable[Any]) -> LiteralListener:
        """Nothing to learn: the scripts are written."""
        return self

    def teller(self, mentioned: int) -> Teller | None:
        """Whom the listener takes the teller for, when so many events were told."""
        return None

    def weights(self, question: AnyQuestion) -> dict[str, float]:
        """A chance for each answer."""
        if not isinstance(question, Unsaid):
            raise BadInput(f"{self.name} answers what a story leaves untold, not {type(question).__name__} questions.")
        scenario = scenario_of(question)
        script = scripts_by_scenario().get(scenario)
        if script is None:
            return dict.fromkeys(question.choices, 1.0)
        prior = prior_of(scenario)
        ids = {event.id: number for number, event in enumerate(script.events)}
        if set(question.choices) & set(ids):
            return self.event_weights(question, prior, ids)
        verbs = self.verb_weights(question, script, prior)
        return {choice: verbs.get(choice, LEAST) for choice in question.choices} if question.choices else verbs

    def event_weights(self, question: Unsaid, prior: StoryPrior, ids: dict[str, int]) -> dict[str, float]:
        """The events of the script as answers: told and taken out, or happened and not told."""
        shown = tuple(dict.fromkeys(ids[event.label] for event in question.story.events if event.label in ids))
        mentioned = int(question.story.note("told") or len(shown))
        teller = self.teller(mentioned)
        chances = (
            missing_chances(prior, shown, teller) if mentioned > len(shown) else other_chances(prior, shown, teller)
        )
        return {
            choice: max(LEAST, chances.get(ids[choice], LEAST)) if choice in ids else LEAST
            for choice in question.choices
        }

    def verb_weights(self, question: Unsaid, script: WrittenScript, prior: StoryPrior) -> dict[str, float]:
        """The verbs of what may have happened in the place that is asked about."""
        sentence_by_event = told_events(question.story, script)
        numbers = {event: sentence for event, sentence in sentence_by_event.items() if event is not None}
        mentioned = consistent(prior, sorted(numbers, key=lambda event: (numbers[event], event)))
        chances = other_chances(prior, mentioned, self.teller(max(1, len(mentioned))))
        gap = sum(numbers[event] < question.place for event in mentioned) if question.place is not None else None
        where = gap_chances(prior, mentioned) if gap is not None else {}
        weights: dict[str, float] = defaultdict(float)
        for event, chance in chances.items():
            here = chance * (where.get(event, (1.0,) * (len(mentioned) + 1))[gap] if gap is not None else 1.0)
            verbs = event_verbs(script, event)
            for verb in verbs:
                weights[verb] += max(here, LEAST) / len(verbs)
        return dict(weights)

    def ranked(self, question: AnyQuestion) -> list[Guess]:
        """Answers with their chances, likeliest first."""
        weights = self.weights(question)
        total = sum(weights.values())
        if not total:
            return []
        order = sorted(weights, key=lambda answer: (-round(weights[answer], 14), answer))
        logps = [math.log(weights[answer] / total) for answer in order if weights[answer] > 0]
        # chances that are equal but for rounding stand by name: the list still never rises
        return [Guess(answer, logp) for answer, logp in zip(order, itertools.accumulate(logps, min), strict=False)]

    def answer(self, question: AnyQuestion) -> Prediction:
        """The likeliest events, or their verbs."""
        return Prediction("", tuple(self.ranked(question)), by=self.name)

    def logp(self, question: AnyQuestion, answer: Answer) -> float | None:
        """ln P of an answer, None where the script does not know it."""
        return next((guess.logp for guess in self.ranked(question) if guess.answer == answer), None)

    def rank(self, question: AnyQuestion, answer: Answer) -> float | None:
        """The rank of an answer, ties shared."""
        guesses = self.ranked(question)
        own = next((guess.logp for guess in guesses if guess.answer == answer), None)
        if own is None:
            return None
        higher = sum(guess.logp is not None and guess.logp > own + 1e-12 for guess in guesses)
        tied = sum(guess.logp is not None and abs(guess.logp - own) <= 1e-12 for guess in guesses)
        return higher + (tied + 1) / 2


class RationalListener(LiteralListener):
    """Who knows that the teller chose what to mention."""

    name = "rational-listener"

    def __init__(self, rationality: float = 2.0) -> None:
        """``rationality``: that of the teller, as this listener believes."""
        self.rationality = Teller(float(rationality), 1).checked().rationality

    def teller(self, mentioned: int) -> Teller | None:
        """A softmax-rational teller who may mention so many events."""
        return Teller(self.rationality, max(1, mentioned))


@lru_cache(maxsize=REMEMBERED)
def prior_of(scenario: str) -> StoryPrior:
    """The prior of a known script."""
    return StoryPrior.of(scripts_by_scenario()[scenario])


@lru_cache(maxsize=REMEMBERED)
def missing_chances(prior: StoryPrior, shown: tuple[int, ...], teller: Teller | None) -> dict[int, float]:
    """Which event was told and taken out."""
    return guess_missing(prior, tuple(sorted(shown)), teller)


@lru_cache(maxsize=REMEMBERED)
def other_chances(prior: StoryPrior, mentioned: tuple[int, ...], teller: Teller | None) -> dict[int, float]:
    """Which other events happened."""
    chances = hear(prior, tuple(sorted(mentioned)), teller).chances
    return {event: chance for event, chance in enumerate(chances) if event not in mentioned}


@lru_cache(maxsize=REMEMBERED)
def gap_chances(prior: StoryPrior, mentioned: tuple[int, ...]) -> dict[int, tuple[float, ...]]:
    """Where each untold event stands; everywhere alike where the told order is one that the script does not allow."""
    try:
        return places(prior, mentioned)
    except BadInput:
        return {}


def told_events(story: Story, script: WrittenScript) -> dict[int | None, int]:
    """The events of the script that a story tells, each with the sentence that tells it first."""
    matcher = matcher_of(script)
    sentence_by_event: dict[int | None, int] = {}
    if story.events:
        spans = [
            (event, sentence_number(story, event.token, event.start))
            for event in story.events
            if event.polarity and event.kind in ("verb", "light") and event.predicate != "be"
        ]
        for (_, sentence), clause in zip(spans, story_telling(story).clauses, strict=True):
            sentence_by_event.setdefault(matcher.event_of(clause.clause), sentence)
        return sentence_by_event
    for number, span in enumerate(story.sentences):
        sentence_by_event.setdefault(matcher.event_of(Clause.of(story.of(span))), number)
    return sentence_by_event


def sentence_number(story: Story, token: int, start: int) -> int:
    """The sentence an event stands in."""
    for number, sentence in enumerate(story.sentences):
        if (
            (sentence.first <= token < sentence.last)
            if token >= 0 and sentence.last > sentence.first
            else sentence.start <= start < sentence.stop
        ):
            return number
    return 0


@lru_cache(maxsize=512)
def matcher_of(script: WrittenScript) -> WordingMatcher:
    """The wordings of a script, ready to be compared."""
    return WordingMatcher(script)


def consistent(prior: StoryPrior, mentioned: Sequence[int]) -> tuple[int, ...]:
    """Told events, of several ways that exclude each other the first, in an order that the script allows where it can."""
    groups: set[int] = set()
    kept: list[int] = []
    for event in mentioned:
        late = any(prior.before[earlier] >> event & 1 for earlier in kept)
        if prior.group_of[event] not in groups and not late:
            groups.add(prior.group_of[event])
            kept.append(event)
    return tuple(kept)


@lru_cache(maxsize=20_000)
def event_verbs(script: WrittenScript, number: int) -> tuple[str, ...]:
    """The verbs of an event's wordings, the commonest first."""
    verbs = [Clause.of(text).verb for text in script.events[number].wordings]
    return tuple(
        verb for verb, _ in Counter(verb for verb in verbs if verb and not verb.startswith("{")).most_common()
    ) or (script.events[number].id,)
