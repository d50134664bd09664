"""`scenarist read` as a newcomer meets it: good stories, every kind of bad input, folders that resume."""

from __future__ import annotations

import io
import json
import os
import sys
import tarfile
from pathlib import Path

import msgspec
import pytest

import scenarist
from scenarist.cli.main import run
from scenarist.interpretation import SCHEMA, Interpretation

BATH = (
    "I turned on the water and waited until the tub was full. I put some soap into the bath and undressed. "
    "Then I stepped into the bathtub and washed my hair. At the end I dried myself with a towel."
)
POEM = "O moon,\n  O pale and wandering moon,\nwho hung thee there,\n\nabove the sleepless sea?"
RECIPE = "Ingredients:\n- 200 g flour\n- 2 eggs\n\n1. Mix the flour with the eggs.\n2. Knead well.\n3. Bake for 40 min at 180 °C."
CHAT = "[10:02] kim: u there??\n[10:02] lee: yep :)\n[10:03] kim: lol ok brb\n[10:09] lee: k"
LEGAL = (
    "Notwithstanding any provision of Section 4(b), the Lessee shall indemnify the Lessor against all claims arising "
    "hereunder, provided that such claims are notified in writing."
)
GERMAN = "Am Morgen ging Anna in die Küche und kochte sich einen starken Kaffee, weil sie schlecht geschlafen hatte."
NO_SCENARIO = (
    "The glacier moved a little further down the mountain. A stone fell. Nobody had seen it for a hundred years."
)
HOSTILE = 'Ann said "<script>alert(1)</script>" and <b onclick="x()">left</b> & never came back. She washed her hair.'
CONTROL = "Ann took a bath.\x1b[31m She\x00 washed\x07 her hair.\x08\u202e Then she dried off.\x9b"


def write(folder: Path, text: str, name: str = "story.txt") -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


def lines(out: Path) -> list[Interpretation]:
    return [
        msgspec.json.decode(line, type=Interpretation) for line in (out / "accounts.jsonl").read_bytes().splitlines()
    ]


def test_a_story_in_a_terminal(tmp_path, capsys) -> None:
    assert run(["read", write(tmp_path, BATH)]) == 0
    out = capsys.readouterr().out
    assert "taking a bath" in out
    assert "⋯" in out
    assert "\x1b" not in out  # no colour when piped
    shown = " ".join(out.replace("┃", " ").split())
    for sentence in BATH.split(". "):
        assert sentence.split()[-1].strip(".") in shown


def test_json_is_the_documented_noun(tmp_path, capsys) -> None:
    assert run(["read", write(tmp_path, BATH), "--json"]) == 0
    out = capsys.readouterr().out
    interpretation = msgspec.json.decode(out, type=Interpretation)
    assert interpretation.schema == SCHEMA
    story = interpretation.story
    assert story.text == BATH
    assert (story.id, story.title) == ("story", "Story")
    assert [story.of(sentence) for sentence in story.sentences]
    for event in story.events:
        assert story.of(event)
    assert interpretation.untold
    for one in interpretation.untold:
        assert 0 <= one.probability <= 1
        assert story.segments[one.segment].names[0] == one.scenario
        assert story.segments[one.segment].start <= one.at <= story.segments[one.segment].stop
        assert -1 <= one.after < len(story.events)
        assert -1 <= one.before < len(story.events)
        assert one.reason.text
    page = (Path(__file__).parents[2] / "docs" / "reference" / "interpretation-json.md").read_text("utf-8")
    for field in (*Interpretation.__struct_fields__, *type(interpretation.untold[0]).__struct_fields__):
        assert f"`{field}`" in page, field


def test_python_and_command_line_read_alike(tmp_path, capsys) -> None:
    run(["read", write(tmp_path, BATH), "--json"])
    told = msgspec.json.decode(capsys.readouterr().out, type=Interpretation)
    here = scenarist.read(BATH, title="Story")
    assert here == told


def test_standard_input(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BATH.encode())))
    assert run(["read", "-"]) == 0
    assert "taking a bath" in capsys.readouterr().out


def test_an_empty_file_is_said_to_be_empty(tmp_path, capsys) -> None:
    for text in ("", " \n\t\n"):
        assert run(["read", write(tmp_path, text)]) == 2
        assert "empty" in capsys.readouterr().err
    assert "empty" in scenarist.read("").remarks[0]


@pytest.mark.parametrize("text", [POEM, RECIPE, CHAT, LEGAL, GERMAN, NO_SCENARIO, "x", "...", "\ufeffHi.", "a " * 4000])
def test_no_text_is_too_odd_to_read(text, tmp_path, capsys) -> None:
    path = write(tmp_path, text)
    assert run(["read", path]) == 0
    assert run(["read", path, "--json"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    interpretation = msgspec.json.decode(last, type=Interpretation)
    assert interpretation.story.text == text.removeprefix("\ufeff")


def test_another_language_is_remarked(tmp_path, capsys) -> None:
    run(["read", write(tmp_path, GERMAN)])
    out = capsys.readouterr().out
    assert "does not look like English" in out
    assert "⋯" not in out.split("goes without saying")[0].rstrip("⋯ \n")


def test_no_known_scenario_is_said_and_events_are_shown(tmp_path, capsys) -> None:
    interpretation = scenarist.read(NO_SCENARIO)
    assert interpretation.story.events
    assert interpretation.untold == ()
    run(["read", write(tmp_path, NO_SCENARIO)])
    assert "No known scenario" in capsys.readouterr().out


def test_control_characters_do_not_reach_the_terminal(tmp_path, capsys) -> None:
    path = write(tmp_path, CONTROL)
    page = tmp_path / "page.html"
    assert run(["read", path, "--html", str(page)]) == 0
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x00\x07\x08\u202e\x9b")
    assert run(["read", path, "--json"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert page.exists()


def test_html_in_the_story_stays_text(tmp_path, capsys) -> None:
    page = tmp_path / "page.html"
    assert run(["read", write(tmp_path, HOSTILE), "--html", str(page), "--title", "<i>x</i>"]) == 0
    html = page.read_text("utf-8")
    assert "<script>alert" not in html
    assert "<b onclick" not in html
    assert "<i>x" not in html
    assert "alert(1)" in html  # shown, inert
    assert HOSTILE.split()[0] in capsys.readouterr().out


def test_missing_and_unreadable_files(tmp_path, capsys) -> None:
    assert run(["read", str(tmp_path / "nowhere.txt")]) == 2
    assert "no such file" in capsys.readouterr().err
    (tmp_path / "latin.txt").write_bytes("Café".encode("latin-1"))
    assert run(["read", str(tmp_path / "latin.txt")]) == 2
    assert "--encoding" in capsys.readouterr().err
    assert run(["read", str(tmp_path / "latin.txt"), "--encoding", "latin-1"]) == 0
    (tmp_path / "empty").mkdir()
    assert run(["read", str(tmp_path / "empty")]) == 2
    (tmp_path / "broken.tar").write_bytes(b"not an archive at all")
    assert run(["read", str(tmp_path / "broken.tar")]) == 2
    if os.getuid():  # root reads everything
        locked = tmp_path / "locked.txt"
        locked.write_text(BATH)
        locked.chmod(0)
        assert run(["read", str(locked)]) == 2


def test_an_output_that_cannot_be_written(tmp_path, capsys) -> None:
    path = write(tmp_path, BATH)
    assert run(["read", path, "--html", str(tmp_path)]) == 2
    assert run(["read", path, "--html", f"{path}/page.html"]) == 2
    assert "Cannot write" in capsys.readouterr().err
    assert run(["read", path, "-o", path]) == 2
    assert run(["read", path, "-o", f"{path}/out"]) == 2
    write(tmp_path, BATH, "second.txt")
    assert run(["read", str(tmp_path), "--html", str(tmp_path / "p.html")]) == 2
    assert not (tmp_path / "p.html").exists()


@pytest.fixture
def stories(tmp_path) -> Path:
    folder = tmp_path / "stories"
    folder.mkdir()
    for number, text in enumerate([BATH, NO_SCENARIO, HOSTILE, CONTROL, POEM]):
        write(folder, text, f"{number}.txt")
    return folder


def test_a_folder_resumes_and_jobs_change_nothing(stories, tmp_path) -> None:
    pytest.importorskip("pyarrow")
    one, two, torn = (tmp_path / name for name in ("one", "two", "torn"))
    assert run(["read", str(stories), "-o", str(one)]) == 0
    whole = (one / "accounts.jsonl").read_bytes()
    assert [interpretation.story.id for interpretation in lines(one)] == [str(n) for n in range(5)]
    torn.mkdir()
    (torn / "accounts.jsonl").write_bytes(whole[: len(whole) * 2 // 3])  # interrupted in the middle of a line
    assert run(["read", str(stories), "-o", str(torn)]) == 0
    assert (torn / "accounts.jsonl").read_bytes() == whole
    assert run(["read", str(stories), "-o", str(two), "--jobs", "2"]) == 0
    assert (two / "accounts.jsonl").read_bytes() == whole
    assert run(["read", str(stories), "-o", str(two)]) == 0  # nothing left to do
    assert (two / "accounts.jsonl").read_bytes() == whole
    tables = {
        (folder / "chains.parquet").read_bytes() + (folder / "untold.parquet").read_bytes()
        for folder in (one, two, torn)
    }
    assert len(tables) == 1


def test_an_archive_is_read_like_its_folder(stories, tmp_path) -> None:
    archive = tmp_path / "stories.tar.gz"
    with tarfile.open(archive, "w:gz") as bundle:
        for path in sorted(stories.iterdir())[:2]:
            bundle.add(path, path.name)
    assert run(["read", str(archive), "-o", str(tmp_path / "out"), "-q"]) == 0
    assert [interpretation.story.text for interpretation in lines(tmp_path / "out")] == [BATH, NO_SCENARIO]


@pytest.mark.slow
def test_a_long_text_is_read(tmp_path, capsys) -> None:
    text = "\n\n".join([BATH, NO_SCENARIO] * 350)
    assert len(text) > 100_000
    page = tmp_path / "page.html"
    assert run(["read", write(tmp_path, text), "--html", str(page), "-q"]) == 0
    assert run(["read", write(tmp_path, text[:20_000], "b.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["story"]["text"] == text[:20_000]
    assert page.stat().st_size > len(text)


def test_show_says_what_is_known(tmp_path, capsys) -> None:
    page = tmp_path / "page.html"
    assert run(["show", "taking a bath", "--html", str(page)]) == 0
    out = capsys.readouterr().out
    assert "tellers" in out
    assert "participants" in out
    assert "<script>" not in page.read_text("utf-8")
    assert run(["show", "taking a bath", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scenario"] == "taking a bath"
    assert run(["show", "taking a bth"]) == 2
    assert "Did you mean" in capsys.readouterr().err
