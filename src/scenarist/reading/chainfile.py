"""Stories -> a Parquet file of chains, one row a chain (list columns), which no engine can cut in two.

Columns: ``story``, ``entity``, ``name``, ``kind``, ``protagonist``, ``events`` (as people write them), ``predicates``, ``roles``,
``realis``, ``polarity`` and ``starts`` (character offsets of the events).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scenarist.formats.row_file import RowFile
from scenarist.reading.chains import chains, protagonist
from scenarist.story import Story

SCHEMA_VERSION = "1"


def rows(story: Story, least: int = 1, view: str = "cj") -> Iterable[dict[str, Any]]:
    """The chains of one story as rows."""
    central = protagonist(story)
    names = {entity.id: entity for entity in story.entities}
    for chain in chains(story, least, view):
        entity = names[chain.entity]
        told = [story.events[place] for place in chain.places]
        name = entity.name or (story.of(entity.mentions[0]) if entity.mentions else "")
        yield {
            "story": story.id, "entity": chain.entity, "name": name, "kind": entity.kind,
            "protagonist": central is not None and central.id == chain.entity,
            "events": [str(link) for link in chain.links], "predicates": [link.predicate for link in chain.links],
            "roles": [link.role for link in chain.links], "realis": [event.realis for event in told],
            "polarity": [event.polarity for event in told], "starts": [event.start for event in told],
        }  # fmt: skip


COLUMNS: dict[str, Any] = {
    "story": str, "entity": str, "name": str, "kind": str, "protagonist": bool, "events": [str], "predicates": [str], "roles": [str],
    "realis": [bool], "polarity": [bool], "starts": [int],
}  # fmt: skip


def chain_file(path: Path, least: int = 1, view: str = "cj") -> RowFile:
    """A file to add the rows of chains to."""
    return RowFile(path, COLUMNS, {"scenarist": "chains", "schema": SCHEMA_VERSION, "view": view, "min": str(least)})


def write(path: Path, stories: Iterable[Story], least: int = 1, view: str = "cj") -> int:
    """Write the chains of all stories and give their number; the file appears only when it is whole."""
    with chain_file(path, least, view) as file:
        for story in stories:
            file.add(rows(story, least, view))
    return file.count
