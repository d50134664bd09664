"""Rate and Choice -> Guesses by the library of scripts: minus ln of the chance that what a text tells happens, after what was told before.

The script is the one whose wordings fit the sentences best. An event that it knows has its chance given the told ones
(`learning/storyteller`); it is unlikely behind a denial of an event that it comes after, and out of its order; what the script does not
know is unusual. At first mention the script's participants take *the* and other things *a*. What the reader does not know from scripts
(whom a pronoun means, how a sentence is put) it does not look at, and then all texts are equally surprising."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from scenarist.learning.library.evidence import clause_of, library_scripts
from scenarist.learning.library.wordings import Clause, WordingMatcher, earlier_events, root, slot_roots
from scenarist.learning.storyteller.inference import hear
from scenarist.learning.storyteller.prior import StoryPrior
from scenarist.models.ratings.base import SurpriseModel
from scenarist.registry import make
from scenarist.script import WrittenScript
from scenarist.store.home import inside, resource

DENIED = 0.05
"""What a denied event leaves of the chance of what comes after it."""
BACKWARDS = 0.05
"""And what an order leaves that the script does not allow."""
UNKNOWN = 0.05
"""The chance of what the script does not know."""
AGAIN = 0.3
"""The chance that an event is told twice."""
DEFINITE = 0.9
"""The chance that a participant of the script takes *the*, and that anything else takes *a*."""
ARTICLE = re.compile(r"\b(the|an?)\s+((?:[a-z-]+\s+)?[a-z-]+)", re.IGNORECASE)


class TextEvent(NamedTuple):
    """A clause of a text and whether it is denied."""

    clause: Clause
    denied: bool


class RatedScript(NamedTuple):
    """A script ready for reading."""

    script: WrittenScript
    matcher: WordingMatcher
    prior: StoryPrior
    before: tuple[frozenset[int], ...]
    """For each event those that come before it, where both happen."""
    words: frozenset[str]
    """The roots of its participants' words."""


@lru_cache(maxsize=1)
def known_scripts() -> tuple[RatedScript, ...]:
    """All scripts of the library."""
    known = []
    for entry in library_scripts().values():
        script = entry.script
        ids = {event.id: number for number, event in enumerate(script.events)}
        earlier = earlier_events(script.events)
        before = tuple(frozenset(ids[name] for name in earlier[event.id]) for event in script.events)
        words = frozenset(stem for roots in slot_roots(script).values() for stem in roots)
        known.append(RatedScript(script, WordingMatcher(script), StoryPrior.of(script), before, words))
    return tuple(known)


@lru_cache(maxsize=20_000)
def text_events(text: str) -> tuple[TextEvent, ...]:
    """The events of a text."""
    (story,) = make("reader", "default")([text])
    return tuple(
        TextEvent(clause_of(event), not event.polarity)
        for event in story.events
        if event.kind in ("verb", "light") and event.predicate != "be"
    )


class SurpriseScripts(SurpriseModel):
    """Surprise by scripts."""

    name = "surprise-scripts"
    middle = 2.0
    trained_on = ("library", "reader")

    def reads(self) -> list[Path]:
        """The scripts, and the weights that parse a text."""
        return inside(resource("scripts"), resource("reader"))

    def surprises(self, context: Sequence[str], texts: Sequence[str]) -> list[float]:
        """The mean over a text's events, plus its articles."""
        before = [event for sentence in context for event in text_events(sentence)]
        script = self.script([*before, *(event for text in texts for event in text_events(text))])
        return [self.surprise(script, before, text, " ".join(context)) for text in texts]

    def script(self, events: Sequence[TextEvent]) -> RatedScript:
        """The script whose wordings fit best."""

        def fit(known: RatedScript) -> float:
            likenesses = (max(known.matcher.likenesses(event.clause).values(), default=0.0) for event in events)
            return sum(likeness for likeness in likenesses if likeness >= known.matcher.enough)

        return max(known_scripts(), key=fit)

    def surprise(self, known: RatedScript, before: Sequence[TextEvent], text: str, context: str) -> float:
        """Of one text."""
        mentioned: list[int] = []
        denied: set[int] = set()
        for event in before:
            number = known.matcher.event_of(event.clause)
            if number is not None and event.denied:
                denied.add(number)
            elif number is not None and number not in mentioned:
                mentioned.append(number)
        nats = []
        last = -1
        for event in text_events(text):
            number = known.matcher.event_of(event.clause)
            nats.append(-math.log(self.chance(known, number, mentioned, denied, last)))
            last = number if number is not None else last
        return (sum(nats) / len(nats) if nats else -math.log(UNKNOWN)) + article_surprise(known, text, context)

    def chance(
        self, known: RatedScript, number: int | None, mentioned: Sequence[int], denied: set[int], last: int
    ) -> float:
        """The chance of an event after what was told."""
        if number is None:
            return UNKNOWN
        if number in mentioned:
            return AGAIN
        groups = [known.prior.group_of[event] for event in mentioned]
        kept = [event for place, event in enumerate(mentioned) if groups[place] not in groups[:place]]
        chance = max(hear(known.prior, kept).chances[number], 0.01) if kept else known.prior.chances[number]
        if number in denied or known.before[number] & denied:
            chance *= DENIED
        if last >= 0 and number in known.before[last]:
            chance *= BACKWARDS
        return chance


def article_surprise(known: RatedScript, text: str, context: str) -> float:
    """Minus ln of the chance of the articles of things that are mentioned first."""
    nats = 0.0
    stems = {root(word) for word in re.findall(r"[a-z]+", context.lower())}
    for article, phrase in ARTICLE.findall(text):
        words = [root(word) for word in phrase.lower().split()]
        if stems & set(words):
            continue
        definite = DEFINITE if known.words & set(words) else 1.0 - DEFINITE
        nats -= math.log(definite if article.lower() == "the" else 1.0 - definite)
    return nats
