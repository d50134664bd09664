"""Count tables of slots: what stands where, by scenario, place and neighbour."""

from __future__ import annotations

import numpy as np

from scenarist.learning.slots import BUCKETS, NAMES, Slot, tables

FILLERS = ["enter", "order", "eat", "pay", "swim"]
TELLINGS = [
    (["enter", "order", "eat", "pay"], "restaurant", 1.0),
    (["enter", "order", "eat", "pay"], "restaurant", 1.0),
    (["enter", "", "swim", "pay"], "pool", 1.0),
]


def test_counts_are_those_of_the_tellings() -> None:
    table = tables(TELLINGS, FILLERS, ["restaurant", "pool"])
    assert table.by_scenario.tolist() == [[2, 2, 2, 2, 0], [1, 0, 0, 1, 1]]
    assert table.follows[table.filler["order"], table.filler["eat"]] == 2
    assert table.follows[table.filler["enter"], table.filler["swim"]] == 1  # a sentence without a verb is passed over
    assert table.pairs[table.filler["swim"], table.filler["eat"]] == 0
    assert table.alone.tolist() == [3, 2, 2, 3, 1]
    assert table.order is not None
    assert table.order[0, table.filler["enter"], table.filler["pay"]] == 2
    assert table.order[0, table.filler["pay"], table.filler["enter"]] == 0
    assert table.by_place.sum() == table.by_scenario.sum()


def test_features_speak_for_what_belongs() -> None:
    table = tables(TELLINGS, FILLERS, ["restaurant", "pool"])
    enter, order, eat, pay, swim = range(5)
    slot = Slot(0, 0.5, (enter, order), (pay,))
    features = table.features(slot)
    assert features.shape == (len(NAMES), len(FILLERS))
    assert np.isfinite(features).all()
    for name in ("scenario", "left", "right"):
        assert features[NAMES.index(name)].argmax() in (order, eat, pay, enter)
        assert features[NAMES.index(name), eat] > features[NAMES.index(name), swim]
    assert features[NAMES.index("told")].tolist() == [1, 1, 0, 1, 0]
    assert features[NAMES.index("order"), eat] > features[NAMES.index("order"), enter]


def test_log_chances_sum_to_one() -> None:
    table = tables(TELLINGS, FILLERS, ["restaurant", "pool"])
    for rows in (table.log_scenario, table.log_follows, table.log_precedes, table.log_place.reshape(-1, 5)):
        np.testing.assert_allclose(np.exp(rows).sum(-1), 1, rtol=1e-5)


def test_an_unknown_scenario_and_an_empty_story_have_features_too() -> None:
    table = tables(TELLINGS, FILLERS, ["restaurant", "pool"])
    features = table.features(Slot(-1, 0.0, (), ()))
    assert np.isfinite(features).all()
    np.testing.assert_array_equal(features[0], features[NAMES.index("all")])


def test_the_slot_of_a_sentence_does_not_hold_it() -> None:
    table = tables(TELLINGS, FILLERS, ["restaurant", "pool"])
    slot = table.slot([0, 1, 2, 3], 0, 1)
    assert slot == Slot(0, 0.25, (0,), (2, 3))
    assert 0 <= int(BUCKETS * slot.place) < BUCKETS
