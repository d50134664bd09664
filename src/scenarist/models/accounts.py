"""texts -> Accounts: the reader, the detector and the unsaid put together; what stands behind `scenarist read`.

Reading is done in batches by several processes; detection and the unsaid follow story by story, so the result is the same bytes
whatever the number of processes.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import NamedTuple

import msgspec

from scenarist.account import Account
from scenarist.learning import knowledge
from scenarist.models.account_tables import packed
from scenarist.models.unsaid import Teller
from scenarist.noun import from_json, to_json
from scenarist.reading.batch import in_order, workers
from scenarist.reading.chains import chains, protagonist
from scenarist.reading.plain_spacy import preload
from scenarist.registry import make
from scenarist.story import Segment, Story

BATCH = 20
LONGEST = 200_000
"""Characters above which a text is said to be very long."""


@cache
def parts() -> tuple[object, object, Teller]:
    """Reader, detector and teller, loaded once a process."""
    preload()
    made = make("reader", "default"), make("model", "detector"), Teller(knowledge.carried())
    if multiprocessing.parent_process() is not None:  # a worker lives for its work: what is loaded need not be looked through again
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
