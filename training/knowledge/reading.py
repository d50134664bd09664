"""Corpora -> read stories with canonical scenario names: our reader's parse and events, without coreference (heads are enough)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec

from scenarist.inventory import find, known
from scenarist.learning.tellings import Telling, telling
from scenarist.parallel import in_order, workers
from scenarist.reading.default import batches
from scenarist.reading.events.extract import events
from scenarist.reading.parser.parse import parser
from scenarist.registry import make
from scenarist.story import Story


def canonical(scenario: str) -> str:
    """The name of the inventory, or the given one where it has none."""
    return find(scenario).name if known(scenario) else scenario


def marks(text: str) -> set[str]:
    """The letters a text begins and ends with: stories of different corpora that share one are the same story.

    >>> marks("Ann ran.") == marks("ann  RAN")
    True
    """
    letters = "".join(one for one in text.lower() if one.isalnum())
    return {letters[:80], letters[-80:]}


@cache
def held_out() -> frozenset[str]:
    """Marks of all dev stories: InScript and MCScript share some, on either side of the split."""
    dev = (story for name in ("mcscript", "inscript") for story in make("corpus", name, split="dev"))
    return frozenset(mark for story in dev for mark in marks(story.text))


def parsed(texts: list[str]) -> list[Story]:
    """A batch of texts with their events."""
    return [msgspec.structs.replace(one.story, events=events(one.story, one.realis)) for one in parser()(texts)]


def read(name: str, split: str, jobs: int, limit: int | None = None, **settings: object) -> Iterator[Story]:
    """The stories of a corpus through our own reader."""
    stories = [
        s for s in make("corpus", name, split=split, **settings) if split != "train" or not marks(s.text) & held_out()
    ][:limit]
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
        if split == "train" and marks(story.text) & held_out():
            continue
        made = telling(story)
        words = [tuple(word.lower() for word in story.words(sentence)) for sentence in story.sentences]
        steps = tuple(step._replace(words=own) for step, own in zip(made.steps, words, strict=True))
        found.append(Telling(canonical(story.scenario), steps))
    return found
