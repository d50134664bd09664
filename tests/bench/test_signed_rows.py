"""A row whose solver is shown less than its exam says so in the signature of its figures; the tables of Story Cloze do."""

import pytest

from scenarist.bench.run_table import run_table
from scenarist.bench.spec import load
from scenarist.store.results import Results

TABLE = """
name = "shown"
title = "Who sees the story?"
seeds = [1]
[[condition]]
name = "all"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
[[row]]
model = "constant-first"
role = "baseline"
[[row]]
model = "constant-first"
label = "hidden"
signed = { see = "ending" }
"""


def test_the_signature_says_what_a_row_was_shown(tmp_path):
    path = tmp_path / "shown.toml"
    path.write_text(TABLE, encoding="utf-8")
    with Results(tmp_path / "r.sqlite") as store:
        seen, hidden = (done.cells["accuracy/all"].score.signature for done in run_table(load(str(path)), store).rows)
    assert "|see:story|" in seen and "|see:ending|" in hidden


@pytest.mark.parametrize("name", ["storycloze2016", "storycloze2018", "storycloze-bias"])
def test_rows_without_the_story_are_signed_so(name):
    for row in load(name).row:
        hides = (
            row.settings.get("see") == "ending"
            or "ending-only" in str(row.settings.get("run"))
            or row.only == ["ending-only"]
        )
        if row.role != "published":
            assert (row.signed.get("see") == "ending") == hides, row.label or row.model


def test_a_row_may_name_the_row_it_is_compared_with(tmp_path):
    """Otherwise the table's, otherwise the best baseline; nothing is compared with itself."""
    rows = 'reference = "hidden"\n[[row]]\nmodel = "constant-first"\nlabel = "one"\n[[row]]\nmodel = "constant-first"\nlabel = "other"\nreference = "constant-first"\n'
    path = tmp_path / "shown.toml"
    path.write_text(
        TABLE + rows, encoding="utf-8"
    )  # the first line is of the row "hidden": itself, so that it has no test
    with Results(tmp_path / "r.sqlite") as store:
        tests = run_table(load(str(path)), store).tests
    assert {test.row: test.reference for test in tests} == {"one": "constant-first", "other": "constant-first"}
    path.write_text(TABLE.replace("seeds = [1]", 'seeds = [1]\nreference = "hidden"') + rows, encoding="utf-8")
    with Results(tmp_path / "r.sqlite") as store:
        tests = run_table(load(str(path)), store).tests
    named = {test.row: test.reference for test in tests}
    assert named == {"constant-first": "hidden", "one": "hidden", "other": "constant-first"}
