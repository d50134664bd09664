"""Ways to read alignments: paths that never go back, content words alone, what wrong words point to."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")

from experiments.kidscook.agreement import bound, content, in_order, judged, spread  # noqa: E402
from scenarist.story import Pair  # noqa: E402

pytestmark = pytest.mark.neural
PAIR = Pair("p", tuple("grate the cheese .".split()), tuple("take a grater and rub".split()), ())


@pytest.mark.parametrize("seed", range(4))
def test_the_path_in_order_is_the_best_of_all(seed: int) -> None:
    torch.manual_seed(seed)
    scores = torch.randn(4, 3)
    every = itertools.combinations_with_replacement(range(3), 4)
    best = max(every, key=lambda path: sum(float(scores[word, at]) for word, at in enumerate(path)))
    assert in_order(scores) == list(best)


def test_the_bound_meets_all_links_but_those_that_go_back() -> None:
    assert judged(PAIR, bound(PAIR, {0: {0}, 2: {2}}), {0: {0}, 2: {2}}) == {"right": 2}
    back = {0: {2}, 2: {0}, 4: {2}}
    assert judged(PAIR, bound(PAIR, back), back)["right"] == 2


def test_function_words_and_marks_own_nothing() -> None:
    assert content(PAIR.abstract) == [0, 2]
    assert content(("to", "the")) == [0, 1]
    assert spread(PAIR, content(PAIR.abstract)) == [0, 0, 0, 2, 2]


def test_what_wrong_words_point_to() -> None:
    marks = judged(PAIR, [1, 0, 0, 3, 2], {0: {0}, 2: {2}, 4: {0}, 1: {0}})
    assert marks == {"function": 1, "before": 1, "behind": 1, "right": 1}
