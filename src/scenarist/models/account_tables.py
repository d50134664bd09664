"""Account -> rows of the tables that `read FOLDER -o` writes: chains.parquet and untold.parquet.

Made in the process that read the story, so that the one that writes has little to do.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scenarist.account import Account
from scenarist.formats.row_file import RowFile
from scenarist.reading.chainfile import chain_file
from scenarist.reading.chainfile import rows as chain_rows

SCHEMA_VERSION = "1"
UNTOLD: dict[str, Any] = {
    "story": str, "scenario": str, "event": str, "phrase": str, "probability": float, "at": int, "after": str, "before": str,
    "reason": str,
}  # fmt: skip
"""Columns of untold.parquet; ``after`` and ``before`` are the told events around it, as the story puts them."""


class Rows(NamedTuple):
    """The rows of one account."""

    chains: list[dict[str, Any]]
    untold: list[dict[str, Any]]


def rows(account: Account) -> Rows:
    """All rows of an account."""
    story = account.story

    def said(event: int) -> str:
        return story.of(story.events[event]) if event >= 0 else ""

    untold = [
        {
            "story": story.id, "scenario": one.scenario, "event": one.event, "phrase": one.phrase, "probability": one.probability,
            "at": one.at, "after": said(one.after), "before": said(one.before), "reason": one.reason.text,
        }
        for one in account.untold
    ]  # fmt: skip
    return Rows(list(chain_rows(story)), untold)


def packed(account: Account) -> bytes:
    """Rows to send to the process that writes."""
    return msgspec.msgpack.encode(rows(account))


class Tables:
    """The files of a folder, a context; needs pyarrow (extra `learn`)."""

    def __init__(self, folder: Path) -> None:
        self.chains = chain_file(folder / "chains.parquet")
        self.untold = RowFile(folder / "untold.parquet", UNTOLD, {"scenarist": "untold", "schema": SCHEMA_VERSION})
        self._stack = ExitStack()

    def __enter__(self) -> Tables:
        self._stack.enter_context(self.chains)
        self._stack.enter_context(self.untold)
        return self

    def add(self, some: bytes | Rows) -> None:
        """The rows of an account, packed or not."""
        one = msgspec.msgpack.decode(some, type=Rows) if isinstance(some, bytes) else some
        self.chains.add(one.chains)
        self.untold.add(one.untold)

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
