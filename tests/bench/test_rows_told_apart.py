"""No number stands without its interval and its signature, and no two different rows share one: over a live run, and over results/."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from scenarist.bench import spec
from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.sheet import FigureRow
from scenarist.cli.main import run
from scenarist.contracts import Model
from scenarist.pages.report import table_page
from scenarist.registry import names as registered
from scenarist.signature import parse
from scenarist.store.results import Results

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "results").glob("*.json"))
CENSUS = ("kidscook-corpus",)
"""Counts of a corpus, drawn from nothing: no interval."""

TABLE = """
name = "two"
title = "Two documents"
note = "A table's note."
seeds = [1, 2]
[[condition]]
name = "all"
corpus = "toy"
corpus_settings = { kind = "chains" }
exam = "eventcloze"
metrics = ["recall@50"]
train = [{ corpus = "toy", split = "train" }]
train_settings = { kind = "chains" }
[[row]]
model = "unigram"
role = "published"
note = "Theirs has other data."
scores = { dev = {}, test = { "recall@50/all" = 0.832 } }
[[row]]
model = "unigram"
role = "baseline"
note = "A floor."
[[row]]
model = "bigram"
[[row]]
model = "bigram"
label = "bigram-far"
settings = { skip = 5 }
[[row]]
model = "random"
role = "baseline"
"""


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    path = tmp_path / "two.toml"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


def faults(form: dict[str, object]) -> list[str]:
    """What a table's JSON lacks: intervals, signatures, signatures of one row alone."""
    lacks, owners = [], defaultdict(set)
    for row in form["rows"]:  # type: ignore[attr-defined]
        for column, figure in row["scores"].items():
            where = f"{form['table']} {row['model']} {column}"
            if row["role"] == "published":
                continue
            if figure["low"] is None and figure.get("groups") != 1 and not column.startswith("count"):
                lacks.append(f"{where}: no interval")
            if not figure.get("signature"):
                lacks.append(f"{where}: no signature")
            else:
                parse(figure["signature"])
                owners[figure["signature"]].add(row["model"])
    return lacks + [f"{sorted(models)} share {signature}" for signature, models in owners.items() if len(models) > 1]


def test_no_two_rows_of_a_live_run_share_a_signature(table, tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        form = run_table(spec.load(table), store, Ways(limit=40)).json()
    assert faults(form) == []
    signatures = {row["model"]: row["scores"]["recall@50/all"]["signature"] for row in form["rows"][1:]}
    assert "|model:bigram|with:skip=5|train:toy|" in signatures["bigram-far"]
    assert "|model:bigram|train:toy|" in signatures["bigram"]
    assert "|from:kind=chains|" in signatures["bigram"]  # what of the corpus it learned from


def test_faults_are_found():
    row = {
        "model": "a",
        "role": "ours",
        "scores": {"x/y": {"value": 1.0, "low": 0.5, "high": 1.0, "n": 9, "signature": "x|model:a"}},
    }
    other = {
        "model": "b",
        "role": "ours",
        "scores": {"x/y": {"value": 1.0, "low": None, "high": None, "n": 9, "signature": "x|model:a"}},
    }
    bare = {"model": "c", "role": "ours", "scores": {"x/y": {"value": 1.0, "low": 0.5, "high": 1.0, "n": 9}}}
    assert len(faults({"table": "t", "rows": [row, other, bare]})) == 3


def test_the_published_row_of_one_name_is_told_apart(table, tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        form = run_table(spec.load(table), store, Ways(limit=5)).json()
        ours = run_table(spec.load(table), store, Ways(limit=5), only=["unigram"]).json()
        theirs = run_table(spec.load(table), store, Ways(limit=5), only=["unigram-published"]).json()
    assert [row["model"] for row in form["rows"]][:2] == ["unigram-published", "unigram"]
    assert [row["role"] for row in ours["rows"]] == ["baseline"]
    assert [row["role"] for row in theirs["rows"]] == ["published"]


@pytest.mark.parametrize("name", spec.names())
def test_names_of_published_rows(name):
    rows = spec.load(name).row
    ours = {row.name for row in rows if row.role != "published"}
    assert not ours & {row.name for row in rows if row.role == "published"}


def test_published_test_figures_stand_in_no_dev_column(table, tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        form = run_table(spec.load(table), store, Ways(limit=5)).json()
    assert form["rows"][0]["scores"].keys() == {"recall@50/all-test"}
    row = spec.load(table).row[0]
    assert row.published("test") == {"recall@50/all": 0.832}
    for row in spec.load("storycloze2016").row:
        if row.role == "published" and row.scores.get("dev") == {}:
            assert all(column.endswith("-test") for column in row.published("dev")), row.name


def test_few_sources_are_said_in_terminal_page_and_json(table, tmp_path, capsys):
    with Results(tmp_path / "r.sqlite") as store:
        sheet = run_table(spec.load(table), store, Ways(limit=40))
    form = sheet.json()
    figure = form["rows"][1]["scores"]["recall@50/all"]
    assert 1 < figure["groups"] < 20 and figure["few"] is True
    parts = {
        "json": form,
        "title": "",
        "paper": "",
        "items": {},
        "rows": [],
        "numbers": sheet.table.numbers(),
        "note": "",
    }
    said = f"only {figure['groups']} sources"
    assert said in table_page(parts) and "cover less" in table_page(parts)
    assert run(["bench", table, "--limit", "40"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert said in out and "cover less" in out


def test_many_sources_are_not_called_few():
    row = FigureRow("a", "ours", {})
    assert row.form() == {"model": "a", "role": "ours", "scores": {}}
    from scenarist.bench.sheet import Figure

    assert "few" not in Figure(0.5, 0.4, 0.6, 20, 20).form() and Figure(0.5, 0.4, 0.6, 19, 19).form()["few"]


def test_seed_spread_is_printed_and_named(table, tmp_path, capsys):
    with Results(tmp_path / "r.sqlite") as store:
        form = run_table(spec.load(table), store, Ways(limit=40)).json()
    figure = form["rows"][-1]["scores"]["recall@50/all"]
    a, b = figure["seeds"].values()
    assert figure["seed_sd"] == pytest.approx(abs(a - b) / 2**0.5)
    assert figure["value"] == pytest.approx((a + b) / 2)
    assert run(["bench", table, "--limit", "40"]) == 0
    assert "standard deviation between seeds" in " ".join(capsys.readouterr().out.split())


def test_notes_are_printed_everywhere(table, tmp_path, capsys):
    with Results(tmp_path / "r.sqlite") as store:
        sheet = run_table(spec.load(table), store, Ways(limit=5))
    form = sheet.json()
    assert [row.get("note") for row in form["rows"][:2]] == ["Theirs has other data.", "A floor."]
    assert form["note"] == "A table's note."
    parts = {
        "json": form,
        "title": "",
        "paper": "",
        "items": {},
        "rows": [],
        "numbers": sheet.table.numbers(),
        "note": "",
    }
    for where in (table_page(parts), None):
        if where is None:
            assert run(["bench", table, "--limit", "5", "-q"]) == 0
            where = capsys.readouterr().out
        assert "unigram-published: Theirs has other data." in where and "unigram: A floor." in where


@pytest.mark.parametrize("name", [name for name in spec.names() if any(row.note for row in spec.load(name).row)])
def test_every_note_of_a_table_is_a_line_of_its_row(name):
    from scenarist.bench.sheet import Done, figure_row

    for row in spec.load(name).row:
        assert figure_row(Done(row), "dev").more.get("note", "") == row.note


def test_notes_of_published_rows_of_an_analysis(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(
        'name = "t"\ntitle = "T"\nkind = "analysis"\nrun = "scenarist.bench.analyses.temporal:run"\n'
        '[[row]]\nmodel = "theirs"\nrole = "published"\nnote = "Twenty stories."\nscores = { "before/tlinks" = 0.62 }\n'
    )
    with Results(tmp_path / "r.sqlite") as store:
        form = run_table(spec.load(str(path)), store).json()
    assert form["rows"][0]["note"] == "Twenty stories." and faults(form) == []


@pytest.mark.parametrize("name", registered("model"))
def test_a_model_of_carried_weights_says_what_they_learned_from(name):
    """Who reads files of weights names the corpora and networks behind them (`trained_on`); the signature says them."""
    if name.endswith(":"):
        pytest.skip("an address: the signature says which model answered (canary)")
    target: type[Model] = named_class(name)
    if hasattr(target, "reads"):
        assert hasattr(target, "trained_on"), name


def named_class(name: str) -> type:
    from scenarist.registry import find

    return find("model", name)


OLDER = {
    "untold-dev",
    "kidscook-alignment-dev",
    "kidscook-alignment-code-dev",
    "wanzare2019-paper-rows-dev",
}
"""Results that were not run again since signatures name the model."""


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_have_intervals_and_signatures(path):
    form = json.loads(path.read_text("utf-8"))
    if form["table"] in CENSUS or path.stem in OLDER:
        pytest.skip("counts of a corpus" if form["table"] in CENSUS else "not run again yet")
    assert faults(form) == []


def test_one_signature_one_figure_over_all_results():
    """Two tables may have a row in common; then its figure is the same."""
    known: dict[str, tuple[str, float]] = {}
    for path in RESULTS:
        if path.stem in OLDER:
            continue
        for row in json.loads(path.read_text("utf-8"))["rows"]:
            for column, figure in row["scores"].items():
                if signature := figure.get("signature"):
                    where, value = known.setdefault(
                        signature, (f"{path.stem} {row['model']} {column}", figure["value"])
                    )
                    assert figure["value"] == pytest.approx(value, abs=1e-9), (
                        f"{path.stem} {row['model']} and {where}: {signature}"
                    )
