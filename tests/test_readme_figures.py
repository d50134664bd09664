"""README's figures are those of results/: each is listed with its source in readme_figures.toml and compared at the printed precision."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
LISTED = tomllib.loads((ROOT / "tests" / "readme_figures.toml").read_text("utf-8"))["figures"]
FIGURE = re.compile(r"\{([^}]*)\}")
NUMBER = re.compile(r"(?<![\w@.-])\d+(?:\.\d+)?(?: %)?(?![\w-]|\.\d)")
"""A number that is no part of a name (F1, top-5, recall@50, kidscook2019)."""


def section() -> str:
    """The table of README's section *Some figures*."""
    text = README.partition("## Some figures")[2].partition("\n## ")[0]
    return "\n".join(line for line in text.splitlines() if line.startswith("| `"))


def value(source: str) -> float:
    """A figure of results/, by "FILE ROW COLUMN"."""
    file, row, column = source.split()
    form = json.loads((ROOT / "results" / f"{file}.json").read_text("utf-8"))
    rows = [one for one in form["rows"] if one["model"] == row and column in one["scores"]]
    assert rows, f"results/{file}.json has no figure {column} of a row {row}"
    assert len(rows) == 1, f"results/{file}.json has several rows {row} with {column}"
    return float(rows[0]["scores"][column]["value"])


def printed(number: float, like: str) -> str:
    """A value with as many digits as README prints, as a percentage where README does."""
    text = like.removesuffix(" %")
    digits = len(text.partition(".")[2])
    scaled = number * 100 if float(text) > 1 and abs(number) <= 1 else number
    return f"{scaled:.{digits}f}" + (" %" if like.endswith(" %") else "")


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: entry["text"][:40])
def test_a_figure_is_that_of_its_result(entry: dict[str, object]) -> None:
    text, sources = str(entry["text"]), entry["from"]
    assert isinstance(sources, list)
    assert FIGURE.sub(r"\1", text) in section(), "README says it in other words: change readme_figures.toml with it"
    shown = FIGURE.findall(text)
    assert len(shown) == len(sources)
    assert shown == [printed(value(source), like) for source, like in zip(sources, shown, strict=True)]


def test_no_figure_of_readme_is_without_a_source() -> None:
    rest = section()
    for entry in LISTED:
        rest = rest.replace(FIGURE.sub(r"\1", entry["text"]), "")
    assert NUMBER.findall(rest) == []
