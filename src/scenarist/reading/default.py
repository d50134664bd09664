"""text -> Story: the default reader. Parse (`parse.py`), coreference (`coref/`), events (`events/`), in this order.

Texts are read in batches whose borders depend on the texts alone, and a batch is always read in one piece, so the
result is the same bytes whatever the number of processes. What was read before comes from the cache.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from scenarist import __version__
from scenarist.reading.batch import in_order
from scenarist.reading.cache import Cache, key
from scenarist.reading.plaintext import clean
from scenarist.story import Story

BATCH = 60_000
"""Characters of a batch, about; a longer text is a batch of its own."""


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

    @property
    def version(self) -> str:
        """What the readings depend on, beside the text."""
        from scenarist.reading.parse import parser

        return f"default|{parser().version}|{__version__}|light:{self.light}"

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
            for stories in in_order(read_batch, work(), self.jobs):
                keys, known = handed.popleft()
                fresh = dict(zip(dict.fromkeys(one for one in keys if one not in known), stories, strict=True))
                if cache:
                    cache.put(fresh)
                known.update(fresh)
                yield from (known[one] for one in keys)
        finally:
            if cache:
                cache.close()


def batches(texts: Iterable[str], size: int = BATCH) -> Iterator[list[str]]:
    """Texts in batches of about so many characters."""
    batch: list[str] = []
    held = 0
    for text in texts:
        if batch and held + len(text) > size:
            yield batch
            batch, held = [], 0
        batch.append(text)
        held += len(text)
    if batch:
        yield batch


def read_batch(work: tuple[list[str], bool]) -> list[Story]:
    """One batch of texts, read in this process."""
    texts, light = work
    if not texts:
        return []
    from scenarist.reading.coref.resolve import resolve
    from scenarist.reading.events.extract import events
    from scenarist.reading.parse import parser

    cleaned = [clean(text) for text in texts]
    stories: list[Story] = []
    for parsed, (text, notes) in zip(parser()([text for text, _ in cleaned]), cleaned, strict=True):
        story = msgspec.structs.replace(parsed.story, id=named(text), notes=(*notes, ("reader", "default")))
        story = msgspec.structs.replace(story, entities=resolve(story, parsed.kinds))
        stories.append(msgspec.structs.replace(story, events=events(story, parsed.realis, light=light)))
    return stories


def named(text: str) -> str:
    """A short id from the content."""
    return "t" + hashlib.sha1(text.encode("utf-8", "replace")).hexdigest()[:10]
