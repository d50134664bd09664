"""`scenarist fill` with endings: ranked, written, a table of stories, and what is said to bad input. Shared words decide: no model file is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run

STORY = (
    "Mia planted a seed in a pot. She watered it every day. For two weeks nothing happened. Then a green leaf came up."
)
GOOD, BAD = "Mia watered the green leaf every day.", "Tom sold an old piano."
HEAD = "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2"
LINE = 's1,"Mia planted a seed, in a pot.",She watered it.,"It was ""asleep"".",A leaf came up.,Tom sold an old piano.,Mia watered the leaf.'


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SMOLLM2_GGUF", str(tmp_path / "none.gguf"))
    path = tmp_path / "story.txt"
    path.write_text(STORY)
    return path


def test_given_endings_are_ranked(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fill", str(file), "--ending", BAD, "--ending", GOOD, "--by", "ngram-overlap"]) == 0
    assert capsys.readouterr().out.startswith(f"-> {GOOD}")
    assert run(["fill", str(file), "--ending", BAD, "--ending", GOOD, "--by", "ngram-overlap", "--quiet"]) == 0
    assert capsys.readouterr().out.strip() == GOOD


def test_the_story_may_be_typed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fill", "--story", STORY, "--ending", BAD, "--ending", GOOD, "--by", "ngram-overlap", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["guesses"][0]["answer"] == "1"


def test_without_endings_some_are_written(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def write(story: str | Path, count: int, seed: int) -> list[str]:
        asked.append((story, count, seed))
        return ["One.", "Two."]

    monkeypatch.setattr("scenarist.verbs.fill.write_endings", write)
    assert run(["fill", str(file), "--write", "2", "--seed", "4"]) == 0
    assert capsys.readouterr().out.splitlines() == ["One.", "Two."]
    assert run(["fill", "--story", STORY, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"by": "story-lm", "seed": 13, "endings": ["One.", "Two."]}
    assert asked == [(file, 2, 4), (STORY, 3, 13)]


def test_a_missing_model_says_what_to_type(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    from scenarist.models.endings.story_network import story_network

    story_network.cache_clear()
    assert run(["fill", str(file)]) == 3
    assert "scenarist get smollm2" in capsys.readouterr().err
    assert run(["fill", str(file), "--ending", BAD, "--ending", GOOD]) == 3  # shared words would be a guess
    told = capsys.readouterr()
    assert not told.out and "scenarist get smollm2" in told.err


def test_a_table_without_answers_is_answered_blind(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "mine.csv"
    table.write_text(f"{HEAD}\n{LINE}\n")
    assert run(["fill", str(table), "--by", "ngram-overlap"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["item"], found["guesses"][0]["answer"]) == ("s1", "1")
    (tmp_path / "mine.jsonl").write_text(line + "\n")
    table.write_text(f"{HEAD},AnswerRightEnding\n{LINE},2\n")
    assert (
        run(
            [
                "exam",
                "storycloze",
                "storycloze-2016",
                "--corpus-set",
                f"path={table}",
                "-o",
                str(tmp_path / "d"),
                "--quiet",
            ]
        )
        == 0
    )
    assert run(["score", str(tmp_path / "d"), str(tmp_path / "mine.jsonl"), "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert "accuracy" in json.dumps(scored)


def test_a_blind_exam_is_not_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, folder, mine = tmp_path / "mine.csv", str(tmp_path / "d"), tmp_path / "mine.jsonl"
    table.write_text(f"{HEAD}\n{LINE}\n")
    assert (
        run(
            [
                "exam",
                "storycloze",
                "storycloze-2016",
                "--corpus-set",
                f"path={table}",
                "--set",
                "blind=true",
                "-o",
                folder,
            ]
        )
        == 0
    )
    assert "scenarist score" not in capsys.readouterr().out
    mine.write_text('{"item": "s1", "guesses": [{"answer": "1"}]}\n')
    assert run(["score", folder, str(mine)]) == 2
    assert "have no answer" in capsys.readouterr().err


def test_the_readme_examines_with_the_toy_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, mine = tmp_path / "d", tmp_path / "mine.jsonl"
    assert run(["exam", "storycloze", "toy", "-o", str(folder)]) == 0
    keys = [json.loads(line) for line in (folder / "keys.jsonl").read_text().splitlines()]
    mine.write_text(
        "".join(json.dumps({"item": key["id"], "guesses": [{"answer": key["key"]}]}) + "\n" for key in keys)
    )
    capsys.readouterr()
    assert run(["score", str(folder), str(mine), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["scores"]["accuracy"]["value"] == 1.0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "empty file"),
        (HEAD + "\n", "empty corpus"),
        (f"{HEAD.replace('InputSentence2', 'Second')}\n{LINE}\n", "missing column InputSentence2; found InputStoryid"),
        (f"{HEAD}\n{LINE.replace('A leaf came up.', '')}\n", "sentence 4 is empty"),
        (f"{HEAD}\n{LINE.replace('Tom sold an old piano.', '')}\n", "an ending is empty"),
        (f"{HEAD}\n{LINE.replace('Tom sold an old piano.', 'Mia watered the leaf.')}\n", "both endings are the same"),
        (f"{HEAD}\n{LINE},one more\n", "got 8; a cell with ',' in it stands in quotes"),
        (f"{HEAD}\ns1,One.,Two.,Three.,Yes.,No.\n", "expected 7 columns"),
        (f"{HEAD},AnswerRightEnding\n{LINE},3\n", "must be 1 or 2"),
    ],
)
def test_bad_tables(file: Path, tmp_path: Path, table: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(table)
    assert run(["fill", str(path), "--by", "ngram-overlap"]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--ending", "One."], "two or more endings"),
        (["--ending", "Same.", "--ending", "Same."], "the same"),
        (["--ending", "", "--ending", "Other."], "none of them empty"),
        (["--ending", "One.", "--ending", "Two.", "--by", "dssm"], "has to learn first"),
        (["--ending", "One.", "--ending", "Two.", "--by", "oracle9"], "no model"),
        (["--by", "ngram-overlap"], "chooses between endings"),
    ],
)
def test_bad_endings(file: Path, more: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fill", str(file), *more]) == 2
    assert words in capsys.readouterr().err


def test_bad_stories(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "latin.txt").write_bytes("Caf\xe9 ran.".encode("latin1"))
    for name, words in (("empty.txt", "is empty"), ("latin.txt", "expected utf-8 text"), ("none.txt", "no such file")):
        assert run(["fill", str(tmp_path / name), "--ending", "One.", "--ending", "Two."]) == 2
        assert words in capsys.readouterr().err
    assert run(["fill", "--story", " "]) == 2
    assert run(["fill", "--ending", "One.", "--ending", "Two."]) == 2
    assert "--story TEXT" in capsys.readouterr().err
    assert run(["fill", str(file), "--story", STORY, "--ending", "One.", "--ending", "Two."]) == 2
    assert run(["fill"]) == 2
    assert "Say what to fill" in capsys.readouterr().err


def test_a_model_of_endings_takes_settings(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["fill", str(file), "--ending", BAD, "--ending", GOOD, "--by", "ngram-overlap", "--json"]
    assert run(chosen) == 0
    whole = json.loads(capsys.readouterr().out)
    assert run([*chosen, "--set", "see=last"]) == 0
    assert json.loads(capsys.readouterr().out)["guesses"] != whole["guesses"]
    assert run([*chosen, "--set", "sea=last"]) == 2
    assert "there is no setting 'sea'" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--html", "x.html"], ["--scenario", "x"], ["--chain", "run:subj ?"]])
def test_options_of_chains_are_refused(option: list[str], file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fill", str(file), "--ending", BAD, "--ending", GOOD, *option]) == 2
    assert f"{option[0]} does not go with endings" in capsys.readouterr().err
