"""The store: locked, versioned, all or nothing."""

import sqlite3
import subprocess
import sys

import pytest

from scenarist.errors import BadInput
from scenarist.question import Guess, Prediction
from scenarist.store.home import whole_file, write_whole
from scenarist.store.results import Results


def some(*items):
    return [Prediction(item, (Guess("x"),)) for item in items]


def test_predictions_are_kept_by_run(tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        one, two = store.run({"model": "a", "seed": 1}), store.run({"seed": 1, "model": "b"})
        assert one != two
        assert store.run({"seed": 1, "model": "a"}) == one
        with store.batch():
            store.add(one, some("i", "j"))
    with Results(tmp_path / "r.sqlite") as store:
        assert set(store.predictions(one)) == {"i", "j"}
        assert store.predictions(two) == {}
        store.forget(one)
        assert store.predictions(one) == {}


def test_a_broken_batch_leaves_nothing(tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        run = store.run({"model": "a"})
        with pytest.raises(KeyboardInterrupt), store.batch():
            store.add(run, some("i"))
            raise KeyboardInterrupt
        assert store.predictions(run) == {}


def test_two_runs_at_once_are_refused_even_across_processes(tmp_path):
    path = tmp_path / "r.sqlite"
    code = f"from pathlib import Path; from scenarist.store.results import Results; Results(Path({str(path)!r}))"
    with Results(path):
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert other.returncode != 0
        assert "Another run is writing" in other.stderr
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_another_version_is_refused(tmp_path):
    path = tmp_path / "r.sqlite"
    Results(path).close()
    with sqlite3.connect(path) as base:
        base.execute("UPDATE meta SET value = '99'")
    with pytest.raises(BadInput, match="schema 99"):
        Results(path)


def test_a_foreign_file_is_refused(tmp_path):
    (tmp_path / "r.sqlite").write_bytes(b"no database at all, only text" * 50)
    with pytest.raises(BadInput, match="not a scenarist store"):
        Results(tmp_path / "r.sqlite")


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    write_whole(path, [b"a", b"b"])
    assert path.read_bytes() == b"ab"
    with pytest.raises(RuntimeError), whole_file(path) as temporary:
        temporary.write_bytes(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"ab"
    assert list(path.parent.iterdir()) == [path]


def test_an_unwritable_place_is_said(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="Cannot write"):
        write_whole(tmp_path / "file" / "inside", [b"x"])
