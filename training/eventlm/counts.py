"""The event counts carried in resources/events: NYT chains, train split. Run: python -m training.eventlm.counts"""

from __future__ import annotations

from pathlib import Path

from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts
from scenarist.registry import make

OUT = Path(__file__).parents[2] / "src" / "scenarist" / "resources" / "events" / "counts.npz"

if __name__ == "__main__":
    counts = EventCounts.of(documents(make("corpus", "nyt-chains", split="train")))
    counts.save(OUT)
    print(
        f"{OUT.name}: {len(counts):,} kinds of event, {counts.total:,} events, {len(counts.pairs):,} ordered pairs by distance"
    )
