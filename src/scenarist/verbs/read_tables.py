"""Interpretation -> rows of the tables that `read FOLDER -o` writes: chains.parquet and untold.parquet.

Rows are made in the process that read the story, so that the process that writes has little to do.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scenarist.formats.chain_file import story_chain_file, story_chain_rows
from scenarist.formats.row_file import RowFile
from scenarist.interpretation import Interpretation
from scenarist.reading.chains import chains

SCHEMA_VERSION = "1"
UNSAID_COLUMNS: dict[str, Any] = {
    "story": str, "scenario": str, "event": str, "phrase": str, "probability": float, "at": int, "after": str, "before": str,
    "reason": str,
}  # fmt: skip
"""Columns of untold.parquet; ``after`` and ``before`` are the told events around it, as the story puts them."""


class TableRows(NamedTuple):
    """The rows of one interpretation."""

    chains: list[dict[str, Any]]
    untold: list[dict[str, Any]]


def table_rows(interpretation: Interpretation) -> TableRows:
    """All rows of an interpretation."""
    story = interpretation.story

    def event_text(event: int) -> str:
        return story.of(story.events[event]) if event >= 0 else ""

    untold = [
        {
            "story": story.id, "scenario": unsaid.scenario, "event": unsaid.event, "phrase": unsaid.phrase,
            "probability": unsaid.probability, "at": unsaid.at, "after": event_text(unsaid.after),
            "before": event_text(unsaid.before), "reason": unsaid.reason.text,
        }
        for unsaid in interpretation.untold
    ]  # fmt: skip
    return TableRows(list(story_chain_rows(story, chains(story), interpretation.protagonist)), untold)


def pack_rows(interpretation: Interpretation) -> bytes:
    """Rows to send to the process that writes."""
    return msgspec.msgpack.encode(table_rows(interpretation))


class ReadTables:
    """The Parquet files of a folder, a context; needs pyarrow (extra `learn`)."""

    def __init__(self, folder: Path) -> None:
        self.chains = story_chain_file(folder / "chains.parquet")
        self.untold = RowFile(
            folder / "untold.parquet", UNSAID_COLUMNS, {"scenarist": "untold", "schema": SCHEMA_VERSION}
        )
        self._stack = ExitStack()

    def __enter__(self) -> ReadTables:
        self._stack.enter_context(self.chains)
        self._stack.enter_context(self.untold)
        return self

    def add(self, rows: bytes | TableRows) -> None:
        """The rows of an interpretation, packed or not."""
        unpacked = msgspec.msgpack.decode(rows, type=TableRows) if isinstance(rows, bytes) else rows
        self.chains.add(unpacked.chains)
        self.untold.add(unpacked.untold)

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
