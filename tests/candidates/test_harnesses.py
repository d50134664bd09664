"""The exported tasks run in the real lm-evaluation-harness and inspect; their logs come back with our figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scenarist.verbs.export import export
from scenarist.verbs.run_table import run_table
from scenarist.verbs.score import score
from tests.candidates.tiny_model import write_tiny_model

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = [pytest.mark.neural, pytest.mark.slow]

TABLE = """
name = "mine"
title = "Endings of the toy corpus"
seeds = [1]

[[condition]]
name = "ending"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]

[[row]]
model = "constant"
role = "baseline"
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))


def table(tmp_path: Path) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(TABLE)
    return str(path)


def ours(tmp_path: Path, model: Path, **settings: object) -> tuple[float, dict[str, Any]]:
    """Accuracy and predictions of the row that `--model` adds."""
    sheet = run_table(table(tmp_path), models=[f"hf:{model}"], settings=settings, only=["constant"])
    done = sheet.rows[-1]
    return done.cells["accuracy/ending"].score.value, done.predictions["ending"]


def run(folder: Path, *command: str) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "hf"), "NO_COLOR": "1"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def test_an_exported_condition_shows_what_ours_shows(tmp_path: Path) -> None:
    blind = (
        TABLE
        + TABLE[TABLE.index("[[condition]]") : TABLE.index("[[row]]")].replace('"ending"', '"blind"')
        + 'candidates = "choices"\n'
    )
    labelled = (
        TABLE[TABLE.index("[[condition]]") : TABLE.index("[[row]]")].replace('"ending"', '"labelled"')
        + 'candidates = "no"\n'
    )
    path = tmp_path / "three.toml"
    path.write_text(blind + labelled)
    tasks = export("lm-eval", str(path), tmp_path / "tasks")
    assert [task.stem.rpartition("_")[2] for task in tasks] == ["ending", "blind"]
    shown, hidden = (
        [json.loads(line) for line in task.with_suffix(".jsonl").read_text().splitlines()] for task in tasks
    )
    assert len({entry["query"] for entry in hidden}) == 1 < len({entry["query"] for entry in shown})
    assert [entry["choices"] for entry in hidden] == [entry["choices"] for entry in shown]
    for told, bare in zip(shown, hidden, strict=True):
        assert told["query"] in told["asks"][0] and told["query"] not in bare["asks"][0]


def test_lm_eval_gives_our_likelihoods_and_our_accuracy(tmp_path: Path, model: Path) -> None:
    pytest.importorskip("lm_eval")
    (task,) = export("lm-eval", table(tmp_path), tmp_path / "tasks")
    run(
        tmp_path, "-m", "lm_eval", "--model", "hf", "--model_args", f"pretrained={model},dtype=float32", "--tasks", task.stem,
        "--include_path", str(task.parent), "--log_samples", "-o", str(tmp_path / "out"), "--device", "cpu", "--batch_size", "2",
    )  # fmt: skip
    (log,) = (tmp_path / "out").rglob("samples_*.jsonl")
    (results,) = (tmp_path / "out").rglob("results_*.json")
    value, predictions = ours(tmp_path, model, how="sum")
    (system,) = score(tmp_path / "tasks" / f"{task.stem}-exam", [log]).systems
    told = json.loads(results.read_text())["results"][task.stem]["acc,none"]
    assert told == pytest.approx(value) == pytest.approx(system.scores["accuracy"].value)
    for item, prediction in system.predictions.items():
        own = {guess.answer: guess.logp for guess in predictions[item].guesses}
        assert {guess.answer: guess.logp for guess in prediction.guesses} == pytest.approx(own, abs=1e-3), item


def test_inspect_asks_what_we_ask_and_reads_what_we_read(tmp_path: Path, model: Path) -> None:
    pytest.importorskip("inspect_ai")
    (task,) = export("inspect", table(tmp_path), tmp_path / "tasks")
    run(
        task.parent, "-c", "import sys; from inspect_ai._cli.main import main; sys.exit(main())", "eval", task.name, "--model", "hf/local",
        "-M", f"model_path={model}", "-M", "device=cpu", "--log-format", "json", "--log-dir", str(tmp_path / "logs"), "--display", "none",
    )  # fmt: skip
    (log,) = (tmp_path / "logs").glob("*.json")
    value, predictions = ours(tmp_path, model, score="text")
    (system,) = score(tmp_path / "tasks" / f"{task.stem}-exam", [log]).systems
    assert system.scores["accuracy"].value == pytest.approx(value)
    for item, prediction in system.predictions.items():
        assert prediction.note in ("", "unparsed")
        assert [guess.answer for guess in prediction.guesses] == [guess.answer for guess in predictions[item].guesses]
