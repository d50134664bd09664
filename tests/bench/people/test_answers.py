"""People's answers: readings of agreement, what is thin or wrong is named and the rest is counted, effects by statsmodels, distributions."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from scenarist.bench.analyses.people import gap_study, power, shuffling
from scenarist.bench.analyses.people.answers import (
    GapAnswer,
    TaskCell,
    agreeing,
    cells_of,
    check_answers,
    figure_of,
    gap_answers,
    mean_figure,
    one_agreement,
    share_right,
)
from scenarist.bench.analyses.people.distributions import compare_model, compare_people, jensen_shannon
from scenarist.bench.analyses.people.regression import condition_effect, contrast, mixed_effect, slope
from scenarist.errors import BadInput
from scenarist.exams.gaps import GapsExam
from scenarist.question import Guess, Item, Prediction
from scenarist.reading.wordnet import gloss
from scenarist.registry import make
from scenarist.verbs.exam import exam


def answer(person: str, task: str, text: str = "She left.", condition: str = "full", **more: object) -> GapAnswer:
    return GapAnswer(person, task, condition, text, task, **{"label": text, **more})


# What is thin or wrong


def test_empty_answers_and_a_person_twice_are_left_out_and_named():
    checked = check_answers([answer("a", "1"), answer("a", "1", "He ran."), answer("b", "1", "  "), answer("c", "1")])
    assert [kept.person for kept in checked.answers] == ["a", "c"]
    assert "1 empty answers left out (first: person b, task 1)" in checked.remarks[0]
    assert "answered the task before (first: person a, task 1)" in checked.remarks[1]


def test_one_person_one_answer_and_a_condition_without_people_are_named():
    one_person = check_answers([answer("a", "1"), answer("a", "2")], ["full", "caveman"])
    assert any("One person only (a)" in remark for remark in one_person.remarks)
    assert any("Nobody answered in the condition 'caveman'" in remark for remark in one_person.remarks)
    assert any("One answer only" in remark for remark in check_answers([answer("a", "1")]).remarks)
    assert cells_of(one_person.answers, agreeing()) == []  # no agreement of one
    assert figure_of(cells_of(one_person.answers, share_right)).value == 0.0  # recovery is still counted


def test_no_answer_at_all_is_refused():
    with pytest.raises(BadInput, match="no answer that can be counted"):
        check_answers([answer("a", "1", "")])
    with pytest.raises(BadInput, match="no gap 'elsewhere'"):
        gap_answers([], [Prediction("elsewhere", (Guess("She left."),), "a")])


def test_an_answer_is_a_noun_that_can_be_counted_and_not_changed():
    first, second = gap_answers(*asked(["She left.", "She left."]))
    assert len({first, second, msgspec.structs.replace(second, person="p0")}) == 2
    with pytest.raises(AttributeError):
        first.right = True


def asked(texts: list[str]) -> tuple[list[Item], list[Prediction]]:
    """One gap, and what people put into it."""
    item = next(iter(GapsExam("full").set(make("corpus", "toy"))))
    return [item], [Prediction(item.id, (Guess(text),), f"p{number}") for number, text in enumerate(texts)]


def test_a_mean_has_an_interval_from_two_sources_on():
    two, one = mean_figure([("a", 1.0, "x"), ("b", 2.0, "y")]), mean_figure([("a", 1.0, "x"), ("b", 2.0, "x")])
    assert two.value == one.value == 1.5 and two.n == one.n == 2
    assert two.low is not None and two.low < 1.5 < two.high and (one.low, one.high) == (None, None)
    three = mean_figure([("a", 1.0, "x"), ("b", 2.0, "y"), ("c", 6.0, "z")])
    assert three.low < three.value == 3.0 < three.high


# Agreement


def test_the_three_readings_by_hand():
    labels = ["go", "go", "eat", "sit"]
    naive = -(0.5 * math.log(0.5) + 2 * 0.25 * math.log(0.25))
    assert one_agreement(labels, "one-minus") == pytest.approx(1 - naive / math.log(4))
    assert one_agreement(labels, "printed") == pytest.approx(-naive / math.log(4))
    assert one_agreement(labels, "corrected") <= one_agreement(labels, "one-minus")
    assert one_agreement(["go"] * 5, "one-minus") == 1.0
    with pytest.raises(BadInput, match="reading must be one of"):
        agreeing(reading="other")


# Effects


def cells(full: float, other: float, number: int = 20) -> list[TaskCell]:
    rng = np.random.default_rng(1)
    return [
        TaskCell(str(task), name, str(task), mean + float(rng.normal(0, 0.1)), 3)
        for task in range(number)
        for name, mean in (("full", full), ("caveman", other), ("verb-subject", other))
    ]


def test_b_is_a_third_of_the_difference():
    given = cells(0.3, 0.0)
    effect = condition_effect(given, "full")
    inside = np.mean([cell.value for cell in given if cell.condition == "full"])
    outside = [np.mean([c.value for c in given if c.condition == name]) for name in ("caveman", "verb-subject")]
    assert effect.b == pytest.approx((inside - np.mean(outside)) / 3)
    assert effect.low < effect.b < effect.high and effect.df == 57 and effect.p < 1e-6


def test_contrasts_are_orthogonal():
    rows = np.array(list(contrast(["a", "b", "c", "d"], "b").values()))
    assert np.allclose(rows.sum(axis=0), 0) and np.allclose(rows.T @ rows - np.diag(np.diag(rows.T @ rows)), 0)
    with pytest.raises(BadInput, match="needs answers in it and in another condition"):
        contrast(["full"], "full")


def test_the_mixed_model_finds_what_was_put_in():
    rng = np.random.default_rng(2)
    answers = []
    for person in range(24):
        condition = ("full", "caveman", "verb-subject")[person % 3]
        for task in rng.permutation(20)[:12]:
            right = bool(rng.random() < (0.5 if condition == "full" else 0.1))
            answers.append(answer(f"p{person}", f"t{task}", condition=condition, hand_right=right))
    effect = mixed_effect(answers, "full")
    assert effect.low < 0.4 / 3 < effect.high and effect.p < 0.01
    assert "24 people" in effect.what and math.isinf(effect.df) and effect.form()["df"] is None


def test_a_line_needs_points():
    assert slope([0, 1, 2], [1, 3, 5.001], "y by x").b == pytest.approx(2, abs=0.01)
    with pytest.raises(BadInput, match="three points or more"):
        slope([0, 1], [1, 2], "y by x")


# Whole distributions


def test_divergence_of_distributions():
    assert jensen_shannon({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}) == 0
    assert jensen_shannon({"a": 1.0}, {"a": 0.5, "b": 0.5}) == pytest.approx(0.3112781, abs=1e-6)


def test_people_against_people_and_against_a_model():
    same = [answer(f"p{n}", str(task), "go" if n % 2 else "eat") for n in range(8) for task in range(6)]
    near = compare_people(same[: len(same) // 2], same[len(same) // 2 :], permutations=100)
    assert near.divergence.value == 0 and near.p > 0.5
    far = compare_people(
        [answer(f"a{n}", str(task), "go") for n in range(5) for task in range(6)],
        [answer(f"b{n}", str(task), "eat") for n in range(5) for task in range(6)],
        permutations=100,
    )
    assert far.divergence.value == 1 and far.p < 0.05
    model = {str(task): Prediction(str(task), (Guess("go:subj", math.log(0.5)),), "m") for task in range(6)}
    assert 0 < compare_model([answer("a", str(task), gloss("go")) for task in range(6)], model).divergence.value < 1
    with pytest.raises(BadInput, match="a task that both groups answered"):
        compare_people([answer("a", "1")], [answer("b", "2")])


# Power


def test_power_rises_with_people_and_is_alpha_without_an_effect():
    few, many = (power.power_of(power.StudyDesign(people), 150) for people in (9, 90))
    assert few.power < many.power and few.low < few.power < few.high
    none = power.power_of(power.StudyDesign(24, effect=0.0), 600)
    assert none.low < 0.05 < none.high
    needed = power.people_needed(0.8, power.StudyDesign(24), most=200, simulations=100)
    assert needed is not None and needed.power >= 0.8 and 10 < needed.design.people < 40
    assert power.people_needed(0.8, power.StudyDesign(24, effect=0.0), most=60, simulations=60) is None


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (power.StudyDesign(2), "two or more conditions"),
        (power.StudyDesign(24, tasks=5), "1 to 5 answers"),
        (power.StudyDesign(24, base=0.0), "between 0 and 1"),
    ],
)
def test_designs_that_cannot_be(design, words):
    with pytest.raises(BadInput, match=words):
        power.power_of(design, 1)


def test_the_test_of_the_simulation_is_that_of_the_regression():
    given = cells(0.2, 0.1, 8)
    values = np.array([cell.value for cell in given])
    inside = np.array([cell.condition == "full" for cell in given])
    effect = condition_effect(given, "full")
    for alpha in (effect.p * 0.5, effect.p * 2):
        # the regression takes the difference of the two other conditions out of the residual, too: p differs a little
        assert power.is_found(values, inside, 3, alpha) == (effect.p < alpha)


# Studies from files


def write_answers(folder, name: str, items, text: str = "She left.") -> None:
    lines = [f'{{"item": "{item.id}", "guesses": [{{"answer": "{text}"}}], "by": "{name}"}}' for item in items]
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_study_of_gaps_from_its_folder(tmp_path):
    for condition in ("full", "caveman"):
        paper = exam("gaps", "toy", settings={"condition": condition}, out=tmp_path / condition)
        for number in range(3):
            write_answers(
                tmp_path / condition, f"{condition}{number}", paper.items, ("She left.", "He ran home.")[number % 2]
            )
    table = gap_study.table(answers=str(tmp_path))
    people = table.rows[0]
    assert people.model == "people" and people.role == "human"
    assert {"recovery/automatic", "agreement/automatic", "effect/full"} <= set(people.scores)
    assert {row.model for row in table.rows} >= {"people-full", "people-caveman", "full0", "caveman2"}
    assert "|seed:13|" in table.signature
    (gap,) = table.more["distributions"]
    assert {gap["first"], gap["second"]} == {"full", "caveman"} and gap["p"] > 0.05 and table.more["resolution"]


def test_a_study_of_one_person_is_counted_as_far_as_it_goes(tmp_path):
    paper = exam("gaps", "toy", out=tmp_path)
    write_answers(tmp_path, "anna", paper.items)
    write_answers(tmp_path, "anna-again", paper.items[:1])
    lines = (tmp_path / "anna-again.jsonl").read_text().replace("anna-again", "anna")
    (tmp_path / "anna-again.jsonl").write_text(lines + '{"item": "no-such", "guesses": [], "by": "anna"}\n')
    table = gap_study.table(answers=str(tmp_path))
    remarks = " ".join(table.more["remarks"])
    assert (
        "One person only (anna)" in remarks
        and "twice; the first answer counts" in remarks
        and "no item of this exam" in remarks
    )
    assert "recovery/automatic" in table.rows[0].scores and "agreement/automatic" not in table.rows[0].scores


def test_folders_without_a_study(tmp_path):
    with pytest.raises(BadInput, match="give their folder"):
        gap_study.table()
    with pytest.raises(BadInput, match=r"holds no exam\.json"):
        gap_study.table(answers=str(tmp_path))
    exam("gaps", "toy", out=tmp_path)
    with pytest.raises(BadInput, match="nobody's predictions lie beside"):
        gap_study.table(answers=str(tmp_path))


# Orders


def test_shuffling_by_hand(tmp_path):
    paper = exam("ordering", "toy", out=tmp_path)
    for number in range(5):
        lines = []
        for place, item in enumerate(paper.items):
            order = list(item.key.order)
            if place == 0 and number < 3:  # three of five turn the first story round
                order = order[::-1]
            lines.append(
                f'{{"item": "{item.id}", "guesses": [{{"answer": {{"is": "order", "order": {order}}}}}], "by": "p{number}"}}'
            )
        (tmp_path / f"p{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = shuffling.table(answers=str(tmp_path))
    scores = table.rows[0].scores
    stories = len(paper.items)
    assert scores["perfect_order/majority"].value == pytest.approx((stories - 1) / stories)
    assert scores["perfect_order/single"].value == pytest.approx(1 - 3 / (5 * stories))
    assert scores["place3/single"].value == pytest.approx(1.0)  # the middle stays where it is
    assert [row.model for row in table.rows[1:]] == [f"p{number}" for number in range(5)]


def test_gaps_have_the_same_items_in_all_conditions():
    sets = [list(GapsExam(condition).set(make("corpus", "toy"))) for condition in ("full", "caveman", "verb-subject")]
    assert [item.id for item in sets[0]] == [item.id for item in sets[1]] == [item.id for item in sets[2]]
