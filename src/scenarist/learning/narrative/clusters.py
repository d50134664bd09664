"""EventCounts -> groups of events that share a protagonist: the chains of Chambers and Jurafsky (2008), section 6, before they are ordered.

Agglomerative clustering by pointwise mutual information, discounted for rare events as there; the link between two groups is the mean over
all their pairs, an unseen pair counting nothing. A group grows to ``size`` events and no further, and stops where its best partner is worth
less than ``worth``. Forms of *be* and reporting verbs are left out, for they happen to everybody.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scenarist.learning.event_chains import BE, REPORTING
from scenarist.learning.event_counts import EventCounts, Floats
from scenarist.story import Link

FEWEST = 3
"""Events that a chain has, at the least."""


class Grouping(NamedTuple):
    """How events are grouped."""

    events: int = 800
    """The commonest so many are looked at."""
    least: int = 5
    """Events seen less often are left out."""
    size: int = 8
    """Events of a chain, at the most."""
    worth: float = 0.5
    """The mean PMI from which on two groups are joined."""


USUAL = Grouping()


class EventGroup(NamedTuple):
    """Events by their numbers, and the mean PMI of their pairs."""

    events: tuple[int, ...]
    score: float


def mutual_information(counts: EventCounts, chosen: list[int]) -> Floats:
    """Discounted PMI of each pair of the chosen events, 0 for a pair that was never seen."""
    table = counts.unordered()
    place = {event: number for number, event in enumerate(chosen)}
    total = max(table.total, 1.0)
    logs = np.log(counts.events / counts.total)
    mutual = np.zeros((len(chosen), len(chosen)))
    for event, number in place.items():
        columns, seen = table.row(event)
        for column, times in zip(columns.tolist(), seen.tolist(), strict=True):
            if column in place and column != event:
                low = float(min(counts.events[event], counts.events[column]))
                discount = times / (times + 1) * low / (low + 1)
                mutual[number, place[column]] = discount * (np.log(times / total) - logs[event] - logs[column])
    return mutual


def event_groups(counts: EventCounts, grouping: Grouping = USUAL) -> list[EventGroup]:
    """The groups, those with most events of most information first."""
    known = enumerate(counts.types)
    plain = [number for number, name in known if Link.parse(name).predicate not in BE | REPORTING]
    chosen = [number for number in plain if counts.events[number] >= grouping.least][: grouping.events]
    if len(chosen) < FEWEST:
        return []
    mutual = mutual_information(counts, chosen)
    link = mutual.copy()
    np.fill_diagonal(link, -np.inf)
    members = [[number] for number in range(len(chosen))]
    while True:
        first, second = divmod(int(link.argmax()), len(chosen))
        if link[first, second] < grouping.worth:
            break
        left, right = len(members[first]), len(members[second])
        if left + right > grouping.size:
            link[first, second] = link[second, first] = -np.inf
            continue
        joined = (left * link[first] + right * link[second]) / (left + right)
        link[first], link[:, first] = joined, joined
        link[second], link[:, second] = -np.inf, -np.inf
        link[first, first] = -np.inf
        members[first], members[second] = members[first] + members[second], []
    groups = []
    for group in members:
        if len(group) >= FEWEST:
            pairs = mutual[np.ix_(group, group)][np.triu_indices(len(group), 1)]
            groups.append(EventGroup(tuple(chosen[number] for number in sorted(group)), float(pairs.mean())))
    return sorted(groups, key=lambda group: (-group.score * len(group.events), group.events))
