"""Chains -> EventCounts: what every count model of events is made of, as arrays.

Events (Chambers 2017, eq. 1), ordered pairs by distance (eq. 3), unordered pairs (eq. 5) and, for the instance-based models
(section 4.5), the chains themselves with an inverted index of documents. `learn` writes the same numbers as Parquet for
corpora of any size; this is the form that models rank with, and it needs numpy alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import msgspec
import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_chains import Document, our_link
from scenarist.store.home import whole_file
from scenarist.story import Link

if TYPE_CHECKING:
    from scenarist.learning.narrative.arguments import InstanceCounts

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SCHEMA = 1
"""Version of a learned folder; raised when a table changes its meaning."""
NEAR = 6
"""Distances 1 to NEAR are counted apart; NEAR + 1 stands for everything farther, up to the window."""
WINDOW = 24
"""Events farther apart than this in their chain are not paired."""


class CountMatrix(msgspec.Struct, frozen=True):
    """A sparse matrix of counts by row: ``columns[start[i]:start[i + 1]]`` and the same slice of ``counts``."""

    start: Ints
    columns: Ints
    counts: Floats

    def row(self, number: int) -> tuple[Ints, Floats]:
        """Columns and counts of a row."""
        here = slice(int(self.start[number]), int(self.start[number + 1]))
        return self.columns[here], self.counts[here]

    @property
    def total(self) -> float:
        """The sum of all counts."""
        return float(self.counts.sum())

    @classmethod
    def of(cls, rows: Ints, columns: Ints, counts: Floats, size: int) -> CountMatrix:
        """A table from coordinates; equal coordinates are summed."""
        code = rows * size + columns
        unique, inverse = np.unique(code, return_inverse=True)
        summed = np.bincount(inverse, weights=counts, minlength=len(unique)) if len(unique) else np.zeros(0)
        first = unique // max(size, 1)
        return cls(np.searchsorted(first, np.arange(size + 1)), unique % max(size, 1), summed.astype(np.float64))


class EventCounts:
    """Counts of events and of pairs of events.

    ``types`` is sorted by falling count, then by name, so that an id is a rank; ``pairs`` has one row per
    (first, second, distance).
    """

    def __init__(
        self,
        types: Sequence[str],
        events: Ints,
        pairs: npt.NDArray[np.int64],
        pair_counts: Ints,
        window: int = WINDOW,
        chains: tuple[Ints, Ints, Ints] | None = None,
        names: Sequence[str] = (),
        documents: int = 0,
    ) -> None:
        self.types = tuple(types)
        self.events = events
        self.pairs, self.pair_counts = pairs, pair_counts
        self.window = window
        self.chains = chains
        """(events end to end, where each chain starts, each chain's document), or None where they were not kept."""
        self.names = tuple(names)
        """Names of the documents."""
        self.documents = documents or len(self.names)
        self.instances: InstanceCounts | None = None
        """By document, where multi-argument events were counted in this process."""

    def __len__(self) -> int:
        return len(self.types)

    @cached_property
    def ids(self) -> dict[str, int]:
        """Event -> id."""
        return {name: number for number, name in enumerate(self.types)}

    @cached_property
    def total(self) -> int:
        """N of eq. 1: events seen."""
        return int(self.events.sum())

    def ordered(self, skip: int | None = None) -> CountMatrix:
        """C(first, second) by first, for pairs with at most ``skip`` events between them (None: any number)."""
        near = self.within(skip)
        return CountMatrix.of(
            self.pairs[near, 0], self.pairs[near, 1], self.pair_counts[near].astype(np.float64), len(self)
        )

    def reverse(self, skip: int | None = None) -> CountMatrix:
        """The same counts by second."""
        near = self.within(skip)
        return CountMatrix.of(
            self.pairs[near, 1], self.pairs[near, 0], self.pair_counts[near].astype(np.float64), len(self)
        )

    def unordered(self, skip: int | None = None) -> CountMatrix:
        """C(x, y) + C(y, x) by x (eq. 5 above the line)."""
        near = self.within(skip)
        both = np.concatenate([self.pairs[near, :2], self.pairs[near, 1::-1]])
        return CountMatrix.of(both[:, 0], both[:, 1], np.tile(self.pair_counts[near], 2).astype(np.float64), len(self))

    def within(self, skip: int | None) -> npt.NDArray[np.bool_]:
        """Which pairs have at most ``skip`` events between them."""
        if skip is None:
            return np.ones(len(self.pairs), dtype=bool)
        if not 0 <= skip < NEAR:
            raise BadInput(f"skip is 0 to {NEAR - 1} events, or none for any number; not {skip}.")
        near: npt.NDArray[np.bool_] = self.pairs[:, 2] <= skip + 1
        return near

    @cached_property
    def index(self) -> CountMatrix:
        """The inverted index: the documents an event is in, with how often."""
        if self.chains is None:
            raise Missing(
                "These counts were kept without their chains; learn again with --index for instance-based models."
            )
        flat, start, document = self.chains
        docs = np.repeat(document, np.diff(start))
        size = max(len(self), int(document.max(initial=-1)) + 1)
        table = CountMatrix.of(flat, docs, np.ones(len(flat)), size)
        return CountMatrix(table.start[: len(self) + 1], table.columns, table.counts)

    @cached_property
    def chain_spans(self) -> Ints:
        """Where each document's chains start in ``chains[1]``."""
        if self.chains is None:
            raise Missing("These counts were kept without their chains.")
        return np.searchsorted(self.chains[2], np.arange(self.documents + 1))

    def evidence(self, first: int, second: int, most: int = 3) -> list[str]:
        """Names of documents in which two events share a chain."""
        if self.chains is None or not self.names:
            return []
        flat, start, _ = self.chains
        both = np.intersect1d(self.index.row(first)[0], self.index.row(second)[0])
        names: list[str] = []
        for index in both:
            for chain in range(int(self.chain_spans[index]), int(self.chain_spans[index + 1])):
                links = flat[start[chain] : start[chain + 1]]
                if (links == first).any() and (links == second).any():
                    names.append(self.names[index])
                    break
            if len(names) == most:
                break
        return names

    @classmethod
    def of(
        cls, documents: Iterable[Document], minimum: int = 2, window: int = WINDOW, keep: bool = True
    ) -> EventCounts:
        """Count the chains of ``minimum`` or more events of some documents."""
        names: list[str] = []
        words: dict[str, int] = {}
        flat: list[int] = []
        start = [0]
        owner: list[int] = []
        for document in documents:
            for chain in document.chains:
                if len(chain) >= minimum:
                    flat.extend(words.setdefault(str(link), len(words)) for link in chain.links)
                    start.append(len(flat))
                    owner.append(len(names))
            names.append(document.id)
        return cls.of_arrays(
            list(words), np.array(flat, np.int64), np.array(start), np.array(owner), names, window, keep
        )

    @classmethod
    def of_arrays(
        cls, words: Sequence[str], flat: Ints, start: Ints, owner: Ints, names: Sequence[str], window: int, keep: bool
    ) -> EventCounts:
        """Count chains given as ids end to end; ids are renamed so that the commonest event is 0."""
        counts = np.bincount(flat, minlength=len(words)).astype(np.int64)
        order = sorted(range(len(words)), key=lambda index: (-counts[index], words[index]))
        rank = np.empty(len(words), np.int64)
        rank[order] = np.arange(len(words))
        flat = rank[flat]
        pairs, pair_counts = pairs_of(flat, start, len(words), window)
        chains = (flat, start.astype(np.int64), owner.astype(np.int64)) if keep else None
        return cls([words[index] for index in order], counts[order], pairs, pair_counts, window, chains, names)

    def published(self, least: int) -> EventCounts:
        """The counts as they may be handed on: without the chains and the names of documents, and without pairs seen fewer than ``least``
        times at their distance, from which chains could be put together again (`training/eventlm/counts.py` measures it)."""
        kept = self.pair_counts >= least
        return EventCounts(
            self.types, self.events, self.pairs[kept], self.pair_counts[kept], self.window, documents=self.documents
        )

    def save(self, path: Path) -> None:
        """Write one ``.npz`` file, whole or not at all."""
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "types": np.frombuffer("\n".join(self.types).encode(), np.uint8),
            "names": np.frombuffer("\n".join(self.names).encode(), np.uint8),
            "events": self.events.astype(np.int32),
            "pairs": self.pairs.astype(np.int32),
            "pair_counts": self.pair_counts.astype(np.int32),
            "card": np.frombuffer(
                json.dumps({"schema": SCHEMA, "window": self.window, "documents": self.documents}).encode(), np.uint8
            ),
        }
        if self.chains is not None:
            arrays |= {
                "flat": self.chains[0].astype(np.int32),
                "start": self.chains[1],
                "owner": self.chains[2].astype(np.int32),
            }
        with whole_file(path) as temporary, temporary.open("wb") as out:
            np.savez_compressed(out, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> EventCounts:
        """Read what ``save`` wrote; another version's file is refused by name."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                card = json.loads(arrays["card"].tobytes())
                check_schema(card.get("schema"), path)
                chains = None
                if "flat" in arrays:
                    chains = tuple(arrays[name].astype(np.int64) for name in ("flat", "start", "owner"))
                return cls(
                    words_of(arrays["types"]), arrays["events"].astype(np.int64), arrays["pairs"].astype(np.int64),
                    arrays["pair_counts"].astype(np.int64), card["window"], chains,
                    words_of(arrays["names"]), card["documents"],
                )  # fmt: skip
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(
                f"{path}: not a file of event counts ({error}). Learn it again with: scenarist learn"
            ) from error


def in_our_roles(counts: EventCounts) -> EventCounts:
    """The counts with every event in our roles: one event, active or passive; what was counted apart is added up.

    The NYT chain files count *arrest*, seen from the one who is arrested, as ``arrest:dobj`` and as ``arrest:nsubjpass``. Here both are
    ``arrest:obj``, as in the chains that we read ourselves (`reading/chains.py`, view ``cj``).
    """
    names = [str(our_link(Link.parse(name))) for name in counts.types]
    if all(name == old for name, old in zip(names, counts.types, strict=True)):
        return counts
    number: dict[str, int] = {}
    merged = np.array([number.setdefault(name, len(number)) for name in names], np.int64)
    events = np.bincount(merged, weights=counts.events, minlength=len(number)).astype(np.int64)
    words = list(number)
    order = sorted(range(len(words)), key=lambda index: (-events[index], words[index]))
    rank = np.empty(len(words), np.int64)
    rank[order] = np.arange(len(words))
    new = rank[merged]
    size, step = len(words), int(counts.pairs[:, 2].max(initial=0)) + 1
    code = (new[counts.pairs[:, 0]] * size + new[counts.pairs[:, 1]]) * step + counts.pairs[:, 2]
    unique, inverse = np.unique(code, return_inverse=True)
    summed = np.bincount(inverse, weights=counts.pair_counts, minlength=len(unique)).astype(np.int64)
    pair = unique // step
    pairs = np.stack([pair // size, pair % size, unique % step], axis=1)
    chains = None if counts.chains is None else (new[counts.chains[0]], counts.chains[1], counts.chains[2])
    return EventCounts(
        [words[index] for index in order],
        events[order],
        pairs,
        summed,
        counts.window,
        chains,
        counts.names,
        counts.documents,
    )


def check_schema(schema: object, path: Path) -> None:
    """Refuse a learned folder of another version."""
    if schema != SCHEMA:
        raise BadInput(
            f"{path} was learned by another version (schema {schema}, this version reads {SCHEMA}). "
            "Learn it again with: scenarist learn CORPUS -o DIR --refresh"
        )


def words_of(array: npt.NDArray[np.uint8]) -> list[str]:
    text = array.tobytes().decode()
    return text.split("\n") if text else []


def pairs_of(flat: Ints, start: Ints, size: int, window: int) -> tuple[npt.NDArray[np.int64], Ints]:
    """All ordered pairs within ``window``, as (first, second, distance bucket) and their counts."""
    chain = np.repeat(np.arange(len(start) - 1), np.diff(start))
    longest = int(np.diff(start).max(initial=0))
    parts: list[Ints] = []
    step = NEAR + 2
    for distance in range(1, min(window, longest - 1) + 1):
        same = chain[:-distance] == chain[distance:]
        first, second = flat[:-distance][same], flat[distance:][same]
        parts.append((first * size + second) * step + min(distance, NEAR + 1))
    if not parts:
        return np.zeros((0, 3), np.int64), np.zeros(0, np.int64)
    code, counts = np.unique(np.concatenate(parts), return_counts=True)
    pair = code // step
    return np.stack([pair // size, pair % size, code % step], axis=1), counts.astype(np.int64)


def spans(start: Ints) -> Iterator[slice]:
    """The chains of an end-to-end array, one slice each."""
    for low, high in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
        yield slice(low, high)
