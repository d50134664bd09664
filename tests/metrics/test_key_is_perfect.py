"""The metric of the key is perfect, of nothing is not better, for every metric and any item (hypothesis)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.question import Choice, Guess, Item, Order, Permutation, Prediction, Segments, Where
from scenarist.registry import make, names
from scenarist.story import Label, Segment, Story

PERFECT = {
    "accuracy": 1, "match": 1, "recall@1": 1, "top5": 1, "mrr": 1, "average_rank": 1, "surprisal": 0,
    "precision": 1, "recall": 1, "f1": 1, "none_f1": 1, "sentence_accuracy": 1,
    "pk": 0, "windowdiff": 0, "boundary_similarity": 1, "kappa": 1, "raw_agreement": 1, "span_agreement": 1,
    "kendall_tau": 1, "perfect_order": 1, "near_order": 1, "majority_order": 1, "place": 1, "within": 1, "distance": 0,
}  # fmt: skip
VARIANTS = [
    ("f1", {"average": "macro"}), ("f1", {"none": "label"}), ("f1", {"none": "ignore", "top": "all"}),
    ("precision", {"average": "macro", "wrong": "proportional"}),
    *[(name, {"convention": kind, "average": mean, "between": what})
      for name in ("pk", "windowdiff") for kind in ("segeval", "nltk", "nltk-end")
      for mean in ("document", "pooled") for what in ("labels", "segments")],
    ("windowdiff", {"edges": "padded"}), ("windowdiff", {"weighted": True}), ("boundary_similarity", {"near": 4}),
    ("span_agreement", {"measure": "pooled"}), ("span_agreement", {"measure": "matched"}),
]  # fmt: skip
LABELS = ("cooking", "washing up", "gardening", "None")


@st.composite
def where(draw):
    text = Story.from_sentences("s", [f"Line {at} of it." for at in range(draw(st.integers(1, 8)))])
    spans = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text.text) - 2))
        stop = draw(st.integers(start + 1, len(text.text)))
        label = st.sampled_from(LABELS)
        labels = draw(st.lists(label, min_size=1, max_size=2, unique=True))
        spans.append(Segment(start, stop, tuple(Label(name) for name in labels)))
    return Item("i", Where(text), Segments(tuple(spans)))


ORDERS = (
    st.integers(1, 6)
    .flatmap(lambda n: st.permutations(range(n)))
    .map(lambda order: Item("i", Order(tuple(f"Step {at}." for at in order)), Permutation(tuple(order))))
)
CHOICES = st.sampled_from([Item("i", Choice(("It rained.",), ("We got wet.", "We got rich.")), key) for key in "01"])


def kind_of(name):
    metric = make("metric", name)
    where_is = type(metric).__module__.rpartition(".")[2]
    return {"labels": where(), "boundaries": where(), "agreement": where(), "ordering": ORDERS}.get(where_is, CHOICES)


def value(metric, marks):
    keys = dict.fromkeys(key for mark in marks for key in mark)
    return float(metric.combine({key: np.asarray(sum(mark.get(key, 0.0) for mark in marks)) for key in keys}))


@pytest.mark.parametrize(("name", "more"), [*((name, {}) for name in PERFECT), *VARIANTS])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_key_is_perfect_and_nothing_is_not_better(name, more, data):
    metric = make("metric", name, **more)
    items = data.draw(st.lists(kind_of(name), min_size=1, max_size=3))
    marks = [metric.mark(item, Prediction("i", (Guess(item.key, 0.0),), key_logp=0.0)) for item in items]
    missing = [metric.mark(item, None) for item in items]
    if name == "none_f1" and not sum(mark["tp"] for mark in marks):
        return  # no sentence is *None*
    found = value(metric, marks)
    assert found == pytest.approx(PERFECT[name])
    worse = value(metric, missing)
    assert worse <= found if metric.higher else worse >= found


def test_every_metric_of_this_family_is_covered():
    others = {"information_content", "entropy_agreement"}  # not measured against a key
    ours = {
        name
        for name in names("metric")
        if make_module(name) not in ("coreference", "parsing", "events", "judged", "recovery", "paired", "unread")
    } - {
        "gold_f1",
        "gold_precision",
        "gold_recall",
    }
    assert {*PERFECT, "top", "synonym_recall", *others} >= ours


def make_module(name):
    from scenarist.registry import index

    return index("metric")[name].partition(":")[0].rpartition(".")[2]


@pytest.mark.parametrize("name", [*PERFECT, "entropy_agreement", "information_content"])
def test_combine_takes_arrays_of_any_shape_and_zeros(name):
    metric = make("metric", name)
    totals = ("right", "credit", "n", "tp", "fp", "fn", "error", "same", "nats", "agreement", "bits")
    for shape in ((), (3,), (2, 3)):
        found = metric.combine({key: np.zeros(shape) for key in totals})
        assert np.shape(found) == shape
        assert np.all(np.isfinite(found))
