"""What reads single segments: each is asked about once, and the few that the teller is asked about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scenarist.models.scenarios import segment_readers as segment_namers
from scenarist.models.scenarios.segment_readers import SegmentNamers, spread

LINES = ["She filled the tub.", "She washed her hair."]


class Model:
    """Says the same of every segment, and remembers what it was asked."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.found, self.asked = np.array(scores), []

    def scores(self, texts: Sequence[str], names: Sequence[str] = ()) -> np.ndarray:
        self.asked.append(list(names))
        return self.found[: len(names)] if names else self.found


def test_what_was_not_kept_lies_below_the_rest_and_none_is_left_out() -> None:
    found = spread(np.array([3, 1]), np.array([0.0, 2.0]), 5)
    assert np.exp(found).sum() == pytest.approx(1)
    assert found[3] - found[1] == pytest.approx(2.0)
    assert found[2] == found[4] == pytest.approx(found[1] - 0.5)
    assert found[0] < -50


def test_a_segment_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model([0.0, 1.0, 0.0, 4.0])
    monkeypatch.setattr(segment_namers, "namer", lambda name: model)
    both = SegmentNamers("namer-1", ["teller-1"])
    for _ in range(2):
        assert both.names(LINES, 4).argmax() == 3
    assert len(model.asked) == 1


def test_scenarios_a_user_added_are_not_shut_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_namers, "namer", lambda name: Model([0.0, 1.0, 0.0, 4.0]))
    found = SegmentNamers("namer-1", []).names(LINES, 5)
    assert found[4] == pytest.approx(found[1])


def test_the_teller_is_asked_of_the_likeliest_only(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model([0.0, 3.0])
    monkeypatch.setattr(segment_namers, "teller", lambda name: model)
    names = ["None", "taking a bath", "taking a shower", "baking a cake"]
    both = SegmentNamers("", ["teller-1"])
    found = both.tells(LINES, np.array([-np.inf, 0.0, -1.0, -30.0]), names)
    assert model.asked == [["taking a bath", "taking a shower"]]
    assert found.argmax() == 2
    assert both.tells(LINES[:1], np.array([-np.inf, 0.0, -20.0, -30.0]), names).argmax() == 1
    assert len(model.asked) == 1


def test_each_teller_counts_by_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"teller-1": Model([0.0, 3.0]), "titler-1": Model([2.0, 0.0])}
    monkeypatch.setattr(segment_namers, "teller", models.__getitem__)
    names, before = ["None", "taking a bath", "taking a shower"], np.array([-np.inf, 0.0, -1.0])
    for shares, best in ((None, 2), ((0.6, 0.4), 2), ((0.2, 0.8), 1)):
        found = SegmentNamers("", list(models), shares=shares).tells(LINES, before, names)
        assert found.argmax() == best
    assert found[1] - found[2] == pytest.approx(0.8 * 2 - 0.2 * 3)
