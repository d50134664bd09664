"""The table `bennett`: every printed number to its printed digit, and what the study's own files force us to say."""

from __future__ import annotations

import pytest

from scenarist.bench.analyses.people import bennett

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def table():
    return bennett.table(only=["people"])


def test_every_printed_number(table):
    people = table.rows[0]
    scores = {name: figure.value for name, figure in people.scores.items()}
    assert round(100 * scores["recovery/automatic"]) == 5
    assert round(100 * scores["recovery/manual"]) == 8
    assert round(100 * scores["agreement/automatic"]) == 8
    assert round(100 * scores["agreement/manual"]) == 11
    assert round(scores["effect/full"], 3) == 0.045
    effect = people.more["effects"]["effect/full"]
    assert (effect["df"], round(effect["t"], 2), round(effect["p"], 3)) == (126, 3.31, 0.001) or round(
        effect["t"], 3
    ) == 3.315
    none = [
        people.more["effects"][f"effect/{name}"]
        for name in ("recovery-automatic", "agreement-automatic", "agreement-manual")
    ]
    assert all(entry["p"] > 0.05 for entry in none)


def test_the_formula_as_printed_is_negative_and_so_is_the_correction(table):
    rows = {row.model: row.scores for row in table.rows}
    assert rows["people-printed"]["agreement/automatic"].value < -0.8
    assert rows["people-corrected"]["agreement/automatic"].value == pytest.approx(-0.28, abs=0.02)


def test_the_correction_gives_28_as_the_mean_of_the_conditions_and_where_few_resamples_are_drawn(table):
    rows = {row.model: row.scores for row in table.rows}
    assert round(100 * rows["people-corrected"]["agreement/automatic"].value) == -27
    assert round(100 * rows["people-corrected-by-condition"]["agreement/automatic"].value) == -28
    assert any("drawn resamples" in remark for remark in table.more["remarks"])


def test_the_2017_model_on_34_tasks(table):
    (row,) = [row for row in table.rows if row.model == "pmi-2017"]
    assert row.role == "published" and row.scores["min_rank/responses"].n == 34
    slopes = row.more["slopes"]
    assert len(slopes) == 8 and all(line["p"] > 0.05 for name, line in slopes.items() if "mean" not in name)
    assert row.scores["mean_rank/original"].value > row.scores["min_rank/original"].value
    assert any("6 of them surplus" in remark for remark in table.more["remarks"])


def test_the_readings_behind_the_printed_numbers_are_rows(table):
    rows = {row.model: row.scores for row in table.rows}
    for unit in ("answer", "task", "cell", "person"):
        assert {"recovery/automatic", "recovery/manual"} <= set(rows[f"people-by-{unit}"]), unit
    assert rows["people-by-task"]["recovery/automatic"].value == rows["people"]["recovery/automatic"].value
    assert rows["people-by-cell"]["recovery/manual"].value == rows["people"]["recovery/manual"].value
