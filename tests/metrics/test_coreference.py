"""MUC, B3 and CEAF against worked examples of the literature, an independent assignment, and brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.metrics import coreference as coref
from scenarist.question import Guess, Item, Prediction, Read, Reading
from scenarist.story import Entity, Mention, Story

# Luo (2005), Figure 1: the truth and four responses over twelve mentions
TRUTH = [{1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12}]
RESPONSES = {
    "a": [{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11, 12}],
    "b": [{1, 2, 3, 4, 5, 8, 9, 10, 11, 12}, {6, 7}],
    "c": [{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}],
    "d": [{number} for number in range(1, 13)],
}


def f1(counts: tuple[float, float, float, float]) -> float:
    recall, precision = counts[0] / counts[1], counts[2] / counts[3] if counts[3] else 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


# the F-measures of his Table 1: MUC, B-cubed, and CEAF with phi4
@pytest.mark.parametrize(
    ("name", "muc", "b3", "ceaf"), [("a", 0.947, 0.865, 0.733), ("b", 0.947, 0.737, 0.667), ("c", 0.900, 0.545, 0.294)]
)
def test_luo_table_1(name: str, muc: float, b3: float, ceaf: float) -> None:
    response = RESPONSES[name]
    assert f1(coref.muc(TRUTH, response)) == pytest.approx(muc, abs=6e-4)
    assert f1(coref.b_cubed(TRUTH, response)) == pytest.approx(b3, abs=6e-4)
    assert f1(coref.ceaf(TRUTH, response)) == pytest.approx(ceaf, abs=6e-4)


def test_all_singletons_have_no_link() -> None:
    assert coref.muc(TRUTH, RESPONSES["d"]) == (0.0, 9.0, 0.0, 0.0)
    assert f1(coref.b_cubed(TRUTH, RESPONSES["d"])) == pytest.approx(0.400, abs=6e-4)


def test_missing_and_invented_mentions() -> None:
    # key {1 2 3}, response {1 2} and {4 5}: one of two key links, one of two response links
    assert coref.muc([{1, 2, 3}], [{1, 2}, {4, 5}]) == (1.0, 2.0, 1.0, 2.0)
    # recall (2*2/3)/3; precision (2*2/2 + 0)/4
    assert coref.b_cubed([{1, 2, 3}], [{1, 2}, {4, 5}]) == pytest.approx((4 / 3, 3.0, 2.0, 4.0))
    assert coref.ceaf([{1, 2, 3}], [{1, 2}, {4, 5}]) == pytest.approx((0.8, 1.0, 0.8, 2.0))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10_000))
def test_assignment_is_best(rows: int, columns: int, seed: int) -> None:
    profit = np.random.default_rng(seed).integers(0, 5, (rows, columns)).astype(float)
    found = profit[coref.assignment(profit)].sum()
    wide = profit if rows <= columns else profit.T
    best = max(
        sum(wide[row, column] for row, column in enumerate(order))
        for order in permutations(range(wide.shape[1]), len(wide))
    )
    assert found == best


def test_assignment_agrees_with_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    generator = np.random.default_rng(3)
    for size in ((30, 30), (40, 25), (7, 60)):
        profit = generator.random(size) * (generator.random(size) < 0.2)
        ours = profit[coref.assignment(profit)].sum()
        assert ours == pytest.approx(profit[optimize.linear_sum_assignment(profit, maximize=True)].sum())


def partition(labels: list[int]) -> list[set[int]]:
    return [{place for place, label in enumerate(labels) if label == one} for one in sorted(set(labels))]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.lists(st.integers(0, 4), min_size=12, max_size=12))
def test_against_pairwise_definitions(a: list[int], b: list[int]) -> None:
    """B3 by its definition mention by mention, MUC by spanning links, on the same mentions."""
    key, response = partition(a), partition(b[: len(a)])
    of_key = {span: cluster for cluster in key for span in cluster}
    of_response = {span: cluster for cluster in response for span in cluster}
    recall = sum(len(of_key[span] & of_response[span]) / len(of_key[span]) for span in of_key)
    assert coref.b_cubed(key, response)[0] == pytest.approx(recall)
    links = sum(len(cluster) - len({id(of_response[span]) for span in cluster}) for cluster in key)
    assert coref.muc(key, response)[0] == links


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=12))
def test_key_is_perfect(labels: list[int]) -> None:
    key = partition(labels)
    for count in (coref.b_cubed, coref.ceaf):
        assert f1(count(key, key)) == pytest.approx(1.0)


def story(*entities: tuple[tuple[int, int], ...], kinds: tuple[str, ...] = ()) -> Story:
    return Story(
        "s", "x" * 60,
        entities=tuple(
            Entity(f"e{place}", tuple(Mention(a, b) for a, b in spans), kind=kinds[place] if kinds else "") for place, spans in enumerate(entities)
        ),
    )  # fmt: skip


def test_tags_of_the_item() -> None:
    key = story(((0, 1), (2, 3)), ((4, 5),), kinds=("person", "object"))
    answer = story(((0, 1), (2, 3)), kinds=("person",))
    metric = coref.Conll()
    guess = Prediction("i", (Guess(Reading(answer)),))
    totals = {
        tags: metric.mark(Item("i", Read(key.text), Reading(key), tags=tags), guess)
        for tags in ((), ("no-singletons",), ("kind:person",))
    }
    values = {
        tags: float(metric.combine({name: np.array(value) for name, value in counts.items()}))
        for tags, counts in totals.items()
    }
    assert values["no-singletons",] == values["kind:person",] == pytest.approx(1.0)
    assert values[()] < 1.0


def test_no_answer_is_zero() -> None:
    key = story(((0, 1), (2, 3)))
    for metric in (coref.Muc(), coref.BCubed(), coref.Ceaf(), coref.Conll()):
        counts = metric.mark(Item("i", Read(key.text), Reading(key)), None)
        assert float(metric.combine({name: np.array(value) for name, value in counts.items()})) == 0.0


def test_entities_of_one_mention_count_unless_they_are_left_out() -> None:
    alone, twice = Entity("a", (Mention(0, 3),), "person"), Entity("b", (Mention(4, 6), Mention(8, 9)), "place")
    story = Story("s", "Ann is at home.", entities=(alone, twice))
    assert coref.clusters(story) == [frozenset({(0, 3)}), frozenset({(4, 6), (8, 9)})]
    assert coref.clusters(story, singletons=False) == [frozenset({(4, 6), (8, 9)})]
    assert coref.clusters(story, kind="person") == [frozenset({(0, 3)})]
