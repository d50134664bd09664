"""Ranking metrics: expected rank under ties, cut lists, accepted answers, Chambers's repeated event."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.metrics.ranking import AverageRank, Mrr, Place, Recall, place
from scenarist.question import EventGap, Guess, Item, Prediction
from scenarist.registry import make
from scenarist.story import Link


def item(key="flee:subj", accept=()):
    return Item("i", EventGap((Link("rob", "subj"),), gap=1), key, accept=accept)


def ranked(*answers, levels=None, **more):
    levels = levels or [None] * len(answers)
    return Prediction("i", tuple(Guess(answer, level) for answer, level in zip(answers, levels, strict=True)), **more)


def value(metric, marks):
    names = marks[0].keys()
    return float(metric.combine({name: np.asarray(sum(mark[name] for mark in marks)) for name in names}))


def test_rank_without_probabilities_is_the_place_in_the_list():
    assert place(item(), ranked("say:subj", "flee:subj")) == Place(2)
    assert place(item(), ranked("say:subj")) is None
    assert place(item(), None) is None


def test_recall_of_a_tied_group_is_the_share_that_fits():
    tied = ranked("a", "b", "flee:subj", "c", levels=[-1.0, -2.0, -2.0, -2.0])
    assert [Recall(k).mark(item(), tied)["credit"] for k in (1, 2, 3, 4, 9)] == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    assert Mrr().mark(item(), tied)["credit"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert AverageRank().mark(item(), tied)["credit"] == 3


def test_key_rank_of_the_runner_extends_a_group_that_was_cut_off():
    # ten candidates tie from place 3 on, four of them listed; the model says the expected rank is 7.5
    cut = ranked("a", "b", "c", "flee:subj", "d", "e", levels=[-1.0, -2.0, *[-3.0] * 4], key_rank=7.5)
    assert place(item(), cut) == Place(3, 10)
    assert Recall(5).mark(item(), cut)["credit"] == pytest.approx(0.3)
    unlisted = ranked("a", "b", "c", levels=[-1.0, -2.0, -3.0], key_rank=7.5, key_logp=-3.0)
    assert place(item(), unlisted) == Place(3, 10)


def test_key_rank_beyond_the_list():
    far = ranked("a", "b", levels=[-1.0, -2.0], key_rank=40.0, key_logp=-9.0)
    assert place(item(), far) == Place(40)
    assert Recall(50).mark(item(), far)["credit"] == 1
    assert Recall(39).mark(item(), far)["credit"] == 0
    assert AverageRank().mark(item(), ranked("a", "b", key_rank=40.5))["credit"] == 40.5


def test_a_rank_that_contradicts_the_listed_levels_is_taken_as_told():
    """Two guesses are rated above the key, and its rank is said to be two: no tied group ends before it begins."""
    said = ranked("a", "b", "c", levels=[-1.0, -2.0, -9.0], key_rank=2.0, key_logp=-3.0)
    assert place(item(), said) == Place(2)
    fits = ranked("a", "b", "c", levels=[-1.0, -2.0, -9.0], key_rank=3.0, key_logp=-3.0)
    assert place(item(), fits) == Place(3)


def test_a_key_that_is_not_found_is_wrong_and_last():
    assert Recall(10).mark(item(), ranked("a"))["credit"] == 0
    assert Mrr().mark(item(), None) == {"credit": 0.0, "n": 1.0}
    assert AverageRank().mark(item(), ranked("a"))["credit"] == 100
    assert AverageRank(unranked=1).mark(item(), ranked("a", "b"))["credit"] == 3


def test_other_accepted_answers_count_only_when_asked_for():
    guess = ranked("escape:subj", "flee:subj")
    assert Recall(1).mark(item(accept=("escape:subj",)), guess)["credit"] == 0
    assert Recall(1, accept=True).mark(item(accept=("escape:subj",)), guess)["credit"] == 1


@given(st.lists(st.integers(-3, 0), min_size=1, max_size=5), st.data())
def test_ties_are_the_average_over_all_orders(levels, data):
    """The expectation by brute force: every order of tied guesses, each broken as listed."""
    names = [f"e{at}" for at in range(len(levels))]
    right = data.draw(st.sets(st.sampled_from(names), min_size=1, max_size=len(names)))
    key, *accept = sorted(right)
    asked = item(key, tuple(accept))
    orders = [
        [names[at] for at in order]
        for order in itertools.permutations(range(len(levels)))
        if all(levels[a] >= levels[b] for a, b in itertools.pairwise(order))
    ]
    tied = ranked(*names, levels=[float(level) for level in levels])
    ranks = [min(order.index(name) for name in right) + 1 for order in orders]
    k = data.draw(st.integers(1, 6))
    assert Recall(k, accept=True).mark(asked, tied)["credit"] == pytest.approx(np.mean([rank <= k for rank in ranks]))
    assert Mrr(accept=True).mark(asked, tied)["credit"] == pytest.approx(np.mean([1 / rank for rank in ranks]))
    assert AverageRank(accept=True).mark(asked, tied)["credit"] == pytest.approx(np.mean(ranks))


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(-4, 0)), unique_by=lambda pair: pair[0], min_size=1),
    st.randoms(),
)
def test_shuffling_candidates_changes_nothing(pairs, random):
    names = [(f"e{number}", float(level)) for number, level in pairs]
    shuffled = list(names)
    random.shuffle(shuffled)
    asked = item(names[0][0])
    for name in ("recall@1", "recall@3", "top5", "mrr", "average_rank", "accuracy", "match", "surprisal"):
        metric = make("metric", name)
        one, other = (
            metric.mark(asked, ranked(*(n for n, _ in order), levels=[level for _, level in order]))
            for order in (names, shuffled)
        )
        assert one == pytest.approx(other)


def test_chambers_repeated_said():
    """Chambers 2017, section 2: a unigram that answers *said* gets 5 of 10, 1 of 6 (unique forms), 1 of 5 (unique lemmas)."""
    chain = ["criticized", "said", "distributed", "asking", "said", "said", "said", "said", "admitted", "asked"]
    lemma = dict(zip(dict.fromkeys(chain), ["criticize", "say", "distribute", "ask", "admit", "ask"], strict=True))
    for keys, guess, right, n in (
        (chain, "said", 5, 10),
        (list(dict.fromkeys(chain)), "said", 1, 6),
        (list(dict.fromkeys(lemma[form] for form in chain)), "say", 1, 5),
    ):
        for name in ("recall@1", "accuracy"):
            metric = make("metric", name)
            marks = [metric.mark(item(f"{key}:subj"), ranked(f"{guess}:subj")) for key in keys]
            assert len(marks) == n
            assert value(metric, marks) == pytest.approx(right / n)


def test_names_and_signature():
    assert make("metric", "recall@50").name == "recall@50"
    assert make("metric", "top5").name == "top5"
    assert make("metric", "recall").name == "recall"  # that of labels
    assert make("metric", "mrr").settings() == {"ties": "expected"}
    with pytest.raises(BadInput, match="at least 1"):
        make("metric", "recall@0")


def test_combine_keeps_any_shape_and_bears_zeros():
    totals = {"credit": np.array([[1.0, 0.0], [3.0, 2.0]]), "n": np.array([[2.0, 0.0], [3.0, 4.0]])}
    assert Mrr().combine(totals).tolist() == [[0.5, 0.0], [1.0, 0.5]]
    assert not math.isnan(float(Mrr().combine({"credit": np.asarray(0.0), "n": np.asarray(0.0)})))
