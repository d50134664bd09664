"""Kappa (identical label sets), raw agreement (one shared label), span agreement (a shared token and label), entropy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.metrics.agreement import (
    EntropyAgreement,
    Kappa,
    RawAgreement,
    SpanAgreement,
    corrected_entropy,
    entropy,
    resampled_entropy,
    scaled_agreement,
)
from scenarist.metrics.ordering import poll
from scenarist.question import Guess, Item, Prediction, Segments, Unsaid, Where
from scenarist.story import Label, Segment, Story


def annotate(text, labels, by):
    made = tuple(
        Segment(sentence.start, sentence.stop, tuple(Label(name) for name in names))
        for sentence, names in zip(text.sentences, labels, strict=True)
        if names
    )
    return Prediction("i", (Guess(Segments(made)),), by=by)


def two(ours, theirs):
    text = Story.from_sentences("s", [f"This is line {at}." for at in range(len(ours))])
    item = Item("i", Where(text), Segments(()))
    return annotate(text, ours, "p1"), annotate(text, theirs, "p2"), item


def value(metric, *marks):
    names = dict.fromkeys(name for mark in marks for name in mark)
    return float(metric.combine({name: np.asarray(sum(mark.get(name, 0.0) for mark in marks)) for name in names}))


def test_wanzare_section_3_2_by_hand():
    """Six sentences: identical sets twice, one shared label of two, different, one only, neither."""
    ours = [["a"], ["a", "b"], ["a", "b"], ["a"], ["b"], []]
    theirs = [["a"], ["b", "a"], ["b"], ["b"], [], []]
    sheet = two(ours, theirs)
    raw = RawAgreement().agree(*sheet)
    assert raw == {"same": 4.0, "n": 6.0}  # identical, identical, one shared, both without a label
    kappa = Kappa()
    # observed 3/6; chance: a 2*1, a+b 2*1, b 1*2, None 1*2 over 36
    assert value(kappa, kappa.agree(*sheet)) == pytest.approx((3 / 6 - 8 / 36) / (1 - 8 / 36))


def test_kappa_is_one_only_for_identical_sets():
    same, kappa = [["a", "b"], [], ["c"]], Kappa()
    assert value(kappa, kappa.agree(*two(same, same))) == 1
    assert value(kappa, kappa.agree(*two(same, [["a"], [], ["c"]]))) < 1
    assert value(kappa, kappa.agree(*two([["a"]] * 3, [["a"]] * 3))) == 1  # chance is 1 as well


LABELS = st.sampled_from([(), ("a",), ("b",), ("a", "b")])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=15), st.integers(1, 14))
def test_kappa_has_parity_with_scikit_learn_and_pools_over_documents(pairs, cut):
    sklearn = pytest.importorskip("sklearn.metrics")
    ours, theirs = zip(*pairs, strict=True)
    names = [["+".join(labels) or "None" for labels in side] for side in (ours, theirs)]
    metric = Kappa()
    parts = [(ours[:cut], theirs[:cut]), (ours[cut:], theirs[cut:])]
    found = value(metric, *(metric.agree(*two(*part)) for part in parts if part[0]))
    if len({*names[0], *names[1]}) > 1:
        assert found == pytest.approx(sklearn.cohen_kappa_score(*names))
    else:
        assert found == 1


def test_somebody_who_gave_no_answer_agrees_with_nobody():
    ours, _, item = two([["a"], []], [[], []])
    assert RawAgreement().agree(ours, None, item) == {"same": 0.0, "n": 2.0}
    assert value(Kappa(), Kappa().agree(ours, None, item)) <= 0
    with pytest.raises(BadInput, match="needs the item"):
        Kappa().agree(ours, ours)


def test_prediction_against_key():
    text = Story.from_sentences("s", ["One is here.", "Two is here."])
    key = Segments((Segment(0, 12, (Label("a"),)),))
    item = Item("i", Where(text), key)
    assert RawAgreement().mark(item, Prediction("i", (Guess(key),))) == {"same": 2.0, "n": 2.0}


def span_item():
    text = Story.from_words("s", [["we", "dug", "beds", "."], ["we", "sowed", "peas", "."]])
    at = [(token.start, token.stop) for token in text.tokens]

    def answer(*runs):
        made = tuple(Segment(at[first][0], at[last][1], (Label(label),)) for first, last, label in runs)
        return Prediction("i", (Guess(Segments(made)),))

    return Item("i", Where(text), Segments(())), answer


def test_spans_that_share_a_token_and_a_label():
    item, answer = span_item()
    ours, theirs = answer((0, 3, "garden"), (6, 6, "shop")), answer((2, 5, "garden"), (6, 6, "cook"))
    # one pair: tokens 0-3 and 2-5 share 2 of 6; the other two share a token and no label
    assert SpanAgreement().agree(ours, theirs, item) == pytest.approx({"same": 2 / 6, "n": 1.0})
    assert SpanAgreement("pooled").agree(ours, theirs, item) == {"same": 2.0, "n": 6.0}
    assert SpanAgreement("matched").agree(ours, theirs, item) == {"same": 2.0, "n": 4.0}
    assert SpanAgreement().agree(ours, answer((4, 5, "garden")), item) == {"same": 0, "n": 0.0}
    with pytest.raises(BadInput, match="measure"):
        SpanAgreement("fuzzy")


def test_the_first_guess_is_the_annotation():
    item, answer = span_item()
    ours = answer((0, 3, "garden"))
    more = Prediction("i", (*ours.guesses, Guess("garden")))  # a second guess of another kind changes nothing
    assert SpanAgreement().agree(ours, more, item) == {"same": 1.0, "n": 1.0}
    turned = Prediction("i", more.guesses[::-1])
    assert SpanAgreement("matched").agree(ours, turned, item) == {"same": 0.0, "n": 1.0}


def test_spans_that_are_equal_agree_wholly():
    item, answer = span_item()
    one = answer((0, 3, "garden"), (2, 7, "shop"))
    for measure in ("overlap", "pooled", "matched"):
        metric = SpanAgreement(measure)
        assert value(metric, metric.agree(one, one, item)) == 1


def test_resampled_entropy_is_what_drawing_gives():
    counts, rng = [4, 2, 1, 1], np.random.default_rng(5)
    draws = rng.multinomial(8, np.array(counts) / 8, size=20_000)
    drawn = np.mean([entropy(draw.tolist()) for draw in draws])
    assert resampled_entropy(counts) == pytest.approx(drawn, abs=0.01)


def test_the_correction_lowers_the_bias():
    """Samples of ten from six equally likely answers: the corrected mean is nearer to the truth than the naive one."""
    rng, truth = np.random.default_rng(3), math.log(6)
    samples = rng.multinomial(10, [1 / 6] * 6, size=2000).tolist()
    naive, corrected = np.mean([entropy(s) for s in samples]), np.mean([corrected_entropy(s) for s in samples])
    assert naive < corrected
    assert abs(corrected - truth) < 0.35 * abs(naive - truth)


def test_agreement_separates_few_people_from_clear_camps():
    """Bennett: two people with two answers agree less than ten people in two camps of five."""
    assert scaled_agreement("ab", "none") == pytest.approx(-1)
    assert scaled_agreement("aaaaabbbbb", "none") == pytest.approx(-math.log(2) / math.log(10))
    assert scaled_agreement("ab") < scaled_agreement("aaaaabbbbb") < scaled_agreement("aaa") == 0
    assert scaled_agreement("ab") == pytest.approx(-1.5)
    assert scaled_agreement("ab", clip=True) == -1
    with pytest.raises(BadInput, match="at least two people"):
        scaled_agreement("a")


def test_entropy_agreement_reads_a_poll_and_leaves_out_single_answers():
    item = Item("i", Unsaid(Story.from_sentences("s", ["We sat down."])), "order")
    metric = EntropyAgreement()
    crowd = poll(
        [Prediction("i", (Guess(verb),), by) for verb, by in (("order", "p1"), ("order", "p2"), ("eat", "p3"))]
    )
    assert metric.mark(item, crowd)["agreement"] == pytest.approx(scaled_agreement(["order", "order", "eat"]))
    assert metric.mark(item, Prediction("i", (Guess("eat"),)))["n"] == 0
    assert metric.mark(item, None)["n"] == 0


def test_entropy_agreement_is_a_mean_over_items():
    metric = EntropyAgreement(correction="none")
    item = Item("i", Unsaid(Story.from_sentences("s", ["We sat down."])), "order")
    split, whole = (
        metric.mark(item, poll([Prediction("i", (Guess(verb),), f"p{place}") for place, verb in enumerate(verbs)]))
        for verbs in (("sit", "order"), ("sit", "sit"))
    )
    assert split["n"] == whole["n"] == 1.0
    totals = {key: np.asarray(split[key] + whole[key]) for key in split}
    assert float(metric.combine(totals)) == pytest.approx((split["agreement"] + whole["agreement"]) / 2)
