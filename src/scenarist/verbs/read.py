"""Account -> rows of the tables that `read FOLDER -o` writes: chains.parquet and untold.parquet.

Made in the process that read the story, so that the one that writes has little to do.

texts -> Accounts: the reader, the detector and the unsaid put together; what stands behind `scenarist read`.

Reading is done in batches by several processes; detection and the unsaid follow story by story, so the result is the same bytes
whatever the number of processes.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scenarist.formats.row_file import RowFile
from scenarist.interpretation import Account
from scenarist.learning import scripts as knowledge
from scenarist.models.untold.scripts import Teller
from scenarist.noun import from_json, to_json
from scenarist.parallel import in_order, workers
from scenarist.reading.chainfile import chain_file
from scenarist.reading.chainfile import rows as chain_rows
from scenarist.reading.chains import chains, protagonist
from scenarist.reading.parser.tokenizer import preload
from scenarist.registry import make
from scenarist.story import Segment, Story

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


BATCH = 20
LONGEST = 200_000
"""Characters above which a text is said to be very long."""


@cache
def parts() -> tuple[object, object, Teller]:
    """Reader, detector and teller, loaded once a process."""
    preload()
    made = make("reader", "default"), make("model", "detector"), Teller(knowledge.carried())
    if (
        multiprocessing.parent_process() is not None
    ):  # a worker lives for its work: what is loaded need not be looked through again
        gc.freeze()
    return made


class Line(NamedTuple):
    """An account as it is kept: its JSON, and the rows of its tables (account_tables.py)."""

    id: str
    account: bytes
    rows: bytes


def accounts(texts: Iterable[tuple[str, str, str]], jobs: int = 1) -> Iterator[Account]:
    """Accounts of (id, text, title) triples, in order."""
    return (from_json(line.account, Account) for line in lines(texts, jobs, tables=False))


def lines(texts: Iterable[tuple[str, str, str]], jobs: int = 1, tables: bool = True) -> Iterator[Line]:
    """The same as they are kept, for those who only write them down."""
    pool = workers(jobs) if jobs > 1 else None
    try:
        for batch in in_order(partial(account_batch, tables=tables), batches(texts), pool, jobs):
            yield from batch
    finally:
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def batches(texts: Iterable[tuple[str, str, str]]) -> Iterator[list[tuple[str, str, str]]]:
    """Texts by the batch."""
    held: list[tuple[str, str, str]] = []
    for one in texts:
        held.append(one)
        if len(held) >= BATCH or sum(len(text) for _, text, _ in held) > LONGEST:
            yield held
            held = []
    if held:
        yield held


def account_batch(batch: list[tuple[str, str, str]], tables: bool = False) -> list[Line]:
    """One batch, in one process; accounts travel as JSON, which comes out the same whoever made it."""
    reader, _, _ = parts()
    stories = reader([text for _, text, _ in batch])  # type: ignore[operator]
    named = (
        msgspec.structs.replace(story, id=id, title=title) for (id, _, title), story in zip(batch, stories, strict=True)
    )
    made = map(account, named)
    return [Line(one.story.id, to_json(one), packed(one) if tables else b"") for one in made]


def account(story: Story) -> Account:
    """The account of a read story."""
    _, detector, teller = parts()
    segments: tuple[Segment, ...] = detector.segments(story)  # type: ignore[attr-defined]
    whole = msgspec.structs.replace(story, segments=segments)
    unsaid, denied = teller.unsaid(whole)
    found = chains(whole, least=2)
    central = protagonist(whole)
    return Account(whole, unsaid, found, central.id if central else "", denied, tuple(remarks(whole)))


def remarks(story: Story) -> Iterator[str]:
    """What a person should know before trusting the account."""
    if not story.text.strip():
        yield "The text is empty: there is nothing to read."
        return
    for name, value in story.notes:
        if name != "reader":
            yield f"{name}: {value}"
    if not any(segment.labels for segment in story.segments):
        yield "No known scenario: the text tells none of the everyday activities the package knows, or too little of one."
    if len(story.text) > LONGEST:
        yield f"A long text ({len(story.text)} characters): it was read in pieces."


def read(text: str, title: str = "", id: str = "story") -> Account:
    """Read a story: scenarios, events, who takes part, and what goes without saying.

    >>> account = read("We went to a restaurant. The waiter brought us the menu. We ordered pizza and ate it. Then we left.")
    >>> account.story.segments[0].names[0]
    'eating in a restaurant'
    """
    return next(read_all([(id, text, title)]))


def read_all(texts: Iterable[tuple[str, str, str]], jobs: int = 1) -> Iterator[Account]:
    """Read many stories, (id, text, title) each, in order; the same whatever ``jobs``."""
    return accounts(texts, jobs)
