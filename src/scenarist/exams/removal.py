"""Story -> Story without a sentence or an event: what is taken out leaves no trace in text, offsets, entities and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import msgspec

from scenarist.learning.tellings import is_script
from scenarist.story import Event, Sentence, Story, Token

Move: TypeAlias = Callable[[int], int]


def without(story: Story, number: int) -> Story:
    """The story with one sentence taken out: text, offsets, tokens, entities and events all moved up.

    >>> from scenarist.story import Story
    >>> without(Story.from_words("s", [["Ann", "ran", "."], ["She", "fell", "."], ["Oh", "!"]]), 1).text
    'Ann ran . Oh !'
    """
    gone = story.sentences[number]
    following = [s.start for s in story.sentences[number + 1 :]]
    stop = min(following) if following else len(story.text)
    start = gone.start if following else max([s.stop for s in story.sentences[:number]], default=0)
    width, words = stop - start, gone.last - gone.first

    def at(place: int) -> int:
        return place if place <= start else max(start, place - width)

    def word(index: int) -> int:
        return index if index < gone.first else index - words

    def end(index: int) -> int:
        return index if index <= gone.first else index - words

    def lost(index: int) -> bool:
        return gone.first <= index < gone.last

    tokens = tuple(
        Token(
            at(t.start),
            at(t.stop),
            t.lemma,
            t.pos,
            t.tag,
            t.feats,
            -1 if t.head < 0 or lost(t.head) else word(t.head),
            t.dep,
        )
        for index, t in enumerate(story.tokens)
        if not lost(index)
    )
    sentences = tuple(
        Sentence(at(s.start), at(s.stop), word(s.first), end(s.last))
        for n, s in enumerate(story.sentences)
        if n != number
    )
    text = story.text[:start] + story.text[stop:]
    kept: set[str] = set()
    entities = []
    for entity in story.entities:
        mentions = tuple(
            msgspec.structs.replace(
                m, start=at(m.start), stop=at(m.stop), first=word(m.first), last=end(m.last), head=word(m.head)
            )
            for m in entity.mentions
            if not gone.start <= m.start < gone.stop
        )
        if mentions:
            kept.add(entity.id)
            # A name taken from the sentence that is gone would tell what it said.
            said = any(
                m.stop <= len(text) and text[m.start : m.stop].casefold() == entity.name.casefold() for m in mentions
            )
            entities.append(msgspec.structs.replace(entity, mentions=mentions, name=entity.name if said else ""))
    events = tuple(
        moved(event, kept, at, word, lost) for event in story.events if not gone.start <= event.start < gone.stop
    )
    left = tuple(msgspec.structs.replace(e, members=tuple(m for m in e.members if m in kept)) for e in entities)
    return msgspec.structs.replace(
        story, text=text, tokens=tokens, sentences=sentences, entities=left, events=events, segments=()
    )


def moved(event: Event, kept: set[str], at: Move, word: Move, lost: Callable[[int], bool]) -> Event:
    """An event after a sentence was taken out; a role whose filler stood in that sentence goes with it."""
    roles = tuple(
        msgspec.structs.replace(role, entity=role.entity if role.entity in kept else "", token=word(role.token))
        for role in event.roles
        if not lost(role.token)
    )
    return msgspec.structs.replace(
        event, roles=roles, token=word(event.token), start=at(event.start), stop=at(event.stop)
    )


class Taken(NamedTuple):
    """A story from which one event was taken out wholly, and where it stood."""

    story: Story
    place: int
    """It first stood before this sentence."""
    event: int
    """And before this event."""


def without_event(story: Story, label: str) -> Taken:
    """The story without the sentences that mention a script event. The labels of other script events told in these sentences
    stay as events without words, so that what is told is known whatever was said in one breath with the missing event."""
    events = story.events
    homes = [home(story, event) for event in events]
    gone = sorted({at for at, event in zip(homes, events, strict=True) if event.label == label})
    if not gone or gone[0] < 0:
        raise ValueError(f"story {story.id!r} mentions no event {label!r} inside a sentence.")
    left = story
    for number in reversed(gone):
        left = without(left, number)
    kept = iter(left.events)
    merged: list[Event] = []
    first = -1
    for at, event in zip(homes, events, strict=True):
        if event.label == label:
            first = len(merged) if first < 0 else first
        elif at not in gone:
            merged.append(next(kept))
        elif is_script(event.label):
            after = at - sum(number < at for number in gone)  # the sentence that now follows
            cut = left.sentences[after].start if after < len(left.sentences) else len(left.text)
            merged.append(Event(event.label, start=cut, stop=cut, label=event.label))
    return Taken(msgspec.structs.replace(left, events=tuple(merged)), gone[0], first)


def home(story: Story, event: Event) -> int:
    """The sentence an event stands in, -1 for none."""
    return next((number for number, s in enumerate(story.sentences) if s.start <= event.start < s.stop), -1)
