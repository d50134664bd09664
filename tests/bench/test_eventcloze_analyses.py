"""The analyses of the event cloze on the toy chains: which columns they give, what they keep, and that their settings are the table's."""

from __future__ import annotations

from typing import Any

import pytest

from scenarist.bench import spec
from scenarist.bench.analyses import eventcloze
from scenarist.registry import make


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(kind: str, name: str, **settings: Any) -> Any:
        return make(kind, "toy", kind="chains", **settings) if kind == "corpus" else make(kind, name, **settings)

    monkeypatch.setattr(eventcloze, "make", made)


def test_tuned_settings_are_those_of_the_table(toy: None) -> None:
    rows = {row.name: row.settings for row in spec.load("chambers2017-single").row if row.role != "published"}
    assert dict(eventcloze.TUNED["pmi-cutoff"]) == rows["pmi-cutoff-800"]  # the one tuned for lm-cloze
    assert dict(eventcloze.TUNED["bigram"]).items() >= {"skip": "all", "smoothing": 1.0}.items()
    ground = eventcloze.Ground("dev", 13, 3)
    assert ground.model("pmi-cutoff", eventcloze.TUNED["pmi-cutoff"]).cutoff == 800


def test_the_cutoff_leaves_rare_events_out(toy: None) -> None:
    found = eventcloze.cutoff(limit=6)
    rows = {row.model: row for row in found.rows}
    assert list(rows) == [*(f"pmi-cutoff-{least}" for least in eventcloze.CUTOFFS), "unigram"]
    ranked = [rows[f"pmi-cutoff-{least}"].more["events_ranked"] for least in eventcloze.CUTOFFS]
    assert ranked == sorted(ranked, reverse=True) and ranked[0] > ranked[1] and ranked[-1] == 0
    curves = found.more["curves"]
    assert [place for place, _ in curves["lm-cloze"]] == [float(least) for least in eventcloze.CUTOFFS]
    assert [height for _, height in curves["lm-cloze"]] == [
        rows[f"pmi-cutoff-{least}"].scores["recall@50/lm-cloze"].value for least in eventcloze.CUTOFFS
    ]


def test_information_content_is_given_after_one_ten_and_fifty(toy: None) -> None:
    found = eventcloze.information(limit=4)
    assert [row.model for row in found.rows] == list(eventcloze.TUNED)
    for row in found.rows:
        assert list(row.scores) == [
            f"{name}/{preset}"
            for preset in eventcloze.PRESETS
            for name in ("information_content@1", "information_content", "information_content@50")
        ]
    unigram = found.rows[0].scores
    first, ten, fifty = (unigram[f"information_content{k}/lm-cloze"].value for k in ("@1", "", "@50"))
    assert first <= ten <= fifty  # the commonest event says least


def test_guesses_are_kept_only_where_they_are_wanted(toy: None) -> None:
    ground = eventcloze.Ground("dev", 13, 3)
    model = ground.model("unigram", {})
    bare, whole = ground.predictions(model, "lm-cloze"), ground.predictions(model, "lm-cloze", whole=True)
    assert all(not one.guesses and one.key_rank for one in bare.values())
    assert all(one.guesses for one in whole.values())
    assert {key: one.key_rank for key, one in bare.items()} == {key: one.key_rank for key, one in whole.items()}


def test_recall_grows_with_the_number_of_guesses(toy: None) -> None:
    found = eventcloze.recall_by_length(limit=6)
    assert [row.model for row in found.rows] == [*eventcloze.TUNED, "mixture"]
    for curve in found.more["curves"].values():
        assert [place for place, _ in curve] == list(map(float, eventcloze.LENGTHS))
        heights = [height for _, height in curve]
        assert heights == sorted(heights)
    assert set(eventcloze.SHOWN) <= set(eventcloze.LENGTHS)  # each column of the table is a point of the curve
    row = found.rows[0]
    curve = dict(found.more["curves"]["unigram, lm-cloze"])
    assert {f"recall@{k}/lm-cloze": curve[float(k)] for k in eventcloze.SHOWN} == {
        column: figure.value for column, figure in row.scores.items() if column.endswith("/lm-cloze")
    }
    rows = {one.name: one.settings for one in spec.load("chambers2017-single").row if one.role != "published"}
    assert dict(eventcloze.MIXTURE) == rows["mixture"]
