"""Running a table: the seed that an analysis gets, what is said while another process is at the same row, gains over what is had blind."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.bench.run_table import Ways, gains, run_table
from scenarist.bench.sheet import Analysis, FigureRow
from scenarist.bench.spec import load
from scenarist.errors import BadInput
from scenarist.signature import sign
from scenarist.store.results import Results


def echo(split: str, seed: int, limit: int | None) -> Analysis:
    """An analysis whose signature is all it was given."""
    signature = sign("echo", {"exam": "none", "split": split, "seed": seed, "limit": limit})
    return Analysis([FigureRow("echo", "ours", {})], signature)


@pytest.fixture
def analysis(tmp_path: Path) -> str:
    path = tmp_path / "echo.toml"
    path.write_text(
        'name = "echo"\ntitle = "E"\nkind = "analysis"\nseeds = [7, 8]\nrun = "tests.bench.test_run_table:echo"\n'
    )
    return str(path)


@pytest.mark.parametrize(("given", "seed"), [(None, 7), (0, 0), (5, 5)])
def test_an_analysis_gets_the_seed_that_was_typed_else_the_tables_first(
    analysis: str, given: int | None, seed: int, tmp_path: Path
) -> None:
    with Results(tmp_path / "r.sqlite") as store:
        sheet = run_table(load(analysis), store, Ways("dev", limit=3, seed=given))
        assert f"|seed:{seed}" in sheet.signature and "|limit:3" in sheet.signature
        with pytest.raises(BadInput, match="takes no --answers"):
            run_table(load(analysis), store, Ways(given=(("answers", "x"),)))


TABLE = """
name = "three"
title = "Endings"
seeds = [1]
[[condition]]
name = "all"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
blind = "alone"
[[condition]]
name = "alone"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
[[row]]
model = "theirs"
role = "published"
scores = { "accuracy/all" = 0.9 }
[[row]]
model = "constant"
label = "floor"
role = "baseline"
audit = true
only = ["all"]
[[row]]
model = "constant-first"
label = "mine"
[[row]]
model = "choice-surface"
only = ["alone"]
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "three.toml"
    path.write_text(TABLE)
    return str(path)


def test_while_another_process_is_at_the_row_that_is_said_and_nothing_of_it_is_done(table: str, tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    with Results(tmp_path / "r.sqlite") as store:
        other = store.hold(1)
        other.__enter__()

        def progress(label: str, done: int, known: int) -> None:
            said.append((label, done, known))
            if "waits" in label:
                other.__exit__(None, None, None)

        sheet = run_table(load(table), store, progress=progress, only=["mine"])
    items = len(sheet.items["all"])
    assert said[0] == ("mine (all) waits for another process", 0, items)
    assert said[-1] == ("mine (alone)", items, items) and sum("waits" in label for label, _, _ in said) == 1


def test_a_gain_is_over_the_better_of_the_audit_and_the_row_without_the_story(table: str, tmp_path: Path) -> None:
    with Results(tmp_path / "r.sqlite") as store:
        sheet = run_table(load(table), store)
    cells = {done.row.name: done.cells for done in sheet.rows}
    (gain,) = [test for test in gains(sheet) if test.column == "accuracy/all"]
    own, floor = cells["mine"]["accuracy/alone"].score.value, cells["floor"]["accuracy/all"].score.value
    assert gain.row == "mine" and gain.reference == ("floor" if floor >= own else "itself in alone")
    assert gain.comparison.difference == pytest.approx(cells["mine"]["accuracy/all"].score.value - max(own, floor))
