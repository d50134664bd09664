"""Items made of several sources: the bootstrap draws the sources, everywhere where a number gets an interval or a test."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.bench.bootstrap import group_sums, interval, replicated, sources_of, standard_error, wilson
from scenarist.bench.marks import marks_of, mean_marks, score
from scenarist.bench.ratios import Ratio
from scenarist.bench.significance import compare
from scenarist.bench.sit import items_of
from scenarist.metrics.accuracy import Accuracy
from scenarist.metrics.agreement import Kappa
from scenarist.metrics.boundaries import Pk
from scenarist.metrics.labels import F1
from scenarist.metrics.surprisal import Surprisal
from scenarist.noun import from_json, to_json
from scenarist.question import Choice, Guess, Item, Mark, Prediction
from scenarist.registry import make
from scenarist.story import Story, replace


def documents(rng, stories=50, number=150, own=0.5):
    """Documents of two to four stories: nats that hang on the stories (mean 1) and a little on the document itself."""
    effect = rng.normal(1, 1, stories)
    for at in range(number):
        told = rng.choice(stories, rng.integers(2, 5), replace=False)
        nats = float(effect[told].mean() + rng.normal(0, own))
        yield Mark(f"d{at}", (("nats", nats), ("n", 1.0)), groups=tuple(f"s{one}" for one in told))


def test_coverage_with_shared_sources():
    """By source the interval of 95 % covers at least so often, and is no more than half too wide; by document it covers far too seldom."""
    rng, hits, errors, values = np.random.default_rng(5), {"story": 0, "document": 0}, [], []
    for run in range(200):
        marks = list(documents(rng))
        alone = [Mark(mark.item, mark.counts) for mark in marks]
        for name, of in (("story", marks), ("document", alone)):
            low, high = interval(Surprisal(), of, seed=run, replicates=300)
            hits[name] += low <= 1 <= high
        errors.append(standard_error(Surprisal(), marks, seed=run, replicates=300))
        values.append(np.mean([dict(mark.counts)["nats"] for mark in marks]))
    assert hits["story"] / 200 >= 0.93
    assert hits["document"] / 200 < 0.85
    assert 1.0 < np.mean(errors) / np.std(values) < 1.5


def test_one_source_each_is_the_ordinary_bootstrap_of_groups():
    rng = np.random.default_rng(2)
    counts = [(("right", float(rng.random() < 0.6)), ("n", 1.0)) for _ in range(120)]
    old = [Mark(f"i{at}", one, group=str(at // 4)) for at, one in enumerate(counts)]
    new = [Mark(f"i{at}", one, groups=(str(at // 4),)) for at, one in enumerate(counts)]
    assert replicated(Accuracy(), old).tolist() == replicated(Accuracy(), new).tolist()


def test_sums_of_replicates_are_those_of_weighted_items():
    """``1 + sum(drawn - 1)`` for each item, with the very draws the bootstrap makes."""
    marks = list(documents(np.random.default_rng(3), stories=30, number=200))
    table = np.array([[dict(mark.counts)["nats"], 1.0] for mark in marks])
    names = sources_of(marks)
    belongs = np.array([[name in mark.sources for name in names] for mark in marks], dtype=float)
    rng = np.random.default_rng(13)
    size = len(names)
    rows, counts = np.unique(group_sums(marks).table, axis=0, return_counts=True)
    assert len(rows) == size  # all distinct: a draw of kinds is a draw of sources
    weights = rng.multinomial(size, counts / size, size=200)
    order = [rows.tolist().index(row) for row in group_sums(marks).table.tolist()]
    by_item = 1 + (weights[:, order] - 1) @ belongs.T
    sums = by_item @ table
    assert replicated(Surprisal(), marks, seed=13, replicates=200) == pytest.approx(sums[:, 0] / sums[:, 1])


def test_the_value_is_that_of_the_items():
    marks = list(documents(np.random.default_rng(4)))
    plain = np.mean([dict(mark.counts)["nats"] for mark in marks])
    assert float(Surprisal().combine(group_sums(marks).totals())) == pytest.approx(plain)
    assert np.mean(replicated(Surprisal(), marks)) == pytest.approx(plain, abs=0.05)


def test_a_paired_test_holds_its_level_with_shared_sources():
    """Two systems that differ by chance on each story: by document the test is sure of a difference far too often."""
    rng, wrong = np.random.default_rng(6), {"story": 0, "document": 0}
    for run in range(60):
        first, second, gap = [], [], rng.normal(0, 1, 40)
        for at in range(200):
            told = rng.choice(40, 3, replace=False)
            groups = tuple(f"s{one}" for one in told)
            second.append(Mark(f"d{at}", (("nats", 5.0), ("n", 1.0)), groups=groups))
            first.append(Mark(f"d{at}", (("nats", 5.0 + float(gap[told].mean())), ("n", 1.0)), groups=groups))
        alone = [[Mark(mark.item, mark.counts) for mark in marks] for marks in (first, second)]
        for name, pair in (("story", (first, second)), ("document", alone)):
            found = compare(Surprisal(), *pair, seed=run, replicates=300)
            assert found.test == "bootstrap"
            wrong[name] += found.p < 0.05
    assert wrong["story"] <= 6
    assert wrong["document"] > 15


def test_yes_or_no_items_that_share_sources_are_not_counted_as_independent():
    marks = [
        Mark(f"i{at}", (("right", float(at % 2)), ("n", 1.0)), groups=(f"s{at % 9}", f"s{(at + 1) % 9}"))
        for at in range(90)
    ]
    other = [Mark(mark.item, (("right", 1.0), ("n", 1.0)), groups=mark.groups) for mark in marks]
    assert compare(Accuracy(), marks, other).test == "bootstrap"


def test_a_count_never_turns_negative():
    marks = [
        Mark(str(at), (("tp", float(at == 0)), ("fn", 1.0)), groups=("a", "b", "c") if at else ("a",))
        for at in range(3)
    ]
    assert np.all(replicated(F1(), marks) >= 0)
    assert np.all(replicated(F1(), marks) <= 1)


def test_groups_go_from_item_to_mark_to_mean():
    item = Item("d1", Choice(("A.",), ("B.", "C.")), "0", group="d1", groups=("s1", "s2"))
    mark = marks_of(Accuracy(), [item], {"d1": Prediction("d1", (Guess("0"),))})[0]
    assert mark.groups == ("s1", "s2")
    assert mean_marks([(mark,), (mark,)])[0].groups == ("s1", "s2")
    assert item.sources == mark.sources == ("group s1", "group s2")


def test_old_items_are_read_as_they_were():
    old = b'{"id":"a","question":{"ask":"choice","context":[],"choices":["x","y"]},"key":"0","group":"g"}'
    item = from_json(old, Item)
    assert item.sources == ("group g",)
    assert to_json(item) == old


def test_none_of_n_and_all_of_n_have_a_width():
    for value, n in ((1.0, 30), (0.0, 30)):
        marks = [Mark(f"i{at}", (("right", value), ("n", 1.0))) for at in range(n)]
        low, high = interval(Accuracy(), marks)
        assert (low, high) == wilson(value, n)
        assert high - low == pytest.approx(0.1135, abs=1e-4)


def test_wilson_counts_sources_not_items():
    marks = [Mark(f"i{at}", (("right", 1.0), ("n", 1.0)), group=str(at // 10)) for at in range(300)]
    assert interval(Accuracy(), marks) == wilson(1.0, 30)


def test_wilson_at_a_known_value():
    """Newcombe 1998, table I: 81 of 263 and 0 of 20."""
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0 / 20, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_the_score_says_how_many_sources_were_drawn():
    items = [Item(f"i{at}", Choice(("A.",), ("B.", "C.")), "0", groups=(f"s{at}", f"s{at + 1}")) for at in range(6)]
    found = score(Accuracy(), items, {}, {"exam": "storycloze"})
    assert (found.n, found.groups) == (6, 7)


def many_sources(seed, counts):
    """Documents of three of six stories, whose weights may fall below nothing."""
    rng = np.random.default_rng(seed)
    for at in range(30):
        told = rng.choice(6, 3, replace=False)
        yield Mark(f"d{at}", counts(rng), groups=tuple(f"s{story}" for story in told))


@pytest.mark.parametrize("metric", [Accuracy(), Kappa(), Pk(), Ratio()], ids=lambda metric: metric.name)
def test_no_interval_ends_beyond_what_its_metric_can_be(metric):
    """Where most items are right, replicates of documents made of several stories go beyond 1."""

    def counts(rng):
        right, first = float(rng.random() < 0.93), float(rng.random() < 0.5)
        by_metric = {
            "accuracy": (("right", right), ("n", 1.0)),
            "kappa": (("same", right), ("n", 1.0), ("a:x", first), ("b:x", first), ("a:y", 1 - first), ("b:y", 1 - first)),
            "pk": (("error", right), ("n", 1.0)),
            "ratio": (("part", right), ("whole", 1.0)),
        }  # fmt: skip
        return by_metric[metric.name]

    beyond = 0
    for seed in range(10):
        marks = list(many_sources(seed, counts))
        values = replicated(metric, marks)
        low, high = interval(metric, marks)
        assert -1.0 <= low <= high <= 1.0 and (metric.name == "kappa" or low >= 0.0)
        if np.quantile(values, 0.975) > 1.0:
            beyond += 1
            assert high == 1.0
        else:
            assert high == pytest.approx(np.quantile(values, 0.975), abs=1e-9)
    assert beyond > 0


def test_what_has_no_bounds_keeps_its_interval():
    marks = [Mark(f"i{at}", (("nats", 5.0 + at % 3), ("n", 1.0))) for at in range(30)]
    assert interval(Surprisal(), marks).low > 5.0


def document(name, *sources):
    sentences = ["She filled the tub.", "She got in.", "She washed her hair.", "She dried herself.", "She went to bed."]
    story = Story.from_sentences(name, sentences, scenario="taking a bath")
    return replace(story, notes=tuple(("source", source) for source in sources))


@pytest.mark.parametrize(
    ("exam", "settings"), [("ordering", {}), ("untold", {}), ("gaps", {}), ("reading", {}), ("detection", {})]
)
def test_items_of_any_exam_carry_the_texts_their_document_was_made_of(exam, settings):
    """Two documents share a text: their items are not drawn apart. A story of one source is its own."""
    told = [document("d1", "mcscript:1", "mcscript:2"), document("d2", "mcscript:2"), document("alone")]
    if exam in ("untold", "gaps", "reading"):
        read = make("reader", "default")([story.text for story in told])
        told = [
            replace(story, notes=old.notes, id=old.id, scenario=old.scenario)
            for story, old in zip(read, told, strict=True)
        ]
    items = items_of(make("exam", exam, **settings), told)
    assert {item.group for item in items} == {"d1", "d2", "alone"}
    expected = {"d1": ("mcscript:1", "mcscript:2"), "d2": ("mcscript:2",), "alone": ()}
    assert all(item.groups == expected[item.group] for item in items)
