"""The correction of DeDeo et al. under other readings: drawn resamples vary around the exact sum, a mean over conditions weighs otherwise."""

from __future__ import annotations

import pytest

from scenarist.bench.analyses.people.answers import READINGS, GapAnswer, agreeing, cells_of, figure_of
from scenarist.bench.analyses.people.bennett_readings import condition_means, correction_remark, drawn_agreement


def answers_of(labels: str, task: str, condition: str = "full") -> list[GapAnswer]:
    return [
        GapAnswer(f"p{number}", task, condition, label, task, label=label, hand_label=label)
        for number, label in enumerate(labels)
    ]


def test_drawn_resamples_vary_around_the_exact_correction() -> None:
    answers = [*answers_of("aabc", "t1"), *answers_of("ab", "t2"), *answers_of("aaa", "t3")]
    exact = figure_of(cells_of(answers, agreeing("automatic", "corrected"))).value
    few, many = drawn_agreement(answers, 5), drawn_agreement(answers, 2000)
    assert many.mean() == pytest.approx(exact, abs=0.005)
    assert few.std() > 3 * many.std() > 0
    assert "no cell has two labels" in correction_remark(answers[:1])


@pytest.mark.parametrize("reading", READINGS)
def test_the_interval_of_a_reading_holds_its_value_below_zero_too(reading: str) -> None:
    answers = [
        entry
        for number, labels in enumerate(("abc", "ab", "aabc", "abcd"))
        for entry in answers_of(labels, f"t{number}")
    ]
    figure = figure_of(cells_of(answers, agreeing("automatic", reading)))
    assert figure.low is not None and figure.high is not None
    assert figure.low <= figure.value <= figure.high and figure.low < figure.high
    assert (figure.value < 0) == (reading != "one-minus")


def test_the_mean_of_the_conditions_counts_each_condition_once() -> None:
    answers = [*answers_of("aa", "t1"), *answers_of("aa", "t2"), *answers_of("ab", "t3", "caveman")]
    row = condition_means(answers, ("full", "caveman", "verb-subject"))
    apart = agreeing("automatic", "corrected")(answers[-2:])
    assert apart is not None and apart < 0
    assert row.scores["agreement/automatic"].value == pytest.approx((1.0 + apart) / 2)
    assert row.scores["agreement/automatic"].n == 3
