"""text -> Story: the default reader. Parse (`parse.py`), coreference (`coref/`), events (`events/`), in this order.

Texts are read in batches whose borders depend on the texts alone, and a batch is always read in one piece, so the
result is the same bytes whatever the number of processes. What was read before comes from the cache.
"""

from __future__ import annotations

import hashlib
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import msgspec

from scenarist import __version__
from scenarist.formats.plain import clean
from scenarist.noun import from_json, to_json
from scenarist.parallel import in_order, workers
from scenarist.store.readings import Cache, key
from scenarist.story import Story

if TYPE_CHECKING:
    from scenarist.reading.parser.parse import Parsed

BATCH = 30_000
"""Characters of a batch, about; a longer text is a batch of its own."""
NEAR = 200
"""Characters of white space between two words, at most, where given words are looked up in a text."""


class DefaultReader:
    """The reader the package carries.

    ``light`` joins light verbs with their noun, ``jobs`` is the number of processes, ``cache`` remembers readings on
    disk.
    """

    name = "default"

    def __init__(self, light: bool = False, jobs: int = 1, cache: bool = False) -> None:
        self.light = light
        self.jobs = jobs
        self.cache = cache
        self.pool_: ProcessPoolExecutor | None = None

    @property
    def version(self) -> str:
        """What the readings depend on, beside the text."""
        from scenarist.reading.parser.parse import parser

        return f"default|{parser().version}|{__version__}|light:{self.light}"

    def pool(self) -> ProcessPoolExecutor | None:
        """The processes, started once and kept for the next texts; they end with this object or the program."""
        if self.jobs > 1 and self.pool_ is None:
            self.pool_ = workers(self.jobs)
            weakref.finalize(self, self.pool_.shutdown, wait=False)
        return self.pool_

    def warm(self) -> None:
        """Load the weights, in every process, before time is taken."""
        load(0.0)
        if pool := self.pool():
            list(pool.map(load, [0.5] * self.jobs))

    def __call__(self, texts: Iterable[str]) -> Iterator[Story]:
        cache = Cache() if self.cache else None
        version = self.version if cache else ""
        handed: deque[tuple[list[bytes], dict[bytes, Story]]] = deque()

        def work() -> Iterator[tuple[list[str], bool]]:
            """What is still to be read, batch by batch; the rest waits in ``handed``."""
            for batch in batches(texts):
                keys = (
                    [key(version, text) for text in batch] if cache else [str(at).encode() for at in range(len(batch))]
                )
                known = cache.get(keys) if cache else {}
                handed.append((keys, known))
                yield (
                    list({one: text for one, text in zip(keys, batch, strict=True) if one not in known}.values()),
                    self.light,
                )

        try:
            for stories in self.read(work()):
                keys, known = handed.popleft()
                fresh = dict(zip(dict.fromkeys(one for one in keys if one not in known), stories, strict=True))
                if cache:
                    cache.put(fresh)
                known.update(fresh)
                yield from (known[one] for one in keys)
        finally:
            if cache:
                cache.close()

    def read(self, work: Iterable[tuple[list[str], bool]]) -> Iterator[list[Story]]:
        """Batches read in this process or by the pool; stories travel between processes as JSON, which is one to one."""
        pool = self.pool()
        if pool is None:
            yield from map(read_batch, work)
            return
        for lines in in_order(read_lines, work, pool, self.jobs):
            yield [from_json(line, Story, "a worker") for line in lines]

    def words(self, sentences: Sequence[Sequence[str]], text: str = "") -> Story:
        """A story read on given sentences of tokens, its offsets pointing into ``text`` where one is given."""
        from scenarist.reading.parser.parse import parser

        (parsed,) = parser().words([sentences])
        return finished(parsed._replace(story=placed(parsed.story, text)) if text else parsed, self.light)


def placed(story: Story, text: str) -> Story:
    """A story of tokens with its offsets moved to where the same tokens stand in a text."""
    at = 0
    tokens = []
    for token in story.tokens:
        word = story.of(token)
        found = text.find(word, at, at + len(word) + NEAR)
        if found < 0:  # a word of a contraction may stand at the whole of it
            found = max(0, at - len(word))
        stop = min(found + len(word), len(text))
        tokens.append(msgspec.structs.replace(token, start=found, stop=stop))
        at = max(at, stop)
    sentences = tuple(
        msgspec.structs.replace(one, start=tokens[one.first].start, stop=tokens[one.last - 1].stop)
        for one in story.sentences
        if one.last > one.first
    )
    return msgspec.structs.replace(story, text=text, tokens=tuple(tokens), sentences=sentences)


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in batches of about BATCH characters."""
    batch: list[str] = []
    held = 0
    for text in texts:
        if batch and held + len(text) > BATCH:
            yield batch
            batch, held = [], 0
        batch.append(text)
        held += len(text)
    if batch:
        yield batch


def load(wait: float) -> None:
    """Load all weights in this process, then hold it long enough for the other processes to get their turn."""
    read_batch((["Ann saw a cat."], False))
    time.sleep(wait)


def finished(parsed: Parsed, light: bool = False) -> Story:
    """A parsed story with its entities and events."""
    from scenarist.reading.coref.resolve import resolve
    from scenarist.reading.events.extract import events

    story = msgspec.structs.replace(parsed.story, entities=resolve(parsed.story, parsed.kinds))
    return msgspec.structs.replace(story, events=events(story, parsed.realis, light=light))


def read_batch(work: tuple[list[str], bool]) -> list[Story]:
    """One batch of texts, read in this process."""
    texts, light = work
    if not texts:
        return []
    from scenarist.reading.parser.parse import parser

    cleaned = [clean(text) for text in texts]
    stories: list[Story] = []
    for parsed, (text, _, notes) in zip(parser()([read for _, read, _ in cleaned]), cleaned, strict=True):
        notes = (*notes, ("reader", "default"))
        story = msgspec.structs.replace(parsed.story, id=named(text), text=text, notes=notes)
        stories.append(finished(parsed._replace(story=story), light))
    return stories


def read_lines(work: tuple[list[str], bool]) -> list[bytes]:
    """The same as JSON."""
    return [to_json(story) for story in read_batch(work)]


def named(text: str) -> str:
    """A short id from the content."""
    return "t" + hashlib.sha1(text.encode("utf-8", "replace")).hexdigest()[:10]
