"""The effect of a condition: codes that are orthogonal, a coefficient that is a share of the difference, errors that say what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.bench.analyses.people.answers import GapAnswer, TaskCell
from scenarist.bench.analyses.people.regression import condition_effect, contrast, mixed_effect, slope
from scenarist.errors import BadInput

pytest.importorskip("statsmodels")
CONDITIONS = ("full", "caveman", "verb-subject", "title")


def cells(seed: int = 0, conditions: tuple[str, ...] = CONDITIONS[:3], each: int = 9) -> list[TaskCell]:
    draw = np.random.default_rng(seed)
    return [
        TaskCell(f"t{number}", name, f"d{number}", float(draw.normal(0.3 * (name == "full"), 0.1)), 5)
        for name in conditions
        for number in range(each)
    ]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_columns_are_orthogonal_and_sum_to_nothing(size: int) -> None:
    conditions = CONDITIONS[:size]
    codes = contrast(conditions, "full")
    table = np.array([codes[name] for name in conditions])
    assert table.shape == (size, size - 1)
    assert np.allclose(table.sum(0), 0.0)
    products = table.T @ table
    assert np.allclose(products, np.diag(np.diag(products))) and (np.diag(products) > 0).all()
    assert table[:, 0].tolist() == [size - 1, *([-1.0] * (size - 1))]


def test_four_conditions_by_hand() -> None:
    codes = contrast(CONDITIONS, "full")
    assert codes["caveman"] == [-1.0, 1.0, 0.0]
    assert codes["verb-subject"] == [-1.0, -0.5, 1.0]
    assert codes["title"] == [-1.0, -0.5, -1.0]


def test_b_is_a_third_of_the_difference_and_its_t_is_students() -> None:
    stats = pytest.importorskip("scipy.stats")
    study = cells()
    found = condition_effect(study, "full")
    first = [cell.value for cell in study if cell.condition == "full"]
    rest = [cell.value for cell in study if cell.condition != "full"]
    assert found.b == pytest.approx((np.mean(first) - np.mean(rest)) / 3)
    assert found.df == len(study) - 3 and found.n == len(study) and found.low < found.b < found.high
    two = condition_effect(cells(conditions=CONDITIONS[:2]), "full")
    pair = cells(conditions=CONDITIONS[:2])
    test = stats.ttest_ind(
        [cell.value for cell in pair if cell.condition == "full"],
        [cell.value for cell in pair if cell.condition != "full"],
    )
    assert two.t == pytest.approx(test.statistic) and two.p == pytest.approx(test.pvalue)
    assert two.figure.value == two.b and two.figure.p == two.p
    assert f"t({two.df:g}) = " in str(two) and two.form()["df"] == two.df


def test_errors_name_the_conditions_there_are() -> None:
    with pytest.raises(BadInput, match="there are some in: none"):
        contrast([], "full")
    with pytest.raises(BadInput, match="there are some in: caveman, title"):
        contrast(["caveman", "title"], "full")
    with pytest.raises(BadInput, match="there are some in: full"):
        contrast(["full"], "full")
    with pytest.raises(BadInput, match="more than 3 cells"):
        condition_effect(cells(each=1), "full")
    assert condition_effect([*cells(each=1), *cells(1, each=1)][:4], "full").n == 4


def test_the_mixed_model_reads_hand_judgements_and_says_z() -> None:
    draw = np.random.default_rng(5)
    answers = [
        GapAnswer(
            f"p{person}", f"t{task}", name, "x", hand_right=bool(draw.random() < (0.7 if name == "full" else 0.2))
        )
        for name in CONDITIONS[:2]
        for person in range(6)
        for task in range(5)
    ]
    judged = mixed_effect([*answers, GapAnswer("p9", "t9", "full", "x")], "full")  # one that nobody judged
    assert judged.n == 60 and judged.b > 0 and judged.form()["df"] is None and ", z = " in str(judged)
    assert "6 people and 5 tasks" in judged.what
    assert mixed_effect(answers, "full", hand=False).b == pytest.approx(0.0, abs=1e-6)


def test_a_line_needs_three_points_of_several_xs() -> None:
    found = slope([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.1], "y on x")
    assert found.b == pytest.approx(2.03) and found.n == 4 and found.df == 2 and found.what == "y on x"
    assert slope([0.0, 1.0, 2.0], [0.0, 1.0, 2.1], "y").n == 3
    with pytest.raises(BadInput, match="three points or more, got 2"):
        slope([0.0, 1.0], [0.0, 1.0], "y on x")
    with pytest.raises(BadInput, match="same x"):
        slope([1.0, 1.0, 1.0], [0.0, 1.0, 2.0], "y on x")
