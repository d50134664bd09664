"""Read Story -> Telling: sentence by sentence the main verb and the content words, what scenario knowledge is counted from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from scenarist.story import Event, Sentence, Story

CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
VERBAL = ("verb", "light")


class Step(NamedTuple):
    """One sentence of a telling."""

    verb: str
    """Main verb with its particle, empty where the sentence has none (a copula, a fragment)."""
    words: tuple[str, ...]
    """Lemmas of content words."""
    label: str = ""
    """Script event label of an annotated corpus."""


class Telling(NamedTuple):
    """A story as a sequence of steps."""

    scenario: str
    steps: tuple[Step, ...]


def event_verbs(events: Iterable[Event]) -> dict[int, str]:
    """The verb of each event that a verb tells, by its token."""
    return {event.token: event.predicate for event in events if event.kind in VERBAL}


def main_verb(story: Story, sentence: Sentence, verbs: Mapping[int, str]) -> str:
    """The main verb of a sentence, empty where there is none."""
    roots = (token for token in range(sentence.first, sentence.last) if story.tokens[token].head in (-1, token))
    return next((verbs[token] for token in roots if token in verbs), "")


def content_lemmas(story: Story, sentence: Sentence) -> tuple[str, ...]:
    """The lemmas of a sentence's content words."""
    tokens = story.tokens[sentence.first : sentence.last]
    return tuple(token.lemma.lower() for token in tokens if token.pos in CONTENT and token.lemma)


def main_verbs(story: Story) -> list[str]:
    """The main verb of each sentence, empty where there is none; one pass over the events."""
    verbs = event_verbs(story.events)
    return [main_verb(story, sentence, verbs) for sentence in story.sentences]


def labels(story: Story) -> list[str]:
    """The first script event label of each sentence, empty where there is none."""
    marked = [(event.start, event.label) for event in story.events if is_script(event.label)]
    return [next((label for start, label in marked if s.start <= start < s.stop), "") for s in story.sentences]


def is_script(label: str) -> bool:
    """Is this the label of an event that belongs to the script?

    >>> is_script("ScrEv_dry"), is_script("RelNScrEv"), is_script("ScrEv_other")
    (True, False, False)
    """
    return label.startswith("ScrEv_") and label != "ScrEv_other"


def telling(story: Story) -> Telling:
    """A read story as its steps."""
    steps = (
        Step(verb, content_lemmas(story, sentence), label)
        for sentence, verb, label in zip(story.sentences, main_verbs(story), labels(story), strict=True)
    )
    return Telling(story.scenario, tuple(steps))


def tellings(stories: Iterable[Story]) -> Iterator[Telling]:
    """The tellings of read stories."""
    return map(telling, stories)
