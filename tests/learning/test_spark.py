"""Learning on Spark: the same folder as on DuckDB, also when an executor is killed by its process id in the middle."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.learning import shards
from scenarist.story import Chain, Link, Story

pytest.importorskip("ibis", reason="needs the extra 'learn'")
pytest.importorskip("pyspark", reason="needs the extra 'cluster'")

from scenarist.learning import counting
from scenarist.learning.event_counts import EventCounts
from scenarist.learning.learn import ChainSettings, Engine, learn_events

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs a Java runtime (17 or later)")
TELLS = (
    "Ann met Tom.",
    "She gave him a book.",
    "Tom read it and thanked her.",
    "Then he went home.",
    "A dog barked at Tom.",
)


def things(size: int) -> list[Any]:
    """Ready chains, and some texts that must be read."""
    rng = random.Random(7)
    links = [Link(f"v{number}", role) for number in range(30) for role in ("subj", "obj")]
    chains = [
        Chain(tuple(rng.choices(links, k=rng.choice([1, 2, 5, 30]))), str(n), f"d{n // 2:04d}") for n in range(size)
    ]
    return [*chains, *(Story(f"t{number}", " ".join(rng.sample(TELLS, 3))) for number in range(12))]


def executors() -> list[int]:
    """Process ids of the Spark executors below this process."""
    parents: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            parents[int(path.name)] = parent, (path / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    found = []
    for pid, (parent, command) in parents.items():
        if "CoarseGrainedExecutorBackend" in command and "java" in command.split()[0]:
            while parent in parents and parent != os.getpid():
                parent = parents[parent][0]
            if parent == os.getpid():
                found.append(pid)
    return sorted(found)


def rows(path: Path) -> str:
    """The rows of a table; a text, so that 3.0 is not 3."""
    import pyarrow.dataset

    return str(pyarrow.dataset.dataset(str(path)).to_table().to_pylist())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds the executor in /proc")
def test_a_killed_executor_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "DOCUMENTS", 3)
    corpus = things(240)
    here = learn_events(corpus, tmp_path / "here", chains=ChainSettings(dedup=False))
    killed: list[tuple[int, int]] = []
    over = threading.Event()

    def kill() -> None:
        while not over.is_set() and not killed:
            time.sleep(0.02)
            done = len(list((tmp_path / "there" / "chains").glob("part-*")))
            if done > 2 and (found := executors()):
                os.kill(found[0], signal.SIGKILL)
                killed.append((found[0], done))

    watcher = threading.Thread(target=kill, daemon=True)
    watcher.start()
    there = learn_events(
        corpus,
        tmp_path / "there",
        chains=ChainSettings(dedup=False),
        engine=Engine("spark", "local-cluster[2,1,700]", "600MB"),
    )
    over.set()
    watcher.join()
    assert killed, "no executor was killed"
    assert killed[0][1] < here.shards == 44
    for name in counting.TABLES:
        assert rows(tmp_path / "there" / f"{name}.parquet") == rows(tmp_path / "here" / f"{name}.parquet")
    for folder in ("chains", "sentences"):
        files = sorted((tmp_path / "here" / folder).glob("*"))
        assert files
        assert [path.read_bytes() for path in files] == [
            (tmp_path / "there" / folder / path.name).read_bytes() for path in files
        ]
    one, other = (EventCounts.load(tmp_path / name / "counts.npz") for name in ("here", "there"))
    assert one.types == other.types
    assert (one.pairs == other.pairs).all()
    assert (one.pair_counts == other.pair_counts).all()
    assert (there.documents, there.chains, there.events, there.tables) == (
        here.documents,
        here.chains,
        here.events,
        here.tables,
    )
    resumes(corpus, tmp_path / "there", here.shards)


def resumes(corpus: list[Any], out: Path, number: int) -> None:
    """A folder that Spark made goes on with DuckDB, and a damaged shard is made again."""
    shard = out / "chains" / "part-00001.parquet"
    shard.write_bytes(shard.read_bytes()[:100])
    card = learn_events(corpus, out, chains=ChainSettings(dedup=False))
    assert (card.resumed, card.rebuilt) == (number - 1, [str(shard)])
    assert (out / "pairs.parquet").is_file()


def test_a_worker_s_complaint_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^Spark stopped: .*CoreNLP.*goes on from there\.$"):
        learn_events(
            [Story("a", "Ann left.")],
            tmp_path / "m",
            chains=ChainSettings("corenlp:http://127.0.0.1:9"),
            engine=Engine("spark", "local[1]", "600MB"),
        )
    assert not (tmp_path / "m" / "card.json").exists()


def test_no_master_is_said_in_seconds(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(Missing, match=r"There is no Spark master at spark://127\.0\.0\.1:9 "):
        learn_events(things(4), tmp_path / "m", engine=Engine("spark", "spark://127.0.0.1:9"))
    assert time.monotonic() - begun < 6
    assert not (tmp_path / "m").exists(), "nothing was begun"
