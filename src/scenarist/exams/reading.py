"""Annotated Story -> Item: read this text; the key is what people annotated of it.

``part`` says what is examined: ``parse`` (treebanks), ``coreference`` (OntoGUM, LitBank, GUM), ``realis`` (LitBank's events), ``chains``
(InScript) and ``caveman`` (Bennett's documents, glossed by hand). ``tokens`` is ``gold`` (the question gives the words, sentence by
sentence) or ``raw`` (the text alone). One item a document, so intervals are by document; for ``caveman`` one item a sentence.

- ``singletons`` off, or a ``kind``, is written into the items' tags, where the coreference metrics find it (OntoGUM has no
  singletons, so those a reader finds are not counted against it).
- InScript annotates who is who and which words are events, but no roles: the key's chains take their roles from our parse of the
  gold words, with the gold entities and the gold events. So ``chains`` examines coreference and event detection, not the parse.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.question import Item, Read, Reading
from scenarist.registry import suggest
from scenarist.store.home import resource
from scenarist.story import Story, replace

PARTS = ("parse", "coreference", "realis", "chains", "caveman")
METRICS = {
    "parse": ("core_f1", "uas", "las", "upos", "lemma"),
    "coreference": ("conll_f1", "muc", "b_cubed", "ceaf"),
    "realis": ("realis_f1",),
    "chains": ("chain_f1",),
    "caveman": ("caveman",),
}


class ReadingExam:
    """Read this text."""

    name = "reading"

    def __init__(
        self, part: str = "parse", tokens: str = "gold", singletons: bool = True, kind: str = "", genre: str = ""
    ) -> None:
        if part not in PARTS:
            raise suggest(part, list(PARTS), "part of the exam reading")
        if tokens not in ("gold", "raw"):
            raise BadInput(f"reading: tokens is 'gold' or 'raw', not {tokens!r}.")
        self.part, self.tokens, self.singletons, self.kind, self.genre = part, tokens, singletons, kind, genre
        self.metrics = METRICS[part]

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        found: dict[str, object] = {"part": self.part, "tokens": self.tokens}
        if self.part == "coreference":
            found["singletons"] = "yes" if self.singletons else "no"
        if self.kind:
            found["kind"] = self.kind
        if self.genre:
            found["genre"] = self.genre
        return found

    def set(self, stories: Iterable[Story]) -> Iterator[Item]:
        """One item a document (a sentence, for ``caveman``)."""
        if self.part == "caveman":
            yield from glossed(stories)
            return
        tags: tuple[str, ...] = () if self.singletons else ("no-singletons",)
        tags += (f"kind:{self.kind}",) if self.kind else ()
        for story in stories:
            if (self.genre and story.genre != self.genre) or not story.tokens:
                continue
            words = given(story) if self.tokens == "gold" else ()
            key = with_roles(story) if self.part == "chains" else story
            yield Item(story.id, Read(story.text, words), Reading(self.bare(key)), story.id, tags=(*tags, story.genre))

    def bare(self, story: Story) -> Story:
        """The key without what is not asked for."""
        keeps = {
            "parse": (),
            "coreference": ("entities", "events"),
            "realis": ("events",),
            "chains": ("entities", "events"),
        }[self.part]
        dropped: dict[str, Any] = {
            layer: () for layer in ("entities", "events", "segments", "notes") if layer not in keeps
        }
        return replace(story, **dropped)


def given(story: Story) -> tuple[tuple[str, ...], ...]:
    """The gold words, sentence by sentence; a corpus without sentence ends cannot give them."""
    if not story.sentences:
        raise BadInput(f"story {story.id!r} has no sentence ends; set the exam with tokens = 'raw'.")
    return tuple(story.words(sentence) for sentence in story.sentences)


def with_roles(story: Story) -> Story:
    """Gold entities and gold event words with the roles of our parse of the gold words."""
    from scenarist.reading.default import placed
    from scenarist.reading.events.extract import events
    from scenarist.reading.parser.parse import parser

    (parsed,) = parser().words([given(story)])
    read = replace(placed(parsed.story, story.text), entities=story.entities)
    found = {event.token: event for event in events(read)}
    told = []
    for event in story.events:
        ours = found.get(event.token)
        told.append(msgspec.structs.replace(ours, label=event.label) if ours is not None else event)
    return replace(story, events=tuple(told))


def glossed(stories: Iterable[Story]) -> Iterator[Item]:
    """The hand-glossed sentences of Bennett's documents; the glosses are token indices, carried in the package."""
    glosses: dict[str, list[list[str]]] = json.loads(resource("glosses/caveman.json").read_text("utf-8"))["glosses"]
    for story in stories:
        for number, sentence in enumerate(story.sentences):
            accepted = glosses.get(f"{story.id}.{number}")
            if accepted is None:
                continue
            words = story.words(sentence)
            lemmas = [token.lemma for token in story.tokens[sentence.first : sentence.last]]
            key, *others = (spelled(one, words, lemmas) for one in accepted)
            question = Read(story.of(sentence), (words,))
            yield Item(f"{story.id}.{number}", question, key, story.id, tuple(others))


def spelled(gloss: list[str], words: tuple[str, ...], lemmas: list[str]) -> str:
    """A gloss of token indices as text: ``3`` is the word, ``3l`` its lemma, ``3=go`` a lemma put right.

    >>> spelled(["0", "1l", "2"], ("She", "waited", "there"), ["she", "wait", "there"])
    'she wait there.'
    """
    parts = []
    for one in gloss:
        place, _, lemma = one.partition("=")
        parts.append(lemma or (lemmas[int(place[:-1])] if place.endswith("l") else words[int(place)]))
    return " ".join(parts).lower() + "."
