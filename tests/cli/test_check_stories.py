"""`scenarist corpus check FILE`: a writer is told which rules a story breaks, and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarist.cli.main import run

GOOD = "Paul was sure he could outrun anybody. He dared Rita to a race. Rita agreed at once. She trained every morning. In the end Rita beat Paul."
HEAD = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"


def test_a_good_story_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.txt"
    path.write_text(GOOD)
    assert run(["corpus", "check", str(path)]) == 0
    assert capsys.readouterr().out == "Stories: 1; with a broken rule: 0; with a doubt: 0; without either: 1.\n"


def test_a_bad_story_is_told_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("Ann greeted Bo.\nShe was gonna leave.\nA dragon came.\nAnn ran home.\n")
    assert run(["corpus", "check", str(path), "--quiet"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "bad: five sentences. Expected 5 sentences, got 4."
    assert lines[1] == "bad, sentence 2: slang. Slang or informal: gonna."
    assert lines[2].startswith("bad, sentence 3: realistic.")
    assert lines[2].endswith("(A rule of thumb: you may know better.)")


def test_a_doubt_alone_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "doubt.txt"
    path.write_text(GOOD.replace("a race", "a race against a dragon"))
    assert run(["corpus", "check", str(path)]) == 0
    assert "with a doubt: 1" in capsys.readouterr().out


def test_a_table_of_stories_with_commas_and_quotes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stories.csv"
    path.write_text(
        f'{HEAD}\ns1,T,"Ann ran, then fell.",Ann rose.,She wept.,Bo came.,"Bo said ""up""."\ns2,T,Ann ran.,Ann fell.,She wept.,Bo came.,He helped Ann.\n'
    )
    assert run(["corpus", "check", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["story"] for one in found] == ["s1", "s2"]
    assert [fault["rule"] for fault in found[0]["faults"]] == ["quotation"]
    assert found[1]["faults"] == []


def test_what_cannot_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "story.txt"
    path.write_bytes(b"\xff\xfe\x00")
    assert run(["corpus", "check", str(path)]) == 2
    assert "expected a story in UTF-8 text" in capsys.readouterr().err


def test_figures_of_a_file_of_stories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "stories.csv", tmp_path / "page.html"
    path.write_text(f"{HEAD}\ns1,A long run,Ann ran.,Ann fell.,She wept.,Bo came.,He helped Ann.\n")
    assert run(["corpus", "stats", str(path), "--html", str(page), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["documents"] == 1
    assert "help" in page.read_text()


def test_how_the_links_of_an_annotation_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "time.xml"
    events = '<event id="a"/><event id="b"/><event id="c"/>'
    path.write_text(
        f'<s><story id="1">{events}<tlink from="a" to="b" relation="before"/><tlink from="c" to="b" relation="BEFORE"/></story></s>'
    )
    assert run(["corpus", "stats", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"links": 2, "before": 1.0, "simultaneous": 0.0, "text_order": 0.5}
    assert run(["corpus", "stats", str(path)]) == 0
    assert "2 links in 1 stories" in capsys.readouterr().out
    path.write_text('<s><story id="1"><tlink from="a" to="b" relation="near"/></story></s>')
    assert run(["corpus", "stats", str(path)]) == 2
    assert "relation 'near'" in capsys.readouterr().err
