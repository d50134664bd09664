"""Lines and ranks of Bennett's figures, people's orders, and distributions of answers, on made-up studies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarist.bench.analyses.people import shuffling
from scenarist.bench.analyses.people.answers import GapAnswer
from scenarist.bench.analyses.people.bennett_figures import line_of
from scenarist.bench.analyses.people.distributions import compare_model, compare_people
from scenarist.errors import BadInput
from scenarist.question import Guess, Item, Order, Permutation, Prediction


def test_a_line_lies_in_its_band_and_the_band_is_of_95_per_cent() -> None:
    draw = np.random.default_rng(3)
    xs = draw.uniform(0, 1, 60)
    points = [[float(x), float(2 * x + draw.normal(0, 0.3))] for x in xs]
    line = np.array(line_of(points))
    assert line.shape == (21, 4)
    assert line[0, 0] == pytest.approx(xs.min(), abs=1e-4) and line[-1, 0] == pytest.approx(xs.max(), abs=1e-4)
    assert (line[:, 2] < line[:, 1]).all() and (line[:, 1] < line[:, 3]).all()
    slope = (line[-1, 1] - line[0, 1]) / (line[-1, 0] - line[0, 0])
    assert slope == pytest.approx(np.polyfit(xs, [y for _, y in points], 1)[0], abs=1e-3)
    middle = line[10]
    error = 0.3 / np.sqrt(60)
    assert 2.5 * error < middle[3] - middle[2] < 6 * error  # some four standard errors wide in the middle
    assert line_of([[1.0, 2.0], [1.0, 3.0]]) == [] and line_of([]) == []
    assert len(line_of([[0.0, 0.0], [1.0, 1.0]])) == 21  # draws of one point alone have no line and are left out


ITEM = Item("i", Order(("c", "a", "b")), Permutation((1, 2, 0)), "g1")
OTHER = Item("j", Order(("a", "b", "c", "d")), Permutation((0, 1, 2, 3)), "g2")


def orders(*given: tuple[str, tuple[int, ...]]) -> list[Prediction]:
    return [Prediction(item, (Guess(Permutation(order)),), f"p{number}") for number, (item, order) in enumerate(given)]


def test_orders_are_counted_singly_and_place_by_place() -> None:
    items = {"i": ITEM, "j": OTHER}
    given = orders(("i", (1, 2, 0)), ("i", (1, 0, 2)), ("j", (0, 1, 2, 3)), ("j", (1, 0, 2, 3)))
    scores = shuffling.scores_of(items, given, 13)
    assert list(scores) == [
        "perfect_order/single", "near_order/single", "place1/single", "place2/single", "place3/single", "place4/single",
    ]  # fmt: skip
    assert scores["perfect_order/single"].value == pytest.approx(0.5)
    assert scores["place4/single"].n == 2  # the story of three sentences has no fourth


def test_a_majority_needs_more_than_one_person() -> None:
    remarks: list[str] = []
    assert shuffling.majority({"i": ITEM}, orders(("i", (1, 2, 0))), 13, remarks) == {}
    assert remarks == ["One person a story: there is no majority."]
    given = orders(("i", (1, 2, 0)), ("i", (1, 2, 0)), ("i", (0, 1, 2)), ("j", (0, 1, 2, 3)), ("j", (1, 0, 2, 3)))
    found = shuffling.majority({"i": ITEM, "j": OTHER}, given, 13, remarks)
    assert found["perfect_order/majority"].value == pytest.approx(0.5)
    assert remarks[-1] == "2 stories with the orders of 2 to 3 people."


def test_orders_need_a_folder_that_asks_for_them(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="give their folder"):
        shuffling.table()
    with pytest.raises(BadInput):
        shuffling.table(answers=str(tmp_path))


def people(*labels: tuple[str, str, str]) -> list[GapAnswer]:
    return [GapAnswer(who, task, "full", "x", task, label=label) for who, task, label in labels]


def test_distributions_need_a_task_that_both_answered() -> None:
    first = people(("p1", "t1", "go"), ("p2", "t1", "go"), ("p3", "t2", "eat"))
    second = people(("q1", "t1", "go"), ("q2", "t1", "sit"))
    assert compare_people(first, second, permutations=20) is not None
    assert compare_model(first, {"t1": Prediction("t1", (Guess("go:subj", 0.0),))}).tasks == 1
    with pytest.raises(BadInput, match="both groups answered"):
        compare_people(first, people(("q1", "t9", "go")))
    with pytest.raises(BadInput, match="it and people answered"):
        compare_model(first, {"t9": Prediction("t9", (Guess("go:subj", 0.0),))})
