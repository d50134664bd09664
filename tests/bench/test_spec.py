"""Tables are found in the package and, in a checkout, among the experiments."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenarist.bench import spec
from scenarist.cli.main import app
from scenarist.errors import BadInput
from scenarist.registry import find, load, make


def test_experiments_are_found_by_name_and_marked():
    table = spec.load("eventcloze-bands")
    assert table.experiment and not spec.load("toy").experiment
    assert callable(load(table.run))
    listed = json.loads(CliRunner().invoke(app, ["bench", "--list", "--json"]).stdout)
    marks = {row["table"]: row["experiment"] for row in listed}
    assert marks["eventcloze-bands"] and marks["storycloze-chains"] and not marks["chambers2017-single"]


def test_a_wheel_has_the_tables_of_the_package_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spec, "CHECKOUT", tmp_path)
    assert "toy" in spec.names() and "eventcloze-bands" not in spec.names()
    with pytest.raises(BadInput, match="no table 'eventcloze-bands'"):
        spec.load("eventcloze-bands")


def test_a_table_of_the_package_wins_over_an_experiment_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "experiments" / "mine").mkdir(parents=True)
    (tmp_path / "experiments" / "mine" / "toy.toml").touch()
    monkeypatch.setattr(spec, "CHECKOUT", tmp_path)
    assert spec.load("toy").condition


def test_a_class_is_named_by_its_module_where_no_index_lists_it():
    assert make("model", "scenarist.models.floor:Constant").name == "constant"
    assert find("metric", "recall@50") is find("metric", "recall")
    with pytest.raises(BadInput, match=r"no module experiments\.nowhere"):
        find("model", "experiments.nowhere:Model")
    with pytest.raises(BadInput, match="no Nothing in module"):
        find("model", "scenarist.models.floor:Nothing")


def test_the_package_imports_neither_experiments_nor_training():
    imported = set()
    for path in (spec.CHECKOUT / "src" / "scenarist").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    assert "scenarist" in imported and not imported & {"experiments", "training"}


def test_the_checkout_is_the_folder_of_pyproject_and_experiments():
    assert (spec.CHECKOUT / "pyproject.toml").is_file() and (spec.CHECKOUT / "src" / "scenarist").is_dir()
    assert spec.load("eventcloze-bands").experiment
