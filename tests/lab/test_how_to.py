"""docs/how-to/cloze-study.md as written: every command runs, the server too, and a person takes part."""

from __future__ import annotations

import json
import re
import shlex
import urllib.request
from pathlib import Path
from typing import Any

from scenarist.cli.main import run
from scenarist.lab.server import ServerProcess

ROOT = Path(__file__).parents[2]
STORIES = (
    "Nora wanted to paint her room. She bought a can of blue paint. She covered the floor with paper. She painted the walls twice. She opened the window. She was tired and happy.",
    "Paul was hungry. He took bread from the cupboard. He cut two slices. He put cheese on them. He heated the pan. He ate his sandwich at the table.",
    "Mia went to the library. She looked for a book about stars. She asked the librarian. She took the book to the desk. She showed her card. She read it on the bus.",
)


def test_the_how_to_runs_as_written(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stories").mkdir()
    for number, story in enumerate(STORIES):
        Path(f"stories/{number}.txt").write_text(story)
    text = (ROOT / "docs" / "how-to" / "cloze-study.md").read_text("utf-8")
    lines = [line for block in re.findall(r"```console\n(.*?)```", text, re.S) for line in block.splitlines()]
    for line in lines:
        program, *args = shlex.split(line.removeprefix("$ "))
        assert program == "scenarist"
        if args[:2] == ["lab", "serve"]:
            server = ServerProcess(args[2], "study.db", "texts:stories")
            assert [*server.command[3:], "--quiet"][:4] == ["lab", "serve", "fill-gap", "--db"]
            server.start()
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/study/fill-gap/").read().decode()
            finally:
                server.stop()
            assert "A sentence is missing" in page
            continue
        assert run(args) == 0, line
        shown = capsys.readouterr().out
        if "--json" in args:
            told = json.loads(shown)
            assert (told["lost"], told["doubled"]) == (0, 0) and told["complete"] == told["people"]
        if args[1] == "paper":
            assert "6 people finished the study" in shown and "mixture" in shown
    predictions = Path("answers/answers.jsonl").read_text().splitlines()
    assert len(predictions) == 18 and all("guesses" in json.loads(line) for line in predictions)
    assert Path("answers/answers.csv").read_text().startswith("person,source")
    assert "seconds" in Path("answers/columns.json").read_text()


def test_collecting_a_corpus_runs_as_written(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """Every command of the page, in order, in an empty folder; `serve` by its first page."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "how-to" / "collect-a-corpus.md").read_text("utf-8")
    lines = [line for block in re.findall(r"```console\n(.*?)```", text, re.S) for line in block.splitlines()]
    assert len(lines) == 15
    for line in lines:
        program, *args = shlex.split(line.removeprefix("$ "))
        assert program == "scenarist"
        if args[:2] == ["lab", "serve"]:
            server = ServerProcess(args[2], args[4])
            server.start()
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/study/{args[2]}/").read().decode()
            finally:
                server.stop()
            assert "Write short stories" in page
            continue
        assert run(args) == 0, line
        shown = capsys.readouterr().out
        if "--json" in args:
            state = json.loads(shown)
            assert (state["lost"], state["doubled"]) == (0, 0) and state["complete"] == state["people"], line
        if args[0] == "bench" and "people" in line.split("--answers")[1]:
            assert "human" in shown and "people-majority" in shown
    for folder in ("mystories", "mycloze", "people", "orders"):
        assert json.loads((tmp_path / folder / "card.json").read_text())["people"] > 0
        assert "What was left out" in (tmp_path / folder / "CARD.md").read_text()
    passing = dict(json.loads((tmp_path / "mycloze" / "card.json").read_text())["counts"])
    assert passing["cases that pass"] > passing["cases written"] / 2
