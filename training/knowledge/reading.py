"""Corpora -> read stories with canonical scenario names; the reader's cache makes a second run quick."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scenarist.learning.scenario_inventory import find, known
from scenarist.learning.tellings import Telling, telling
from scenarist.registry import make
from scenarist.story import Story


def canonical(scenario: str) -> str:
    """The name of the inventory, or the given one where it has none."""
    return find(scenario).name if known(scenario) else scenario


def read(name: str, split: str, jobs: int, limit: int | None = None) -> Iterator[Story]:
    """The stories of a corpus through our own reader."""
    stories = list(make("corpus", name, split=split))[:limit]
    reader = make("reader", "default", jobs=jobs, cache=True)
    for story, found in zip(stories, reader([story.text for story in stories]), strict=True):
        yield msgspec.structs.replace(found, id=story.id, scenario=canonical(story.scenario), source=story.source)


def gold_tellings(split: str) -> list[Telling]:
    """InScript with its gold labels by sentence (its own sentence ends); words are its own word forms."""
    found = []
    for story in make("corpus", "inscript", split=split):
        made = telling(story)
        words = [tuple(word.lower() for word in story.words(sentence)) for sentence in story.sentences]
        steps = tuple(step._replace(words=own) for step, own in zip(made.steps, words, strict=True))
        found.append(Telling(canonical(story.scenario), steps))
    return found
