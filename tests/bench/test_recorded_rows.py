"""Recorded rows: the carried ones fit their tables, this machine answers as was recorded, seeds that were not trained are errors."""

from __future__ import annotations

import os

import msgspec
import pytest

from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.solver import Solver, seeds_of
from scenarist.bench.spec import load, names
from scenarist.cli.main import run
from scenarist.errors import Missing
from scenarist.registry import make
from scenarist.store.predictions import FOLDER, read_sections
from scenarist.store.results import Results

RECORDED = [(name, row) for name in names() for row in load(name).row if row.recorded]


@pytest.mark.parametrize("name, row", RECORDED, ids=lambda value: value if isinstance(value, str) else value.name)
def test_the_carried_records_fit_their_rows(name, row):
    """Model, settings and weights as in the table, all conditions and seeds, and a command that is this row's."""
    assert f"scenarist bench {name} --only {row.name} --record" in row.recorded
    table, path = load(name), FOLDER / f"{name}-{row.name}.jsonl.xz"
    sections = {section.header.place: section for section in read_sections(path)}
    for condition in table.condition:
        if row.only and condition.name not in row.only:
            continue
        for seed in seeds_of(row, table, None):
            switches = {key: value for key, value in condition.settings.items() if key != "unshared"}  # needs a corpus
            solver = Solver(row, condition, make("exam", condition.exam, **switches), seed)
            header = sections["dev", condition.name, seed].header
            assert solver.recorded(sections.values(), "dev") is not None
            assert header.command == row.recorded and header.items >= 40


def test_all_records_are_small_and_belong_to_a_row():
    files = sorted(FOLDER.glob("*.jsonl.xz"))
    assert sum(path.stat().st_size for path in files) < 12e6
    assert {path.name for path in files} == {f"{name}-{row.name}.jsonl.xz" for name, row in RECORDED}


LIVE = [  # seconds an item: few of them, and one seed
    ("storycloze2016", "story-discriminator", "storycloze-2016", 4),
    ("storycloze2016", "lm-classifier", "storycloze-2016", 4),
    ("ordering", "story-order", "rocstories", 4),
    ("untold", "untold-deep", "mcscript", 3),
]


@pytest.mark.neural
@pytest.mark.parametrize("name, row, corpus, limit", LIVE)
def test_this_machine_answers_as_was_recorded(name, row, corpus, limit, tmp_path):
    """The released weights give the recorded answers: the same best guess where it is sure, log-probabilities that are near."""
    for package in ("torch", "safetensors", "tokenizers"):
        pytest.importorskip(package)
    table = load(name)
    table.row = [one for one in table.row if one.name == row]
    table.condition = [one for one in table.condition if not table.row[0].only or one.name == table.row[0].only[0]][:1]
    try:
        with Results(tmp_path / "r.sqlite") as store:
            recorded = run_table(table, store, Ways(limit=limit, seed=1)).rows[0]
            live = run_table(table, store, Ways(limit=limit, seed=1, live=True)).rows[0]
    except Missing as error:
        pytest.skip(str(error))
    if live.problem:
        pytest.skip(live.problem)
    assert recorded.recorded and not live.recorded
    condition = table.condition[0].name
    for item, before in recorded.predictions[condition].items():
        now = live.predictions[condition][item]
        assert now.guesses[0].logp == pytest.approx(before.guesses[0].logp, abs=0.3)
        if before.guesses[0].logp > -0.3:
            assert now.best == before.best


def test_a_seed_that_was_not_trained_is_an_error_of_its_row(tmp_path):
    """Not another seed under its name: `--seed 13` of rows whose weights are 1 to 3."""
    with Results(tmp_path / "r.sqlite") as store:
        done = run_table(tiny("event-lm", "event-lm-{seed}", tmp_path), store, Ways(seed=13)).rows[0]
        assert "no weights event-lm-13.npz. It has: event-lm-1.npz." in done.problem
        assert not done.cells
        done = run_table(tiny("compositional", "compositional-{seed}", tmp_path), store, Ways(seed=2)).rows[0]
        assert "no weights compositional-2.npz. It has: compositional-1.npz" in done.problem


def test_a_seed_that_is_not_carried_is_left_out_by_name(tmp_path, capsys):
    """The others are run; what trains the missing one is said."""
    table = tiny("event-lm", "event-lm-{seed}", tmp_path)
    with Results(tmp_path / "r.sqlite") as store:
        sheet = run_table(msgspec.structs.replace(table, seeds=[1, 2]), store, Ways())
    (done,) = sheet.rows
    assert done.cells and not done.problem
    assert done.left_out.startswith("seed 2: The release eventcloze has no weights event-lm-2.npz.")
    assert "python -m training.eventlm.train" in sheet.json()["rows"][0]["left_out"]
    monkey = tmp_path / "event-lm.toml"
    assert run(["bench", str(monkey), "--seed", "2"]) == 3
    assert "was not run" in capsys.readouterr().out


def tiny(model, weights, folder):
    path = folder / f"{model}.toml"
    path.write_text(
        f'''name = "tiny"
title = "Tiny"
seeds = [1]
[[condition]]
name = "all"
corpus = "toy"
corpus_settings = {{ kind = "chains" }}
exam = "eventcloze"
metrics = ["recall@50"]
[[row]]
model = "{model}"
weights = "{weights}"
''',
        encoding="utf-8",
    )
    return load(str(path))


def test_weights_stand_in_the_signature_and_a_fixed_seed_stays(tmp_path):
    table = tiny("event-lm", "event-lm-{seed}", tmp_path)
    with Results(tmp_path / "r.sqlite") as store:
        done = run_table(table, store, Ways(limit=5)).rows[0]
    if done.problem and os.environ.get("CI") is None:
        pytest.skip(done.problem)
    signature = next(iter(done.cells.values())).score.signature
    assert "|model:event-lm|weights:" in signature and "|train:nyt-chains+minilm|" in signature
    row = load("storycloze2016").row
    assert [
        seeds_of(one, load("storycloze2016"), 13)
        for one in row
        if one.name in ("dssm-made-endings", "story-lm") and one.role != "published"
    ] == [[1], [13]]
