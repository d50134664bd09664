"""The test split runs live: from a test file that is made of train stories, with fewer documents and foreign text nobody drew before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from scenarist.bench.run_table import Ways, run_table
from scenarist.bench.spec import load
from scenarist.errors import Missing
from scenarist.registry import make
from scenarist.store.results import Results


def write_data(folder: Path) -> None:
    """Train and test of MCScript, both from train stories, to stand before the corpora at hand on the search path."""
    (folder / "mcscript").mkdir()
    scenarios = defaultdict(list)
    for story in make("corpus", "mcscript", split="train"):
        scenarios[story.scenario].append(story.text)
    for split, part in (("train", slice(0, 8)), ("test", slice(8, 10))):
        stories = [(name, text) for name, texts in list(scenarios.items())[:24] for text in texts[part]]
        lines = [
            json.dumps({"scenario": name, "text": text, "id": f"{split}-{number}"})
            for number, (name, text) in enumerate(stories)
        ]
        (folder / "mcscript" / f"{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.data("mcscript", "short-fiction", "gum", "ewt")
def test_detection_on_a_test_file(tmp_path):
    write_data(tmp_path)
    environment = os.environ | {
        "SCENARIST_DATA": f"{tmp_path}:{os.environ['SCENARIST_DATA']}",
        "SCENARIST_HOME": str(tmp_path / "home"),
    }
    command = "bench wanzare2019 --split test --limit 3 --only detector,tt-tfidf --json --quiet"
    done = subprocess.run(
        [sys.executable, "-m", "scenarist", *command.split()],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    form = json.loads(done.stdout)
    assert [row["model"] for row in form["rows"]] == ["tt-tfidf", "detector"]
    for row in form["rows"]:
        assert "problem" not in row
        noisy = row["scores"]["f1/noisy"]
        assert noisy["n"] == 3 and 0 < noisy["value"] <= 1
        assert "|documents:100|" in noisy["signature"] and "|stitch:13|" in noisy["signature"]
        assert "short-fiction=train" in noisy["signature"] and "|split:test|" in noisy["signature"]
        assert row["scores"]["accuracy/whole-story"]["n"] == 3


@pytest.mark.data("short-fiction")
def test_foreign_text_of_the_test_split_was_never_drawn_before():
    from scenarist.corpora.stitched import noise_texts

    test, train, dev = (
        {line for text in noise_texts("short-fiction", split) for line in text.sentences if len(line) > 40}
        for split in ("test", "train", "dev")
    )
    assert len(test) > 10_000
    assert len(test & train) < 0.001 * len(test)  # a line that a work has twice
    assert len(test & dev) < 0.001 * len(test)


def test_a_condition_whose_corpus_is_not_there_is_said_and_the_others_run(tmp_path, monkeypatch):
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path))
    path = tmp_path / "both.toml"
    text = (
        'name = "both"\ntitle = "Both"\n[[condition]]\nname = "here"\ncorpus = "toy"\ncorpus_settings = { kind = "cloze" }\nexam = "storycloze"\nmetrics = ["accuracy"]\n'
        '[[condition]]\nname = "away"\ncorpus = "storycloze-2016"\nexam = "storycloze"\nmetrics = ["accuracy"]\n[[row]]\nmodel = "constant-first"\n'
        '[[row]]\nmodel = "constant-first"\nlabel = "on-dev"\nsplits = ["dev"]\n'
    )
    path.write_text(text, encoding="utf-8")
    with Results(tmp_path / "r.sqlite") as store:
        form = run_table(load(str(path)), store, Ways(split="test")).json()
        assert [list(row["scores"]) for row in form["rows"]] == [["accuracy/here"]]  # and no row that is for dev alone
        (remark,) = form["remarks"]
        assert remark.startswith("not set: away. ") and "storycloze-2016" in remark
        named = run_table(load(str(path)), store, Ways(split="test"), only=["on-dev"]).json()["rows"]
        assert named[0]["problem"] == "it is run on dev alone."
        path.write_text(
            text.replace('corpus = "toy"\ncorpus_settings = { kind = "cloze" }', 'corpus = "storycloze-2018"'),
            encoding="utf-8",
        )
        with pytest.raises(Missing, match="storycloze-2018"):
            run_table(load(str(path)), store, Ways(split="test"))


def test_one_seed_on_test_where_every_answer_is_live():
    from scenarist.bench.solver import seeds_of

    for name in ("storycloze2016", "ordering", "untold", "kidscook"):
        table = load(name)
        for row in table.row:
            if row.role != "published" and row.runs_on("test"):
                assert len(seeds_of(row, table, None, "test")) == 1, (name, row.name)
