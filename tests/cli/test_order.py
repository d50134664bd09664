"""`scenarist order` as it is typed; word places stand in for the model file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.question import Guess, Permutation, Prediction


class Backwards:
    """Puts everything into the opposite order."""

    name = "backwards"
    learns = "nothing"

    def answer(self, question):
        n = len(question.sentences)
        return Prediction("", (Guess(Permutation(tuple(reversed(range(n)))), -0.1),), by=self.name, rest=0.05)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SMOLLM2_GGUF", str(tmp_path / "none.gguf"))
    path = tmp_path / "shuffled.txt"
    path.write_text("She left.\nShe ate.\nAnn woke.\n")
    return path


def test_sentences_are_put_into_order(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scenarist.verbs.order.make", lambda room, name, **settings: Backwards())
    assert run(["order", str(file)]) == 0
    *ordered, gap, sure = capsys.readouterr().out.splitlines()
    assert (ordered, gap) == (["Ann woke.", "She ate.", "She left."], "")
    assert sure.endswith("order: 90 %.")
    file.write_text("She left. She ate. Ann woke.")  # one paragraph
    assert run(["order", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["orders"][0]["order"] == [2, 1, 0]


@pytest.mark.parametrize(
    ("text", "words"), [("Alone.", "2 to 8 sentences"), ("", "2 to 8 sentences"), ("One.\n" * 9, "2 to 8 sentences")]
)
def test_too_few_and_too_many(file: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(text)
    assert run(["order", str(file)]) == 2
    assert words in capsys.readouterr().err


def test_bad_files_and_models(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["order", str(tmp_path / "none.txt")]) == 2
    (tmp_path / "latin.txt").write_bytes("Caf\xe9.\nTea.".encode("latin1"))
    assert run(["order", str(tmp_path / "latin.txt")]) == 2
    assert run(["order", str(file), "--by", "word-places"]) == 2
    err = capsys.readouterr().err
    assert "expected utf-8 text" in err
    assert "no such file" in err
    assert "has to learn first" in err


@pytest.mark.neural
def test_a_missing_model_says_what_to_type(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scenarist.models.endings.story_network import story_network

    story_network.cache_clear()
    assert run(["order", str(file)]) == 3
    assert "scenarist get smollm2" in capsys.readouterr().err
