"""The solver of a row: its seeds and settings, what it learns once for all conditions, and two processes at one store."""

import json
import os
import subprocess
import sys

import pytest

from scenarist.bench.marks import mean_marks, total
from scenarist.bench.records import header_of
from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.solver import Solver, seeds_of, with_seed
from scenarist.bench.spec import Row, Table, load
from scenarist.question import Mark
from scenarist.registry import find, make
from scenarist.store.predictions import Section
from scenarist.store.results import Results

TWICE = """
name = "twice"
title = "Two conditions"
seeds = [1]
[[condition]]
name = "one"
corpus = "toy"
corpus_settings = { kind = "chains" }
exam = "eventcloze"
settings = { preset = "lm-cloze" }
metrics = ["recall@50"]
train = [{ corpus = "toy", split = "train" }]
train_settings = { kind = "chains" }
[[condition]]
name = "two"
corpus = "toy"
corpus_settings = { kind = "chains" }
exam = "eventcloze"
settings = { preset = "narrative-cloze" }
metrics = ["recall@50"]
train = [{ corpus = "toy", split = "SPLIT" }]
train_settings = { kind = "chains" }
[[row]]
model = "unigram"
"""


def test_a_seed_is_put_into_weights_and_settings_wherever_it_is_named():
    settings = {"members": [["a", {"weights": "stories-{seed}"}, 0.5]], "how": "pmi", "top": 3}
    assert with_seed(settings, 2) == {"members": [["a", {"weights": "stories-2"}, 0.5]], "how": "pmi", "top": 3}


def test_the_seed_asked_for_is_for_rows_that_depend_on_one():
    table = Table("t", "T", seeds=[1, 2], test_seeds=[1])
    assert seeds_of(Row("random"), table, None) == [1, 2]
    assert seeds_of(Row("random"), table, None, "test") == [1]
    assert seeds_of(Row("random"), table, 7) == [7]
    assert seeds_of(Row("random", settings={"seed": 5}), table, 7) == [1]
    assert seeds_of(Row("constant-first"), table, 7) == [1]
    assert seeds_of(Row("constant-first", weights="w-{seed}", test_seeds=[3]), table, None, "test") == [3]


def test_the_mean_over_seeds_is_a_mean_of_counts_item_by_item():
    """Sums would give the same proportion, and other intervals of what is counted and not divided."""
    runs = [
        [Mark("a", (("right", 1.0), ("n", 1.0)), "g1"), Mark("b", (("right", 0.0), ("n", 1.0)), "g2")],
        [Mark("a", (("right", 0.0), ("n", 1.0)), "g1"), Mark("b", (("right", 0.0), ("n", 1.0)), "g2")],
        [Mark("a", (("right", 1.0), ("n", 1.0)), "g1"), Mark("b", (("right", 1.0), ("n", 1.0)), "g2")],
    ]
    mean = {mark.item: dict(mark.counts) for mark in mean_marks(runs)}
    assert mean == {
        "a": {"right": pytest.approx(2 / 3), "n": pytest.approx(1.0)},
        "b": {"right": pytest.approx(1 / 3), "n": pytest.approx(1.0)},
    }
    assert [mark.group for mark in mean_marks(runs)] == ["g1", "g2"]
    accuracy = make("metric", "accuracy")
    assert total(accuracy, mean_marks(runs)) == pytest.approx(sum(total(accuracy, run) for run in runs) / 3)


def test_recorded_answers_are_those_of_their_own_seed_split_and_condition(tmp_path):
    path = tmp_path / "twice.toml"
    path.write_text(TWICE.replace("SPLIT", "train"), encoding="utf-8")
    table = load(str(path))
    row, (one, two) = Row("random"), table.condition
    exam = make("exam", one.exam, **one.settings)
    solvers = {seed: Solver(row, one, exam, seed) for seed in (1, 2)}
    sections = [Section(header_of(solver, "twice", "dev", "toy#1")) for solver in solvers.values()]
    assert [section.header.seed for section in sections] == [1, 2]
    for number, solver in enumerate(solvers.values()):
        assert solver.recorded(sections, "dev") is sections[number]
        assert solver.recorded([sections[1 - number]], "dev") is None
        assert solver.recorded(sections, "test") is None
    assert Solver(row, two, exam, 1).recorded(sections, "dev") is None
    assert Solver(Row("random", settings={"top": 3}), one, exam, 1).recorded(sections, "dev") is None


def test_a_row_learns_once_where_conditions_teach_the_same(tmp_path, monkeypatch):
    lessons = []
    kind = find("model", "unigram")
    fit = kind.fit
    monkeypatch.setattr(kind, "fit", lambda self, data: lessons.append(data) or fit(self, data))
    for split, count in (("train", 1), ("dev", 2)):
        lessons.clear()
        path = tmp_path / f"{split}.toml"
        path.write_text(TWICE.replace("SPLIT", split), encoding="utf-8")
        with Results(tmp_path / f"{split}.sqlite") as store:
            done = run_table(load(str(path)), store).rows[0]
        assert set(done.cells) == {"recall@50/one", "recall@50/two"}
        assert len(lessons) == count


def test_two_commands_at_once(tmp_path):
    """Different rows side by side, and the same row twice: the figures are those of one after the other."""
    environment = os.environ | {"SCENARIST_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "scenarist", "bench", "toy", "--json", "--quiet", "--only"]
    started = [
        subprocess.Popen([*command, rows], env=environment, stdout=subprocess.PIPE, text=True)
        for rows in ("constant", "random", "random", "constant,random")
    ]
    forms = [json.loads(process.communicate(timeout=120)[0]) for process in started]
    assert all(process.returncode == 0 for process in started)
    figures = [{row["model"]: row["scores"] for row in form["rows"]} for form in forms]
    assert figures[1] == figures[2]
    assert figures[3] == figures[0] | figures[1]


def test_a_long_row_sits_a_part_of_the_test_split_and_says_so(tmp_path):
    """Whole texts, evenly; the signature and the table say how many; pairs are compared on what both were asked."""
    (tmp_path / "t.toml").write_text(
        TWICE.replace("SPLIT", "train")
        + 'role = "baseline"\n[[row]]\nmodel = "unigram"\nlabel = "long"\ntest_items = 6\n',
        encoding="utf-8",
    )
    table = load(str(tmp_path / "t.toml"))
    with Results(tmp_path / "r.sqlite") as store:
        test = run_table(table, store, Ways(split="test"))
        dev = run_table(table, store, Ways(split="dev"))
    (whole, part), column = test.rows, next(iter(test.rows[0].cells))
    marks = part.cells[column].score.marks
    assert 0 < len(marks) < len(whole.cells[column].score.marks)
    groups = {mark.group for mark in marks}
    assert {mark.item for mark in whole.cells[column].score.marks if mark.group in groups} == {
        mark.item for mark in marks
    }
    assert f"|asked:{len(marks)}|" in part.cells[column].score.signature + "|"
    assert "asked:" not in whole.cells[column].score.signature and "items of" in part.left_out
    assert [tested.comparison.difference for tested in test.tests if tested.row == "long"] == [0.0]
    assert len(dev.rows[1].cells[column].score.marks) == len(dev.rows[0].cells[column].score.marks)
