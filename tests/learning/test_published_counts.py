"""Counts that are handed on hold no chains, no names, and no rare pair; the carried file is such a one."""

from __future__ import annotations

import numpy as np

from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts
from scenarist.registry import make
from scenarist.store.home import resource
from training.eventlm.counts import LEAST, Attacker, chains_of


def test_published_counts_leave_chains_names_and_rare_pairs_behind(tmp_path) -> None:
    counts = EventCounts.of(documents(make("corpus", "toy", split="train", kind="chains")))
    assert counts.chains is not None and counts.names
    path = tmp_path / "counts.npz"
    counts.published(2).save(path)
    with np.load(path) as arrays:
        assert not {"flat", "start", "owner"} & set(arrays.files)
        assert arrays["names"].size == 0 and arrays["pair_counts"].min() >= 2
    again = EventCounts.load(path)
    assert again.types == counts.types and again.total == counts.total and again.documents == counts.documents


def test_the_carried_counts_are_published_ones() -> None:
    counts = EventCounts.load(resource("events/counts.npz"))
    assert counts.chains is None and counts.names == ()
    assert counts.pair_counts.min() >= LEAST


def test_the_attacker_rebuilds_what_the_table_gives_away() -> None:
    """All pairs of one chain alone give it away; with rare pairs gone it cannot be followed."""
    counts = EventCounts.of(documents(make("corpus", "toy", split="train", kind="chains")))
    chains = [chain for chain in chains_of(counts) if len(chain) > 2]
    whole, published = Attacker(counts), Attacker(counts.published(LEAST))
    before, after = (sum(map(attacker.rebuilds, chains)) for attacker in (whole, published))
    assert before > after
    lone = EventCounts(
        ("a", "b", "c"), np.array([1, 1, 1]), np.array([[0, 1, 1], [1, 2, 1], [0, 2, 2]]), np.array([1, 1, 1])
    )
    assert Attacker(lone).rebuilds([0, 1, 2])
    assert not Attacker(lone.published(2)).rebuilds([0, 1, 2])
