"""docs/reference/tables.md is what its generator gives, and says of every table and figure of the five papers how ours is made."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import typer.main

from scenarist.bench import spec
from scenarist.cli.main import app
from training import tables_page


def test_the_page_is_up_to_date() -> None:
    assert tables_page.PAGE.read_text("utf-8") == tables_page.page(), "write it anew: python -m training.tables_page"


PARTS = [(paper, part) for paper in tables_page.papers() for part in paper.part]


def commands() -> list[str]:
    return sorted({command for _, part in PARTS for command in part.commands})


@pytest.mark.parametrize(("paper", "part"), PARTS, ids=lambda value: getattr(value, "label", None) or value.name[:8])
def test_every_part_has_a_command_or_says_what_is_missing(paper: tables_page.Paper, part: tables_page.Part) -> None:
    made = [name for name in spec.names() if part.label in tables_page.repeats(spec.load(name), paper)]
    assert made or part.tables or part.commands or part.missing
    assert set(part.tables) <= set(spec.names())


@pytest.mark.parametrize("command", commands())
def test_commands_are_those_of_the_program(command: str) -> None:
    words = shlex.split(command)
    assert words[0] == "scenarist"
    program = target = typer.main.get_command(app)
    for word in words[1:]:
        inner = target.get_command(click.Context(target), word) if hasattr(target, "get_command") else None
        target = inner or target
    options = {text for parameter in target.params for text in parameter.opts}
    assert target is not program
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= options


def test_the_papers_tables_are_all_there() -> None:
    """Numbers without gaps: a table of a paper cannot be forgotten in the middle."""
    for paper in tables_page.papers():
        for kind in ("Table", "Figure"):
            numbers = sorted(int(part.label.split()[1]) for part in paper.part if part.label.startswith(kind))
            assert numbers == list(range(1, len(numbers) + 1)), (paper.name, kind)
    tables = {paper.name.split(",")[0].split()[0]: sum(part.label.startswith("Table") for part in paper.part) for paper in tables_page.papers()}  # fmt: skip
    assert tables == {"Wanzare": 9, "Chambers": 4, "Mostafazadeh": 6, "Bisk": 5, "Bennett": 0}


def test_a_new_table_appears_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ntitle = "Mine"\npaper = "Chambers (2017), Tables 1 and 4; Other (2020), Table 9"\nkind = "analysis"\n'
        'run = "scenarist.bench.analyses.temporal:run"\n'
    )
    known = spec.paths()
    monkeypatch.setattr(spec, "paths", lambda: {**known, "mine": path})
    chambers = next(paper for paper in tables_page.papers() if paper.name.startswith("Chambers"))
    assert tables_page.repeats(spec.load("mine"), chambers) == ["Table 1", "Table 4"]
    text = tables_page.page()
    assert text.count("`scenarist bench mine`") >= 3
    (line,) = [line for line in text.splitlines() if line.startswith("| Table 4 | one chain")]
    assert "`scenarist bench mine`" in line
