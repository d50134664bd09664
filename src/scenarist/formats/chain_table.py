"""Chains <-> Parquet, one row per chain.

The events of a chain are list columns, so that no engine can cut a chain in two. ``ids`` are 63-bit hashes of the
events: every process computes the same number without asking another, and counting runs over integers. Two events
with one id would be found when the events are counted (`learning.counting`), and refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput, missing_extra
from scenarist.store.home import whole_file

SCHEMA = 1
STAMP = b"scenarist.shard"
"""Key of the file's own metadata under which a shard says what it was made from."""


class ChainRow(msgspec.Struct, frozen=True):
    """One chain as it is stored."""

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


def arrow() -> Any:
    """pyarrow, or the install line."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise missing_extra("pyarrow", "learn", "Writing and reading Parquet") from error
    return pyarrow


def event_id(event: str) -> int:
    """A positive 63-bit number for an event, the same everywhere.

    >>> event_id("arrest:obj") == event_id("arrest:obj") != event_id("arrest:subj")
    True
    """
    return int.from_bytes(blake2b(event.encode(), digest_size=8).digest(), "big") >> 1


def chain_schema() -> Any:
    """The columns of a chain shard."""
    pa = arrow()
    return pa.schema(
        [
            ("document", pa.string()), ("chain", pa.int32()), ("entity", pa.string()), ("scenario", pa.string()),
            ("events", pa.list_(pa.string())), ("ids", pa.list_(pa.int64())), ("patterns", pa.list_(pa.string())),
            ("sentences", pa.list_(pa.int32())),
        ]
    )  # fmt: skip


def chain_columns(rows: Iterable[ChainRow]) -> dict[str, list[Any]]:
    """Rows as columns, ids computed."""
    ids: dict[str, int] = {}
    columns: dict[str, list[Any]] = {name: [] for name in chain_schema().names}
    for row in rows:
        for event in row.events:
            if event not in ids:
                ids[event] = event_id(event)
        for name in ("document", "chain", "entity", "scenario"):
            columns[name].append(getattr(row, name))
        for name in ("events", "patterns", "sentences"):
            columns[name].append(list(getattr(row, name)))
        columns["ids"].append([ids[event] for event in row.events])
    return columns


def write_chains(path: Path, rows: Iterable[ChainRow], stamp: str = "") -> int:
    """Write a shard, whole or not at all; ``stamp`` says what it was made from. Gives the number of rows."""
    pa = arrow()
    table = pa.table(chain_columns(rows), schema=chain_schema())
    return write_table(path, table, stamp)


def write_sentences(path: Path, rows: Iterable[SentenceRow], stamp: str = "") -> int:
    """Write the sentences of a shard."""
    pa = arrow()
    kept = list(rows)
    schema = pa.schema([("document", pa.string()), ("sentence", pa.int32()), ("text", pa.string())])
    columns = {name: [getattr(row, name) for row in kept] for name in schema.names}
    return write_table(path, pa.table(columns, schema=schema), stamp)


def write_table(path: Path, table: Any, stamp: str = "") -> int:
    """Write an Arrow table, whole or not at all."""
    pa = arrow()
    meta: Mapping[bytes, bytes] = {**(table.schema.metadata or {}), STAMP: f"{SCHEMA} {stamp}".encode()}
    with whole_file(path) as temporary:
        pa.parquet.write_table(table.replace_schema_metadata(meta), temporary, compression="zstd")
    return int(table.num_rows)


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
    version, _, stamp = meta.get(STAMP, b"").decode(errors="replace").partition(" ")
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
