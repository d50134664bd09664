"""Stories -> a Parquet file of chains, one row a chain (list columns), which no engine can cut in two.

Columns: ``story``, ``entity``, ``name``, ``kind``, ``protagonist``, ``events`` (as people write them), ``predicates``, ``roles``,
``realis``, ``polarity`` and ``starts`` (character offsets of the events).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scenarist.errors import missing_extra
from scenarist.reading.chains import chains, protagonist
from scenarist.store import whole_file
from scenarist.story import Story

ROWS = 20_000
"""Chains held before they are written as one row group."""
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


def write(path: Path, stories: Iterable[Story], least: int = 1, view: str = "cj") -> int:
    """Write the chains of all stories and give their number; the file appears only when it is whole."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise missing_extra("pyarrow", "learn", "Writing Parquet") from error

    words = arrow.list_(arrow.string())
    flags = arrow.list_(arrow.bool_())
    schema = arrow.schema(
        [("story", arrow.string()), ("entity", arrow.string()), ("name", arrow.string()), ("kind", arrow.string()),
         ("protagonist", arrow.bool_()), ("events", words), ("predicates", words), ("roles", words), ("realis", flags),
         ("polarity", flags), ("starts", arrow.list_(arrow.int64()))],
        metadata={"scenarist": "chains", "schema": SCHEMA_VERSION, "view": view, "min": str(least)},
    )  # fmt: skip
    count = 0
    with whole_file(path) as temporary, parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
        held: list[dict[str, Any]] = []
        for story in stories:
            held.extend(rows(story, least, view))
            if len(held) >= ROWS:
                writer.write_table(arrow.Table.from_pylist(held, schema))
                count, held = count + len(held), []
        writer.write_table(arrow.Table.from_pylist(held, schema))
        count += len(held)
    return count
