"""Every table resolves, of the package and of experiments/; and every file of results/ names a table, rows and columns that exist."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scenarist.bench import spec
from scenarist.bench.sit import make_exam
from scenarist.errors import Missing
from scenarist.registry import load, make

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "results").glob("*.json"))


def resolves(room: str, name: str, settings: Mapping[str, Any]) -> None:
    """A name is known and its constructor takes the settings; weights and files that are not here do not matter."""
    with contextlib.suppress(Missing):
        make(room, name, **settings)


@pytest.mark.parametrize("name", spec.names())
def test_conditions_resolve(name: str) -> None:
    table = spec.load(name)
    assert table.name == name
    for condition in table.condition:
        with contextlib.suppress(Missing):
            make_exam(condition.exam, condition.settings)
        resolves("corpus", condition.corpus, {"split": "dev", **condition.corpus_settings})
        for metric in condition.metrics:
            make("metric", metric)
        for source in condition.train:
            resolves("corpus", source.corpus, {"split": source.split or "train", **condition.train_settings})


@pytest.mark.parametrize("name", spec.names())
def test_rows_resolve(name: str) -> None:
    table = spec.load(name)
    conditions = {condition.name for condition in table.condition}
    labels = {row.label or row.model for row in table.row}
    for row in table.row:
        assert set(row.only) <= conditions, row.model
        assert not row.reference or row.reference in labels | {other.model for other in table.row}, row.model
        if row.role == "published":
            assert row.published("dev"), row.model
            continue
        resolves("model", row.model, row.settings)
        for source in row.train:
            resolves("corpus", source.corpus, {"split": source.split or "train", **row.train_settings})
    if table.kind == "exam":  # the rows of an analysis come from its function
        assert not table.reference or table.reference in labels | {row.model for row in table.row}


@pytest.mark.parametrize("name", [name for name in spec.names() if spec.load(name).kind == "exam"])
def test_published_figures_name_a_metric(name: str) -> None:
    for row in spec.load(name).row:
        for column in row.published("dev"):
            metric, slash, condition = column.partition("/")
            assert make("metric", metric) and slash and condition


@pytest.mark.parametrize("name", [name for name in spec.names() if spec.load(name).kind == "analysis"])
def test_functions_of_analyses_resolve(name: str) -> None:
    table = spec.load(name)
    assert {"split", "seed", "limit"} <= set(inspect.signature(load(table.run)).parameters)


@pytest.mark.parametrize("name", [name for name in spec.names() if spec.load(name).page])
def test_pages_resolve(name: str) -> None:
    assert callable(load(spec.load(name).page))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_names_a_table_with_its_rows_and_columns(path: Path) -> None:
    form = json.loads(path.read_text("utf-8"))
    table = spec.load(form["table"])
    assert form["split"] in ("train", "dev", "test")
    assert form["signature"].startswith(f"{table.name}|")
    if table.kind == "analysis":
        published = {row["model"] for row in form["rows"] if row["role"] == "published"}
        published -= {"pmi-2017"}  # nothing printed: computed from the rankings that were released
        assert {name.removesuffix("-published") for name in published} <= {
            (row.label or row.model).removesuffix("-published") for row in table.row
        }
        return
    known = {row.label or row.model for row in table.row}
    columns = {f"{metric}/{condition.name}" for condition in table.condition for metric in condition.metrics}
    for row in form["rows"]:
        assert row["model"] in known, f"the table {table.name} has no row {row['model']}"
        assert row["role"] == "published" or set(row["scores"]) <= columns, row["model"]


@pytest.mark.parametrize("path", sorted((ROOT / "results" / "runs").glob("*.json")), ids=lambda path: path.stem)
def test_a_run_that_is_no_table_says_what_was_run(path: Path) -> None:
    form = json.loads(path.read_text("utf-8"))
    assert "table" not in form and (form.get("what") or form.get("peer"))


def test_results_that_documents_name_exist() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "experiments").rglob("*.md")]
    named = {(path.name, file) for path in pages for file in re.findall(r"results/[\w./-]*\w", path.read_text("utf-8"))}
    assert len(named) > 20
    assert [pair for pair in sorted(named) if not (ROOT / pair[1]).exists()] == []
