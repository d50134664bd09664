"""Twelve stories of our own (`fixtures/people.toml`): who takes part in what, everybody's chain exactly, and whose story it is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenarist.reading.chains import chains, protagonist
from scenarist.registry import make
from scenarist.story import Entity, Story

STORIES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "fixtures" / "people.toml").read_text(encoding="utf-8")
)["story"]


@pytest.fixture(scope="module")
def read() -> dict[str, Story]:
    stories = make("reader", "default")([story["text"] for story in STORIES])
    return dict(zip((story["id"] for story in STORIES), stories, strict=True))


def names(story: Story, entity: Entity) -> set[str]:
    return {entity.name, *(story.text[mention.start : mention.stop] for mention in entity.mentions)}


def faults(story: Story, wanted: list[list[str]]) -> Iterator[str]:
    """Chains that are missing, and chains of people and animals that nobody wrote."""
    entities = {entity.id: entity for entity in story.entities}
    left = {chain.entity: " ".join(map(str, chain.links)) for chain in chains(story, kinds=("verb", "light"))}
    for name, links in wanted:
        found = next((id for id, told in left.items() if told == links and name in names(story, entities[id])), None)
        if found is None:
            yield f"missing: {name}: {links}"
        else:
            left.pop(found)
    for id, told in left.items():
        if entities[id].kind in ("person", "animal"):
            yield f"too many: {entities[id].name}: {told}"


@pytest.mark.parametrize("number", range(len(STORIES)), ids=[story["id"] for story in STORIES])
def test_everybody_has_their_chain(read: dict[str, Story], number: int) -> None:
    wanted = STORIES[number]
    story = read[wanted["id"]]
    assert list(faults(story, wanted["chains"])) == []
    central = protagonist(story)
    assert central is not None
    assert names(story, central) & set(wanted["protagonist"])


@pytest.mark.parametrize(
    ("text", "first", "second", "one"),
    [
        ("Dad cooked. Mom set the table. Dad called us.", "Dad", "Dad", True),
        ("The groom waited. Her father took her arm.", "The groom", "Her father", False),
        ("My sister Ada called. Ada was late.", "My sister", "Ada", True),
        ("A clown saw a boy. A woman filmed them.", "A clown", "them", False),
        ('I opened the door. "Rosa, come in!" my aunt said. I hugged her.', "I", "Rosa", True),
        ('I opened the door. Rosa came in. "Rosa, sit down!" my aunt said. I hugged her.', "I", "Rosa", False),
    ],
)
def test_who_is_one(text: str, first: str, second: str, one: bool) -> None:
    (story,) = make("reader", "default")([text])
    owners = {}
    for entity in story.entities:
        for mention in entity.mentions:
            owners.setdefault(story.text[mention.start : mention.stop], []).append(entity.id)
    ids = {*owners[first], *owners[second]}
    assert (len(ids) == 1) == one, {name: owners[name] for name in (first, second)}


def test_lines_with_names_are_turns() -> None:
    (story,) = make("reader", "default")(["Ada: I lost my keys.\nBen: You left them here.\nAda: Thank you."])
    spoken = {entity.name: {story.text[m.start : m.stop] for m in entity.mentions} for entity in story.entities}
    assert {"I", "You"} <= spoken["Ada"]
    assert "you" in spoken["Ben"]
