"""Stories -> shards of chains in Parquet: the map over documents, the same function in a process pool and on Spark.

A shard is a run of consecutive documents. It is written whole or not at all, says what it was made from, and is not made again
where it is there: so an interrupted run goes on where it stopped, and the result does not depend on the number of jobs.

`Sentences` is the way back from a number to the text: two events -> sentences in which one entity took part in both, from the chains and
sentences that were kept. Without pyarrow, or for a model learned from ready chains, there are none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.formats.chain_file import ChainRow, SentenceRow, write_chains, write_sentences
from scenarist.learning.event_chains import NOBODY, SELF, Document, documents, of_story
from scenarist.registry import make
from scenarist.signature import content_hash
from scenarist.story import Chain, Sentence, Story

DOCUMENTS, CHARACTERS = 500, 400_000
"""A shard ends when it has so many documents or characters."""


class UncutDocument(msgspec.Struct, frozen=True):
    """A document on its way into a shard: a text to be read, or chains (and a story) that are ready."""

    id: str
    text: str = ""
    scenario: str = ""
    chains: tuple[Chain, ...] = ()
    story: Story | None = None

    @property
    def words(self) -> str:
        """What duplicates are told by."""
        return self.text or " ".join(str(chain) for chain in self.chains if len(chain) > 1)


class Work(msgspec.Struct, frozen=True):
    """A shard to be made."""

    number: int
    folder: str
    stamp: str
    sources: tuple[UncutDocument, ...]
    reader: str
    args: str
    evidence: bool

    @property
    def path(self) -> Path:
        """Where its chains go."""
        return Path(self.folder) / "chains" / f"part-{self.number:05d}.parquet"


class ShardCount(msgspec.Struct, frozen=True):
    """What a shard holds."""

    number: int
    documents: int
    chains: int
    events: int


def sources(things: Iterable[Any]) -> Iterator[UncutDocument]:
    """Stories and chains as documents to be learned from; a story that has events is not read again."""
    waiting: list[Chain] = []
    for thing in things:
        if isinstance(thing, Chain):
            if waiting and waiting[-1].story != thing.story:
                yield UncutDocument(waiting[0].story, chains=tuple(waiting))
                waiting = []
            waiting.append(thing)
        elif isinstance(thing, Story):
            ready = thing if thing.events else None
            yield UncutDocument(thing.id, thing.text, thing.scenario, story=ready)
        else:
            raise BadInput(
                f"Event chains are learned from stories or chains, not {type(thing).__name__}. "
                "Name a corpus of texts (scenarist corpus list) or a file: texts:FOLDER."
            )
    if waiting:
        yield UncutDocument(waiting[0].story, chains=tuple(waiting))


def cut(whole: Iterable[UncutDocument], folder: Path, reader: str, args: str, evidence: bool) -> Iterator[Work]:
    """Documents in shards; where they are cut depends on the documents alone."""
    part: list[UncutDocument] = []
    size = number = 0
    for source in whole:
        part.append(source)
        size += len(source.text) or 40 * sum(len(chain) for chain in source.chains)
        if len(part) >= DOCUMENTS or size >= CHARACTERS:
            yield work_of(number, part, folder, reader, args, evidence)
            part, size, number = [], 0, number + 1
    if part:
        yield work_of(number, part, folder, reader, args, evidence)


def work_of(number: int, part: list[UncutDocument], folder: Path, reader: str, args: str, evidence: bool) -> Work:
    """A shard with the hash of all it depends on."""
    unread = any(source.text and source.story is None and not source.chains for source in part)
    parts = [f"{reader} {version_of(reader) if unread else ''} {args} {evidence}".encode()]
    for source in part:
        parts += [source.id.encode(), source.words.encode("utf-8", "surrogatepass"), source.scenario.encode()]
    return Work(number, str(folder), content_hash(parts, 16), tuple(part), reader, args, evidence)


@cache
def version_of(reader: str) -> str:
    """The version of a reader that has one: shards of another are read again."""
    return str(getattr(make("reader", reader), "version", ""))


_READERS: dict[str, Any] = {}


def read_documents(given: Iterable[UncutDocument], reader: str, args: str) -> Iterator[tuple[Document, Story | None]]:
    """Sources as documents with chains; texts are read here. A reader is made once in each process."""
    todo = list(given)
    unread = [source for source in todo if source.text and source.story is None and not source.chains]
    if unread and reader not in _READERS:
        _READERS[reader] = make("reader", reader)
    stories = iter(_READERS[reader](source.text for source in unread)) if unread else iter(())
    for source in todo:
        if source.chains:
            (document,) = documents(source.chains, args=args)
            yield document, None
        elif source.text:
            story = source.story if source.story is not None else next(stories)
            story = msgspec.structs.replace(story, id=source.id, scenario=source.scenario)
            yield of_story(story, args=args), story


def rows_of(document: Document, story: Story | None, order: int = 0) -> Iterator[ChainRow]:
    """The rows of a document."""
    sentences = sentences_of(story) if story is not None else ()
    for chain in document.chains:
        if chain.links:
            yield ChainRow(
                document.id,
                order,
                chain.entity,
                document.scenario,
                tuple(str(link) for link in chain.links),
                tuple(pattern(link.args) for link in chain.links if link.args),
                tuple(sentences[place] for place in chain.places) if story is not None else (),
            )
            order += 1


def pattern(args: tuple[str, ...]) -> str:
    """Which places of an event are filled: by the chain's entity (x), another (y), or not (-).

    >>> pattern(("x", "z", "-"))
    'x y -'
    """
    return " ".join(arg if arg in (SELF, NOBODY) else "y" for arg in args)


def sentences_of(story: Story) -> tuple[int, ...]:
    """The number of the sentence each event stands in, -1 where the story has none; by bisection, for a novel has 20,000 of both."""
    by_token = [sentence.first for sentence in story.sentences]
    by_letter = [sentence.start for sentence in story.sentences]
    tokens = all(sentence.last > sentence.first for sentence in story.sentences)
    numbers: list[int] = []
    for event in story.events:
        by_tokens = tokens and event.token >= 0
        number = bisect_right(by_token, event.token) - 1 if by_tokens else bisect_right(by_letter, event.start) - 1
        numbers.append(
            number
            if number >= 0 and within(event.start, event.token if by_tokens else -1, story.sentences[number])
            else -1
        )
    return tuple(numbers)


def within(start: int, token: int, sentence: Sentence) -> bool:
    if token >= 0:
        return sentence.first <= token < sentence.last
    return sentence.start <= start < sentence.stop


def make_shard(work: Work) -> ShardCount:
    """Read a shard's documents and write its chains, and the sentences behind them."""
    rows: list[ChainRow] = []
    lines: list[SentenceRow] = []
    count = 0
    for document, story in read_documents(work.sources, work.reader, work.args):
        count += 1
        fresh = list(rows_of(document, story))
        rows += fresh
        if story is not None and work.evidence:
            numbers = sorted(
                {number for row in fresh if len(row.events) > 1 for number in row.sentences if number >= 0}
            )
            lines += [
                SentenceRow(document.id, number, " ".join(story.of(story.sentences[number]).split()))
                for number in numbers
            ]
    if lines:
        write_sentences(work.path.parent.parent / "sentences" / work.path.name, lines, work.stamp)
    write_chains(work.path, rows, work.stamp)
    return ShardCount(work.number, count, len(rows), sum(len(row.events) for row in rows))


class Sentences:
    """The sentences of a learned folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def together(self, event: str, other: str, most: int = 2) -> list[str]:
        """Up to ``most`` pairs of sentences (one where both events are in it) in which a chain has both events."""
        shards = sorted((self.folder / "sentences").glob("*.parquet"))
        if not shards:
            return []
        try:
            import pyarrow.parquet as pq
        except ModuleNotFoundError:
            return []
        lines_: list[str] = []
        for shard in shards:
            chains = pq.read_table(self.folder / "chains" / shard.name, columns=["document", "events", "sentences"])
            wanted: list[tuple[str, int, int]] = []
            for row in chains.to_pylist():
                events = row["events"]
                if event in events and other in events:
                    places = (events.index(other), events.index(event))
                    wanted.append((row["document"], *(row["sentences"][number] for number in places)))
            if wanted:
                documents = [name for name, _, _ in wanted]
                rows = pq.read_table(shard, filters=[("document", "in", documents)]).to_pylist()
                lines = {(row["document"], row["sentence"]): row["text"] for row in rows}
                for name, first, second in wanted:
                    parts = [
                        lines[name, number]
                        for number in dict.fromkeys(sorted((first, second)))
                        if (name, number) in lines
                    ]
                    if parts:
                        lines_.append(f"{name}: " + " ... ".join(parts))
                    if len(lines_) >= most:
                        return lines_
        return lines_
