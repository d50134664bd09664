"""`scenarist detect` and `scenarist scenarios` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.formats import webanno

STORY = (
    "I drove to the dentist because my tooth hurt. The receptionist asked me to sit in the waiting room. Then the dentist told me to open "
    "my mouth and looked at my teeth with a mirror. She drilled the cavity and put in a filling. I rinsed my mouth."
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    path = tmp_path / "tooth.txt"
    path.write_text(STORY)
    return path


def test_the_terminal_shows_label_weight_and_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["detect", str(file)]) == 0
    out = capsys.readouterr().out
    assert "going to the dentist" in out
    assert "by:" in out
    assert "┃" in out


def test_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["detect", str(file), "--json"]) == 0
    (story,) = json.loads(capsys.readouterr().out)
    assert story["segments"][0]["labels"][0]["name"] == "going to the dentist"
    assert story["segments"][0]["why"]


def test_a_page_and_webanno(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, tsv = tmp_path / "page.html", tmp_path / "tooth.tsv"
    assert run(["detect", str(file), "--html", str(page), "--webanno", str(tsv), "--quiet"]) == 0
    assert "going to the dentist" in page.read_text()
    story = webanno.read(tsv)
    assert story.segments[0].names[0] == "going to the dentist"
    assert len(capsys.readouterr().out.strip().splitlines()) == len(story.segments)


def test_bad_files(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["detect", str(tmp_path / "none.txt")]) == 2
    (tmp_path / "nothing").mkdir()
    assert run(["detect", str(tmp_path / "nothing")]) == 2
    (tmp_path / "empty.txt").write_text("  \n")
    assert run(["detect", str(tmp_path / "empty.txt")]) == 2
    (tmp_path / "latin.txt").write_bytes("Caf\xe9".encode("latin1"))
    assert run(["detect", str(tmp_path / "latin.txt")]) == 2
    assert "expected" in capsys.readouterr().err


def test_a_folder_is_read_as_other_verbs_read_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["detect", str(file.parent), "--json"]) == 0
    assert [story["id"] for story in json.loads(capsys.readouterr().out)] == ["tooth"]


def test_a_text_without_scenarios_says_so(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "law.txt").write_text(
        "The committee published its report. The minister promised a new law on river pollution."
    )
    assert run(["detect", str(tmp_path / "law.txt")]) == 0
    assert "No scenario" in capsys.readouterr().out


def test_the_inventory(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scenarios", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 200
    assert run(["scenarios", "--unlearned", "--quiet"]) == 0
    assert len(capsys.readouterr().out.split("\n")) == 5
    assert run(["scenarios", "show", "paying for gas"]) == 0
    assert "part of fueling a car" in capsys.readouterr().out
    assert run(["scenarios", "show", "paying for gaz"]) == 2
    assert "paying for gas" in capsys.readouterr().err
