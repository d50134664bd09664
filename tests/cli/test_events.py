"""`scenarist events` on a parsed file (no model needed) and on bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run
from scenarist.formats import conllu
from scenarist.noun import to_json
from scenarist.story import Chain, Story

HAND = str(Path(__file__).parents[1] / "reading" / "fixtures" / "hand.conllu")


def events(*args: str) -> int:
    return run(["events", HAND, "--reader", "conllu", *args])


def test_chains_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert events("--min", "4") == 0
    out = capsys.readouterr().out
    assert "* Mia: walk:subj, ask:subj, tell:obj, annoy:subj, wait:subj" in out
    assert "Tom: catch:obj, slip_away:subj, leave:subj, not see:obj" in out
    assert "guards" not in out
    assert events("--view", "dep", "--min", "4") == 0
    assert "see->nsubjpass" in capsys.readouterr().out


def test_json_is_one_story_a_line_that_decodes(capsys: pytest.CaptureFixture[str]) -> None:
    import msgspec

    assert events("--json", "--view", "pm") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    first = json.loads(lines[0])
    assert first["schema"] == 1
    assert first["protagonist"] == "e1"
    story = msgspec.json.decode(to_json(first["story"]), type=Story)
    found = msgspec.json.decode(to_json(first["chains"]), type=list[Chain])
    assert story.events[found[0].places[0]].predicate == found[0].links[0].predicate


def test_conllu_comes_back_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert events("--conllu") == 0
    path = tmp_path / "again.conllu"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    old, new = list(conllu.read(Path(HAND))), list(conllu.read(path))
    assert [(one.text, one.tokens) for one in old] == [(one.text, one.tokens) for one in new]
    assert [[(e.id, e.mentions) for e in one.entities] for one in old] == [
        [(e.id, e.mentions) for e in one.entities] for one in new
    ]


def test_renderings(capsys: pytest.CaptureFixture[str]) -> None:
    assert events("--render", "caveman") == 0
    assert "She wait in lobby for days.\n" in capsys.readouterr().out
    assert events("--render", "caveman", "--rule", "released") == 0
    assert "She wait for day in lobby.\n" in capsys.readouterr().out


def test_page_and_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert events("--html", str(tmp_path / "p.html"), "-q") == 0
    assert "Tom" in (tmp_path / "p.html").read_text("utf-8")
    assert capsys.readouterr() == ("", "")
    pytest.importorskip("pyarrow")
    assert events("-o", str(tmp_path / "c.parquet"), "--min", "2") == 0
    assert "chains are in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["none.txt"], 2, "no such file"),
        ([HAND, "--view", "cjj"], 2, "Did you mean 'cj'"),
        ([HAND, "--json", "--conllu"], 2, "Choose one"),
        ([HAND, "--reader", "spacyy:x"], 2, "There is no reader"),
        ([HAND, "--reader", "corenlp:http://127.0.0.1:9"], 3, "No CoreNLP server"),
        ([HAND, "--reader", "conllu", "--render", "cave"], 2, "caveman"),
        ([HAND, "--reader", "conllu", "--encoding", "klingon"], 2, "no encoding"),
        ([HAND, "--min", "0"], 2, "min"),
    ],
)
def test_bad_input_is_told_in_one_line(
    args: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["events", *args]) == code
    told = capsys.readouterr()
    assert said in told.err
    assert "Traceback" not in told.err


def test_invalid_bytes_name_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"Zo\xeb ran.")
    assert run(["events", str(path), "--reader", "corenlp:http://127.0.0.1:9"]) == 2
    assert "--encoding latin-1" in capsys.readouterr().err
