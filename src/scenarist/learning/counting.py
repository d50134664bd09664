"""Chains in Parquet -> count tables: one Ibis expression for DuckDB (embedded, out of core) and Spark (a cluster).

A table of chains has one row per chain (`formats.chain_file`). A pair of its events is a pair of places i < j of the list, at most
``window`` apart; rows are made by unnesting the places, so a list is read where it lies and never cut.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput, Missing, missing_extra
from scenarist.learning.event_counts import NEAR, WINDOW


def ibis() -> Any:
    """Ibis, or the install line."""
    try:
        import ibis as package
    except ModuleNotFoundError as error:
        raise missing_extra("ibis", "learn", "Counting") from error
    return package


def places(chains: Any, minimum: int = 2) -> Any:
    """Chains -> one row for each event's place ``i``; the lists stay beside it."""
    long = chains.filter(chains.ids.length() >= minimum)
    return long.mutate(i=ibis().range(0, long.ids.length()).unnest())


def event_counts(chains: Any, minimum: int = 2) -> Any:
    """event -> how often, and in how many documents."""
    gaps = places(chains, minimum)
    rows = gaps.select(id=gaps.ids[gaps.i], event=gaps.events[gaps.i], document=gaps.document)
    return rows.group_by("id", "event").agg(n=rows.count(), documents=rows.document.nunique())


def pair_counts(chains: Any, window: int = WINDOW, minimum: int = 2) -> Any:
    """(first, second, distance) -> how often, in text order; distances beyond NEAR share a bucket."""
    gaps = places(chains, minimum)
    after = ibis().least(gaps.ids.length(), gaps.i + 1 + window)
    both = gaps.select(ids=gaps.ids, first=gaps.ids[gaps.i], i=gaps.i, j=ibis().range(gaps.i + 1, after).unnest())
    rows = both.select(
        first=both.first, second=both.ids[both.j], distance=ibis().least(both.j - both.i, NEAR + 1).cast("int8")
    )
    return rows.group_by("first", "second", "distance").agg(n=rows.count())


def unordered_counts(pairs: Any) -> Any:
    """Ordered pairs -> (x, y) with x <= y -> how often in either order, at any distance."""
    rows = pairs.select(
        x=ibis().least(pairs.first, pairs.second), y=ibis().greatest(pairs.first, pairs.second), n=pairs.n
    )
    total = (
        rows.n.sum().cast("decimal(38, 0)").cast("int64")
    )  # DuckDB sums in 128 bits, which Parquet would hold as a float
    return rows.group_by("x", "y").agg(n=total)


def pattern_counts(chains: Any) -> Any:
    """Argument pattern -> how often."""
    rows = chains.select(pattern=chains.patterns.unnest())
    return rows.group_by("pattern").agg(n=rows.count())


def document_index(chains: Any, minimum: int = 2) -> Any:
    """(event, document) -> how often: the inverted index."""
    gaps = places(chains, minimum)
    rows = gaps.select(id=gaps.ids[gaps.i], document=gaps.document)
    return rows.group_by("id", "document").agg(n=rows.count())


TABLES: Mapping[str, Callable[..., Any]] = {
    "events": lambda chains, _written, minimum, _window: event_counts(chains, minimum),
    "pairs": lambda chains, _written, minimum, window: pair_counts(chains, window, minimum),
    "unordered": lambda _chains, written, _minimum, _window: unordered_counts(written("pairs")),
    "patterns": lambda chains, _written, _minimum, _window: pattern_counts(chains),
    "index": lambda chains, _written, minimum, _window: document_index(chains, minimum),
}
"""Name -> count; ``written`` gives a table of this run that was written before, so that pairs are counted once."""
ORDER = {
    "events": ("n", "event"), "pairs": ("first", "second", "distance"), "unordered": ("x", "y"),
    "patterns": ("pattern",), "index": ("id", "document"),
}  # fmt: skip
"""Tables are written in this order, so that a file is the same whatever engine or number of jobs made it."""


def check_memory(memory: str) -> None:
    """Is this a size?"""
    if not re.fullmatch(r"\d+(\.\d+)? ?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)", memory, re.I):
        raise BadInput(f"memory is a size such as 2GB or 500MB, not {memory!r}.")


@contextmanager
def duckdb_engine(memory: str = "2GB", jobs: int = 2, spill: Path | None = None) -> Iterator[Any]:
    """DuckDB inside this process, within a memory limit, spilling to ``spill``."""
    check_memory(memory)
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise missing_extra("duckdb", "learn", "Counting") from error
    engine = ibis().duckdb.connect()
    try:
        engine.raw_sql(f"SET memory_limit = '{memory}'")
        engine.raw_sql(f"SET threads = {max(1, int(jobs))}")
        engine.raw_sql("SET preserve_insertion_order = false")
        if spill is not None:
            quoted = str(spill).replace("'", "''")
            engine.raw_sql(f"SET temp_directory = '{quoted}'")
        yield engine
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        first = "No space left on device." if "No space left" in str(error) else str(error).splitlines()[0]
        raise BadInput(
            f"Counting stopped: {first} Free some disk space, or give more with --memory; no table was left half-written, "
            "and the same command goes on from there."
        ) from error
    finally:
        engine.disconnect()


@contextmanager
def spark_engine(
    master: str = "local[2]", memory: str = "2GB", settings: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """A Spark session on a master; one that does not answer, or has no worker to give, is said at once.

    ``memory`` is each executor's, and the driver's too. Workers use the interpreter named by PYSPARK_PYTHON, else this one's path.
    """
    check_master(master)
    check_memory(memory)
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise missing_extra("pyspark", "cluster", "Counting on a cluster") from error
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    heap = str(int(megabytes(memory))) + "m"
    builder = SparkSession.builder.master(master).appName("scenarist learn")
    fixed = {
        "spark.driver.memory": heap, "spark.executor.memory": heap, "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false", "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.ui.showConsoleProgress": "false", "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
        "spark.executorEnv.OMP_NUM_THREADS": "1", **(settings or {}),
    }  # fmt: skip
    if master.startswith("local"):
        fixed.setdefault("spark.sql.shuffle.partitions", "8")
    for key, value in fixed.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # py4j's own error classes come only with a running JVM
        raise Missing(
            f"Spark did not start on {master}: {str(error).splitlines()[0]} Is a Java runtime (17 or later) there?"
        ) from error
    session.sparkContext.setLogLevel("ERROR")
    try:
        await_workers(session, master, memory)
        yield session
    except PySparkException as error:
        raise BadInput(
            f"Spark stopped: {reason(error)} What was done is kept; the same command goes on from there."
        ) from error
    finally:
        session.stop()


def megabytes(memory: str) -> float:
    """A size in MiB, at least one.

    >>> megabytes("2GB"), megabytes("500 MiB")
    (2000.0, 500.0)
    """
    number, unit = re.fullmatch(r"([\d.]+)\s*([KMGT])i?B", memory.strip(), re.I).groups()  # type: ignore[union-attr]
    return max(1.0, float(number) * {"k": 0.001, "m": 1, "g": 1000, "t": 1e6}[unit.lower()])


def await_workers(session: Any, master: str, memory: str, seconds: float = 60.0) -> None:
    """Wait for the first executor of a cluster; a master without free workers would let a job wait for ever."""
    if master.startswith("local[") or master == "local":
        return
    over = time.monotonic() + seconds
    while session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 2:  # the driver is one of them
        if time.monotonic() > over:
            raise Missing(
                f"The master at {master} gave no executor within {seconds:.0f} seconds. Has it workers with {memory} of memory "
                "and a core free each? See its page, or give less with --memory."
            )
        time.sleep(0.2)


def reason(error: Exception) -> str:
    """The line of a Spark error that says what happened: ours where a worker raised one, else the first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    ours = [line.partition(": ")[2] for line in lines if line.startswith("scenarist.errors.")]
    space = [line for line in lines if "No space left" in line]
    return (ours or space or lines or [type(error).__name__])[0]


def check_master(master: str, seconds: float = 5.0) -> None:
    """Is there anybody at ``spark://HOST:PORT``?"""
    if master.startswith("local"):
        return
    match = re.fullmatch(r"spark://([^:/]+):(\d+)", master)
    if not match:
        if master == "yarn" or master.startswith("k8s://"):
            return
        raise BadInput(
            f"A Spark master is local[N], local-cluster[...], spark://HOST:PORT, yarn or k8s://URL, not {master!r}."
        )
    try:
        socket.create_connection((match[1], int(match[2])), timeout=seconds).close()
    except OSError as error:
        raise Missing(
            f"There is no Spark master at {master} ({error}). Start one with: spark-class org.apache.spark.deploy.master.Master, "
            "or leave --master out to count on this machine."
        ) from error


def write_count_table(engine: Any, expression: Any, order: tuple[str, ...], path: Path) -> int:
    """Run a count on DuckDB and write it as one sorted Parquet file; gives its rows."""
    sorted_rows = expression.order_by(*[ibis().desc(name) if name == "n" else name for name in order])
    sorted_rows.to_parquet(path, compression="zstd")
    return int(engine.read_parquet(path).count().execute())
