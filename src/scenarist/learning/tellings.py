"""Read Story -> Telling: sentence by sentence the main verb and the content words, what scenario knowledge is counted from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scenarist.story import Story

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


def main_verbs(story: Story) -> list[str]:
    """The main verb of each sentence, empty where there is none; one pass over the events."""
    verbs = {event.token: event.predicate for event in story.events if event.kind in VERBAL}
    found = []
    for sentence in story.sentences:
        roots = (at for at in range(sentence.first, sentence.last) if story.tokens[at].head in (-1, at))
        found.append(next((verbs[at] for at in roots if at in verbs), ""))
    return found


def labels(story: Story) -> list[str]:
    """The first script event label of each sentence, empty where there is none."""
    marked = [(event.start, event.label) for event in story.events if is_script(event.label)]
    return [next((label for at, label in marked if s.start <= at < s.stop), "") for s in story.sentences]


def is_script(label: str) -> bool:
    """Is this the label of an event that belongs to the script?

    >>> is_script("ScrEv_dry"), is_script("RelNScrEv"), is_script("ScrEv_other")
    (True, False, False)
    """
    return label.startswith("ScrEv_") and label != "ScrEv_other"


def telling(story: Story) -> Telling:
    """A read story as its steps."""
    verbs, marked = main_verbs(story), labels(story)
    steps = []
    for number, sentence in enumerate(story.sentences):
        words = tuple(
            token.lemma.lower()
            for token in story.tokens[sentence.first : sentence.last]
            if token.pos in CONTENT and token.lemma
        )
        steps.append(Step(verbs[number], words, marked[number]))
    return Telling(story.scenario, tuple(steps))


def tellings(stories: Iterable[Story]) -> Iterator[Telling]:
    """The tellings of read stories."""
    return map(telling, stories)
