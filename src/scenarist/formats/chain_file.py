"""Chains <-> Parquet, one row a chain, the events in list columns, so that no engine can cut a chain in two.

Two files hold chains. *Chains of stories*, which `scenarist events -o` and `scenarist read -o` write for people: ``story``, ``entity``,
``name``, ``kind``, ``protagonist``, ``events`` (as people write them), ``predicates``, ``roles``, ``realis``, ``polarity`` and ``starts``
(character offsets of the events). *Shards*, which `scenarist learn` counts: their ``ids`` are 63-bit hashes of the events, so that
every process computes the same number without asking another. Two events with one id would be found when the events are counted
(`learning.counting`), and refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.formats.row_file import RowFile, arrow
from scenarist.story import Chain, Story

STORY_SCHEMA = 1
STORY_COLUMNS: dict[str, Any] = {
    "story": str, "entity": str, "name": str, "kind": str, "protagonist": bool, "events": [str], "predicates": [str], "roles": [str],
    "realis": [bool], "polarity": [bool], "starts": [int],
}  # fmt: skip
SCHEMA = 1
STAMP = "scenarist.shard"
"""Key of the file's own metadata under which a shard says what it was made from."""
SHARD_COLUMNS: dict[str, Any] = {
    "document": str, "chain": "int32", "entity": str, "scenario": str, "events": [str], "ids": [int], "patterns": [str],
    "sentences": ["int32"],
}  # fmt: skip
SENTENCE_COLUMNS: dict[str, Any] = {"document": str, "sentence": "int32", "text": str}


def story_chain_file(path: Path, least: int = 1, view: str = "cj") -> RowFile:
    """A file of the chains of stories, to add rows to; ``least`` and ``view`` say how the chains were derived."""
    about = {"scenarist": "chains", "schema": str(STORY_SCHEMA), "view": view, "min": str(least)}
    return RowFile(path, STORY_COLUMNS, about)


def story_chain_rows(story: Story, chains: Iterable[Chain], protagonist: str = "") -> Iterator[dict[str, Any]]:
    """The chains of one story as rows; ``protagonist`` is the id of its central entity."""
    entities = {entity.id: entity for entity in story.entities}
    for chain in chains:
        entity = entities[chain.entity]
        events = [story.events[place] for place in chain.places]
        name = entity.name or (story.of(entity.mentions[0]) if entity.mentions else "")
        yield {
            "story": story.id, "entity": chain.entity, "name": name, "kind": entity.kind,
            "protagonist": chain.entity == protagonist,
            "events": [str(link) for link in chain.links], "predicates": [link.predicate for link in chain.links],
            "roles": [link.role for link in chain.links], "realis": [event.realis for event in events],
            "polarity": [event.polarity for event in events], "starts": [event.start for event in events],
        }  # fmt: skip


class ChainRow(msgspec.Struct, frozen=True):
    """One chain as a shard holds it."""

    document: str
    chain: int
    entity: str
    scenario: str
    events: tuple[str, ...]
    """As counted: ``verb:role``, or the multi-argument form."""
    patterns: tuple[str, ...] = ()
    """Argument patterns (which places are filled, and by the chain's entity or another), where arguments are known."""
    sentences: tuple[int, ...] = ()
    """The sentence each event stands in, where there is text."""


class SentenceRow(msgspec.Struct, frozen=True):
    """A sentence that some event stands in: the evidence."""

    document: str
    sentence: int
    text: str


def event_id(event: str) -> int:
    """A positive 63-bit number for an event, the same everywhere.

    >>> event_id("arrest:obj") == event_id("arrest:obj") != event_id("arrest:subj")
    True
    """
    return int.from_bytes(blake2b(event.encode(), digest_size=8).digest(), "big") >> 1


def write_chains(path: Path, rows: Iterable[ChainRow], stamp: str = "") -> int:
    """Write a shard, whole or not at all; ``stamp`` says what it was made from. Gives the number of rows."""
    ids: dict[str, int] = {}

    def with_ids(row: ChainRow) -> dict[str, Any]:
        for event in row.events:
            if event not in ids:
                ids[event] = event_id(event)
        return {**msgspec.structs.asdict(row), "ids": [ids[event] for event in row.events]}

    return write_shard(path, SHARD_COLUMNS, map(with_ids, rows), stamp)


def write_sentences(path: Path, rows: Iterable[SentenceRow], stamp: str = "") -> int:
    """Write the sentences of a shard."""
    return write_shard(path, SENTENCE_COLUMNS, map(msgspec.structs.asdict, rows), stamp)


def write_shard(path: Path, columns: dict[str, Any], rows: Iterable[dict[str, Any]], stamp: str) -> int:
    """Write rows with their stamp."""
    with RowFile(path, columns, {STAMP: f"{SCHEMA} {stamp}"}) as file:
        file.add(rows)
    return file.count


def stamp_of(path: Path) -> str | None:
    """What a shard was made from; None where it is missing, damaged or of another version."""
    pa = arrow()
    if not path.exists():
        return None
    try:
        with pa.parquet.ParquetFile(path) as shard:
            meta = shard.schema_arrow.metadata or {}
            for group in range(shard.num_row_groups):  # a damaged body shows only when it is read
                shard.read_row_group(group)
    except (pa.ArrowException, OSError, EOFError, ValueError):
        return None
    version, _, stamp = meta.get(STAMP.encode(), b"").decode(errors="replace").partition(" ")
    return stamp if version == str(SCHEMA) else None


def read_chains(path: Path) -> Iterator[ChainRow]:
    """The rows of a shard."""
    pa = arrow()
    try:
        with pa.parquet.ParquetFile(path) as shard:
            for batch in shard.iter_batches(batch_size=4096):
                for row in batch.to_pylist():
                    yield ChainRow(
                        row["document"], row["chain"], row["entity"], row["scenario"], tuple(row["events"]),
                        tuple(row["patterns"] or ()), tuple(row["sentences"] or ()),
                    )  # fmt: skip
    except (pa.ArrowException, OSError, KeyError) as error:
        raise BadInput(
            f"{path}: not a readable shard of chains ({error}). Run `scenarist learn` again; it is rebuilt."
        ) from error
