"""Every metric says whether it is a proportion, and one number has one form wherever it is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenarist.bench import spec
from scenarist.cli.main import app
from scenarist.errors import BadInput
from scenarist.pages.numbers import NumberForm, exam_form
from scenarist.registry import find, make, names

NO_SHARE = {
    "surprisal", "information_content", "average_rank", "mrr", "kendall_tau", "kappa", "entropy_agreement",
    "pk", "windowdiff", "boundary_similarity", "sentences_per_s", "suggestions", "distance",
}  # fmt: skip
"""Metrics whose value is no share of anything, or that papers never print as a percentage."""
AS_PRINTED = {"people-printed", "people-corrected", "people-corrected-by-condition"}
"""Bennett's agreement by the formula as printed, and with corrections: below zero, as `docs/why/gaps.md` shows."""
RESULTS = Path(__file__).parents[2] / "results"


@pytest.mark.parametrize("name", names("metric"))
def test_every_metric_says_whether_it_is_a_proportion(name: str) -> None:
    try:
        metric = make("metric", name)
    except BadInput:
        metric = make("metric", f"{name}@10")
    assert metric.proportion is (name not in NO_SHARE)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_what_is_printed_as_a_share_is_one(path: Path) -> None:
    form = json.loads(path.read_text("utf-8"))
    if "table" not in form:
        pytest.skip("no table")
    numbers = spec.load(form["table"]).numbers()
    for row in form["rows"]:
        for column, figure in row["scores"].items():
            if numbers.is_proportion(column) and column != "difference" and row["model"] not in AS_PRINTED:
                assert 0 <= figure["value"] <= 1, (row["model"], column)


@pytest.mark.parametrize("name", spec.names())
def test_a_table_prints_as_its_exam_does(name: str) -> None:
    table = spec.load(name)
    for condition in table.condition:
        assert table.percent is getattr(find("exam", condition.exam), "percent", True), condition.name
        numbers, alone = table.numbers(), exam_form(condition.exam)
        for metric in condition.metrics:
            assert numbers.text(0.4567, metric) == alone.text(0.4567, metric)


def test_a_difference_of_percentages_has_a_sign() -> None:
    assert NumberForm().text(-0.0123, "f1/noisy", sign=True) == "-1.2"
    assert NumberForm().text(0.0271, "pk/clean") == "0.027"
    assert NumberForm(False, 3).text(0.0271, "pk/clean") == "0.027"
    assert NumberForm(plain=("count_*",)).text(2400.0, "count_words/files") == "2400"


def test_terminal_page_and_score_print_the_same_number(tmp_path: Path) -> None:
    """The answers of a model that always takes the first choice, as `bench` prints them, on its page, and as `score` does."""
    runner, page, folder = CliRunner(env={"COLUMNS": "200"}), tmp_path / "page.html", tmp_path / "exam"
    form = json.loads(runner.invoke(app, ["bench", "toy", "--only", "constant", "--json"]).stdout)
    shown = f"{100 * form['rows'][0]['scores']['accuracy/ending']['value']:.1f}"
    assert 0 < float(shown) < 100
    table = runner.invoke(app, ["bench", "toy", "--only", "constant", "-q", "--html", str(page)])
    assert f" {shown} " in table.stdout and f">{shown}<br>" in page.read_text("utf-8")
    assert runner.invoke(app, ["exam", "storycloze", "toy", "-o", str(folder)]).exit_code == 0
    ids = [json.loads(line)["id"] for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(f'{{"item": "{id}", "guesses": [{{"answer": "0"}}]}}\n' for id in ids), "utf-8")
    scored = runner.invoke(app, ["score", str(folder), str(answers), "-q", "--html", str(page)])
    assert f" {shown} " in scored.stdout and f">{shown}<br>" in page.read_text("utf-8")
