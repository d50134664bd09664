"""`scenarist lab power`: a plan from Bennett's design, and what cannot be planned."""

from __future__ import annotations

import pytest

from scenarist.errors import BadInput
from scenarist.lab.planning import plan_study


def test_a_plan_has_a_form():
    form = plan_study({"people": 30, "effect": 0.3}, simulations=20).form()
    assert form["people"] == 30 and form["power"] > 0.9 and form["needed"]["people"] <= 30
    assert form["design"]["tasks"] == 46 and form["resolution"] == []


def test_what_cannot_be_planned():
    with pytest.raises(BadInput, match="lies between 0 and 1"):
        plan_study({}, wanted=1.0)
    with pytest.raises(BadInput, match="there is no 'pages'"):
        plan_study({"pages": 3})
    with pytest.raises(BadInput, match="two or more conditions"):
        plan_study({"people": 2})
