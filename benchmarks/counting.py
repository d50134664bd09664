"""Speed, memory and growth of pair counting, as ratios within one run. Needs the extras learn (and cluster for Spark) and, for the
reference, numba.

    python benchmarks/counting.py pairs [--events 20e6]     DuckDB through Ibis against a numba counting sort, and under memory limits;
                                                            both read Parquet and write Parquet
    python benchmarks/counting.py growth                    2, 20, 200 million events
    python benchmarks/counting.py spark [--kill]            Spark local-cluster: the same totals, also when an executor is killed

Each prints JSON lines; `make bench-counting` runs all and writes them to `results/counting.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

SKIP = 3
TYPES = 200_000


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def synthetic(folder: Path, events: int, seed: int = 0) -> int:
    """Chains of about ten events over 200,000 types with Zipf frequencies, one row a chain; gives the number of pairs within SKIP."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "chains").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, TYPES + 1)
    edges = np.cumsum(weights / weights.sum())
    names = rng.integers(1, 1 << 62, TYPES)
    pairs = made = part = 0
    while made < events:
        size = min(2_000_000, events - made)
        lengths = np.maximum(1, rng.poisson(10, size // 10 + 1))
        lengths = lengths[: np.searchsorted(np.cumsum(lengths), size) + 1]
        ids = names[np.searchsorted(edges, rng.random(int(lengths.sum())))]
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        table = pa.table(
            {"document": pa.array(np.arange(len(lengths)).astype(str)), "ids": pa.ListArray.from_arrays(start, ids)}
        )
        pq.write_table(table, folder / "chains" / f"part-{part:05d}.parquet", row_group_size=50_000)
        pairs += int(sum(np.maximum(lengths - gap, 0).sum() for gap in range(1, SKIP + 1)))
        made += int(lengths.sum())
        part += 1
    return pairs


def by_duckdb(folder: Path, memory: str) -> dict[str, Any]:
    """The counting expression on DuckDB, written to Parquet; measured in a process of its own."""
    from scenarist.learning import counting

    counting.ibis()  # imports are not counting
    out = folder / "out.parquet"
    begun, cpu = time.perf_counter(), time.process_time()
    spilled: list[int] = [0]
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            size = (
                sum(path.stat().st_size for path in (folder / "spill").rglob("*") if path.is_file())
                if (folder / "spill").exists()
                else 0
            )
            spilled[0] = max(spilled[0], size)

    threading.Thread(target=watch, daemon=True).start()
    with counting.duckdb_engine(memory, 2, folder / "spill") as base:
        chains = base.read_parquet(str(folder / "chains" / "*.parquet"))
        counting.pair_counts(chains, SKIP).to_parquet(out)
        seconds, used = time.perf_counter() - begun, time.process_time() - cpu
        table = base.read_parquet(out)
        total, rows = int(table.n.sum().execute()), int(table.count().execute())
    over.set()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {
        "engine": f"ibis on duckdb, {memory}",
        "wall_s": seconds,
        "cpu_s": used,
        "peak_gb": peak,
        "spilled_gb": spilled[0] / 1e9,
        "total": total,
        "rows": rows,
    }


def by_numba(folder: Path) -> dict[str, Any]:
    """The limit to compare with: pairs coded as integers and counted by a parallel sort in compiled code."""
    import pyarrow.dataset
    from numba import njit, prange

    @njit(cache=True)
    def code_pairs(flat: Any, start: Any, size: int, skip: int) -> Any:
        count = 0
        for chain in range(len(start) - 1):
            length = start[chain + 1] - start[chain]
            for gap in range(1, min(skip, length - 1) + 1):
                count += length - gap
        out = np.empty(count, np.int64)
        at = 0
        for chain in range(len(start) - 1):
            for i in range(start[chain], start[chain + 1]):
                for j in range(i + 1, min(i + skip + 1, start[chain + 1])):
                    out[at] = (np.int64(flat[i]) * size + flat[j]) * 8 + (j - i)
                    at += 1
        return out

    @njit(parallel=True, cache=True)
    def sort_parts(codes: Any, edges: Any) -> None:
        for part in prange(len(edges) - 1):
            codes[edges[part] : edges[part + 1]].sort()

    @njit(cache=True)
    def by_first(codes: Any, width: int, parts: int) -> tuple[Any, Any]:
        sizes = np.zeros(parts + 1, np.int64)
        for code in codes:
            sizes[code // width + 1] += 1
        edges = np.cumsum(sizes)
        place = edges[:-1].copy()
        out = np.empty_like(codes)
        for code in codes:
            part = code // width
            out[place[part]] = code
            place[part] += 1
        return out, edges

    @njit(cache=True)
    def runs(codes: Any) -> tuple[Any, Any]:
        distinct = 1
        for at in range(1, len(codes)):
            distinct += codes[at] != codes[at - 1]
        keys, counts = np.empty(distinct, np.int64), np.zeros(distinct, np.int64)
        place = -1
        for at in range(len(codes)):
            if at == 0 or codes[at] != codes[at - 1]:
                place += 1
                keys[place] = codes[at]
            counts[place] += 1
        return keys, counts

    @njit(cache=True)
    def number(values: Any, bits: int) -> tuple[Any, Any]:
        """63-bit names -> small numbers, by open addressing."""
        mask = (1 << bits) - 1
        slots, owner = np.full(mask + 1, -1, np.int64), np.zeros(mask + 1, np.int64)
        names, out, known = np.empty(1 << (bits - 1), np.int64), np.empty(len(values), np.int64), 0
        for at in range(len(values)):
            value = values[at]
            slot = (value * -7046029254386353131 >> 20) & mask
            while slots[slot] != value and slots[slot] != -1:
                slot = (slot + 1) & mask
            if slots[slot] == -1:
                slots[slot], owner[slot], names[known] = value, known, value
                known += 1
            out[at] = owner[slot]
        return names[:known].copy(), out

    def count(flat: Any, start: Any, size: int) -> tuple[Any, Any]:
        codes = code_pairs(flat, start, size, SKIP)
        parts = 4096
        width = (size * size * 8) // parts + 1
        codes, edges = by_first(codes, width, parts)
        sort_parts(codes, edges)
        return runs(codes)

    number(np.zeros(4, np.int64), 20)  # compile
    count(np.zeros(4, np.int64), np.array([0, 4]), 4)
    begun, cpu = time.perf_counter(), time.process_time()
    table = pyarrow.dataset.dataset(str(folder / "chains")).to_table(columns=["ids"])
    lists = table["ids"].combine_chunks()
    values = lists.flatten().to_numpy()
    start = np.concatenate([[0], np.cumsum(lists.value_lengths().to_numpy())]).astype(np.int64)
    names, flat = number(values, 20)  # 2^20 slots for TYPES = 200,000
    keys, counts = count(flat, start, len(names))
    counted = time.perf_counter() - begun
    import pyarrow as pa
    import pyarrow.parquet as pq

    pair = keys // 8
    out = pa.table(
        {
            "first": names[pair // len(names)],
            "second": names[pair % len(names)],
            "distance": (keys % 8).astype(np.int8),
            "n": counts,
        }
    )
    pq.write_table(out, folder / "numba.parquet")
    seconds, used = time.perf_counter() - begun, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {
        "engine": "numba reference",
        "wall_s": seconds,
        "without_writing_s": counted,
        "cpu_s": used,
        "peak_gb": peak,
        "total": int(counts.sum()),
        "rows": len(keys),
    }


def apart(folder: Path, which: str) -> dict[str, Any]:
    """One engine in a process of its own, so that peak memory is its own."""
    done = subprocess.run([sys.executable, __file__, "one", which, str(folder)], capture_output=True, text=True)
    if done.returncode:
        return {"engine": which, "problem": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def pairs(events: int, rounds: int) -> None:
    """Both engines in turn, so that other work on the machine falls on both; ratios of a round, then their median."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = synthetic(folder, events)
        say(benchmark="pairs", events=events, expected=expected, machine=machine())
        ratios: dict[str, list[float]] = {"2GB": [], "500MB": []}
        right = True
        for number in range(1, rounds + 1):
            reference = apart(folder, "numba")
            right &= reference.get("total") == expected
            say(round=number, **reference, right=reference.get("total") == expected, load=os.getloadavg()[0])
            for memory, found in ((memory, apart(folder, memory)) for memory in ratios):
                right &= found.get("total") == expected and found.get("rows") == reference.get("rows")
                if "wall_s" in found and "wall_s" in reference:
                    ratios[memory].append(found["wall_s"] / reference["wall_s"])
                say(
                    round=number,
                    **found,
                    right=found.get("total") == expected,
                    ratio_to_numba=(ratios[memory] or [None])[-1],
                    load=os.getloadavg()[0],
                )
        say(
            benchmark="pairs",
            all_right=right,
            median_ratio_to_numba={memory: float(np.median(some)) for memory, some in ratios.items() if some},
        )
        if not right:
            sys.exit(1)


def growth(most: int) -> None:
    """Wall and CPU seconds per million events as the corpus grows tenfold twice."""
    say(benchmark="growth", machine=machine())
    for events in (2_000_000, 20_000_000, 200_000_000):
        if events > most:
            break
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            expected = synthetic(folder, events)
            found = apart(folder, "2GB")
            per = {key: found[key] / events * 1e6 for key in ("wall_s", "cpu_s") if key in found}
            say(events=events, **found, right=found.get("total") == expected, per_million=per, load=os.getloadavg()[0])


def summed(count: Any) -> dict[str, int]:
    """A count table in three numbers: what it counts, its rows, and the sum of squares."""
    row = count.agg(total=count.n.sum(), rows=count.count(), squares=(count.n * count.n).sum()).execute().iloc[0]
    return {key: int(row[key]) for key in ("total", "rows", "squares")}


def spark(events: int, kill: bool) -> None:
    """The same expression on a local cluster of two executors, one of them killed by its process id in the middle."""
    from scenarist.learning import counting

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = synthetic(folder, events)
        begun = time.perf_counter()
        with counting.duckdb_engine("2GB", 2, folder / "spill") as base:
            by_duckdb = summed(counting.pair_counts(base.read_parquet(str(folder / "chains" / "*.parquet")), SKIP))
        duckdb_s = time.perf_counter() - begun
        killed: list[dict[str, Any]] = []
        settings = {"spark.sql.shuffle.partitions": "32", "spark.sql.files.maxPartitionBytes": "4m"}
        with counting.spark_engine("local-cluster[2,1,1024]", "1000MB", settings) as session:
            base = counting.ibis().pyspark.connect(session)
            chains = base.read_parquet(str(folder / "chains"))
            if kill:
                threading.Thread(target=kill_one, args=(session, killed), daemon=True).start()
            begun = time.perf_counter()
            by_spark = summed(counting.pair_counts(chains, SKIP))
            seconds = time.perf_counter() - begun
        right = by_spark == by_duckdb and by_spark["total"] == expected
        say(benchmark="spark", events=events, expected=expected, spark=by_spark, duckdb=by_duckdb, right=right, killed=killed,
            wall_s=seconds, duckdb_wall_s=duckdb_s, machine=machine())  # fmt: skip
        if not right or (kill and not killed):
            sys.exit(1)


def kill_one(session: Any, killed: list[dict[str, Any]]) -> None:
    """Kill one executor of this process's own cluster as soon as a stage has some tasks done and others to do."""
    track = session.sparkContext.statusTracker()
    while not killed:
        time.sleep(0.05)
        for stage in track.getActiveStageIds():
            info = track.getStageInfo(stage)
            found = executors()
            if info and 1 < info.numCompletedTasks < info.numTasks - 2 and found:
                os.kill(found[0], signal.SIGKILL)
                killed.append(
                    {"pid": found[0], "stage": stage, "tasks_done": info.numCompletedTasks, "of": info.numTasks}
                )
                break


def executors() -> list[int]:
    """Process ids of the Spark executors below this process."""
    rows = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    parents = {int(pid): (int(parent), args) for pid, parent, args in (row.split(None, 2) for row in rows)}
    found = []
    for pid, (parent, args) in parents.items():
        if "CoarseGrainedExecutorBackend" in args and "java" in args.split()[0]:
            while parent in parents and parent != os.getpid():
                parent = parents[parent][0]
            if parent == os.getpid():
                found.append(pid)
    return sorted(found)


def machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["pairs", "growth", "spark", "one"])
    parser.add_argument("which", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--events", type=float, default=20e6)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.what == "one":
        folder = Path(given.folder)
        shutil.rmtree(folder / "spill", ignore_errors=True)
        print(json.dumps(by_numba(folder) if given.which == "numba" else by_duckdb(folder, given.which)))
    elif given.what == "pairs":
        pairs(int(given.events), given.rounds)
    elif given.what == "growth":
        growth(int(given.events) if given.events != 20e6 else 200_000_000)
    else:
        spark(int(given.events), given.kill)


if __name__ == "__main__":
    main()
