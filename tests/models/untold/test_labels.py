"""The rows of the untold exam where labels are given: counted by hand, and the learned ranker on the carried tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from scenarist.exams.removal import without_event
from scenarist.learning.label_tables import NAMES, Hole, LabelTables, count
from scenarist.models.untold import labels as untold_labels
from scenarist.models.untold.deep import gap_text
from scenarist.models.untold.labels import LabelKnowledge
from scenarist.networks.trees import Trees, packed
from scenarist.question import Unsaid
from scenarist.registry import make
from scenarist.story import Event, Story, replace

ROWS = ("scenario-frequency", "scenario-bigram", "scenario-pmi", "untold-network", "untold-scripts")
LABELS = ["ScrEv_dry", "ScrEv_fill", "ScrEv_leave", "ScrEv_undress", "ScrEv_wash"]
TELLINGS = [
    (["ScrEv_fill", "ScrEv_undress", "ScrEv_wash", "ScrEv_dry"], "taking a bath", 1.0),
    (["ScrEv_fill", "ScrEv_undress", "ScrEv_wash", "ScrEv_wash", "ScrEv_leave"], "taking a bath", 1.0),
    (["ScrEv_undress", "ScrEv_wash", "ScrEv_dry", "ScrEv_leave"], "taking a bath", 1.0),
    (["ScrEv_leave", "ScrEv_dry"], "going swimming", 1.0),
]


def tables() -> LabelTables:
    return count(TELLINGS, LABELS, ["going swimming", "taking a bath"])


def story(*labels: str) -> Story:
    made = Story.from_words("s", [["We", f"did{n}"] for n in range(len(labels))])
    events = tuple(
        Event("do", token=2 * n + 1, start=made.tokens[2 * n + 1].start, stop=made.tokens[2 * n + 1].stop, label=label)
        for n, label in enumerate(labels)
    )
    return replace(made, events=events)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ranker that trusts the neighbours and the number of tellers."""
    arrays: dict[str, Any] = {
        "schema": 2,
        "labels": LABELS,
        "scenarios": ["going swimming", "taking a bath"],
        **tables().arrays(),
    }
    stumps = [
        [{"leaf": False, "feature": feature, "threshold": -0.01, "left": 1, "right": 2, "value": 0.0, "depth": 0},
         {"leaf": True, "value": -1.0, "depth": 1}, {"leaf": True, "value": 1.0, "depth": 1}]
        for feature in (len(NAMES), len(NAMES) + 4, len(NAMES) + 5)  # tellers, left and right: is it the best of the candidates?
    ]  # fmt: skip
    for kind in ("placed", "free"):
        arrays |= {f"{kind}.{name}": value for name, value in packed(stumps, 0.0).items()}
    known = LabelKnowledge(arrays)
    monkeypatch.setattr(untold_labels, "label_knowledge", lambda: known)
    monkeypatch.setattr("scenarist.models.untold.counts.label_knowledge", lambda: known)


def test_counts_are_what_was_told() -> None:
    found = tables()
    dry, fill, leave, undress, wash = range(5)
    bath = 1
    assert found.n.tolist() == [1, 3]
    assert found.tellers[bath].tolist() == [2, 2, 2, 3, 3]
    assert found.mentions[bath, wash] == 4
    assert found.left[bath, undress, wash] == 3  # once a telling, however often it is washed
    assert found.right[bath, len(LABELS), dry] == 1  # last in one telling
    assert found.left[bath, len(LABELS), fill] == 2
    assert (found.before[bath, fill, wash], found.before[bath, wash, fill]) == (2, 0)
    assert (found.both[bath, dry, leave], found.both[bath, dry, fill]) == (1, 1)
    hole = Hole(bath, (fill, undress), (dry,))
    assert [LABELS[one] for one in found.candidates(hole)] == ["ScrEv_leave", "ScrEv_wash"]
    features = found.features(hole)
    assert features[4, wash] == pytest.approx(math.log(3.2)) and features[5, wash] == pytest.approx(math.log(2.2))
    assert features[10, wash] > features[10, leave]


def test_tables_come_back_as_they_were_kept() -> None:
    made = tables()
    again = LabelTables.of(made.labels, made.scenarios, made.arrays())
    hole = Hole(1, (1,), (0, 2))
    assert np.allclose(made.features(hole), again.features(hole))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", [row for row in ROWS if row != "scenario-pmi"])
def test_the_missing_label_is_found_and_told_ones_are_no_guesses(name: str) -> None:
    left, place, event = without_event(story("ScrEv_fill", "ScrEv_undress", "ScrEv_wash", "ScrEv_dry"), "ScrEv_wash")
    told = make("model", name).answer(Unsaid(left, "taking a bath", place, (), event))
    assert [guess.answer for guess in told.guesses] == ["ScrEv_wash", "ScrEv_leave"]
    assert sum(math.exp(guess.logp) for guess in told.guesses) == pytest.approx(1, abs=1e-4)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ROWS)
def test_choices_without_a_place(name: str) -> None:
    choices = ("ScrEv_leave", "ScrEv_unheard", "ScrEv_undress")
    question = Unsaid(story("ScrEv_fill", "ScrEv_wash"), "taking a bath", None, choices)
    other = Unsaid(question.story, "taking a bath", None, choices[::-1])
    model = make("model", name)
    one = {guess.answer: guess.logp for guess in model.answer(question).guesses}
    assert one == pytest.approx({guess.answer: guess.logp for guess in model.answer(other).guesses})
    assert min(one, key=lambda answer: one[answer]) == "ScrEv_unheard"
    if name != "scenario-pmi":
        assert max(one, key=lambda answer: one[answer]) == "ScrEv_undress"


@pytest.mark.usefixtures("small")
def test_an_unknown_scenario_is_guessed_from_the_told_labels() -> None:
    left, place, event = without_event(story("ScrEv_fill", "ScrEv_wash"), "ScrEv_wash")
    missing = untold_labels.label_gap(Unsaid(left, "moon walking", place, (), event), "moon walking")
    assert missing.hole.scenario == 1


@pytest.mark.usefixtures("small")
def test_all_gaps_at_once_are_the_holes_one_by_one() -> None:
    known = untold_labels.label_knowledge()
    found = known.gap_chances("taking a bath", ["ScrEv_fill", "", "ScrEv_undress"])
    assert set(found) == {"ScrEv_wash", "ScrEv_dry", "ScrEv_leave"}
    for cut, (before, after) in enumerate([((), (1, 3)), ((1,), (3,)), ((1,), (3,)), ((1, 3), ())]):
        hole = Hole(1, before, after)
        able = known.tables.candidates(hole)
        scores = known.rank(untold_labels.LabelGap(hole, [], known.tables.features(hole)[:, able]))
        chances = scores - np.logaddexp.reduce(scores)
        for label, chance in zip(able, chances, strict=True):
            assert found[LABELS[label]][cut] == pytest.approx(chance, abs=1e-5)
    assert known.gap_chances("moon walking", ["ScrEv_fill"]) == {}


def test_what_the_deep_reader_is_shown() -> None:
    told = story("ScrEv_fill", "ScrEv_wash", "ScrEv_dry", "")
    also = Event("do", start=told.events[1].start, stop=told.events[1].stop, label="ScrEv_leave")
    told = replace(told, events=(*told.events[:2], also, *told.events[2:]))
    left, place, event = without_event(told, "ScrEv_wash")
    gap = gap_text(left, "taking a bath", place, event)
    assert gap.before == ("We did0 (fill)",)
    assert gap.after == ("(leave)", "We did2 (dry)", "We did3")
    assert gap_text(left, "", 1).before == ("We did0",)


def test_trees_in_numpy_are_those_of_scikit_learn() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    draw = np.random.default_rng(3)
    x = draw.normal(size=(400, 5)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + 0.3 * draw.normal(size=400) > 0
    made = ensemble.HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=6, min_samples_leaf=5).fit(x, y)
    trees = [
        [{"leaf": bool(n["is_leaf"]), "feature": int(n["feature_idx"]), "threshold": float(n["num_threshold"]), "left": int(n["left"]),
          "right": int(n["right"]), "value": float(n["value"]), "depth": int(n["depth"])} for n in predictor.nodes]
        for (predictor,) in made._predictors
    ]  # fmt: skip
    ours = Trees(packed(trees, float(np.ravel(made._baseline_prediction)[0]))).scores(x)
    assert np.allclose(ours, made.decision_function(x), atol=1e-4)


@pytest.mark.data("inscript")
def test_the_carried_ranker_beats_frequency_on_dev() -> None:
    stories = [one for n, one in enumerate(make("corpus", "inscript", split="dev")) if n % 4 == 0]
    items = list(make("exam", "untold", form="inscript", per=30).set(stories))
    rated = {
        name: np.array(
            [rank for _, rank in make("model", name).rate_many([i.question for i in items], [i.key for i in items])],
            float,
        )
        for name in ("scenario-frequency", "untold-scripts")
    }
    hits = {name: float(np.nan_to_num(ranks <= 1).mean()) for name, ranks in rated.items()}
    assert hits["untold-scripts"] > 0.55
    assert hits["untold-scripts"] > hits["scenario-frequency"] + 0.05
