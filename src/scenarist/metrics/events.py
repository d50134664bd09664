"""Item x Reading -> counts: realis events, recovered chains, caveman renderings, and the reader's pace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.metrics.base import count, divide
from scenarist.question import Item, Prediction, Reading
from scenarist.reading.render import render
from scenarist.story import Story


def read(prediction: Prediction | None) -> Story | None:
    """The story a prediction holds."""
    best = prediction.best if prediction is not None else None
    return best.story if isinstance(best, Reading) else None


class SetF1:
    """Base: F1 of two sets, from summed counts."""

    name: str
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {}

    def counts(self, key: set[Any], found: set[Any]) -> dict[str, float]:
        return {"right": float(len(key & found)), "key": float(len(key)), "found": float(len(found))}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """2 right / (key + found)."""
        return divide(2 * count(totals, "right"), count(totals, "key") + count(totals, "found"), empty=1.0)


class RealisF1(SetF1):
    """Words that tell an event that happened (Sims, Park and Bamman 2019, section 5): F1 over their places in the text."""

    name = "realis_f1"

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        assert isinstance(item.key, Reading)
        story = read(prediction)
        key = {(event.start, event.stop) for event in item.key.story.events}
        happened = (
            []
            if story is None
            else [one for one in story.events if one.realis and one.kind in ("verb", "light", "noun")]
        )
        return self.counts(key, {(event.start, event.stop) for event in happened})


class ChainF1(SetF1):
    """(entity, event) links of chains of two or more: F1 after each read entity is taken for the gold one it shares most mentions with.

    A gold link is an annotated event word in which a gold entity has a role; a link found counts only at an annotated event word,
    so unannotated verbs speak neither for nor against a reader.
    """

    name = "chain_f1"

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        assert isinstance(item.key, Reading)
        gold = item.key.story
        words = {place(gold, event.token) for event in gold.events}
        key = chained(links(gold, {entity.id: entity.id for entity in gold.entities}))
        kept = {id for id, _ in key}
        story = read(prediction)
        found = set() if story is None else links(story, taken_for(story, gold))
        return self.counts(key, {link for link in found if link[1] in words and link[0] in kept})


def place(story: Story, token: int) -> int:
    """Where a token begins."""
    return story.tokens[token].start if 0 <= token < len(story.tokens) else -1


def links(story: Story, names: Mapping[str, str]) -> set[tuple[str, int]]:
    """All (entity, place of the event) pairs, under the given names."""
    return {
        (names[role.entity], place(story, event.token))
        for event in story.events
        for role in event.roles
        if role.entity in names and role.name not in ("attr", "tmod", "npadvmod")
    }


def chained(pairs: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """The pairs of entities with at least two events."""
    often = Counter(id for id, _ in pairs)
    return {pair for pair in pairs if often[pair[0]] > 1}


def taken_for(story: Story, gold: Story) -> dict[str, str]:
    """Read entity -> the gold entity with which it shares most mention heads."""
    heads = {place(gold, one.head): entity.id for entity in gold.entities for one in entity.mentions}
    found: dict[str, str] = {}
    for entity in story.entities:
        votes = Counter(heads[at] for one in entity.mentions if (at := place(story, one.head)) in heads)
        if votes:
            found[entity.id] = votes.most_common(1)[0][0]
    return found


class Caveman:
    """Sentences whose caveman rendering is one of the accepted glosses, case aside."""

    name = "caveman"
    higher = True
    proportion = True

    def __init__(self, rule: str = "paper") -> None:
        self.rule = rule

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"rule": self.rule}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        story = read(prediction)
        written = " ".join(render(story, "caveman", self.rule)).lower() if story is not None and story.tokens else ""
        return {"right": float(written in (item.key, *item.accept)), "asked": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The share that is right."""
        return divide(count(totals, "right"), count(totals, "asked"))


class SentencesPerSecond:
    """Gold sentences read in a second of wall-clock time, all of reading included; the time stands in the predictions' notes."""

    name = "sentences_per_s"
    higher = True
    proportion = False

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        assert isinstance(item.key, Reading)
        told = prediction.note if prediction is not None else ""
        seconds = float(told.removeprefix("seconds:")) if told.startswith("seconds:") else 0.0
        return {"sentences": float(len(item.key.story.sentences)) if seconds else 0.0, "seconds": seconds}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Sentences by seconds."""
        return divide(count(totals, "sentences"), count(totals, "seconds"))
