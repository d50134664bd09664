"""Learning event counts: the same numbers by DuckDB, by numpy and by hand; interrupted, damaged and crowded runs."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts
from scenarist.story import Chain, Link

pytest.importorskip("ibis", reason="needs the extra 'learn'")
pytest.importorskip("pyarrow", reason="needs the extra 'learn'")

from scenarist.formats.chain_file import ChainRow, event_id, read_chains, stamp_of, write_chains
from scenarist.learning import counting, shards
from scenarist.learning.dedup import find_duplicates
from scenarist.learning.learn import ChainSettings, Engine, learn_events, read_card


def corpus(size: int = 90) -> list[Chain]:
    rng = random.Random(3)
    return [
        Chain(
            tuple(
                Link(f"v{int(rng.expovariate(0.4))}", rng.choice(["subj", "obj"]))
                for _ in range(rng.choice([1, 2, 3, 5, 12, 40]))
            ),
            str(number),
            f"d{number // 3:03d}",
        )
        for number in range(size)
    ]


CHAINS = corpus()


def same(one: EventCounts, other: EventCounts) -> None:
    assert one.types == other.types
    assert np.array_equal(one.events, other.events)
    assert np.array_equal(one.pairs, other.pairs)
    assert np.array_equal(one.pair_counts, other.pair_counts)


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "DOCUMENTS", 7)


@pytest.mark.usefixtures("small_shards")
def test_duckdb_counts_equal_numpy_counts(tmp_path: Path) -> None:
    card = learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    same(EventCounts.load(tmp_path / "m" / "counts.npz"), EventCounts.of(documents(CHAINS)))
    assert (card.shards, card.documents, card.chains) == (5, 30, 90)
    assert card.events == sum(len(chain) for chain in CHAINS)
    assert read_card(tmp_path / "m") == card


@pytest.mark.usefixtures("small_shards")
def test_the_other_tables(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    events = {row["id"]: row["event"] for row in pq.read_table(tmp_path / "m" / "events.parquet").to_pylist()}
    pairs: Counter[tuple[str, ...]] = Counter()
    index: Counter[tuple[str, str]] = Counter()
    for chain in CHAINS:
        names = [str(link) for link in chain.links]
        if len(names) > 1:
            index.update((name, chain.story) for name in names)
        for i in range(len(names)):
            for j in range(i + 1, min(len(names), i + 25)):
                pairs[tuple(sorted((names[i], names[j])))] += 1
    assert str(pq.read_schema(tmp_path / "m" / "unordered.parquet").field("n").type) == "int64"
    found: Counter[tuple[str, ...]] = Counter()
    for row in pq.read_table(tmp_path / "m" / "unordered.parquet").to_pylist():
        found[tuple(sorted((events[row["x"]], events[row["y"]])))] += row["n"]
    assert found == pairs
    got = {
        (events[r["id"]], r["document"]): r["n"] for r in pq.read_table(tmp_path / "m" / "index.parquet").to_pylist()
    }
    assert got == dict(index)


@pytest.mark.usefixtures("small_shards")
def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tmp_path / "whole"
    learn_events(CHAINS, whole, chains=ChainSettings(dedup=False))
    real, calls = shards.write_chains, []

    def stops(path: Path, rows: list[ChainRow], stamp: str = "") -> int:
        calls.append(path)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(path, rows, stamp)

    monkeypatch.setattr(shards, "write_chains", stops)
    with pytest.raises(KeyboardInterrupt):
        learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    assert not (tmp_path / "m" / "card.json").exists(), "no card before all is done"
    monkeypatch.setattr(shards, "write_chains", real)
    card = learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    assert card.resumed == 2
    for name in ("events", "pairs", "unordered", "index"):
        assert (tmp_path / "m" / f"{name}.parquet").read_bytes() == (whole / f"{name}.parquet").read_bytes()


@pytest.mark.usefixtures("small_shards")
def test_a_damaged_shard_is_named_and_rebuilt(tmp_path: Path) -> None:
    out = tmp_path / "m"
    learn_events(CHAINS, out, chains=ChainSettings(dedup=False))
    before = EventCounts.load(out / "counts.npz")
    shard = out / "chains" / "part-00002.parquet"
    data = bytearray(shard.read_bytes())
    data[40:200] = bytes(160)
    shard.write_bytes(data)
    assert stamp_of(shard) is None
    card = learn_events(CHAINS, out, chains=ChainSettings(dedup=False))
    assert card.rebuilt == [str(shard)]
    assert card.resumed == 4
    same(EventCounts.load(out / "counts.npz"), before)


@pytest.mark.usefixtures("small_shards")
def test_the_result_does_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    for jobs in (1, 2):
        learn_events(CHAINS, tmp_path / str(jobs), chains=ChainSettings(dedup=False), engine=Engine(jobs=jobs))
    for name in ("events", "pairs", "unordered", "index"):
        assert (tmp_path / "1" / f"{name}.parquet").read_bytes() == (tmp_path / "2" / f"{name}.parquet").read_bytes()


def test_a_shorter_corpus_leaves_no_old_shard_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "DOCUMENTS", 5)
    learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    learn_events(CHAINS[:30], tmp_path / "m", chains=ChainSettings(dedup=False))
    same(EventCounts.load(tmp_path / "m" / "counts.npz"), EventCounts.of(documents(CHAINS[:30])))


def test_duplicates_are_removed_and_counted(tmp_path: Path) -> None:
    again = [Chain(chain.links, chain.entity, f"copy-{chain.story}") for chain in CHAINS[:6]]
    card = learn_events([*CHAINS, *again], tmp_path / "m")
    assert (card.exact, card.near) == (2, 0)
    same(EventCounts.load(tmp_path / "m" / "counts.npz"), EventCounts.of(documents(CHAINS)))


def test_near_duplicates() -> None:
    words = [f"word{number}" for number in random.Random(1).choices(range(500), k=400)]
    other = [f"word{number}" for number in random.Random(2).choices(range(500), k=400)]
    edited = [*words[:200], "changed", *words[201:]]
    found = find_duplicates([" ".join(part) for part in (words, other, edited, words, other[:200])] + ["", ""])
    assert found.exact == (3,)
    assert found.near == (2,)
    assert found.of == ((2, 0), (3, 0))


def test_memory_limit_spills_and_the_totals_stay_right(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [ChainRow(f"d{n}", 0, "x", "", tuple(f"e{k}" for k in rng.integers(0, 3000, 20))) for n in range(4000)]
    (tmp_path / "chains").mkdir()
    write_chains(tmp_path / "chains" / "part-00000.parquet", rows)
    expected = 4000 * (20 * 19 // 2)
    with counting.duckdb_engine("120MB", 2, tmp_path / "spill") as base:
        pairs = counting.pair_counts(base.read_parquet(str(tmp_path / "chains" / "*.parquet")))
        assert int(pairs.n.sum().execute()) == expected


def test_by_scenario_keeps_one_model_per_label(tmp_path: Path) -> None:
    from scenarist.learning.learn import split_scenarios, write_tables

    rows = [
        ChainRow("a", 0, "x", "baking a cake", ("mix:subj", "bake:subj")),
        ChainRow("b", 0, "x", "", ("a:subj", "b:subj")),
    ]
    (tmp_path / "chains").mkdir()
    write_chains(tmp_path / "chains" / "part-00000.parquet", rows)
    with counting.duckdb_engine() as base:
        write_tables(base, tmp_path, 2, 24, lambda *_: None)
    found = split_scenarios(tmp_path, 2, 24, lambda *_: None)
    assert list(found) == ["baking a cake"]
    counts = EventCounts.load(tmp_path / found["baking a cake"] / "counts.npz")
    assert set(counts.types) == {"mix:subj", "bake:subj"}
    assert counts.pair_counts.tolist() == [1]


def test_rows_survive_parquet(tmp_path: Path) -> None:
    rows = [
        ChainRow("d", 0, "e1", "s", ("a:subj", "b:obj"), ("x - -",), (0, 3)),
        ChainRow("d", 1, "e2", "", ("a:obj",)),
    ]
    write_chains(tmp_path / "x.parquet", rows, "stamp")
    assert list(read_chains(tmp_path / "x.parquet")) == rows
    assert stamp_of(tmp_path / "x.parquet") == "stamp"
    assert event_id("a:subj") != event_id("a:obj")
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(BadInput, match="not a readable shard"):
        list(read_chains(tmp_path / "x.parquet"))


def test_bad_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="stories or chains"):
        learn_events(["text"], tmp_path / "m")
    with pytest.raises(BadInput, match="no document"):
        learn_events([], tmp_path / "m2")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious", encoding="utf-8")
    for refresh in (False, True):
        with pytest.raises(BadInput, match="left alone"):
            learn_events(CHAINS, tmp_path / "mine", refresh=refresh)
    assert (tmp_path / "mine" / "thesis.txt").exists()
    with pytest.raises(BadInput, match="is a file"):
        learn_events(CHAINS, tmp_path / "mine" / "thesis.txt")
    with pytest.raises(BadInput, match="memory is a size"), counting.duckdb_engine("plenty"):
        pass
    with pytest.raises(Missing, match="no Spark master"):
        learn_events(CHAINS, tmp_path / "m3", engine=Engine("spark", "spark://127.0.0.1:9"))
    with pytest.raises(BadInput, match="Spark master is"):
        counting.check_master("sparkle")


def test_a_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    path = tmp_path / "m" / "card.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"schema": 1', '"schema": 0'), encoding="utf-8")
    with pytest.raises(BadInput, match="another version"):
        learn_events(CHAINS, tmp_path / "m")
    learn_events(CHAINS, tmp_path / "m", refresh=True)
    with pytest.raises(BadInput, match="no learned model"):
        read_card(tmp_path)


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
from pathlib import Path
from scenarist.errors import BadInput
from scenarist.learning.learn import ChainSettings, Engine, learn_events
from scenarist.story import Chain, Link
chains = [Chain(tuple(Link(f"v{n * 31 + k}", "subj") for k in range(20)), "x", f"d{n}") for n in range(300)]
try:
    learn_events(chains, Path(sys.argv[1]), chains=ChainSettings(dedup=False))
except BadInput as error:
    print(error)
    sys.exit(2)
"""


def test_a_full_disk_gives_a_message_and_no_half_table(tmp_path: Path) -> None:
    """No file may grow beyond 3,000 bytes: what a full disk looks like to the writer."""
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "m")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2, done.stderr
    assert "Cannot write" in done.stdout or "Counting stopped" in done.stdout
    assert [path for path in (tmp_path / "m").rglob("*") if path.is_file()] == []


def test_near_duplicates_equal_a_comparison_of_all_with_all() -> None:
    from scenarist.learning.dedup import BANDS, HASHES, Sketcher

    rng = random.Random(5)
    texts: list[str] = []
    for number in range(300):
        if number > 20 and rng.random() < 0.5:
            words = rng.choice(texts).split()
            for _ in range(rng.choice([0, 1, 3, 12, 30])):
                if words:
                    words[rng.randrange(len(words))] = f"w{rng.randrange(900)}"
        else:
            words = [f"w{rng.randrange(900)}" for _ in range(rng.choice([0, 3, 40, 200]))]
        texts.append(" ".join(words))
    sketches = [Sketcher()(text) for text in texts]
    exact, near, kept = [], [], []
    for place, sketch in enumerate(sketches):
        if not texts[place]:
            continue
        if any(texts[place] == texts[other] for other in range(place)):
            exact.append(place)
            continue
        width = HASHES // BANDS
        for other in kept:
            agree = sketches[other].signature == sketch.signature
            if agree.mean() >= 0.8 and agree.reshape(BANDS, width).all(axis=1).any():
                near.append(place)
                break
        else:
            kept.append(place)
    found = find_duplicates(texts)
    assert (list(found.exact), list(found.near)) == (exact, near)
    assert len(near) > 20
    assert found.documents == 300


def test_the_sentence_of_an_event_is_the_one_it_stands_in() -> None:
    from scenarist.learning.shards import sentences_of
    from scenarist.registry import make

    text = "Ann woke up. She drank tea, and the dog barked.\n\nNobody came. Then Tom sang and left."
    (story,) = make("reader", "default")([text])
    slow = tuple(
        next((at for at, one in enumerate(story.sentences) if one.start <= event.start < one.stop), -1)
        for event in story.events
    )
    assert sentences_of(story) == slow
    assert set(slow) == {0, 1, 2, 3}


def test_beyond_the_largest_array_the_rarest_pairs_stay_in_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scenarist.learning import learn as module

    whole = learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    full = EventCounts.load(tmp_path / "m" / "counts.npz")
    monkeypatch.setattr(module, "LARGEST", 200)
    monkeypatch.setattr(module, "LONGEST", 50)
    card = learn_events(CHAINS, tmp_path / "m", chains=ChainSettings(dedup=False))
    small = EventCounts.load(tmp_path / "m" / "counts.npz")
    assert (whole.least, card.tables) == (1, whole.tables)
    assert card.least > 1
    often = full.pair_counts >= card.least
    assert often.sum() <= 200 < (full.pair_counts >= card.least - 1).sum()
    assert np.array_equal(small.pairs, full.pairs[often])
    assert small.chains is None
    assert np.array_equal(small.events, full.events)


def test_a_shard_says_which_version_of_the_reader_made_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, chains = shards.UncutDocument("a", "Ann left."), shards.UncutDocument("b", chains=(CHAINS[1],))
    stamps = [shards.work_of(0, [one], tmp_path, "default", "single", True).stamp for one in (text, chains)]
    monkeypatch.setattr(shards, "version_of", lambda _reader: "another")
    other = [shards.work_of(0, [one], tmp_path, "default", "single", True).stamp for one in (text, chains)]
    assert other[0] != stamps[0]
    assert other[1] == stamps[1], "ready chains are read by nobody"
