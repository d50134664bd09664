"""texts -> Interpretations: the reader, the detector and the unsaid put together; what stands behind `scenarist read`.

Reading is done in batches by several processes; detection and the unsaid follow story by story, so the result is the same bytes
whatever the number of processes.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from scenarist.contracts import Reader
from scenarist.interpretation import Interpretation
from scenarist.learning.library.evidence import own_scripts as own_scripts
from scenarist.noun import from_json, to_json
from scenarist.parallel import in_order, workers
from scenarist.reading.chains import chains, protagonist
from scenarist.reading.parser.parse import preload
from scenarist.registry import make
from scenarist.story import Story
from scenarist.verbs.detect import DETECTOR, segments, verb_model
from scenarist.verbs.inputs import text_of, title_of, titled_texts
from scenarist.verbs.read_tables import pack_rows

MODEL = "untold-library"
"""The model that finds what is unsaid; it sits the exam `untold`."""
BATCH = 20
LONGEST = 200_000
"""Characters above which a text is said to be very long."""


@cache
def reader() -> Reader:
    """The reader, loaded once a process with all that reading needs."""
    preload()
    default: Reader = make("reader", "default")
    verb_model(DETECTOR)
    verb_model(MODEL)
    if multiprocessing.parent_process() is not None:
        gc.freeze()  # a worker lives for its work: what is loaded need not be looked through again
    return default


class InterpretationLine(NamedTuple):
    """An interpretation as it is kept: its JSON, and the packed rows of its tables (read_tables.py)."""

    id: str
    json: bytes
    rows: bytes


def read_lines(
    texts: Iterable[tuple[str, str, str]], jobs: int = 1, tables: bool = True
) -> Iterator[InterpretationLine]:
    """Interpretations of (id, text, title) triples as they are kept, in order, for those who only write them down."""
    with workers(jobs) if jobs > 1 else nullcontext() as pool:
        for batch in in_order(partial(interpret_batch, tables=tables), batches(texts), pool, jobs):
            yield from batch


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


def interpret_batch(batch: list[tuple[str, str, str]], tables: bool = False) -> list[InterpretationLine]:
    """One batch, in one process; interpretations travel as JSON, which comes out the same whoever made it."""
    stories = reader()([text for _, text, _ in batch])
    named = (
        msgspec.structs.replace(story, id=id, title=title) for (id, _, title), story in zip(batch, stories, strict=True)
    )
    return [
        InterpretationLine(one.story.id, to_json(one), pack_rows(one) if tables else b"")
        for one in map(interpret, named)
    ]


def interpret(story: Story) -> Interpretation:
    """The interpretation of a read story."""
    whole = msgspec.structs.replace(story, segments=segments(story))
    unsaid, denied = verb_model(MODEL).unsaid(whole)
    found = chains(whole, least=2)
    central = protagonist(whole)
    return Interpretation(whole, unsaid, found, central.id if central else "", denied, tuple(remarks(whole)))


def remarks(story: Story) -> Iterator[str]:
    """What a person should know before trusting the interpretation."""
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


def read(
    story: str | Path, title: str = "", id: str = "story", encoding: str = "utf-8", scripts: str | Path = ""
) -> Interpretation:
    """Read a story, a text or a file (``Path``): scenarios, events, who takes part, and what goes without saying.

    ``scripts``: a folder of your own scripts, written or learned, which is then known beside the library.

    >>> interpretation = read("I mixed flour, sugar and eggs. I poured the batter into a pan. When the cake was done, I let it cool.")
    >>> interpretation.story.segments[0].names[0]
    'baking a cake'
    """
    name, text = text_of(story, "read", id, encoding)
    with own_scripts(scripts):
        return next(read_all([(name, text, title or (title_of(name) if isinstance(story, Path) else ""))]))


def read_all(
    texts: Path | Iterable[tuple[str, str, str]], jobs: int = 1, encoding: str = "utf-8"
) -> Iterator[Interpretation]:
    """Read many stories, (id, text, title) each or all of a folder or archive, in order; the same whatever ``jobs``."""
    given = titled_texts([texts], "read", encoding) if isinstance(texts, Path) else texts
    return (from_json(line.json, Interpretation) for line in read_lines(given, jobs, tables=False))
