"""Pk, WindowDiff and boundary similarity: parity with segeval and NLTK where they are right, and where they differ."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.metrics.windows import boundaries, boundary_edits, masses, pk_windows, window_size, windowdiff_windows

PAIRS = st.integers(3, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.booleans(), min_size=n, max_size=n), st.lists(st.booleans(), min_size=n, max_size=n)
    )
)


def error(windows):
    return windows.wrong / windows.compared


def text(places):
    return "".join("01"[place] for place in places)


def places(string):
    return [mark == "1" for mark in string]


@given(st.lists(st.booleans(), max_size=40))
def test_masses_and_boundaries_are_the_same_thing(given_places):
    assert boundaries(masses(given_places)) == tuple(given_places)
    assert sum(masses(given_places)) == len(given_places) + 1


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_boundaries_and_masses_are_the_same_thing(lengths):
    assert masses(boundaries(lengths)) == tuple(lengths)


def test_masses_must_be_positive():
    with pytest.raises(BadInput, match="at least 1"):
        boundaries((2, 0, 1))


@settings(deadline=None)
@given(PAIRS)
def test_parity_with_segeval(pair):
    segeval = pytest.importorskip("segeval")
    reference, hypothesis = pair
    ref, hyp = masses(reference), masses(hypothesis)
    k = segeval.compute_window_size(ref)
    assume(k < sum(ref))
    assert window_size(reference) == k
    assert error(pk_windows(reference, hypothesis, k)) == pytest.approx(float(segeval.pk(hyp, ref)))
    assert error(windowdiff_windows(reference, hypothesis, k)) == pytest.approx(float(segeval.window_diff(hyp, ref)))
    if any(reference) or any(hypothesis):
        for near in (2, 3, 4):
            ours = boundary_edits(hypothesis, reference, near)
            assert 1 - error(ours) == pytest.approx(float(segeval.boundary_similarity(hyp, ref, n_t=near)))


@settings(deadline=None)
@given(PAIRS)
def test_padded_edges_are_segevals_fix_with_the_right_denominator(pair):
    segeval = pytest.importorskip("segeval")
    reference, hypothesis = pair
    k = window_size(reference)
    ours = windowdiff_windows(reference, hypothesis, k, edges="padded")
    wrong, theirs = segeval.window_diff(
        masses(hypothesis), masses(reference), lamprier_et_al_2007_fix=True, window_size=k, return_parts=True
    )
    assert ours.wrong == wrong
    assert ours.compared == theirs - 1  # segeval divides by one window more than it looked at


@settings(deadline=None)
@given(PAIRS)
def test_parity_with_nltk_on_places(pair):
    nltk = pytest.importorskip("nltk.metrics.segmentation")
    reference, hypothesis = pair
    ref, hyp = text(reference), text(hypothesis)
    k = window_size(reference, "nltk")
    assume(round(len(ref) / (max(ref.count("1"), 1) * 2.0)) >= 1)
    assert error(pk_windows(reference, hypothesis, k, "nltk")) == pytest.approx(nltk.pk(ref, hyp))
    for weighted in (False, True):
        ours = windowdiff_windows(reference, hypothesis, k, "nltk", weighted=weighted)
        assert error(ours) == pytest.approx(nltk.windowdiff(ref, hyp, k, weighted=weighted))


@settings(deadline=None)
@given(PAIRS)
def test_parity_with_nltk_on_units_with_the_end_marked(pair):
    nltk = pytest.importorskip("nltk.metrics.segmentation")
    reference, hypothesis = pair
    ref, hyp = text(reference) + "1", text(hypothesis) + "1"
    assume(round(len(ref) / (ref.count("1") * 2.0)) >= 1)
    k = window_size(reference, "nltk-end")
    assert error(pk_windows(reference, hypothesis, k, "nltk-end")) == pytest.approx(nltk.pk(ref, hyp))
    assert error(windowdiff_windows(reference, hypothesis, k, "nltk-end")) == pytest.approx(
        nltk.windowdiff(ref, hyp, k)
    )


def test_one_input_two_values():
    """docs/footguns.md: NLTK's default Pk is 0.40 where segeval's is 0.545."""
    segeval = pytest.importorskip("segeval")
    nltk = pytest.importorskip("nltk.metrics.segmentation")
    ref, hyp = "100010000000", "101000100000"
    assert nltk.pk(ref, hyp) == pytest.approx(0.40)
    theirs = segeval.pk(segeval.convert_nltk_to_masses(hyp), segeval.convert_nltk_to_masses(ref))
    assert float(theirs) == pytest.approx(0.545, abs=5e-4)
    for convention, number in (("nltk", Fraction(4, 10)), ("segeval", Fraction(6, 11))):
        k = window_size(places(ref), convention)
        assert error(pk_windows(places(ref), places(hyp), k, convention)) == pytest.approx(float(number))


def test_where_segeval_stops_we_answer():
    segeval = pytest.importorskip("segeval")
    with pytest.raises(ValueError):
        segeval.boundary_similarity((5,), (5,))
    assert boundary_edits([False] * 4, [False] * 4).compared == 0
    with pytest.raises(ArithmeticError):
        segeval.window_diff((1, 1), (2,))
    assert windowdiff_windows([False], [True], window_size([False])) == (1, 1)
    assert segeval.pk((1, 1), (2,)) == 0  # a wrong boundary, and no window to see it
    assert pk_windows([False], [True], window_size([False])) == (1, 1)
    with pytest.raises(AssertionError):  # integers compared by identity: more than 256 units in a window
        segeval.window_diff((600,), (1,) * 600, window_size=300)
    assert error(windowdiff_windows([True] * 599, [False] * 599, 300)) == 1


def test_rounding_of_the_half_mean():
    reference = boundaries((5, 5))
    assert {way: window_size(reference, rounding=way) for way in ("even", "up", "floor", "ceil")} == {
        "even": 2, "up": 3, "floor": 2, "ceil": 3,
    }  # fmt: skip
    with pytest.raises(BadInput, match="rounding"):
        window_size(reference, rounding="down")
    with pytest.raises(BadInput, match="convention"):
        window_size(reference, "segval")


def test_lengths_must_agree():
    with pytest.raises(BadInput, match="same sentences"):
        pk_windows([True], [True, False], 1)
