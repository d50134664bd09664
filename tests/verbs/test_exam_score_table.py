"""`exam`, `score` and `run_table` in Python: an exam is set, answered, scored; a table is run."""

from __future__ import annotations

from pathlib import Path

import pytest

import scenarist
from scenarist.noun import write_jsonl
from scenarist.verbs.exam import example_line


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))


def test_an_exam_is_set_answered_and_scored(tmp_path: Path) -> None:
    paper = scenarist.exam("storycloze", "toy", out=tmp_path / "d")
    assert paper.card.items == len(paper.items)
    assert paper.items[0].id in example_line(paper.items[0])
    answers = [scenarist.Prediction(item.id, (scenarist.Guess(item.key),), "me") for item in paper.items]
    (tmp_path / "mine.jsonl").write_bytes(b"".join(write_jsonl(answers)))
    wrong = [scenarist.Prediction(item.id, (scenarist.Guess(str(1 - int(item.key))),), "other") for item in paper.items]
    (tmp_path / "theirs.jsonl").write_bytes(b"".join(write_jsonl(wrong)))
    scored = scenarist.score(tmp_path / "d", [tmp_path / "mine.jsonl", tmp_path / "theirs.jsonl"])
    assert [system.scores["accuracy"].value for system in scored.systems] == [1.0, 0.0]
    assert scored.tests[0].comparison.difference == 1.0
    assert scored.items == paper.items
    assert scored.card == paper.card


def test_an_exam_need_not_be_written() -> None:
    items, card = scenarist.exam("eventcloze", "toy", limit=3)
    assert (len(items), card.items, card.split) == (3, 3, "dev")


def test_a_table_is_run() -> None:
    assert "toy" in [table.name for table in scenarist.tables()]
    sheet = scenarist.run_table("toy", only=["unigram"], limit=5)
    assert [row["model"] for row in sheet.json()["rows"]] == ["unigram"]
