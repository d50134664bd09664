"""The store: locked by the run, versioned, all or nothing."""

import random
import sqlite3
import subprocess
import sys

import pytest

from scenarist.errors import BadInput
from scenarist.noun import to_json
from scenarist.question import Guess, Prediction
from scenarist.store.home import whole_file, write_whole
from scenarist.store.results import Results


def predictions(*items):
    return [Prediction(item, (Guess("x"),)) for item in items]


def test_predictions_are_kept_by_run(tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        first, second = store.run({"model": "a", "seed": 1}), store.run({"seed": 1, "model": "b"})
        assert first != second
        assert store.run({"seed": 1, "model": "a"}) == first
        store.add(first, predictions("i", "j"))
    with Results(tmp_path / "r.sqlite") as store:
        assert set(store.predictions(first)) == {"i", "j"}
        assert store.predictions(second) == {}
        store.forget(first)
        assert store.predictions(first) == {}


def test_what_was_never_rated_does_not_count(tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        run = store.run({"model": "a"})
        batch = store.add(run, predictions("i"), rated=False)
        store.add(run, predictions("j"), rated=False)
        assert store.predictions(run) == {}
        store.rate(batch, [Prediction("i", (Guess("x"),), key_logp=-1.0)])
        assert store.predictions(run)["i"].key_logp == -1.0
        store.forget(run, unrated=True)
        assert set(store.predictions(run)) == {"i"}


WRITER = """
import sys, time
from pathlib import Path
from scenarist.question import Guess, Prediction
from scenarist.store.results import Results
path, name = Path(sys.argv[1]), sys.argv[2]
with Results(path) as store:
    run = store.run({"model": name})
    with store.hold(run, lambda: print("waits", flush=True)):
        print("holds", flush=True)
        for number in range(20):
            store.add(run, [Prediction(f"{name}-{number}", (Guess("x"),))])
            time.sleep(0.02)
        time.sleep(float(sys.argv[3]))
"""


def start(path, name, seconds):
    command = [sys.executable, "-c", WRITER, str(path), name, str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_write_two_runs_at_once(tmp_path):
    path = tmp_path / "r.sqlite"
    both = [start(path, name, 0.5) for name in "ab"]
    assert [process.communicate(timeout=60)[0] for process in both] == ["holds\n", "holds\n"]
    with Results(path) as store:
        for name in "ab":
            assert set(store.predictions(store.run({"model": name}))) == {f"{name}-{number}" for number in range(20)}
    assert not list((tmp_path / "locks").iterdir())


def test_the_same_run_twice_at_once_waits(tmp_path):
    path = tmp_path / "r.sqlite"
    first = start(path, "a", 1.5)
    assert first.stdout.readline() == "holds\n"
    second = start(path, "a", 0)
    assert second.communicate(timeout=60)[0] == "waits\nholds\n"
    assert first.poll() == 0


def test_a_lock_is_free_when_its_process_was_killed(tmp_path):
    path = tmp_path / "r.sqlite"
    first = start(path, "a", 60)
    assert first.stdout.readline() == "holds\n"
    first.kill()
    first.communicate()
    assert start(path, "a", 0).communicate(timeout=60)[0] == "holds\n"


def test_a_store_of_the_first_schema_is_taken_over(tmp_path):
    path, old = tmp_path / "r.sqlite", predictions(*(f"i{number}" for number in range(600)))
    with Results(path) as store:
        run = store.run({"model": "a"})
    with sqlite3.connect(path) as base:
        base.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")
        base.execute(
            "CREATE TABLE prediction (run INTEGER, item TEXT, json BLOB, PRIMARY KEY (run, item)) WITHOUT ROWID"
        )
        rows = ((run, prediction.item, to_json(prediction)) for prediction in old)
        base.executemany("INSERT INTO prediction VALUES (?, ?, ?)", rows)
    base.close()
    with Results(path) as store:
        assert store.predictions(store.run({"model": "a"})) == {prediction.item: prediction for prediction in old}
    with Results(path) as store:
        assert len(store.predictions(run)) == 600


def test_a_full_disk_is_named(tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        run = store.run({"model": "a"})
        store.add(run, predictions("before"))
        (pages,) = store._base.execute("PRAGMA page_count").fetchone()
        store._base.execute(f"PRAGMA max_page_count = {pages}")
        noise = random.Random(1)
        large = [Prediction(f"i{number}", (Guess(str(noise.random())),)) for number in range(2000)]
        with pytest.raises(BadInput, match="disk is full"):
            store.add(run, large)
        assert set(store.predictions(run)) == {"before"}


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
