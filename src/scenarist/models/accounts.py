"""texts -> Accounts: the reader, the detector and the unsaid put together; what stands behind `scenarist read`.

Reading is done in batches by several processes; detection and the unsaid follow story by story, so the result is the same bytes
whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

from scenarist.account import Account
from scenarist.learning import knowledge
from scenarist.models.unsaid import Teller
from scenarist.noun import from_json, to_json
from scenarist.reading.batch import in_order, workers
from scenarist.reading.chains import chains, protagonist
from scenarist.registry import make
from scenarist.story import Segment, Story

BATCH = 20
LONGEST = 200_000
"""Characters above which a text is said to be very long."""


@cache
def parts() -> tuple[object, object, Teller]:
    """Reader, detector and teller, loaded once a process."""
    return make("reader", "default"), make("model", "detector"), Teller(knowledge.carried())


def accounts(texts: Iterable[tuple[str, str, str]], jobs: int = 1) -> Iterator[Account]:
    """Accounts of (id, text, title) triples, in order."""
    pool = workers(jobs) if jobs > 1 else None
    try:
        for batch in in_order(account_batch, batches(texts), pool, jobs):
            yield from (from_json(one, Account) for one in batch)
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


def account_batch(batch: list[tuple[str, str, str]]) -> list[bytes]:
    """One batch, in one process; accounts travel as JSON, which comes out the same whoever made it."""
    reader, _, _ = parts()
    stories = reader([text for _, text, _ in batch])  # type: ignore[operator]
    named = (
        msgspec.structs.replace(story, id=id, title=title) for (id, _, title), story in zip(batch, stories, strict=True)
    )
    return [to_json(account(story)) for story in named]


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
