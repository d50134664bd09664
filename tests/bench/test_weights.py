"""Stored answers belong to the weights they were given with: new weights are asked, old answers are not replayed.

That a model names all files it reads is tested with its other promises (tests/test_conformance.py).
"""

import os
from pathlib import Path

from scenarist.bench.run_table import run_table
from scenarist.bench.sit import content, read_by
from scenarist.bench.spec import load
from scenarist.errors import Missing
from scenarist.models.floor import Constant
from scenarist.store.results import Results


class Weighed(Constant):
    """Answers what its file says."""

    file = Path()
    asked = 0

    def reads(self):
        return [self.file]

    def answer(self, question):
        Weighed.asked += 1
        return super().answer(question)


def test_content_is_that_of_the_file_now(tmp_path):
    path = tmp_path / "weights.npz"
    path.write_bytes(b"one")
    first = content(path)
    assert content(path) == first
    path.write_bytes(b"two!")
    assert content(path) != first
    path.write_bytes(b"one")
    os.utime(path, (1, 1))
    assert content(path) == first


def test_a_model_without_files_reads_nothing():
    assert read_by(Constant()) == []


def test_the_same_content_elsewhere_is_the_same(tmp_path):
    one, two, found = tmp_path / "a.bin", tmp_path / "b.bin", []
    for path in (one, two):
        path.write_bytes(b"weights")
        model = Weighed()
        model.file = path
        found.append(read_by(model))
    assert found[0] == found[1] != []


def test_new_weights_are_asked_and_old_answers_kept(tmp_path, monkeypatch):
    path = tmp_path / "weights.npz"
    monkeypatch.setattr(Weighed, "file", path)
    monkeypatch.setattr("scenarist.models.floor.Constant", Weighed)
    counts = []
    with Results(tmp_path / "r.sqlite") as store:
        for weights in (b"old", b"old", b"new", b"old"):
            path.write_bytes(weights)
            before = Weighed.asked
            sheet = run_table(load("toy"), store, only=["constant"])
            assert sheet.rows[0].cells["accuracy/ending"].score.n > 0
            counts.append(Weighed.asked - before)
        path.unlink()
        monkeypatch.setattr(Weighed, "reads", lambda self: missing())
        assert run_table(load("toy"), store, only=["constant"]).rows[0].problem == "get the weights"
    assert counts[0] == counts[2] > 0
    assert counts[1] == counts[3] == 0


def missing():
    raise Missing("get the weights")
