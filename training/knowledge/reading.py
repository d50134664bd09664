"""Corpora -> read stories with canonical scenario names: our reader's parse and events, without coreference (heads are enough)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scenarist.learning.scenario_inventory import find, known
from scenarist.learning.tellings import Telling, telling
from scenarist.reading.batch import in_order, workers
from scenarist.reading.default import batches
from scenarist.reading.events.extract import events
from scenarist.reading.parse import parser
from scenarist.registry import make
from scenarist.story import Story


def canonical(scenario: str) -> str:
    """The name of the inventory, or the given one where it has none."""
    return find(scenario).name if known(scenario) else scenario


def parsed(texts: list[str]) -> list[Story]:
    """A batch of texts with their events."""
    return [msgspec.structs.replace(one.story, events=events(one.story, one.realis)) for one in parser()(texts)]


def read(name: str, split: str, jobs: int, limit: int | None = None) -> Iterator[Story]:
    """The stories of a corpus through our own reader."""
    stories = list(make("corpus", name, split=split))[:limit]
    pool = workers(jobs) if jobs > 1 else None
    found = (one for batch in in_order(parsed, batches(story.text for story in stories), pool, jobs) for one in batch)
    for story, one in zip(stories, found, strict=True):
        yield msgspec.structs.replace(one, id=story.id, scenario=canonical(story.scenario), source=story.source)
    if pool is not None:
        pool.shutdown()


def gold_tellings(split: str) -> list[Telling]:
    """InScript with its gold labels by sentence (its own sentence ends); words are its own word forms."""
    found = []
    for story in make("corpus", "inscript", split=split):
        made = telling(story)
        words = [tuple(word.lower() for word in story.words(sentence)) for sentence in story.sentences]
        steps = tuple(step._replace(words=own) for step, own in zip(made.steps, words, strict=True))
        found.append(Telling(canonical(story.scenario), steps))
    return found
