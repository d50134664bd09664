"""README's figures are those of results/: each is listed with its source in readme_figures.toml and compared at the printed precision."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.dev_looks import looks

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


def found(source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A row of results/ and its figure, by "FILE ROW COLUMN"."""
    file, row, column = source.split()
    form = json.loads((ROOT / "results" / f"{file}.json").read_text("utf-8"))
    rows = [one for one in form["rows"] if one["model"] == row and column in one["scores"]]
    assert rows, f"results/{file}.json has no figure {column} of a row {row}"
    assert len(rows) == 1, f"results/{file}.json has several rows {row} with {column}"
    return rows[0], rows[0]["scores"][column]


def printed(source: str, like: str) -> str:
    """A figure with as many digits as README prints, as a percentage where README does; its star and its interval where README has one."""
    row, figure = found(source)
    number = like.split(" ")[0]
    digits = len(number.partition(".")[2])
    factor = 100 if float(number) > 1 and abs(figure["value"]) <= 1 else 1

    def text(name: str) -> str:
        return f"{figure[name] * factor:.{digits}f}"

    out = text("value") + (" %" if " %" in like else "")
    if row.get("recorded"):
        out += " *"
    return out + (f" ({text('low')} to {text('high')})" if "(" in like else "")


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: entry["text"][:40])
def test_a_figure_is_that_of_its_result(entry: dict[str, object]) -> None:
    text, sources = str(entry["text"]), entry["from"]
    assert isinstance(sources, list)
    assert FIGURE.sub(r"\1", text) in section(), "README says it in other words: change readme_figures.toml with it"
    shown = FIGURE.findall(text)
    assert len(shown) == len(sources)
    assert shown == [printed(source, like) for source, like in zip(sources, shown, strict=True)]


def test_no_figure_of_readme_is_without_a_source() -> None:
    rest = section()
    for entry in LISTED:
        rest = rest.replace(FIGURE.sub(r"\1", entry["text"]), "")
    assert NUMBER.findall(rest) == []


def test_a_figure_of_ours_has_its_interval_where_sources_are_many() -> None:
    """Of rows of ours, where items were drawn by their sources; few sources and tests drawn by document have none that holds."""
    for entry in LISTED:
        for shown, source in zip(FIGURE.findall(entry["text"]), entry["from"], strict=True):
            row, figure = found(source)
            if row["role"] != "published" and (figure.get("groups") or 0) >= 20:
                assert " to " in shown, source
            if row["role"] == "published" or figure.get("few"):
                assert " to " not in shown, source


def test_the_count_baseline_beside_ours_is_the_strongest() -> None:
    """Event cloze: no row of role baseline stands above the one that README quotes."""
    (entry,) = (entry for entry in LISTED if "the strongest count model" in entry["text"])
    for source in entry["from"]:
        file, row, column = source.split()
        form = json.loads((ROOT / "results" / f"{file}.json").read_text("utf-8"))
        levels = {
            one["model"]: one["scores"][column]["value"]
            for one in form["rows"]
            if one["role"] == "baseline" and column in one["scores"]
        }
        assert levels[row] == max(levels.values()), (column, max(levels, key=lambda name: levels[name]))


def test_every_verb_of_readme_is_a_function() -> None:
    """README says so above the table of verbs."""
    import scenarist

    table = README.partition("## What it does")[2].partition("\n## ")[0]
    verbs = {
        verb
        for line in table.splitlines()
        for verb in re.findall(r"`scenarist ([a-z]+)", line.split("|")[1] if "|" in line else "")
    }
    assert len(verbs) > 10
    functions = {"bench": "run_table"}
    assert {functions.get(verb, verb) for verb in verbs - {"serve"}} <= set(scenarist.__all__)


def test_no_claim_of_readme_goes_further_than_what_holds() -> None:
    """What an adversarial reading found: tests that nobody counted, numbers without intervals, tables that need corpora."""
    flat = " ".join(README.split())
    for claim in ("every cloze test", "Every number", "every number has", "everything runs with no data"):
        assert claim not in flat
    assert "chosen long on dev" in flat and "fell from" in flat  # what does not hold on sets nobody had looked at


def test_what_is_scored_as_published_stands_beside_what_was_published() -> None:
    """KidsCook: the figures that README sets against the paper's transducer are scored as the paper's code scores."""
    (place,) = (number for number, entry in enumerate(LISTED) if "kidscook-dev transducer-published match/oracle" in entry["from"])  # fmt: skip
    ours, theirs = LISTED[place - 1], LISTED[place]
    assert str(ours["text"]).startswith("scored as the paper's code scores: transducer")
    assert [source.split()[2] for source in ours["from"][:2]] == [
        "match/oracle-as-published",
        "top5/oracle-as-published",
    ]
    own = [source.split()[2] for source in theirs["from"] if found(source)[0]["role"] != "published"]
    assert own and all(column.endswith("-as-published") for column in own)


def test_readme_says_how_often_dev_was_looked_at() -> None:
    """As far as it was written down, by a command that counts it."""
    flat = " ".join(README.split())
    assert "How often dev was looked at while rows were chosen was not counted" in flat
    assert "(`python benchmarks/dev_looks.py`)" in flat
    sheets = [
        {"rows": [{"model": "m", "role": role, "scores": {"f1": {"value": value}}}]}
        for role, value in (("ours", 0.5), ("ours", 0.50004), ("published", 0.7), ("ours", 0.6), ("ours", 0.5))
    ]
    assert looks(sheets, "m", "f1") == 3 and looks(sheets, "m", "f2") == looks(sheets, "n", "f1") == 0
