"""Story -> Item: which sentence is missing? A gap for people, that models sit too (Bennett, Materials).

A chain is all sentences of a story that mention one entity. At most ``per`` sentences of at most ``chains`` chains are removed, one at
a time; all other sentences of the chain are shown in one of three conditions (``full``, ``caveman``, ``verb-subject``). Item ids are the
same in all three. The key is the main verb of the removed sentence; ``accept`` holds its WordNet synonyms, ``original`` the sentence.

Documents are drawn uniformly (``documents``; 0 takes all). Off-topic documents, such as the paper's letters to the editor, stay out:
those that ``exclude`` names, and those whose words have less in common with the others' than ``off_topic`` median deviations (0: off).
The paper chose them by hand; a corpus of many scenarios has no topic, and then nothing stands out. Departures: chains and parses are our
reader's, not CoreNLP's, and a chain needs ``least`` sentences.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log, sqrt
from typing import NamedTuple

import msgspec

from scenarist.errors import BadInput
from scenarist.learning.tellings import main_verbs
from scenarist.question import Item, SentenceGap
from scenarist.reading.chains import chains
from scenarist.reading.render import WAYS, render
from scenarist.reading.stems import STOP, stems
from scenarist.reading.wordnet import synonyms
from scenarist.registry import make, suggest
from scenarist.story import Entity, Link, Sentence, Story

BATCH = 16
"""Documents that are read together."""
FEW = 10
"""With fewer documents nothing is called off-topic."""


class SentenceChain(NamedTuple):
    """The sentences of a story that mention an entity."""

    entity: Entity
    sentences: tuple[int, ...]


class GapsExam:
    """Which sentence is missing from the chain?"""

    name = "gaps"
    metrics = ("recovery", "synonym_recall@10", "recall@10")

    def __init__(
        self, condition: str = "full", per: int = 3, chains: int = 2, least: int = 4, documents: int = 0, off_topic: float = 3.0,
        exclude: Sequence[str] = (), seed: int = 13,
    ) -> None:  # fmt: skip
        if condition not in WAYS:
            raise suggest(condition, list(WAYS), "condition")
        if least < 2:
            raise BadInput(f"gaps: a chain needs at least 2 sentences, one of them to be shown; got least={least}.")
        self.condition, self.per, self.chains, self.least = condition, per, chains, least
        self.documents, self.off_topic, self.seed = documents, off_topic, seed
        self.exclude = tuple(exclude.split(",")) if isinstance(exclude, str) else tuple(exclude)
        self.left_out_: list[tuple[str, str]] = []
        """Documents that were left out, and why, after ``set``."""

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        drawn = {"documents": self.documents} if self.documents else {}
        without = {"without": len(self.exclude)} if self.exclude else {}
        return {
            "condition": self.condition, "per": self.per, "chains": self.chains, "least": self.least, "off_topic": self.off_topic,
            "draw": self.seed, **drawn, **without,
        }  # fmt: skip

    def set(self, stories: Iterable[Story]) -> Iterator[Item]:
        """The gaps of all documents, or of those drawn, in the order of the corpus."""
        whole = list(stories)
        fitting = self.on_topic(whole)
        if not self.documents:
            for start in range(0, len(fitting), BATCH):
                for story in self.read([whole[number] for number in fitting[start : start + BATCH]]):
                    yield from self.gaps(story)
            return
        random.Random(f"{self.seed} documents").shuffle(fitting)
        drawn: dict[int, list[Item]] = {}
        for start in range(0, len(fitting), BATCH):
            numbers = fitting[start : start + BATCH]
            for number, story in zip(numbers, self.read([whole[number] for number in numbers]), strict=True):
                items = list(self.gaps(story))
                if items and len(drawn) < self.documents:
                    drawn[number] = items
            if len(drawn) == self.documents:
                break
        for number in sorted(drawn):
            yield from drawn[number]

    def on_topic(self, stories: Sequence[Story]) -> list[int]:
        """The documents that stay."""
        strangers = stray_documents([story.text for story in stories], self.off_topic) if self.off_topic else set()
        self.left_out_ = [(story.id, "excluded") for story in stories if story.id in self.exclude]
        self.left_out_ += [
            (stories[number].id, "off topic") for number in sorted(strangers) if stories[number].id not in self.exclude
        ]
        return [
            number for number, story in enumerate(stories) if story.id not in self.exclude and number not in strangers
        ]

    def read(self, stories: Sequence[Story]) -> Iterator[Story]:
        """The documents as our reader reads them, under their own ids; those that come read stay as they are."""
        bare = [story for story in stories if not self.is_read(story)]
        parsed = iter(make("reader", "default")([story.text for story in bare])) if bare else iter(())
        for story in stories:
            if self.is_read(story):
                yield story
            else:
                yield msgspec.structs.replace(next(parsed), id=story.id, scenario=story.scenario, source=story.source)

    def is_read(self, story: Story) -> bool:
        """Does it come with all that a gap is made of? A parse, too, so that all conditions have the same items."""
        return bool(story.events and story.entities) and is_parsed(story)

    def gaps(self, story: Story) -> Iterator[Item]:
        """The gaps of one document."""
        verbs = main_verbs(story)
        draw = random.Random(f"{self.seed} {story.id}")
        known = sentence_chains(story, self.least)
        chosen = draw.sample(known, min(self.chains, len(known)))
        places = [(chain, place) for chain in chosen for place, number in enumerate(chain.sentences) if verbs[number]]
        distinct = {chain.sentences[place]: (chain, place) for chain, place in places}  # a sentence is removed once
        numbers = sorted(draw.sample(sorted(distinct), min(self.per, len(distinct))))
        shown = render(story, self.condition)
        for number in numbers:
            chain, place = distinct[number]
            question = gap_question(story, chain, place, shown, self.condition)
            accept = tuple(sorted(synonyms(verbs[number]) - {verbs[number]}))
            tags = (f"chain:{chain.entity.id}", *((story.scenario,) if story.scenario else ()))
            original = story.of(story.sentences[number])
            yield Item(
                f"{story.id}.{chain.entity.id}.{number}",
                question,
                verbs[number],
                story.id,
                accept,
                tags,
                original=original,
            )


def is_parsed(story: Story) -> bool:
    """Has it a parse?"""
    return any(token.dep for token in story.tokens)


def gap_question(story: Story, chain: SentenceChain, place: int, shown: Sequence[str], condition: str) -> SentenceGap:
    """The chain without one sentence, as text and as events."""
    removed = chain.sentences[place]
    left = [number for number in chain.sentences if number != removed]
    links = chain_links(story, chain.entity)
    return SentenceGap(
        tuple(shown[number] for number in left), place, condition,
        tuple(story.sentences[number].stop - story.sentences[number].start for number in left),
        tuple(link for number, link in links if number != removed),
        sum(number < removed for number, _ in links),
    )  # fmt: skip


def sentence_chains(story: Story, least: int) -> list[SentenceChain]:
    """The chains of a story that have enough sentences which can be rendered; a sentence told twice counts once."""
    bare = render(story, "verb-subject" if is_parsed(story) else "full")
    eligible = []
    for entity in story.entities:
        numbers = sorted({number for mention in entity.mentions if (number := sentence_of(story, mention.first)) >= 0})
        texts: set[str] = set()
        kept = []
        for number in numbers:
            text = story.of(story.sentences[number])
            if bare[number] and text not in texts:
                texts.add(text)
                kept.append(number)
        if len(kept) >= least:
            eligible.append(SentenceChain(entity, tuple(kept)))
    return eligible


def sentence_of(story: Story, token: int) -> int:
    """The sentence a token stands in, -1 for none."""

    def holds(sentence: Sentence) -> bool:
        return sentence.first <= token < sentence.last

    return next((number for number, sentence in enumerate(story.sentences) if holds(sentence)), -1)


def chain_links(story: Story, entity: Entity) -> list[tuple[int, Link]]:
    """The entity's events with the sentences they stand in."""
    for chain in chains(story):
        if chain.entity == entity.id:
            numbers = [sentence_of(story, story.events[place].token) for place in chain.places]
            return list(zip(numbers, chain.links, strict=True))
    return []


def stray_documents(texts: Sequence[str], deviations: float) -> set[int]:
    """Documents unlike the others: the cosine of tf-idf with the sum of all others lies so many median deviations below the median."""
    if len(texts) < FEW:
        return set()
    counts = [Counter(stem for stem in stems(text) if stem not in STOP) for text in texts]
    spread = Counter(word for words in counts for word in words)
    vectors = [unit({word: n * log(len(texts) / spread[word]) for word, n in words.items()}) for words in counts]
    total: Counter[str] = Counter()
    for vector in vectors:
        total.update(vector)
    likeness = []
    for vector in vectors:
        others = {word: total[word] - value for word, value in vector.items()}
        size = sqrt(
            max(1e-12, sum(v * v for v in total.values()) - sum(total[w] ** 2 - others[w] ** 2 for w in vector))
        )
        likeness.append(sum(value * others[word] for word, value in vector.items()) / size)
    middle = median(likeness)
    deviation = 1.4826 * median([abs(value - middle) for value in likeness])
    return {number for number, value in enumerate(likeness) if value < middle - deviations * deviation}


def unit(vector: dict[str, float]) -> dict[str, float]:
    """A vector of length one; words without weight are left out."""
    size = sqrt(sum(value * value for value in vector.values())) or 1.0
    return {word: value / size for word, value in vector.items() if value > 0}


def median(values: Sequence[float]) -> float:
    """The middle value."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
