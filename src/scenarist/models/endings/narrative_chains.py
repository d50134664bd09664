"""Choice -> Guesses: narrative chains (Chambers and Jurafsky 2008; Mostafazadeh et al. 2016, section 5, models 7 and 8).

Story and ending are read together. For every entity with an event in the story and one in the ending: the mean pointwise mutual
information of the pairs (event of the story, event of the ending) that were seen at least twice in training; the ending's number
is the highest of its entities'. Where no ending has such an entity, one is drawn by the question and the seed. Training data are
chains (news) or stories, which are read. ``kind_of`` says what sort of ending a sentence is, for the breakdown of errors
(the paper's error analysis: copular endings, light verbs, verb with preposition).
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.learning.event_chains import documents, of_story
from scenarist.learning.event_counts import EventCounts
from scenarist.models.endings.base import EndingModel, choice, ranked
from scenarist.question import AnyQuestion, Prediction
from scenarist.registry import make
from scenarist.store.home import inside, resource
from scenarist.story import Chain, Story

ROLES = {
    "nsubj": "subj",
    "agent": "subj",
    "xsubj": "subj",
    "nsubj:xcomp": "subj",
    "dobj": "obj",
    "nsubjpass": "obj",
    "iobj": "obj",
}
"""Stanford's labels, as chain files have them, in the words of our reader."""
LIGHT = frozenset("have take make give do get go".split())


def read_first(things: Iterable[Any], reader: str, limit: int | None = None) -> Iterator[Any]:
    """Stories that come without events are read, everything else is passed on."""
    for batch in batched(itertools.islice(things, limit), 64):
        bare = [story for story in batch if isinstance(story, Story) and not story.events]
        stories = iter(make("reader", reader)([story.text for story in bare])) if bare else iter(())
        for story in batch:
            yield next(stories) if isinstance(story, Story) and not story.events else story


def in_our_words(things: Iterable[Any]) -> Iterator[Any]:
    """Chains with Stanford's labels as our reader would write them; else news and stories would share no event."""
    for thing in things:
        if isinstance(thing, Chain):
            links = tuple(msgspec.structs.replace(link, role=ROLES.get(link.role, link.role)) for link in thing.links)
            thing = msgspec.structs.replace(thing, links=links)
        yield thing


def batched(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of at most ``size``."""
    rest = iter(things)
    while part := list(itertools.islice(rest, size)):
        yield part


def kind_of(story: Story, start: int = 0) -> str:
    """What sort of ending a read sentence is: ``copular``, ``light verb``, ``verb + preposition``, ``verb`` or ``none``."""
    events = [event for event in story.events if event.start >= start]
    if not events:
        return "none"
    main = min(events, key=lambda event: (event.token == -1, depth(story, event.token), event.start))
    if main.kind in ("copula", "adjective"):
        return "copular"
    if main.kind == "light" or main.predicate.split("_")[0] in LIGHT:
        return "light verb"
    if any(role.name.startswith("prep") or role.name.startswith("obl") for role in main.roles):
        return "verb + preposition"
    return "verb"


def depth(story: Story, token: int) -> int:
    """How far a token is from its root."""
    steps = 0
    while 0 <= token < len(story.tokens) and story.tokens[token].head >= 0 and steps < len(story.tokens):
        token, steps = story.tokens[token].head, steps + 1
    return steps


class NarrativeChains(EndingModel):
    """Mean PMI of the shared entity."""

    name = "narrative-chains"
    positional = True  # where no entity is shared it draws, and the draw is seeded by the whole question
    learns = "stories"
    trained_on = ("reader",)

    def __init__(
        self, least: int = 2, reader: str = "default", limit: int | None = None, see: str = "story", seed: int = 13
    ) -> None:
        super().__init__(see)
        self.least, self.reader, self.limit, self.seed = least, reader, limit, seed

    def reads(self) -> list[Path]:
        """The carried reader."""
        return inside(resource("reader")) if self.reader == "default" else []

    def fit(self, data: Iterable[Any]) -> NarrativeChains:
        """Count events and pairs of events."""
        counts = EventCounts.of(documents(in_our_words(read_first(data, self.reader, self.limit))), keep=False)
        if not len(counts):
            raise BadInput("narrative-chains: the training data hold no chain of two or more events.")
        self.counts_, self.pairs_ = counts, counts.unordered()
        self.sum_ = self.pairs_.total
        return self

    def pmi(self, first: str, second: str) -> float | None:
        """Pointwise mutual information of two events, None where the pair was seen less than ``least`` times."""
        ids = self.counts_.ids
        if first not in ids or second not in ids:
            return None
        columns, found = self.pairs_.row(ids[first])
        seen = float(found[columns == ids[second]].sum())
        if seen < self.least:
            return None
        total = self.counts_.total
        one, two = int(self.counts_.events[ids[first]]), int(self.counts_.events[ids[second]])
        return math.log(seen / self.sum_) - math.log(one / total) - math.log(two / total)

    def entity_score(self, story: Story, start: int) -> float | None:
        """The highest mean PMI of an entity that stands in the story and in the ending, which begins at ``start``."""
        best: float | None = None
        for chain in of_story(story).chains:
            places = chain.places or ()
            before = [
                str(link) for link, place in zip(chain.links, places, strict=False) if story.events[place].start < start
            ]
            ends = [
                str(link)
                for link, place in zip(chain.links, places, strict=False)
                if story.events[place].start >= start
            ]
            values = [value for a in before for b in ends if (value := self.pmi(a, b)) is not None]
            if values and (best is None or sum(values) / len(values) > best):
                best = sum(values) / len(values)
        return best

    def read(self, questions: Sequence[AnyQuestion]) -> list[Story]:
        """Each story with each of its endings, read."""
        asked = [choice(question, self.name) for question in questions]
        texts = [" ".join([*self.seen(one.context), ending]) for one in asked for ending in one.choices]
        return list(make("reader", self.reader)(texts))

    def answer_many(self, questions: Sequence[AnyQuestion], read: Sequence[Story] = ()) -> list[Prediction]:
        """All questions in one go: stories are read in batches, unless they come read."""
        if not hasattr(self, "counts_"):
            raise BadInput(
                f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table."
            )
        asked = [choice(question, self.name) for question in questions]
        stories = iter(read or self.read(questions))
        out = []
        for one in asked:
            start = len(" ".join([*self.seen(one.context), ""]))
            values = [self.entity_score(next(stories), start) for _ in one.choices]
            if all(value is None for value in values):
                dice = random.Random(f"{self.seed}/{one.context}/{one.choices}")
                out.append(ranked([dice.random() for _ in values], self.name, note="no entity in common: drawn"))
            else:
                lowest = min(value for value in values if value is not None) - 1.0
                out.append(ranked([lowest if value is None else value for value in values], self.name))
        return out

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
