"""Chain files <-> Chain: ``verb->dep verb->dep ...``, one chain a line, ``<DOCNAME>`` before each document.

The form of the NYT extraction; and of its cloze files (``<DOCNAME>``, ``<CHAIN> len:``, ``<TEST>``, ``<ANSWER>``,
``<INSERT_INDEX>``, ``<CLOZE>``), which become Items: the index is the place of the answer in the full chain, from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.formats.lines import lines
from scenarist.noun import Noun
from scenarist.question import EventGap, Item
from scenarist.store.home import write_whole
from scenarist.story import Chain, Link


class ChainedDocument(Noun, frozen=True):
    """The chains of one document."""

    id: str
    chains: tuple[Chain, ...]


class Links:
    """``verb->dep`` -> Link, each distinct text parsed once (the table is emptied when it grows beyond ``limit``)."""

    def __init__(self, limit: int = 1 << 20) -> None:
        self.limit = limit
        self.known: dict[str, Link] = {}

    def __call__(self, text: str, where: str) -> Link:
        link = self.known.get(text)
        if link is None:
            predicate, arrow, role = text.rpartition("->")
            if not arrow or not predicate or not role:
                raise BadInput(f"{where}: expected an event as verb->dep, got {text!r}")
            if len(self.known) >= self.limit:
                self.known.clear()
            link = self.known[text] = Link(predicate, role)
        return link


def documents(path: Path, keeps: Callable[[str], bool] | None = None) -> Iterator[ChainedDocument]:
    """The documents of a chain file, one at a time; where ``keeps`` says no to a name, its chains are not even parsed."""
    links = Links()
    name = ""
    kept = True
    chains: list[Chain] = []
    for line in lines(path):
        text = line.text
        if text.startswith("<DOCNAME>"):
            if name and kept:
                yield ChainedDocument(name, tuple(chains))
            name, chains = text.removeprefix("<DOCNAME>").strip(), []
            if not name:
                raise BadInput(f"{path}, line {line.number}: <DOCNAME> without a name")
            kept = keeps is None or keeps(name)
        elif text.startswith("<UUID>") or not text.strip():
            continue
        elif not name:
            raise BadInput(f"{path}, line {line.number}: expected <DOCNAME> before the first chain")
        elif kept:
            where = f"{path}, line {line.number}"
            chains.append(Chain(tuple(links(part, where) for part in text.split()), str(len(chains)), name))
    if name and kept:
        yield ChainedDocument(name, tuple(chains))


def write(path: Path, documents: Iterable[ChainedDocument]) -> None:
    """Write a chain file; a link's role is its dependency."""
    write_whole(path, (part.encode("utf-8") for document in documents for part in as_lines(document)))


def as_lines(document: ChainedDocument) -> Iterator[str]:
    """A document as the lines of a chain file."""
    yield f"<DOCNAME>{document.id}\n"
    for chain in document.chains:
        yield " ".join(f"{link.predicate}->{link.role}" for link in chain.links) + "\n"
    yield "\n"


def cloze(path: Path) -> Iterator[Item]:
    """The items of a cloze file: the chain without one event, its place, and the event as key."""
    links = Links()
    document, number, key, place = "", 0, "", None
    for line in lines(path):
        where = f"{path}, line {line.number}"
        mark, _, rest = line.text.partition(">")
        rest = rest.strip()
        if mark == "<DOCNAME":
            document, number = rest, 0
        elif mark == "<CHAIN":
            number += 1
        elif mark == "<TEST":
            key, place = "", None
        elif mark == "<ANSWER":
            key = str(links(rest, where))
        elif mark == "<INSERT_INDEX":
            if not rest.isdecimal():
                raise BadInput(f"{where}: <INSERT_INDEX> must be a whole number, not {rest!r}")
            place = int(rest)
        elif mark == "<CLOZE":
            context = tuple(links(part, where) for part in rest.split())
            if not key or place is None or place > len(context):
                raise BadInput(f"{where}: expected <ANSWER> and <INSERT_INDEX> <= {len(context)} before <CLOZE>")
            group = f"{document}/{number}"
            yield Item(f"{group}/{place}", EventGap(context, place), key, group)
        elif line.text.strip():
            raise BadInput(f"{where}: expected <DOCNAME>, <CHAIN>, <TEST>, <ANSWER>, <INSERT_INDEX> or <CLOZE>")
