"""Precision, recall and F1 of sentence labels: Wanzare's bath sentence, top-n, *None*, averages, parity with scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.metrics.labels import F1, LabelRecall, NoneF1, Precision, SentenceAccuracy
from scenarist.question import Guess, Item, Prediction, Segments, Where
from scenarist.registry import make
from scenarist.story import Label, Segment, Story

TELLING = ("The tub was full.", "I got my curls wet.", "The towel was warm.", "Then it rained.")


def story(n=4):
    return Story.from_sentences("s", (TELLING * n)[:n])


def segments(text, *labels):
    """One segment for each sentence that has labels; a label is a name or (name, weight)."""
    made = []
    for sentence, names in zip(text.sentences, labels, strict=True):
        if names:
            pairs = [name if isinstance(name, tuple) else (name, 1.0) for name in names]
            made.append(Segment(sentence.start, sentence.stop, tuple(Label(*pair) for pair in pairs)))
    return Segments(tuple(made))


def sheet(key, guess):
    text = story(len(key))
    item = Item("i", Where(text), segments(text, *key))
    return item, Prediction("i", (Guess(segments(text, *guess)),))


def value(metric, *marks):
    names = dict.fromkeys(name for mark in marks for name in mark)
    return float(metric.combine({name: np.asarray(sum(mark.get(name, 0.0) for mark in marks)) for name in names}))


def test_the_bath_sentence():
    """Wanzare 2019, section 5.1: half a true positive, half a false negative, one false positive."""
    item, guess = sheet([["washing hair", "taking a bath"]], [[("taking a bath", 0.9), ("getting ready for bed", 0.8)]])
    for metric in (Precision(), LabelRecall(), F1()):
        assert metric.mark(item, guess) == {"tp": 0.5, "fp": 1.0, "fn": 0.5}
    mark = F1().mark(item, guess)
    assert value(Precision(), mark) == pytest.approx(1 / 3)
    assert value(LabelRecall(), mark) == pytest.approx(1 / 2)
    assert value(F1(), mark) == pytest.approx(0.4)
    assert F1(wrong="proportional").mark(item, guess)["fp"] == 0.5


def test_as_many_labels_are_asked_for_as_the_key_has():
    ranking = [("a", 0.9), ("b", 0.8), ("c", 0.7)]
    item, guess = sheet([["a"], ["a", "c"], ["c"]], [ranking] * 3)
    # a: right; a, b of a, c: half right, half missed, one wrong; a for c: missed and wrong
    assert F1().mark(item, guess) == pytest.approx({"tp": 1.5, "fp": 2.0, "fn": 1.5})
    assert F1(top="all").mark(item, guess) == pytest.approx({"tp": 3.0, "fp": 5.0, "fn": 0.0})


def test_labels_that_tie_at_the_cut_count_at_their_expectation():
    item, guess = sheet([["a"]], [["a", "b"]])
    assert F1().mark(item, guess) == pytest.approx({"tp": 0.5, "fp": 0.5, "fn": 0.5})


def test_none_is_empty_a_label_or_ignored():
    item, guess = sheet([["a"], [], []], [["a"], ["a"], []])
    assert F1().mark(item, guess) == {"tp": 1.0, "fp": 1.0, "fn": 0.0}
    assert F1(none="label").mark(item, guess) == {"tp": 2.0, "fp": 1.0, "fn": 1.0}
    assert F1(none="ignore").mark(item, guess) == {"tp": 1.0, "fp": 0.0, "fn": 0.0}
    # Table 6 of the paper: leaving the *None* sentences out raises precision and leaves recall alone
    assert value(LabelRecall(), F1().mark(item, guess)) == value(LabelRecall(), F1(none="ignore").mark(item, guess))


def test_a_missing_prediction_finds_nothing_and_claims_nothing():
    item, _ = sheet([["a", "b"], []], [[], []])
    assert F1().mark(item, None) == {"tp": 0.0, "fp": 0.0, "fn": 1.0}
    assert F1(none="label").mark(item, None) == {"tp": 0.0, "fp": 0.0, "fn": 2.0}
    assert NoneF1().mark(item, None) == {"tp": 0.0, "fp": 0.0, "fn": 1.0}


def test_none_detection():
    item, guess = sheet([["a"], [], [], ["b"]], [["a"], [], ["c"], []])
    assert NoneF1().mark(item, guess) == {"tp": 1.0, "fp": 1.0, "fn": 1.0}


def test_a_segment_inside_a_sentence_labels_it_and_segments_nest():
    text = story(3)
    inner, outer = (
        Segment(text.sentences[1].start + 4, text.sentences[1].start + 8, (Label("b"),)),
        Segment(0, text.sentences[1].stop, (Label("a"),)),
    )
    item = Item("i", Where(text), Segments((inner, outer)))
    good = Prediction("i", (Guess(segments(text, ["a"], ["b", "a"], [])),))
    assert F1().mark(item, good) == {"tp": 2.0, "fp": 0.0, "fn": 0.0}
    assert SentenceAccuracy().mark(item, good) == {"right": 3.0, "n": 3.0}


def test_labels_of_whole_stories():
    text = story(2)
    item = Item("i", Where(text), "a")
    assert F1().mark(item, Prediction("i", (Guess("a"),))) == {"tp": 2.0, "fp": 0.0, "fn": 0.0}
    with pytest.raises(BadInput, match="segments"):
        from scenarist.question import Permutation

        F1().mark(Item("i", Where(text), Permutation((0, 1))), None)


@pytest.mark.parametrize("name", ["None", "none", ""])
def test_a_segment_that_says_none_first_is_none(name):
    item, guess = sheet([[], ["a"]], [[(name, 0.9), ("b", 0.1)], [("a", 0.9), (name, 0.1)]])
    assert F1().mark(item, guess) == {"tp": 1.0, "fp": 0.0, "fn": 0.0}
    assert NoneF1().mark(item, guess) == {"tp": 1.0, "fp": 0.0, "fn": 0.0}
    assert F1(none="label").mark(Item("i", item.question, name), Prediction("i", (Guess(name),)))["tp"] == 2


def test_settings_are_checked():
    with pytest.raises(BadInput, match="average"):
        F1(average="mikro")
    assert F1().settings()["average"] == "micro"


LABELS = st.sampled_from(["a", "b", "c", "d"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=12))
def test_parity_with_scikit_learn_where_sentences_have_one_label(pairs):
    sklearn = pytest.importorskip("sklearn.metrics")
    key, guess = zip(*pairs, strict=True)
    item, prediction = sheet([[label] for label in key], [[label] for label in guess])
    for average in ("micro", "macro"):
        theirs = sklearn.precision_recall_fscore_support(key, guess, average=average, zero_division=0.0)
        for ours, number in zip((Precision, LabelRecall, F1), theirs, strict=False):
            metric = ours(average=average)
            assert value(metric, metric.mark(item, prediction)) == pytest.approx(number)
    accuracy = SentenceAccuracy()
    assert value(accuracy, accuracy.mark(item, prediction)) == pytest.approx(sklearn.accuracy_score(key, guess))


def test_macro_mean_over_replicates_skips_labels_that_do_not_occur():
    metric = make("metric", "f1", average="macro")
    totals = {
        "tp": np.zeros(2), "fp": np.zeros(2), "fn": np.zeros(2),
        "tp:a": np.array([2.0, 2.0]), "fn:b": np.array([1.0, 0.0]),
    }  # fmt: skip
    assert metric.combine(totals).tolist() == [0.5, 1.0]


def test_nothing_to_find_and_nothing_claimed_is_perfect():
    item, guess = sheet([[], []], [[], []])
    for average in ("micro", "macro"):
        metric = F1(average=average)
        assert value(metric, metric.mark(item, guess)) == 1.0


def test_a_label_for_a_sentence_that_tells_nothing_is_one_wrong_label():
    """Also where a wrong label costs a share: there is no key to share with, so the price is one."""
    item, guess = sheet([[]], [["a"]])
    for wrong in ("whole", "proportional"):
        assert F1(wrong=wrong).mark(item, guess) == {"tp": 0.0, "fp": 1.0, "fn": 0.0}
