"""Recorded rows on the toy corpus: marked everywhere, answered without the model, asked live where something is not recorded."""

import json
from pathlib import Path

import pytest

from scenarist.bench.records import records_of
from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.spec import load
from scenarist.cli.main import run
from scenarist.errors import BadInput
from scenarist.pages.numbers import NumberForm
from scenarist.pages.report import table_page
from scenarist.store.predictions import read_sections
from scenarist.store.results import Results
from scenarist.verbs.run_table import run_table as verb

TABLE = """
name = "kept"
title = "Kept answers"
seeds = [1, 2]
[[condition]]
name = "all"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
train = [{ corpus = "toy", split = "train" }]
train_settings = { kind = "cloze" }
[[row]]
model = "random"
note = "Drawn."
recorded = "scenarist bench kept.toml --only random --record"
[[row]]
model = "constant-first"
role = "baseline"
"""


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("SCENARIST_PREDICTIONS", str(tmp_path / "predictions"))
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    path = tmp_path / "kept.toml"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def never(self, seed=1):
    raise AssertionError("the model was made although all is recorded")


def test_a_recorded_row_says_so_everywhere_and_its_model_is_not_made(table, tmp_path, monkeypatch):
    live, _ = verb(table).json()["rows"]
    assert "recorded" not in live and "made:" not in live["scores"]["accuracy/all"]["signature"]
    assert live["note"] == "Drawn."
    verb(table, record=True)
    monkeypatch.setattr("scenarist.models.floor.Random.__init__", never)
    with Results(tmp_path / "new.sqlite") as store:
        sheet = run_table(load(table), store)
        row, other = sheet.json()["rows"]
        limited = run_table(load(table), store, Ways(limit=3, seed=2)).json()["rows"][0]
        with pytest.raises(AssertionError):
            run_table(load(table), store, Ways(live=True))
    assert row["recorded"] is True and row["made_by"] == "scenarist bench kept.toml --only random --record"
    assert "|made:recorded|" in row["scores"]["accuracy/all"]["signature"]
    assert "recorded" not in other
    same = ("value", "low", "high", "n", "seeds")
    assert all(row["scores"]["accuracy/all"][key] == live["scores"]["accuracy/all"][key] for key in same)
    assert limited["recorded"] and limited["scores"]["accuracy/all"]["n"] == 3
    page = table_page(
        {"json": sheet.json(), "title": "", "paper": "", "items": {}, "rows": [], "numbers": NumberForm()}
    )
    assert "random *" in page and "made anew by: scenarist bench kept.toml" in page and "random: Drawn." in page


def test_what_is_not_recorded_is_asked_live(table, tmp_path):
    verb(table, only=["random"], seed=1, record=True)
    (path,) = (tmp_path / "predictions").iterdir()
    assert [section.header.seed for section in read_sections(path)] == [1]
    row = verb(table).json()["rows"][0]
    assert "|made:recorded+live|" in row["scores"]["accuracy/all"]["signature"]
    changed = TABLE.replace('model = "random"', 'model = "constant"\nlabel = "random"')
    Path(table).write_text(changed, encoding="utf-8")
    assert "recorded" not in verb(table).json()["rows"][0]  # recorded answers of another model are not this row's


def test_only_whole_recorded_rows_can_be_recorded(table):
    with pytest.raises(BadInput, match="leave out --limit"):
        verb(table, record=True, limit=2)
    with pytest.raises(BadInput, match="not a recorded one"):
        verb(table, only=["constant-first"], record=True)


def test_the_terminal_marks_the_row_and_names_the_command(table, capsys):
    verb(table, record=True)
    assert run(["bench", table]) == 0
    out = capsys.readouterr().out
    assert "random *" in out
    assert "* random: recorded; made anew by: scenarist bench kept.toml --only random --record" in out
    assert "random: Drawn." in out
    assert run(["bench", table, "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["recorded"] is True


def test_what_was_recorded_of_a_row_is_read_and_of_another_is_not(table):
    first, other = load(table).row
    assert records_of(first, "kept") == []  # nothing was recorded yet
    verb(table, only=["random"], seed=2, record=True)
    (section,) = records_of(first, "kept")
    assert (section.header.row, section.header.seed, section.header.condition) == ("random", 2, "all")
    assert len(section.answers) == section.header.items > 0
    assert records_of(other, "kept") == []
    assert records_of(first, "another") == []
