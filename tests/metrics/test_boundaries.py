"""Boundary metrics on items: where boundaries stand, averages, missing predictions."""

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.metrics.boundaries import BoundarySimilarity, Pk, WindowDiff, between
from scenarist.metrics.sentence_labels import answer_units
from scenarist.question import Guess, Item, Prediction, Segments, Where
from scenarist.registry import make
from scenarist.story import Label, Segment, Story


def story(n):
    return Story.from_sentences("s", [f"Sentence number {at} is here." for at in range(n)])


def spans(text, *runs):
    """Segments over runs of sentences: (first, last, label, ...) with last included."""
    return Segments(
        tuple(
            Segment(text.sentences[first].start, text.sentences[last].stop, tuple(Label(name) for name in names))
            for first, last, *names in runs
        )
    )


def value(metric, *marks):
    names = marks[0].keys()
    return float(metric.combine({name: np.asarray(sum(mark[name] for mark in marks)) for name in names}))


def test_boundaries_stand_where_labels_change():
    text = story(6)
    item = Item("i", Where(text), spans(text, (0, 1, "a"), (2, 3, "a"), (4, 4, "b")))
    units = answer_units(item, item.key)
    assert between(units) == (False, False, False, True, True)
    assert between(units, "segments") == (False, True, False, True, True)


def test_low_ranked_labels_make_no_boundary():
    text = story(3)
    ranked = Segments(
        tuple(
            Segment(s.start, s.stop, (Label("a", 0.9), Label(f"other {at}", 0.1)))
            for at, s in enumerate(text.sentences)
        )
    )
    assert between(answer_units(Item("i", Where(text), ranked), ranked)) == (False, False)


def test_a_nested_segment_has_boundaries():
    text = story(5)
    key = spans(text, (0, 4, "a"), (2, 3, "b"))
    assert between(answer_units(Item("i", Where(text), key), key)) == (False, True, False, True)


def items():
    short, long = story(4), story(12)
    return [
        Item("short", Where(short), spans(short, (0, 1, "a"), (2, 3, "b"))),
        Item("long", Where(long), spans(long, (0, 5, "a"), (6, 11, "b"))),
    ]


@pytest.mark.parametrize("name", ["pk", "windowdiff", "boundary_similarity"])
def test_key_is_perfect_and_missing_is_worst(name):
    for average in ("document", "pooled"):
        metric = make("metric", name, average=average)
        perfect = [metric.mark(item, Prediction(item.id, (Guess(item.key),))) for item in items()]
        missing = [metric.mark(item, None) for item in items()]
        assert value(metric, *perfect) == (1.0 if metric.higher else 0.0)
        assert value(metric, *missing) == (0.0 if metric.higher else 1.0)


def test_documents_or_windows_are_averaged():
    short, long = items()
    # nothing found in the short one: 2 windows, both wrong for k=2 (one boundary in the middle); the long one is perfect
    guesses = [
        Prediction("short", (Guess(spans(short.question.story, (0, 3, "a"))),)),
        Prediction("long", (Guess(long.key),)),
    ]
    one, other = Pk(), Pk(average="pooled")
    marks = [one.mark(item, guess) for item, guess in zip((short, long), guesses, strict=True)]
    pooled = [other.mark(item, guess) for item, guess in zip((short, long), guesses, strict=True)]
    assert value(one, *marks) == pytest.approx(0.5)
    assert value(other, *pooled) == pytest.approx(2 / (2 + 12 - 3))


def test_a_single_sentence_does_not_count():
    text = story(1)
    item = Item("i", Where(text), spans(text, (0, 0, "a")))
    for metric in (Pk(), WindowDiff(), BoundarySimilarity()):
        assert metric.mark(item, None)["n"] == 0


def test_no_boundary_on_either_side_is_perfect():
    text = story(4)
    item = Item("i", Where(text), spans(text, (0, 3, "a")))
    guess = Prediction("i", (Guess(spans(text, (0, 3, "b"))),))
    for metric, best in ((Pk(), 0), (WindowDiff(), 0), (BoundarySimilarity(), 1)):
        assert value(metric, metric.mark(item, guess)) == best


def test_the_variant_stands_in_the_signature():
    assert Pk().settings() == {
        "convention": "segeval", "window": "half-mean", "rounding": "even",
        "average": "document", "between": "labels", "unit": "sentence",
    }  # fmt: skip
    assert Pk(window=4).settings()["window"] == 4
    assert WindowDiff(edges="padded", convention="nltk").settings()["edges"] == "padded"
    for wrong in ({"convention": "nltl"}, {"window": 0}, {"average": "mean"}, {"between": "words"}, {"rounding": "no"}):
        with pytest.raises(BadInput):
            Pk(**wrong)


def test_a_fixed_window_is_cut_to_the_document():
    short, _ = items()
    assert Pk(window=50, average="pooled").mark(short, None) == {"error": 1.0, "n": 1.0}


def test_windows_count_alike_unless_they_are_weighted():
    from scenarist.metrics.boundaries import WindowDiff

    plain, weighted = WindowDiff(), WindowDiff(weighted=True)
    assert plain.settings()["weighted"] is False and weighted.settings()["weighted"] is True
    one, two = (True, False, False, False, False, False), (True, True, True, False, False, False)
    wrong = sum(plain.error(two, one)[:1]) if isinstance(plain.error(two, one), tuple) else 0
    more = sum(weighted.error(two, one)[:1]) if isinstance(weighted.error(two, one), tuple) else 0
    assert more > wrong > 0  # a window that lacks two boundaries weighs twice


def test_a_window_with_two_wrong_boundaries_counts_once_unless_it_is_weighted():
    text = story(6)
    item = Item("i", Where(text), spans(text, (0, 5, "a")))
    cut = Prediction("i", (Guess(spans(text, (0, 1, "a"), (2, 2, "b"), (3, 5, "c"))),))
    plain, weighted = WindowDiff(window=3, average="pooled"), WindowDiff(window=3, average="pooled", weighted=True)
    assert plain.settings()["weighted"] is False and weighted.settings()["weighted"] is True
    assert weighted.mark(item, cut)["error"] > plain.mark(item, cut)["error"] == plain.mark(item, cut)["n"]
