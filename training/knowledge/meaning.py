"""Read stories of InScript and DeScript -> the same with the annotators' labels on their events: which event descriptions mean one event.

InScript labels verbs in the text, DeScript (ten scenarios, fifty descriptions each) whole event descriptions; the names of the events are nearly the same in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import msgspec

from scenarist.corpora.descript import gold
from scenarist.learning.scripts import meanings
from scenarist.learning.tellings import is_script
from scenarist.registry import make
from scenarist.script import Script
from scenarist.story import Story

Spans = tuple[tuple[int, int, str], ...]
"""(start, stop, label) in a story's text."""


@cache
def marked(corpus: str, split: str) -> Mapping[str, Spans]:
    """The labelled spans of a corpus by story id."""
    found: dict[str, Spans] = {}
    if corpus == "inscript":
        for story in make("corpus", corpus, split=split):
            found[story.id] = tuple((one.start, one.stop, one.label) for one in story.events if is_script(one.label))
    elif corpus == "descript":
        said = {(one.esd, one.slot): group.event for group in gold() for one in group.items}
        for story in make("corpus", corpus, split=split):
            events = (
                (s.start, s.stop, f"ScrEv_{said.get((story.id, slot), 'other')}")
                for slot, s in enumerate(story.sentences, start=1)
            )
            found[story.id] = tuple(one for one in events if is_script(one[2]) and "_other_" not in one[2])
    return found


def type_labels(script: Script, stories: Iterable[Story]) -> dict[str, str]:
    """Which of a script's event types the annotators' labels name: the label of an event type's commonest phrase that has one."""
    meant = {str(occurrence): label for occurrence, label in meanings(stories).items()}
    labels = {
        kind.id: next((meant[one] for one in (kind.id, *kind.phrases) if one in meant), "") for kind in script.events
    }
    return {kind: label for kind, label in labels.items() if label}


def labelled(story: Story, corpus: str, split: str) -> Story:
    """The story with a label on each event that stands in a labelled span (the first such)."""
    spans = marked(corpus, split).get(story.id, ())
    if not spans:
        return story
    events = (
        msgspec.structs.replace(
            one, label=next((label for start, stop, label in spans if one.start < stop and start < one.stop), "")
        )
        for one in story.events
    )
    return msgspec.structs.replace(story, events=tuple(events))
