"""Discrete narrative chains: two scripts mixed with noise come apart, each in its order."""

from __future__ import annotations

import random

import pytest

from scenarist.errors import BadInput
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts
from scenarist.learning.narrative_chains import narrative_chains
from scenarist.story import Chain, Link

CRIME = ["steal:subj", "arrest:obj", "charge:obj", "convict:obj"]
MEAL = ["chop:subj", "cook:subj", "serve:subj", "eat:subj"]


def counts() -> EventCounts:
    rng = random.Random(1)
    chains = []
    for number in range(200):
        script = rng.choice([CRIME, MEAL])
        events = [event for event in script if rng.random() < 0.8]
        events.insert(rng.randrange(len(events) + 1), rng.choice(["go:subj", "have:subj", "say:subj"]))
        chains.append(Chain(tuple(Link.parse(event) for event in events), "x", f"d{number}"))
    return EventCounts.of(documents(chains))


def test_scripts_come_apart_in_their_order() -> None:
    found = narrative_chains(counts(), most=2, size=4, cutoff=20, least=0.5)
    assert sorted(chain.events for chain in found) == sorted([tuple(CRIME), tuple(MEAL)])
    assert all(chain.order == 1.0 for chain in found)
    assert str(found[0]).count("->") == 3


def test_reporting_verbs_and_rare_events_stay_out() -> None:
    events = {event for chain in narrative_chains(counts(), cutoff=20, least=-9.0) for event in chain.events}
    assert "say:subj" not in events
    assert not narrative_chains(counts(), cutoff=10_000)
    with pytest.raises(BadInput):
        narrative_chains(counts(), size=1)
