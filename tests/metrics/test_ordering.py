"""Order of sentences: Kendall's tau and the four measures of Mostafazadeh et al. 2016, Table 3."""

import itertools

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.metrics.ordering import in_flow, poll, relative, tau
from scenarist.question import Guess, Item, Order, Permutation, Prediction
from scenarist.registry import make

KEY = (3, 0, 4, 1, 2)


def item():
    return Item("i", Order(tuple(f"Step {at}." for at in range(5))), Permutation(KEY))


def said(*orders, levels=None):
    levels = levels or [None] * len(orders)
    return Prediction("i", tuple(Guess(Permutation(order), level) for order, level in zip(orders, levels, strict=True)))


def moved(*places):
    """The guess that puts the key's sentences into these places."""
    return tuple(KEY[place] for place in places)


def value(metric, mark):
    return float(metric.combine({name: np.asarray(number) for name, number in mark.items()}))


@pytest.mark.parametrize(
    ("places", "tau_", "perfect", "near", "right"),
    [
        ((0, 1, 2, 3, 4), 1.0, 1, 1, [1, 1, 1, 1, 1]),
        ((1, 0, 2, 3, 4), 0.8, 0, 1, [0, 0, 1, 1, 1]),
        ((1, 2, 3, 4, 0), 0.2, 0, 1, [0, 0, 0, 0, 0]),  # one sentence misplaced, four positions wrong for it
        ((1, 0, 3, 2, 4), 0.6, 0, 0, [0, 0, 0, 0, 1]),
        ((4, 3, 2, 1, 0), -1.0, 0, 0, [0, 0, 1, 0, 0]),
    ],
)
def test_table_3(places, tau_, perfect, near, right):
    guess = said(moved(*places))
    expected = {"kendall_tau": tau_, "perfect_order": perfect, "near_order": near, "place": sum(right) / 5}
    expected |= {f"place{at}": one for at, one in enumerate(right, start=1)}
    for name, number in expected.items():
        metric = make("metric", name)
        assert metric.name == name
        assert value(metric, metric.mark(item(), guess)) == pytest.approx(number)


def test_tau_by_scipy():
    stats = pytest.importorskip("scipy.stats")
    for places in itertools.permutations(range(5)):
        assert tau(places) == pytest.approx(stats.kendalltau(range(5), places).statistic)


def test_flow_is_the_longest_rising_part():
    for places in itertools.permutations(range(5)):
        best = max(
            size for size in range(1, 6) for part in itertools.combinations(places, size) if list(part) == sorted(part)
        )
        assert in_flow(places) == best


def test_orders_that_tie_are_averaged():
    metric = make("metric", "perfect_order")
    tied = said(KEY, moved(1, 0, 2, 3, 4), moved(0, 1, 2, 4, 3), levels=[-1.0, -1.0, -2.0])
    assert metric.mark(item(), tied)["right"] == 0.5


def test_majority_is_more_than_half_of_the_votes():
    metric = make("metric", "majority_order")
    other = moved(1, 0, 2, 3, 4)
    for right, wrong, won in ((3, 2, 1), (2, 2, 0), (2, 3, 0), (5, 0, 1)):
        people = [said(KEY)] * right + [said(other)] * wrong
        assert metric.mark(item(), poll(people))["right"] == won
    assert metric.mark(item(), said(KEY, other))["right"] == 1  # a ranking is one vote
    assert metric.mark(item(), None)["right"] == 0


def test_a_missing_prediction_is_the_worst_order():
    assert make("metric", "kendall_tau").mark(item(), None)["right"] == -1
    assert make("metric", "near_order").mark(item(), Prediction("i", ()))["right"] == 0


def test_wrong_answers_are_named():
    metric = make("metric", "kendall_tau")
    with pytest.raises(BadInput, match="order of 5 sentences, got 2"):
        metric.mark(item(), said((0, 1)))
    with pytest.raises(BadInput, match="expected an order"):
        metric.mark(item(), Prediction("i", (Guess("0"),)))
    with pytest.raises(BadInput, match="one item"):
        poll([said(KEY), Prediction("j", (Guess(Permutation(KEY)),))])
    with pytest.raises(BadInput, match="count from 1"):
        make("metric", "place0")


def test_positions_beyond_a_short_story_do_not_count():
    assert make("metric", "place6").mark(item(), said(KEY))["n"] == 0


def test_relative_places():
    assert relative(KEY, KEY) == [0, 1, 2, 3, 4]
