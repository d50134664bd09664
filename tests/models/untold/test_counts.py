"""The rows of the untold exam, on tables and a network small enough to know by heart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.learning.slots import BUCKETS, NAMES, Slot, Tables, tables
from scenarist.models.untold import base
from scenarist.models.untold.network import SCHEMA, TOLD, WINDOWS, SlotNetwork, bags, told
from scenarist.question import Choice, Unsaid
from scenarist.registry import make
from scenarist.story import Event, Story, Token, replace

ROWS = ("scenario-frequency", "scenario-bigram", "scenario-pmi", "untold-network", "untold-scripts")
FILLERS = ["enter", "order", "eat", "pay", "swim", "dive"]
TELLINGS = [(["enter", "order", "eat", "pay"], "restaurant", 1.0)] * 6 + [(["enter", "dive", "swim"], "pool", 1.0)] * 3


def network(table: Tables, seed: int = 13) -> SlotNetwork:
    draw = np.random.default_rng(seed)
    d, h, v, s = 3, 4, len(table.fillers), len(table.scenarios)
    shapes = {
        "word": (2, d), "project": (len(WINDOWS), d, h), "verb": (v, d), "told": (len(TOLD), d, h), "scenario": (s + 1, h),
        "place": (BUCKETS, h), "bias": (h,), "deep": (h, h), "deep_bias": (h,), "out": (h, v), "out_bias": (v,),
    }  # fmt: skip
    arrays: dict[str, Any] = {name: draw.normal(0, 0.05, shape) for name, shape in shapes.items()}
    weights = np.zeros(len(NAMES))
    weights[[0, 2, 3]] = 1.0
    return SlotNetwork({**arrays, "weights": weights, "schema": SCHEMA, "words": ["waiter", "water"]}, table)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    small = network(tables(TELLINGS, FILLERS, ["restaurant", "pool"]))
    monkeypatch.setattr(base, "carried_network", lambda kind: small)


def story(*verbs: str) -> Story:
    """One sentence a verb, as the reader would leave it."""
    made = Story.from_words("s", [["They", verb] for verb in verbs])
    tokens = tuple(
        Token(t.start, t.stop, made.of(t).lower(), "VERB" if n % 2 else "PRON", head=-1 if n % 2 else n + 1)
        for n, t in enumerate(made.tokens)
    )
    events = tuple(
        Event(verb, token=2 * n + 1, start=tokens[2 * n + 1].start, stop=tokens[2 * n + 1].stop)
        for n, verb in enumerate(verbs)
    )
    return replace(made, tokens=tokens, events=events)


@pytest.mark.parametrize("name", ROWS)
def test_the_missing_step_is_found(name: str) -> None:
    model = make("model", name)
    told = model.answer(Unsaid(story("enter", "order", "pay"), "restaurant", 2))
    ranked = [guess.answer for guess in told.guesses]
    assert ranked.index("eat") < ranked.index("swim")
    assert sum(math.exp(guess.logp) for guess in told.guesses) + told.rest == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("name", ROWS)
def test_rank_and_chance_agree_with_the_guesses(name: str) -> None:
    model = make("model", name)
    question = Unsaid(story("enter", "order", "pay"), "restaurant", 2)
    told = model.answer(question)
    rated = model.rate_many([question] * 3, ["eat", "swim", "fly"])
    assert rated[2] == (None, None)
    for answer, (logp, rank) in zip(("eat", "swim"), rated[:2], strict=True):
        listed = next(guess for guess in told.guesses if guess.answer == answer)
        assert logp == pytest.approx(listed.logp)
        ahead = sum(guess.logp > listed.logp for guess in told.guesses)
        assert ahead + 1 <= rank <= len(FILLERS)


@pytest.mark.parametrize("name", ROWS)
def test_choices_are_ranked_whatever_their_order(name: str) -> None:
    model = make("model", name)
    choices = ("swim", "eat", "unheard")
    one = model.answer(Unsaid(story("enter", "order"), "restaurant", None, choices))
    other = model.answer(Unsaid(story("enter", "order"), "restaurant", None, choices[::-1]))
    assert one.guesses[0].answer == "eat"
    assert {g.answer: g.logp for g in one.guesses} == pytest.approx({g.answer: g.logp for g in other.guesses})


@pytest.mark.parametrize("name", ROWS)
def test_an_unknown_scenario_is_no_scenario(name: str) -> None:
    """Not the last one of the table, which is what an index of -1 would give."""
    gap = base.gap_of(Unsaid(story("enter"), "moon walking", 1, ("eat", "swim")))
    assert gap.slot.scenario == -1
    told = make("model", name).answer(Unsaid(story("enter"), "moon walking", 1, ("eat", "swim")))
    assert told.guesses[0].answer == "eat"  # told twice as often over all; swimming is the last scenario


def test_the_place_is_counted_as_in_training() -> None:
    gap = base.gap_of(Unsaid(story("enter", "order", "pay"), "restaurant", 2))
    whole = gap.network.tables.slot([0, 1, 2, 3], 0, 2)
    assert gap.slot == whole
    assert gap.slot == Slot(0, 0.5, (0, 1), (3,))


def test_bags_are_of_the_told_sentences_only() -> None:
    rows = {"waiter": 0, "water": 1}
    assert bags([("waiter", "x"), ("water",)], 1, rows) == [[], [], [0], [1], [], [], [0, 1]]
    assert bags([("waiter",), (), (), ("water",), ()], 4, rows) == [[0], [], [1], [], [], [], [0, 1]]
    assert bags([], 0, rows) == [[]] * len(WINDOWS)
    assert told([7, 8, 9], [5]) == [[8], [9], [5], [], [7, 8, 9, 5]]


def test_other_questions_are_refused() -> None:
    with pytest.raises(BadInput, match="untold"):
        make("model", "untold-network").answer(Choice(("a",), ("b", "c")))
    with pytest.raises(BadInput, match="schema"):
        SlotNetwork({"schema": 99}, tables(TELLINGS, FILLERS, ["restaurant", "pool"]))


@pytest.mark.parametrize("scenario", ["restaurant", "moon walking"])
def test_all_gaps_at_once_are_the_gaps_one_by_one(scenario: str) -> None:
    small = base.carried_network("verbs")
    ids, words = [0, -1, 1, 4], [("waiter", "x"), (), ("water", "waiter"), ("unheard",)]
    together = small.gap_chances(ids, scenario, words)
    assert together.shape == (5, len(FILLERS))
    for number, line in enumerate(together):
        alone = base.log_chances(small.logits(small.slot(ids, scenario, number), words, number))
        assert line == pytest.approx(alone, abs=1e-5)
    assert small.gap_chances([], scenario, []).shape == (1, len(FILLERS))


def test_counts_by_another_name_are_the_same_and_an_unknown_count_is_refused() -> None:
    question = Unsaid(story("enter", "order", "pay"), "restaurant", 2)
    for old, settings in (
        ("scenario-frequency", {"by": "frequency"}),
        ("scenario-bigram", {"by": "bigram"}),
        ("scenario-pmi", {"by": "pmi"}),
    ):
        assert make("model", old).answer(question) == make("model", "untold-counts", **settings).answer(question)
    with pytest.raises(BadInput, match="by is one of"):
        make("model", "untold-counts", by="guessing")
