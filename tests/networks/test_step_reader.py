"""Steps of an activity: their order does not depend on the order shown; edges are those of a partial order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.learning.library.step_edges import closure, edges_of, line_edges


@given(st.integers(2, 7), st.integers(0, 1000), st.floats(0.05, 0.95))
def test_edges_are_those_of_a_partial_order_that_ends_in_the_goal(size: int, seed: int, bar: float) -> None:
    draw = np.random.default_rng(seed)
    before = draw.normal(size=(size, size)).astype(np.float32)
    before -= before.T
    edges = edges_of(before, draw.normal(size=(size, size)).astype(np.float32), bar)
    later = closure(edges, size)
    assert not later.diagonal().any(), "no step comes before itself"
    assert later[:-1, -1].all(), "every step leads to the goal"
    assert not later[-1].any()
    for first, second in edges:
        rest = closure(edges - {(first, second)}, size)
        assert not rest[first, second], "what other edges say already is left out"


def test_a_line_follows_the_odds() -> None:
    before = np.array([[0, -2, 1, 0], [2, 0, 3, 0], [-1, -3, 0, 0], [0, 0, 0, 0]], np.float32)
    assert line_edges(before[:-1, :-1]) == {(1, 0), (0, 2), (2, 3)}


@pytest.mark.neural
def test_the_order_shown_does_not_matter_and_cake_is_baked_before_it_is_eaten() -> None:
    pytest.importorskip("torch")
    from scenarist.errors import Missing
    from scenarist.networks.step_reader import carried_odds

    steps = (
        "mix the flour and the eggs", "pour the batter into a tin", "put the tin into the oven", "take the cake out of the oven",
        "eat the cake", "bake a cake",
    )  # fmt: skip
    try:
        before, follows = carried_odds("bake a cake", steps)
    except Missing as missing:
        pytest.skip(str(missing))
    assert line_edges(before[:-1, :-1]) == {(step, step + 1) for step in range(5)}
    assert np.allclose(before, -before.T, atol=1e-4)
    turn = [3, 1, 0, 4, 2, 5]
    again, _ = carried_odds("bake a cake", [steps[number] for number in turn])
    sure = np.abs(before[np.ix_(turn, turn)]) > 2
    assert sure.sum() > 10 and (np.sign(again) == np.sign(before[np.ix_(turn, turn)]))[sure].all()
    assert follows[4, 5] > follows[0, 5]
