"""Corpus -> a learned folder on Spark, for who has outgrown one machine: reading by ``mapInArrow``, counting by the same expression.

The map is `shards.make_shard`, the same as in the process pool: a worker reads a shard's documents and writes its files, whole
or not at all, into the folder, which driver and workers must both see (a shared file system). A task that Spark runs twice,
because an executor died, writes the same bytes again. The count tables are folders of Parquet files, in the order of their keys.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.formats.row_file import arrow
from scenarist.learning import counting
from scenarist.learning.shards import ShardCount, Work, make_shard

AHEAD = 8
"""Shards in a batch for each core of the cluster."""
DDL = "number int, documents int, chains int, events int"


def shards_on_spark(session: Any, works: Iterator[Work]) -> Iterator[ShardCount]:
    """Make shards on the workers, a batch at a time; gives what they hold in order."""
    cores = max(1, session.sparkContext.defaultParallelism)
    while batch := list(islice(works, AHEAD * cores)):
        columns = {"number": [work.number for work in batch], "work": [msgspec.msgpack.encode(work) for work in batch]}
        frame = session.createDataFrame(arrow().table(columns)).repartitionByRange(len(batch), "number")
        rows = frame.mapInArrow(make_arrow, DDL).collect()
        lost = next((work.path for work in batch if not work.path.exists()), None)
        if lost is not None:
            raise BadInput(
                f"The workers wrote {lost}, and it is not here: -o must name a folder that this machine and all workers see "
                "(NFS or another mounted file system)."
            )
        yield from sorted((ShardCount(**row.asDict()) for row in rows), key=lambda shard: shard.number)


def make_arrow(batches: Iterator[Any]) -> Iterator[Any]:
    """The map itself, as it runs on a worker: Arrow batches of work in, what was made of it out."""
    pa = arrow()
    schema = pa.schema([(name, pa.int32()) for name in ShardCount.__struct_fields__])
    for batch in batches:
        shards = [make_shard(msgspec.msgpack.decode(raw, type=Work)) for raw in batch.column("work").to_pylist()]
        yield pa.RecordBatch.from_pylist([msgspec.structs.asdict(shard) for shard in shards], schema=schema)


def write_tables_on_spark(
    session: Any, out: Path, minimum: int, window: int, say: Callable[[str, int, int], None]
) -> None:
    """All count tables by Spark."""
    base = counting.ibis().pyspark.connect(session)
    chains = base.read_parquet(str(out / "chains"))

    def written(name: str) -> Any:
        return base.read_parquet(str(out / f"{name}.parquet"))

    for number, (name, count) in enumerate(counting.TABLES.items(), start=1):
        say(f"counting {name} on Spark", number, len(counting.TABLES))
        write_spark_table(base, count(chains, written, minimum, window), counting.ORDER[name], out / f"{name}.parquet")


def write_spark_table(base: Any, expression: Any, order: tuple[str, ...], path: Path) -> None:
    """Run a count on Spark and write it, sorted, as a folder of Parquet files; nothing half-written takes its name."""
    package = counting.ibis()
    ordered = expression.order_by(*[package.desc(name) if name == "n" else name for name in order])
    fresh = path.with_name(path.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        base.to_parquet(ordered, str(fresh))
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        fresh.rename(path)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
