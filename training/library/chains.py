"""Count the events of everyday stories: `python -m training.library.chains`. Writes resources/events/stories.npz, what `fill --chain` knows.

From the train parts of MCScript, InScript and ROCStories (cased) and the beginnings of short fiction, through our own reader: (verb, role)
with passives turned round, verbs alone, as one participant's chain tells them. Stories that two corpora share are taken out of train where
the other has them in dev. Events that fewer than three chains tell are left out, and so are pairs seen fewer than three times at their
distance: counts only, no sentence, no chain and no name of a document.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from scenarist.learning.event_chains import Document
from scenarist.learning.event_counts import EventCounts
from scenarist.reading.chains import chains
from scenarist.registry import make
from scenarist.store.home import resource
from scenarist.story import Chain, Link, Story
from training.knowledge.reading import held_out, marks

LEAST = 3
KINDS = ("verb", "light")
BEGINNING = 6000
"""Characters read of a work of fiction."""


def texts(rocstories: int, fiction: int) -> Iterator[tuple[str, str]]:
    """(name, text) of all that is read."""
    for corpus in ("mcscript", "inscript"):
        for story in make("corpus", corpus, split="train"):
            if not marks(story.text) & held_out():
                yield f"{corpus} {story.id.rsplit('/')[-1].rsplit('-')[-1]}", story.text
    for story in islice(make("corpus", "rocstories", split="train", cased=True), rocstories):
        yield f"rocstories {story.id.rsplit('/')[-1].rsplit('-')[-1]}", story.text
    for work in islice(make("corpus", "short-fiction", split="train") if fiction else (), fiction):
        start = min(len(work.text) // 4, BEGINNING)
        yield f"short-fiction {work.id.rsplit('/')[-1]}", work.text[start : start + BEGINNING]


def told_chains(story: Story) -> tuple[Chain, ...]:
    """What people and animals do and suffer, of two events or more."""
    living = {
        entity.id
        for entity in story.entities
        if entity.kind in ("person", "animal", "") or entity.gender in ("male", "female")
    }
    return tuple(chain for chain in chains(story, least=2, kinds=KINDS, members=True) if chain.entity in living)


def common(document: Document, seen: Counter[Link]) -> Document:
    """A document without the events that are rare."""
    chains = (Chain(tuple(link for link in chain.links if seen[link] >= LEAST)) for chain in document.chains)
    return Document(document.id, tuple(chain for chain in chains if len(chain) >= 2))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rocstories", type=int, default=16000)
    options.add_argument("--fiction", type=int, default=300)
    options.add_argument("--out", type=Path, default=resource("events") / "stories.npz")
    args = options.parse_args()
    given = list(texts(args.rocstories, args.fiction))
    read = make("reader", "default", cache=False)(text for _, text in given)
    documents = []
    for (name, _), story in zip(given, read, strict=True):
        documents.append(Document(name, told_chains(story)))
        if len(documents) % 1000 == 0:
            print(f"{len(documents)} of {len(given)}", flush=True)
    seen = Counter(link for document in documents for chain in document.chains for link in set(chain.links))
    counts = EventCounts.of(common(document, seen) for document in documents).published(LEAST)
    counts.save(args.out)
    print(
        f"{len(documents)} stories, {counts.total} events of {len(counts)} kinds, {len(counts.pairs)} pairs, {args.out.stat().st_size} bytes"
    )


if __name__ == "__main__":
    main()
