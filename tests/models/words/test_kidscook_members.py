"""What trains the pretrained word models on a card: who takes which job, and which means of models are tried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.kidscook import choose, members  # noqa: E402

pytestmark = pytest.mark.neural


def test_teachers_come_first_and_learners_wait_for_their_lessons(tmp_path: Path) -> None:
    done: set[str] = set()
    first = [members.claim(tmp_path, done) for _ in range(members.FOLDS + 1)]
    assert [job.name for job in first if job][: members.FOLDS] == [f"fold-{fold}" for fold in range(members.FOLDS)]
    assert first[-1] is not None and not (first[-1].taught and first[-1].kind in members.LEARNERS)
    (tmp_path / "lessons").mkdir()
    for fold in range(members.FOLDS):
        (tmp_path / "lessons" / f"fold-{fold}.npz").touch()
    then = members.claim(tmp_path, set())
    assert then is not None and then.name == "pretrained-transducer-1"


def test_what_has_its_report_is_not_made_again_and_all_end(tmp_path: Path) -> None:
    for job in members.JOBS:
        (tmp_path / f"{job.name}.json").touch()
    assert members.claim(tmp_path, set()) is None


def test_what_a_table_leaves_out_is_spread_evenly(tmp_path: Path) -> None:
    path = tmp_path / "one.npz"
    np.savez(
        path, dev_ids=np.array([[2, 0]], np.uint16), dev_logp=np.log(np.array([[0.5, 0.3]])).astype(np.float16),
        dev_keys=np.array([2], np.uint16),
    )  # fmt: skip
    table, keys = choose.dense(path, 4)
    assert table[0].tolist() == pytest.approx([0.3, 0.1, 0.5, 0.1], abs=1e-3)
    assert keys.tolist() == [2]


def test_members_are_added_while_they_help() -> None:
    chooser = choose.Chooser.__new__(choose.Chooser)
    chooser.keys, chooser.blanks = torch.tensor([0, 1, 2, 0]), [(0, 0), (0, 1), (1, 0), (1, 1)]
    chooser.abstract = torch.tensor([0, 0, 1, 1])
    even = torch.full((4, 8), 1 / 8)
    knows = {"left": [0, 1], "right": [2, 3]}
    for name, places in knows.items():
        table = even.clone()
        table[places] = 0.01
        table[places, chooser.keys[places]] = 0.93
        chooser.tables = {**getattr(chooser, "tables", {}), name: table}
    chooser.tables["nothing"] = even.flip(1)
    found = chooser.forward(3, list(chooser.tables))
    assert sorted(found[-1][0]) == ["left", "right"]
    assert found[-1][1]["match"] == 1.0
    crossed, chosen = chooser.crossed(2, 1, ["left", "right"])
    assert chosen == [["right"], ["left"]] and crossed["match"] < 1  # each fold by what the other chose
