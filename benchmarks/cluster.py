"""Learning on a standalone Spark master with two workers (loopback), one executor killed by its process id while it reads: is the
folder the same as DuckDB's? Needs the extra cluster, a Java runtime and a corpus.

    python benchmarks/cluster.py [CORPUS] [--limit N]     prints one JSON line; exit code 1 where a table differs

The commands are those of docs/how-to/on-a-cluster.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

PORT = 17077
MASTER = f"spark://127.0.0.1:{PORT}"
TABLES = ("events", "pairs", "unordered", "patterns", "index")
PACKAGE = "org.apache.spark.deploy"


@contextmanager
def running(folder: Path, name: str, *command: str) -> Iterator[int]:
    """A process of the cluster, ended when we are done."""
    home = Path(pyspark.__file__).parent
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [home / "bin" / "spark-class", *command], cwd=folder, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def await_line(path: Path, text: str, seconds: float = 120) -> None:
    over = time.monotonic() + seconds
    while text not in path.read_text(encoding="utf-8", errors="replace"):
        if time.monotonic() > over:
            raise SystemExit(f"{path}: no {text!r} within {seconds:.0f} s")
        time.sleep(0.2)


def executors(workers: list[int]) -> list[int]:
    """Process ids of the executors that these workers have begun."""
    rows = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    split = [row.split(None, 2) for row in rows]
    return sorted(
        int(pid) for pid, parent, args in split if "CoarseGrainedExecutorBackend" in args and int(parent) in workers
    )


def learn(corpus: str, limit: int | None, out: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scenarist", "learn", corpus, "-o", str(out), "--quiet", *more]
    return subprocess.Popen(
        command + (["--limit", str(limit)] if limit else []), env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    )


def digest(out: Path, name: str) -> str:
    """The rows of a table, in their order, whichever engine wrote them."""
    import pyarrow.dataset

    table = pyarrow.dataset.dataset(str(out / f"{name}.parquet")).to_table()
    return hashlib.sha256(json.dumps(table.to_pylist()).encode()).hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default="mcscript")
    parser.add_argument("--limit", type=int, help="stories")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        begun = time.perf_counter()
        if learn(given.corpus, given.limit, folder / "duckdb").wait():
            raise SystemExit(1)
        seconds = {"duckdb": time.perf_counter() - begun}
        stack.enter_context(
            running(folder, "master", f"{PACKAGE}.master.Master", "--host", "127.0.0.1", "--port", str(PORT))
        )
        await_line(folder / "master.log", "New state: ALIVE")
        workers: list[int] = []
        for worker in ("one", "two"):
            settings = (
                "--host",
                "127.0.0.1",
                "--cores",
                "1",
                "--memory",
                "1g",
                "--work-dir",
                str(folder / worker),
                MASTER,
            )
            workers.append(stack.enter_context(running(folder, worker, f"{PACKAGE}.worker.Worker", *settings)))
            await_line(folder / f"{worker}.log", "Successfully registered")
        begun = time.perf_counter()
        process = learn(
            given.corpus, given.limit, folder / "spark", "--engine", "spark", "--master", MASTER, "--memory", "900MB"
        )
        killed: dict[str, int] = {}
        while process.poll() is None:
            time.sleep(0.1)
            done = len(list((folder / "spark" / "chains").glob("part-*")))
            if done and not killed and (found := executors(workers)):
                os.kill(found[0], signal.SIGKILL)
                killed = {"pid": found[0], "shards_done": done}
        seconds["spark"] = time.perf_counter() - begun
        if process.returncode:
            raise SystemExit(process.returncode)
        same = {table: digest(folder / "spark", table) == digest(folder / "duckdb", table) for table in TABLES}
        shards = len(list((folder / "duckdb" / "chains").glob("part-*")))
        load = round(os.getloadavg()[0], 1)
        print(
            json.dumps(
                {
                    "corpus": given.corpus,
                    "limit": given.limit,
                    "shards": shards,
                    "killed": killed,
                    "same": same,
                    "wall_s": seconds,
                    "load": load,
                }
            )
        )
        if not all(same.values()) or not killed:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
