"""Intervals that cover, tests that hold their level, and corrections by hand."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.bench import significance
from scenarist.bench.bootstrap import detectable, group_sums, interval, minimum_detectable, replicated, standard_error
from scenarist.bench.significance import compare, holm, mcnemar, minimum_detectable_pair, pair, randomisation
from scenarist.errors import BadInput
from scenarist.metrics.accuracy import Accuracy
from scenarist.metrics.labels import F1
from scenarist.metrics.surprisal import Surprisal
from scenarist.question import Mark


def yes_no(values, groups=None):
    groups = groups if groups is not None else [""] * len(values)
    return [
        Mark(f"i{at}", (("right", float(value)), ("n", 1.0)), str(group))
        for at, (value, group) in enumerate(zip(values, groups, strict=True))
    ]


def nats(values):
    return [Mark(f"i{at}", (("nats", float(value)), ("n", 1.0))) for at, value in enumerate(values)]


def test_the_same_seed_gives_the_same_interval():
    marks = yes_no([1, 0, 1, 1, 0, 1] * 20)
    assert interval(Accuracy(), marks, seed=7) == interval(Accuracy(), marks, seed=7)
    assert interval(Accuracy(), marks, seed=7) != interval(Accuracy(), marks, seed=8)


def test_the_interval_is_about_the_normal_one_for_many_items():
    marks = yes_no([1] * 700 + [0] * 300)
    low, high = interval(Accuracy(), marks)
    half = 1.96 * math.sqrt(0.7 * 0.3 / 1000)
    assert low == pytest.approx(0.7 - half, abs=0.004)
    assert high == pytest.approx(0.7 + half, abs=0.004)


def test_both_ways_of_drawing_have_the_same_spread():
    """Few distinct marks are drawn as one multinomial, many one by one; the spread must not depend on it."""
    rng = np.random.default_rng(1)
    coarse = rng.integers(0, 2, size=900).astype(float)
    fine = coarse + rng.normal(0, 1e-9, size=900)  # the same numbers, all distinct
    few, many = standard_error(Surprisal(), nats(coarse)), standard_error(Surprisal(), nats(fine))
    assert few == pytest.approx(np.std(coarse) / math.sqrt(900), rel=0.06)
    assert many == pytest.approx(few, rel=0.08)


def test_coverage_of_the_interval():
    """Of 300 samples of 150 items, the 95 % interval holds the true rate in about 95 %."""
    rng = np.random.default_rng(11)
    hits = 0
    for run in range(300):
        low, high = interval(Accuracy(), yes_no(rng.random(150) < 0.6), seed=run, replicates=400)
        hits += low <= 0.6 <= high
    assert 0.91 <= hits / 300 <= 0.98


def test_coverage_needs_groups():
    """Items of one source err together: drawing items covers far too seldom, drawing groups about rightly."""
    rng = np.random.default_rng(12)
    clustered = plain = 0
    for run in range(200):
        rates = rng.beta(1.5, 1.0, size=60)  # mean 0.6, one rate a source
        values = (rng.random((60, 10)) < rates[:, None]).ravel()
        groups = np.repeat(np.arange(60), 10)
        for marks, kind in ((yes_no(values, groups), "groups"), (yes_no(values), "items")):
            low, high = interval(Accuracy(), marks, seed=run, replicates=300)
            inside = low <= 0.6 <= high
            clustered += kind == "groups" and inside
            plain += kind == "items" and inside
    assert 0.89 <= clustered / 200 <= 0.985
    assert plain / 200 < 0.8


def test_a_ratio_of_sums_is_replicated_whole():
    marks = [Mark(f"i{at}", (("tp", 1.0 * (at % 2)), ("fp", 1.0 * (at % 3 == 0)), ("fn", 0.5))) for at in range(60)]
    values = replicated(F1(), marks, replicates=500)
    assert values.shape == (500,)
    assert np.mean(values) == pytest.approx(float(F1().combine(group_sums(marks).totals())), abs=0.02)


def test_marks_may_have_different_names():
    sums = group_sums([Mark("a", (("tp:x", 1.0),), "g"), Mark("b", (("fn:y", 2.0),), "g"), Mark("c", ())])
    assert sums.names == ("tp:x", "fn:y")
    assert sums.table.tolist() == [[1.0, 2.0], [0.0, 0.0]]
    with pytest.raises(BadInput, match="nothing to score"):
        group_sums([])


def test_minimum_detectable_difference():
    marks = yes_no([1, 0] * 500)
    error = math.sqrt(0.25 / 1000)
    assert detectable(error) == pytest.approx((1.959964 + 0.841621) * error, rel=1e-5)
    assert minimum_detectable(Accuracy(), marks) == pytest.approx(2.801585 * math.sqrt(2) * error, rel=0.06)
    # two systems that err on the same items but 20 are told apart sooner
    other = yes_no([1, 0] * 490 + [0, 1] * 10)
    assert minimum_detectable_pair(Accuracy(), marks, other) < minimum_detectable(Accuracy(), marks) / 3


def test_the_detectable_difference_is_detected_in_four_of_five():
    rng = np.random.default_rng(4)
    n, rate = 250, 0.5
    gap = detectable(math.sqrt(2 * rate * (1 - rate) / n))
    found = 0
    for run in range(200):
        a, b = rng.random(n) < rate + gap / 2, rng.random(n) < rate - gap / 2
        found += compare(Accuracy(), yes_no(a), yes_no(b), seed=run, replicates=50).p < 0.05
    assert 0.68 <= found / 200 <= 0.88  # the exact test is a little conservative


def test_mcnemar_by_hand_and_by_scipy():
    # 2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2**20
    assert mcnemar(5, 15) == pytest.approx(43400 / 1048576, rel=1e-12)
    assert mcnemar(0, 0) == 1
    assert mcnemar(4, 4) == 1
    assert mcnemar(0, 6) == pytest.approx(2 / 64)
    stats = pytest.importorskip("scipy.stats")
    for b, c in ((3, 9), (40, 61), (0, 12), (700, 801), (5, 6)):
        assert mcnemar(b, c) == pytest.approx(stats.binomtest(b, b + c, 0.5).pvalue, rel=1e-9)


def test_the_test_is_chosen_by_the_marks():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    assert compare(Accuracy(), yes_no(a), yes_no(b)).test == "mcnemar"
    groups = np.repeat(np.arange(40), 2)
    assert compare(Accuracy(), yes_no(a, groups), yes_no(b, groups)).test == "randomisation"
    assert compare(Accuracy(), yes_no(a / 2), yes_no(b)).test == "randomisation"
    assert compare(Surprisal(), nats(rng.random(80)), nats(rng.random(80))).test == "bootstrap"


def test_a_difference_is_first_minus_second_with_its_interval():
    better, worse = yes_no([1] * 90 + [0] * 10), yes_no([1] * 60 + [0] * 40)
    found = compare(Accuracy(), better, worse)
    assert found.difference == pytest.approx(0.3)
    assert found.low > 0.2
    assert found.high < 0.4
    assert found.p == pytest.approx(2 / 2**30)
    back = compare(Accuracy(), worse, better)
    assert (back.difference, back.p) == (pytest.approx(-0.3), found.p)
    assert (back.low, back.high) == (pytest.approx(-found.high, abs=0.02), pytest.approx(-found.low, abs=0.02))


def test_order_of_marks_does_not_matter():
    rng = np.random.default_rng(6)
    a, b = yes_no(rng.integers(0, 2, 60)), yes_no(rng.integers(0, 2, 60))
    shuffled = [b[at] for at in rng.permutation(60)]
    assert compare(Accuracy(), a, b) == compare(Accuracy(), a, shuffled)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=25))
def test_randomisation_agrees_with_mcnemar_on_yes_and_no(pairs):
    """Both are exact tests of one hypothesis; the drawn one differs by its sampling error."""
    a, b = zip(*pairs, strict=True)
    p = randomisation(Accuracy(), pair(yes_no(a), yes_no(b)), seed=1, shuffles=4000)
    only_a, only_b = sum(x and not y for x, y in pairs), sum(y and not x for x, y in pairs)
    assert p == pytest.approx(mcnemar(only_a, only_b), abs=0.035)


@pytest.mark.parametrize("kind", ["randomisation", "bootstrap"])
def test_under_the_null_p_is_small_as_often_as_it_says(kind):
    rng = np.random.default_rng(21)
    ps = []
    for run in range(200):
        if kind == "randomisation":
            rates = rng.random(40)
            a, b = ((rng.random((40, 4)) < rates[:, None]).ravel() for _ in range(2))
            groups = np.repeat(np.arange(40), 4)
            ps.append(
                compare(Accuracy(), yes_no(a, groups), yes_no(b, groups), seed=run, replicates=20, shuffles=400).p
            )
        else:
            one, other = nats(rng.exponential(size=100)), nats(rng.exponential(size=100))
            ps.append(compare(Surprisal(), one, other, seed=run, replicates=400).p)
    assert np.mean(np.array(ps) < 0.05) <= 0.10
    assert 0.40 <= np.mean(ps) <= 0.60
    assert min(ps) > 0


def test_a_real_difference_of_means_is_found():
    rng = np.random.default_rng(8)
    base = rng.exponential(size=300)
    found = compare(Surprisal(), nats(base), nats(base + 0.2 + rng.normal(0, 0.3, 300)))
    assert found.test == "bootstrap"
    assert found.p < 0.01
    assert found.high < 0


def test_two_systems_must_have_sat_the_same_exam():
    with pytest.raises(BadInput, match="different items: 1 items"):
        compare(Accuracy(), yes_no([1, 0]), yes_no([1]))
    with pytest.raises(BadInput, match="marked twice"):
        compare(Accuracy(), yes_no([1]) * 2, yes_no([1]))
    with pytest.raises(BadInput, match="different groups"):
        compare(Accuracy(), yes_no([1, 0], ["a", "b"]), yes_no([1, 0], ["a", "a"]))


@pytest.mark.parametrize("shuffles", [1, 6, 7, 9])
def test_as_many_shuffles_are_drawn_as_were_asked_for(shuffles, monkeypatch):
    """In chunks of three: also where the last chunk is not full."""
    gap = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, 0.0]])
    monkeypatch.setattr(significance, "CELLS", 6)  # two distinct rows: chunks of three
    parts = list(significance.swapped(gap, np.random.default_rng(1), shuffles))
    assert [len(part) for part in parts] == [3] * (shuffles // 3) + [shuffles % 3] * (shuffles % 3 > 0)
    assert all(part[0] in (0.0, 1.0, 2.0) and part[1] in (0.0, 2.0) for chunk in parts for part in chunk)


def test_equal_systems_do_not_differ():
    marks = yes_no([1, 0, 1, 1])
    assert compare(Accuracy(), marks, marks)[1:] == (0.0, 0.0, 0.0, 1.0)
    assert compare(Surprisal(), nats([1.0, 2.0]), nats([1.0, 2.0])).p == 1.0
    half = yes_no([0.5, 0.25])
    assert compare(Accuracy(), half, half).p == 1.0


def test_holm_by_hand():
    # sorted .005 .01 .03 .04: 4 * .005 = .02; 3 * .01 = .03; 2 * .03 = .06; 1 * .04 = .04 -> not below .06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_keeps_the_order_and_lies_between_plain_and_bonferroni(ps):
    adjusted = holm(ps)
    for p, q in zip(ps, adjusted, strict=True):
        assert p <= q <= min(1.0, len(ps) * p) + 1e-12
    assert [q for _, q in sorted(zip(ps, adjusted, strict=True))] == sorted(adjusted)


def test_memory_does_not_grow_with_replicates():
    marks = nats(np.random.default_rng(0).random(3000))
    tracemalloc.start()
    replicated(Surprisal(), marks, replicates=4000)  # all weights at once would be 96 MB
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6
