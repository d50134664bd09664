"""The power of a study of gaps: its test against scipy's, its simulation at the edges, how many people are needed."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.bench.analyses.people import power
from scenarist.bench.analyses.people.answers import GapAnswer
from scenarist.bench.analyses.people.power import (
    StudyDesign,
    design_of,
    is_found,
    people_needed,
    power_of,
    resolution,
    simulate_cells,
)
from scenarist.bench.bootstrap import wilson
from scenarist.errors import BadInput


def test_the_defaults_are_those_of_bennetts_study() -> None:
    assert StudyDesign(48) == StudyDesign(48, 46, 17, 3, 0.04, 0.13, 0.02, 0.08)
    assert power.SIMULATIONS == 400 and power.PEOPLE == (12, 24, 48, 96, 192)


@pytest.mark.parametrize(
    "design",
    [
        StudyDesign(2), StudyDesign(5, conditions=1), StudyDesign(9, tasks=1, answers=1), StudyDesign(9, tasks=4, answers=5),
        StudyDesign(9, answers=0), StudyDesign(9, base=0.0), StudyDesign(9, base=1.0), StudyDesign(9, effect=1.0),
        StudyDesign(9, effect=-1.0), StudyDesign(9, person_sd=-0.01), StudyDesign(9, task_sd=-0.01),
    ],
)  # fmt: skip
def test_designs_that_cannot_be_simulated_are_named(design: StudyDesign) -> None:
    with pytest.raises(BadInput, match="power: "):
        design.checked()


@pytest.mark.parametrize(
    "design",
    [
        StudyDesign(3), StudyDesign(2, conditions=2), StudyDesign(9, tasks=2, answers=2), StudyDesign(9, answers=1), StudyDesign(9, base=0.999),
        StudyDesign(9, effect=-0.99), StudyDesign(9, effect=0.99), StudyDesign(9, person_sd=0.0, task_sd=0.0), StudyDesign(9, person_sd=0.5),
    ],
)  # fmt: skip
def test_designs_at_the_edges_are_taken(design: StudyDesign) -> None:
    assert design.checked() is design


def test_cells_hold_the_chances_of_their_condition() -> None:
    sure = StudyDesign(300, tasks=4, answers=4, conditions=3, base=0.01, effect=0.98, person_sd=0.0, task_sd=0.0)
    values, inside = simulate_cells(sure, np.random.default_rng(1))
    assert len(values) == 12 and inside.sum() == 4
    assert values[inside].min() > 0.95 and values[~inside].max() < 0.06
    thin = StudyDesign(3, tasks=40, answers=2)
    values, inside = simulate_cells(thin, np.random.default_rng(1))
    assert (
        len(values) == 6 and inside.sum() == 2 and set(values) <= {0.0, 1.0}
    )  # cells that nobody answered are left out


def test_nobody_answers_a_task_twice_and_chances_are_cut() -> None:
    values, _ = simulate_cells(
        StudyDesign(3, tasks=5, answers=5, base=0.5, effect=0.9, task_sd=9.0), np.random.default_rng(3)
    )
    assert len(values) == 15
    high = StudyDesign(3000, tasks=2, answers=2, conditions=2, base=0.99, effect=0.98, person_sd=0.0, task_sd=0.0)
    values, inside = simulate_cells(high, np.random.default_rng(3))
    assert 0.98 < values[inside].mean() < 1.0  # 0.995, never sure


@pytest.mark.parametrize("seed", range(6))
def test_with_two_conditions_the_test_is_students(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(seed)
    first, rest = draw.normal(0.0, 1.0, 7), draw.normal(1.2, 1.0, 9)
    values, inside = np.concatenate([first, rest]), np.arange(16) < 7
    p = float(stats.ttest_ind(first, rest).pvalue)
    assert is_found(values, inside, 2, p * 1.01) and not is_found(values, inside, 2, p * 0.99)


def test_further_conditions_take_degrees_of_freedom() -> None:
    stats = pytest.importorskip("scipy.stats")
    values, inside = np.array([0.9, 0.7, 0.8, 0.1, 0.3, 0.2, 0.5, 0.2]), np.arange(8) < 3
    first, rest = values[inside], values[~inside]
    spread = ((first - first.mean()) ** 2).sum() + ((rest - rest.mean()) ** 2).sum()
    p = 2 * stats.t.sf((first.mean() - rest.mean()) / np.sqrt(spread / 5 * (1 / 3 + 1 / 5)), 5)
    assert is_found(values, inside, 3, p * 1.01) and not is_found(values, inside, 3, p * 0.99)


def test_what_is_too_thin_or_too_even_to_test() -> None:
    inside = np.array([True, True, False, False])
    assert is_found(np.array([1.0, 1.0, 0.0, 0.0]), inside, 2, 0.05)  # no spread at all, and a difference
    assert not is_found(np.array([1.0, 1.0, 1.0, 1.0]), inside, 2, 0.05)
    assert not is_found(np.array([1.0, 0.0, 0.0]), np.array([True, False, False]), 2, 0.05)
    assert not is_found(np.array([0.0, 0.0, 1.0]), np.array([True, True, False]), 2, 0.05)
    assert not is_found(np.array([1.0, 1.0, 0.0, 0.0]), inside, 4, 0.05)  # no degree of freedom left
    assert is_found(np.array([1.0, 1.0, 0.0, 0.0]), inside, 3, 0.05)


def test_power_is_alpha_without_an_effect_and_one_with_a_great_one() -> None:
    none = power_of(StudyDesign(24, effect=0.0), 200)
    assert 0.01 < none.power < 0.11 and (none.low, none.high) == wilson(none.power, 200) and none.simulations == 200
    assert power_of(StudyDesign(24, effect=0.6), 40).power == 1.0
    half, full = (power_of(StudyDesign(24, effect=effect), 150).power for effect in (0.065, 0.13))
    assert half < full
    assert power_of(StudyDesign(24), 30, seed=1) == power_of(StudyDesign(24), 30, seed=1)
    figure = none.figure
    assert (figure.value, figure.low, figure.high, figure.n) == (none.power, none.low, none.high, 200)


@pytest.mark.parametrize(("simulations", "alpha"), [(0, 0.05), (5, 0.0), (5, 1.0), (5, -0.5)])
def test_power_needs_a_simulation_and_a_level(simulations: int, alpha: float) -> None:
    with pytest.raises(BadInput, match="one simulation or more"):
        power_of(StudyDesign(24), simulations, alpha)
    assert power_of(StudyDesign(24), 1, 0.5).simulations == 1


def test_people_needed_are_enough_and_fewer_are_not() -> None:
    design = StudyDesign(24, effect=0.2)
    point = people_needed(0.8, design, most=96, simulations=60)
    assert point is not None and point.power >= 0.8 and 3 < point.design.people < 96
    assert point == power_of(point.design, point.simulations, seed=13)
    fewer = power_of(point.design._replace(people=max(3, point.design.people // 2)), 60)
    assert fewer.power < point.power
    assert people_needed(0.99, StudyDesign(24, effect=0.0), most=30, simulations=40) is None


def answers(labels: str, task: str = "t") -> list[GapAnswer]:
    return [GapAnswer(f"p{number}", task, "full", "x", task, label=label) for number, label in enumerate(labels)]


def test_resolution_draws_people_without_putting_them_back() -> None:
    known = answers("aab", "t1") + answers("abc", "t2")
    (whole,) = resolution(known, sizes=(3,), draws=20)
    assert (
        whole.error == pytest.approx(0.0, abs=1e-12) and whole.tasks == 2 and whole.answers == 3
    )  # all three are drawn each time
    two, three = resolution(known, sizes=(2, 3), draws=60)
    assert two.error > three.error and 0.0 < two.value < 1.0
    assert resolution(known, sizes=(1, 4), draws=5) == []
    assert resolution([*known, *answers("aa", "t3")], sizes=(3,), draws=5)[0].tasks == 2


def test_the_table_has_a_row_for_each_number_of_people_and_says_how_many_are_needed() -> None:
    found = power.table(limit=3)
    assert [row.model for row in found.rows] == ["12-people", "24-people", "48-people", "96-people", "192-people"]
    assert all(list(row.scores) == ["power/as-found", "power/half", "power/none"] for row in found.rows)
    assert all(figure.n == 3 for row in found.rows for figure in row.scores.values())
    assert [row.more["people"] for row in found.rows] == [12, 24, 48, 96, 192]
    first, second = found.more["remarks"]
    assert first.startswith("80 % power for the effect as found: ") and second.startswith(
        "80 % power for the effect half: "
    )
    assert "simulations:3|" in found.signature


def test_the_design_that_a_study_had() -> None:
    study = [
        GapAnswer("p1", "t1", "full", "x", right=True), GapAnswer("p1", "t2", "full", "x"), GapAnswer("p2", "t1", "caveman", "x"),
        GapAnswer("p2", "t2", "caveman", "x", right=True), GapAnswer("p3", "t1", "caveman", "x"), GapAnswer("p3", "t2", "caveman", "x"),
    ]  # fmt: skip
    design = design_of(study, "full")
    assert (design.people, design.tasks, design.answers, design.conditions) == (3, 2, 2, 2)
    assert design.base == pytest.approx(0.25) and design.effect == pytest.approx(0.25)
    with pytest.raises(BadInput, match="another condition"):
        design_of(study[:2], "full")
