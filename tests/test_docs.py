"""Docs run: the tutorial as written, every name in the reference, and the reference as the program generates it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from scenarist.cli.main import VERBS, run
from scenarist.errors import Missing
from scenarist.registry import ROOMS, names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FENCE = re.compile(r"```(console|python)\n(.*?)```", re.S)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(kind, code) for kind, code in FENCE.findall(page.read_text("utf-8"))]


def test_the_tutorial_runs_as_written(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    shown: dict[str, str] = {}
    scope: dict[str, object] = {}
    for kind, code in blocks(DOCS / "tutorial" / "read-a-story.md"):
        if kind == "python":
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile(code, "tutorial", "exec"), scope)
            assert "tellers" in said.getvalue()
            continue
        for line in code.splitlines():
            program, *args = shlex.split(line.removeprefix("$ "))
            assert program == "scenarist"
            assert run(args) == 0, line
            shown[line] = capsys.readouterr().out
    cake = shown["$ scenarist read examples/a-cake-for-grandma.txt"]
    assert "baking a cake" in cake
    assert re.search(r"⋯ .*put the cake in the oven", cake)
    assert scope["interpretation"].story.segments[0].names[0] == "baking a cake"  # type: ignore[attr-defined]
    assert "No known scenario" in shown["$ scenarist read examples/under-the-stars.txt"]
    assert "said not to have happened" in shown["$ scenarist read examples/left-without-paying.txt"]
    assert Path("out/cake.html").exists()
    assert len(Path("out/accounts/accounts.jsonl").read_bytes().splitlines()) == 12


def test_how_to_score_runs_as_written(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "how-to" / "score.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", text, re.S)
    lines = [
        line for kind, code in blocks(DOCS / "how-to" / "score.md") if kind == "console" for line in code.splitlines()
    ]
    commands = [shlex.split(line.removeprefix("$ ")) for line in lines]
    for args in [words[1:] for words in commands if words[0] == "scenarist"]:
        if args[0] == "score":
            keys = [json.loads(line)["id"] for line in Path("d/keys.jsonl").read_text().splitlines()]
            assert json.loads(example)["item"] in keys  # the page's id is one of the exam
            for name in ("mine.jsonl", "theirs.jsonl"):
                answers = [json.loads(example) | {"item": key, "by": name} for key in keys]
                Path(name).write_text("\n".join(map(json.dumps, answers)) + "\n")
        assert run(args) == 0, args
    assert Path("page.html").exists()
    assert "mine.jsonl" in capsys.readouterr().out


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    from scenarist.cli import reference

    try:
        return {"cli.md": reference.cli_page(), "names.md": reference.names_page()}
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("page", ["cli.md", "names.md"])
def test_the_reference_is_what_the_program_says(page: str, generated: dict[str, str]) -> None:
    path = DOCS / "reference" / page
    assert path.exists(), "write it with: make cli-docs"
    assert path.read_text("utf-8") == generated[page], "out of date; write it again with: make cli-docs"


def test_every_verb_and_name_is_in_the_reference() -> None:
    text = "".join(path.read_text("utf-8") for path in (DOCS / "reference").glob("*.md"))
    assert [verb for verb in VERBS if f"`scenarist {verb}" not in text] == []
    missing = [f"{room} {name}" for room in ROOMS if room != "page" for name in names(room) if f"`{name}`" not in text]
    assert missing == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md"), key=str), ids=lambda path: str(path.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_links_and_pictures_are_there() -> None:
    for target in LINK.findall((ROOT / "README.md").read_text("utf-8")):
        if "://" not in target:
            assert (ROOT / target).exists(), target
