"""Votes of participants' types against plain loops, and the exam that tells who takes part in the chain's events and not in the missing one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.exams.eventcloze import EventCloze
from scenarist.models.events.mixture import Mixture
from scenarist.models.events.participants import Participants
from scenarist.question import EventGap
from scenarist.story import Chain, Entity, Event, Link, Role, Story

TYPES = ("water", "tub", "bread", "knife")


def chains(seed: int, number: int = 40) -> list[Chain]:
    rng = np.random.default_rng(seed)
    made = []
    for at in range(number):
        links = []
        for _ in range(int(rng.integers(2, 6))):
            args = tuple(sorted({TYPES[one] for one in rng.integers(0, 4, size=rng.integers(0, 3))}))
            links.append(Link(f"v{rng.integers(0, 6)}", "subj", args))
        made.append(Chain(tuple(links), "x", f"d{at // 3}"))
    return made


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_against_plain_loops(seed: int) -> None:
    corpus = chains(seed)
    model = Participants(weight=0.4, type_smoothing=7.0, smoothing=5.0).fit(corpus)
    bare = [Chain(tuple(Link(link.predicate, link.role) for link in one.links), "x", one.story) for one in corpus]
    mixture = Mixture(smoothing=5.0).fit(bare)
    question = EventGap((Link("v0", "subj", ("water",)), Link("v3", "subj", ("bread", "knife", "never"))), 1)
    base = np.exp(mixture.scored(EventGap((Link("v0", "subj"), Link("v3", "subj")), 1)))
    names = list(mixture.counts_.types)
    frequency = np.array([sum(str(link) == name for chain in bare for link in chain.links) for name in names], float)
    given = []
    for kind in ("water", "bread", "knife"):
        together = np.zeros(len(names))
        for chain in corpus:
            for i, link in enumerate(chain.links):
                if kind in link.args:
                    for j, other in enumerate(chain.links):
                        if i != j:
                            together[names.index(f"{other.predicate}:{other.role}")] += 1
        given.append((together + 7 * frequency / frequency.sum()) / (together.sum() + 7))
    expected = 0.6 * base + 0.4 * np.mean(given, axis=0)
    np.testing.assert_allclose(np.exp(model.scored(question)), expected / expected.sum(), atol=1e-9)


def test_the_exam_tells_types_of_the_chain_and_not_of_the_gap() -> None:
    events = tuple(
        Event(verb, roles=(Role("subj", "e", "anna", 0), Role("obj", thing, thing, 1)), token=at, start=at, stop=at + 1)
        for at, (verb, thing) in enumerate((("fill", "tub"), ("wash", "hair"), ("dry", "towel")))
    )
    story = Story(
        "s", "Anna", events=events, entities=(Entity("e", name="Anna"), Entity("tub", label="ScrPart_bathtub"))
    )
    items = list(EventCloze("jans12", args="types").set([story]))
    first = next(item for item in items if item.key == "fill:subj")
    assert isinstance(first.question, EventGap)
    assert [link.args for link in first.question.links] == [("hair",), ("towel",)]
    last = next(item for item in items if item.key == "dry:subj")
    assert isinstance(last.question, EventGap)
    assert last.question.links[0].args == ("ScrPart_bathtub",)


def test_bad_settings_are_named() -> None:
    with pytest.raises(BadInput, match="weight"):
        Participants(weight=1.5)
    assert math.isfinite(float(Participants().fit(chains(4)).scored(EventGap((Link("yodel", "subj"),), 0))[0]))
