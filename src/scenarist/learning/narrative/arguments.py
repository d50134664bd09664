"""Chains with all their arguments -> EventCounts: multi-argument events (Pichotta and Mooney 2014, section 3).

An event is a verb with the entities of its subject, object
and preposition, the variables normalised. Two events are counted together under variables that say only which entities they share: ``x``
is the chain's entity, ``y`` one other entity that both have, ``o`` any other filler, ``-`` an empty place. A pair that shares two other
entities is counted once for each of them; their joint identity is dropped, where the paper keeps it (a departure: such pairs are rare, and
the number of rows stays that of the single-entity model).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from scenarist.learning.event_chains import NOBODY, OTHER, SELF, Document
from scenarist.learning.event_counts import NEAR, WINDOW, CountMatrix, EventCounts, Ints
from scenarist.story import Link

SHARED = "y"


class InstanceCounts(msgspec.Struct, frozen=True):
    """What single documents hold of multi-argument events: for models that count on the fly (Chambers 2017, section 4.5)."""

    index: CountMatrix
    """Event, as it stands alone -> its documents."""
    events: CountMatrix
    """Document -> the events counted in it."""
    pairs: CountMatrix
    """Document -> the rows of ``EventCounts.pairs`` counted in it."""


def others(link: Link) -> tuple[str, ...]:
    """The entities of an event beside the chain's own, each once."""
    return tuple(dict.fromkeys(arg for arg in link.args if arg not in (SELF, NOBODY, OTHER)))


def seen_from(link: Link, entity: str | None) -> str:
    """An event as one that shares ``entity`` sees it: that entity is ``y``, all others are ``o``.

    >>> seen_from(Link("arrest", "", ("y", "x", "-")), None), seen_from(Link("arrest", "", ("z", "x", "-")), "z")
    ('arrest(o,x,-)', 'arrest(y,x,-)')
    """
    args = tuple(arg if arg in (SELF, NOBODY) else SHARED if arg == entity else OTHER for arg in link.args)
    return str(Link(link.predicate, link.role, args))


def multi_counts(documents: Iterable[Document], minimum: int = 2, window: int = WINDOW) -> EventCounts:
    """Count the chains of some documents, whose links carry variables (``args="multi"``)."""
    words: dict[str, int] = {}
    events: dict[int, int] = {}
    pairs: dict[tuple[int, int, int], int] = {}
    names: list[str] = []
    alone: list[tuple[str, int]] = []
    held: list[tuple[int, int]] = []
    paired: list[tuple[int, int]] = []
    rows: dict[tuple[int, int, int], int] = {}

    def number(text: str) -> int:
        return words.setdefault(text, len(words))

    for document in documents:
        names.append(document.id)
        here = len(names) - 1
        for chain in document.chains:
            if len(chain) < minimum:
                continue
            arguments = [others(link) for link in chain.links]
            for index, link in enumerate(chain.links):
                known = {entity for place, several in enumerate(arguments) if place != index for entity in several}
                views: list[str | None] = [entity for entity in arguments[index] if entity in known] or [None]
                alone.append((seen_from(link, None), here))
                for view in views:
                    key = number(seen_from(link, view))
                    events[key] = events.get(key, 0) + 1
                    held.append((here, key))
                for after in range(index + 1, min(len(chain), index + 1 + window)):
                    bucket = min(after - index, NEAR + 1)
                    both: list[str | None] = [entity for entity in arguments[index] if entity in arguments[after]] or [
                        None
                    ]
                    for view in both:
                        pair = number(seen_from(link, view)), number(seen_from(chain.links[after], view)), bucket
                        pairs[pair] = pairs.get(pair, 0) + 1
                        paired.append((here, rows.setdefault(pair, len(rows))))
    for key in range(len(words)):
        events.setdefault(key, 1)  # a view that occurs in pairs only: its entity was shared, but with another event
    order = sorted(words, key=lambda text: (-events[words[text]], text))
    rank = np.zeros(len(words), np.int64)
    for place, text in enumerate(order):
        rank[words[text]] = place
    coded = np.array(list(pairs), np.int64).reshape(-1, 3)
    coded[:, 0], coded[:, 1] = rank[coded[:, 0]], rank[coded[:, 1]]
    numbers = np.array([events[words[text]] for text in order], np.int64)
    counts = EventCounts(order, numbers, coded, np.array(list(pairs.values()), np.int64), window, None, names)
    size = max(len(order), len(names), len(rows), 1)
    first, second = table_of([(words[text], here) for text, here in alone if text in words])
    documents_of, kinds = table_of(held)
    counts.instances = InstanceCounts(
        CountMatrix.of(rank[first], second, np.ones(len(first)), size),
        CountMatrix.of(documents_of, rank[kinds], np.ones(len(kinds)), size),
        CountMatrix.of(*table_of(paired), np.ones(len(paired)), size),
    )
    return counts


def table_of(cells: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    """Cells as two arrays."""
    both = np.array(cells, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
