"""The event counts carried in resources/events: NYT chains, train split, as counts from which chains cannot be rebuilt.

    python -m training.eventlm.counts                  # writes counts.npz
    python -m training.eventlm.counts rebuild          # how many train chains the file still gives away

The chains themselves and the names of documents stay behind, and so do pairs seen fewer than ``LEAST`` times. ``rebuild`` plays an attacker
who is told the first event of a chain and its length, and goes on wherever the table allows exactly one next event: one that stands at the
right distance from every event so far.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts
from scenarist.registry import make

OUT = Path(__file__).parents[2] / "src" / "scenarist" / "resources" / "events" / "counts.npz"
LEAST = 3
"""Pairs seen less often, at their distance, are not carried."""


def train_counts() -> EventCounts:
    """The counts of the train split, with their chains."""
    return EventCounts.of(documents(make("corpus", "nyt-chains", split="train")))


def chains_of(counts: EventCounts) -> Iterator[list[int]]:
    """The chains as numbers."""
    assert counts.chains is not None
    flat, start, _ = counts.chains
    for first, last in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
        yield flat[first:last].tolist()


class Attacker:
    """What the table of ordered pairs lets one follow."""

    def __init__(self, counts: EventCounts) -> None:
        self.window = counts.window
        self.after: dict[tuple[int, int], set[int]] = {}
        for first, second, distance in counts.pairs.tolist():
            self.after.setdefault((first, distance), set()).add(second)

    def rebuilds(self, chain: Sequence[int]) -> bool:
        """Does the table lead from the first event to the last, one way only?"""
        for place in range(1, len(chain)):
            able: set[int] | None = None
            for distance in range(1, min(place, self.window) + 1):
                near = self.after.get((chain[place - distance], distance), set())
                able = near if able is None else able & near
                if not able:
                    break
            if able != {chain[place]}:
                return False
        return True


def rebuild() -> None:
    """How many chains different tables give away, the carried one last."""
    counts = train_counts()
    chains = list(chains_of(counts))
    long = [chain for chain in chains if len(chain) > 2]
    print(
        f"{len(chains):,} train chains of two or more events, {len(long):,} of three or more, {len({tuple(chain) for chain in chains}):,} different"
    )
    tables = {f"pairs seen {least} times or more": counts.published(least) for least in (1, 2, 3, 5)}
    tables["the carried file"] = EventCounts.load(OUT)
    for name, table in tables.items():
        attacker = Attacker(table)
        whole, some = (sum(map(attacker.rebuilds, part)) / len(part) for part in (chains, long))
        held = "its chains are in it; " if table.chains is not None else ""
        print(
            f"{name}: {held}{len(table.pairs):,} pairs; rebuilt {whole:.2%} of the chains, {some:.2%} of those of three or more"
        )


def main() -> None:
    if sys.argv[1:] == ["rebuild"]:
        rebuild()
        return
    counts = train_counts().published(LEAST)
    counts.save(OUT)
    print(
        f"{OUT.name}: {len(counts):,} kinds of event, {counts.total:,} events, {len(counts.pairs):,} ordered pairs by distance"
    )


if __name__ == "__main__":
    main()
