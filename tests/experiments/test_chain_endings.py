"""The breakdown of narrative chains by the kind of the right ending."""

from __future__ import annotations

import pytest

from experiments.storycloze.chain_endings import KINDS, figures, table


def test_figures_by_kind():
    found = figures(
        {
            "all": [(True, False), (False, True), (True, False)],
            "verb": [(True, False), (False, True)],
            "copular": [(True, False)],
        }
    )
    assert found["accuracy/all"].value == pytest.approx(2 / 3)
    assert found["share/verb"].value == pytest.approx(2 / 3)
    assert found["drawn/verb"].value == 0.5
    assert "accuracy/light verb" not in found


@pytest.mark.data("storycloze-2016", "nyt-chains", "fairytales", "rocstories")
def test_shares_sum_to_one():
    found = table(limit=2)
    assert [row.model.rsplit("-", 1)[1] for row in found.rows] == ["news", "fiction", "stories"]
    for row in found.rows:
        assert sum(
            row.scores[name].value for kind in KINDS if (name := f"share/{kind}") in row.scores
        ) == pytest.approx(1.0)
        assert row.scores["accuracy/all"].n == 2
