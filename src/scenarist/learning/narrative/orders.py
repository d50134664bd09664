"""EventGroups -> LearnedChains: the events of a group from the first to the last.

``text``: a pair is ordered by which of its events comes first in texts. ``classifier``: by the one of `library/pair_orders.py`, which
learns from the pairs of crowd-written scripts; Chambers and Jurafsky's learned from news whose times were annotated. Either way the order
of all is the one in which pairs agree best with their log-odds, over all orders.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenarist.answers import NarrativeChain
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats
from scenarist.learning.library.orders import best_order
from scenarist.learning.library.pair_orders import PairOrders, StepOrder
from scenarist.learning.library.wordings import Clause
from scenarist.learning.narrative.clusters import EventGroup
from scenarist.story import Link

ORDERS = ("text", "classifier")
UNSEEN = 0.5
"""Added to both orders of a pair."""


def times_before(table: CountMatrix, events: Sequence[int]) -> Floats:
    """(n, n): how often one event comes before another in a chain."""
    before = np.zeros((len(events), len(events)))
    for number, event in enumerate(events):
        columns, seen = table.row(event)
        for place, other in enumerate(events):
            here = np.flatnonzero(columns == other)
            if place != number and len(here):
                before[number, place] = seen[here[0]]
    return before


def clause_of(event: str) -> Clause:
    """An event as a step of a script.

    >>> clause_of("pick_up:obj"), clause_of("go:prep_to")
    (Clause(verb='pick', words=('pick', 'up')), Clause(verb='go', words=('go',)))
    """
    link = Link.parse(event)
    preposition = link.role[5:] if link.role.startswith("prep_") else ""
    return Clause.of(f"{link.predicate} {preposition}".replace("_", " "))


def narrative_chain(
    counts: EventCounts, table: CountMatrix, group: EventGroup, classifier: PairOrders | None = None
) -> NarrativeChain:
    """A group in its order, with the counts that stand behind each pair."""
    before = times_before(table, group.events)
    if classifier is None:
        ahead = np.log((before + UNSEEN) / (before.T + UNSEEN))
    else:
        clauses = tuple(clause_of(counts.types[event]) for event in group.events)
        ahead = classifier.ahead(StepOrder("", "", clauses, frozenset()))
    order = best_order(ahead)
    pairs = []
    for first in range(len(order)):
        for second in range(first + 1, len(order)):
            there, back = before[order[first], order[second]], before[order[second], order[first]]
            if there + back:
                pairs.append((first, second, round(float(there / (there + back)), 4), int(there + back)))
    events = [group.events[number] for number in order]
    return NarrativeChain(
        tuple(counts.types[event] for event in events),
        tuple(int(counts.events[event]) for event in events),
        tuple(pairs),
        round(group.score, 4),
    )
