"""Corpus -> a learned folder on Spark, for who has outgrown one machine: reading by ``mapInArrow``, counting by the same expression.

Documents go out in batches; a batch that Spark has committed (``_SUCCESS``) is not read again. The folder must be one that
driver and workers see (a shared file system); the tables are folders of Parquet files there, in the order of their keys. Sentences
as evidence are kept by DuckDB runs only.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.formats.chain_table import ChainRow, arrow, chain_columns, chain_schema, write_table
from scenarist.learning import counting
from scenarist.learning.shards import Made, Source, Work, cut, make_shard, read_documents, rows_of
from scenarist.signature import content_hash

BATCH = 32
"""Shards in a batch."""

DDL = (
    "document string, chain int, entity string, scenario string, events array<string>, ids array<bigint>, "
    "patterns array<string>, sentences array<int>"
)


def learn_on_spark(
    kept: Iterable[Source],
    out: Path,
    reader: str,
    args: str,
    evidence: bool,
    master: str,
    memory: str,
    minimum: int,
    window: int,
    say: Callable[[str, int], None],
    settings: dict[str, str] | None = None,
) -> tuple[list[Made], int, list[str], str]:
    """Read (where there is text) and count on Spark; the same numbers as on DuckDB."""
    works = cut(kept, out, reader, args, evidence)
    stamps: list[str] = []
    made: list[Made] = []
    resumed = 0
    with counting.spark_engine(master, memory, settings) as session:
        number = 0
        while batch := list(islice(works, BATCH)):
            stamps += [work.stamp for work in batch]
            say("reading on Spark", number + 1)
            done, was_there = read_batch(session, batch, out, number)
            made.append(done)
            resumed += was_there
            number += 1
        if not number:
            raise BadInput("The corpus gave no document to learn from.")
        for path in (out / "chains").iterdir():
            if not path.name.startswith("batch-") or int(path.name[6:]) >= number:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        base = counting.ibis().pyspark.connect(session)
        chains = base.read_parquet(str(out / "chains"), recursiveFileLookup=True)
        for place, (name, count) in enumerate(counting.TABLES.items(), start=1):
            say(f"counting {name} on Spark", place)
            write_spark_table(base, count(chains, minimum, window), counting.ORDER[name], out / f"{name}.parquet")
    return made, resumed, [], content_hash((stamp.encode() for stamp in stamps), 16)


def read_batch(session: Any, batch: list[Work], out: Path, number: int) -> tuple[Made, bool]:
    """One batch of shards: ready chains are written as they are, texts are read by the workers."""
    folder = out / "chains" / f"batch-{number:05d}"
    stamp = content_hash((work.stamp.encode() for work in batch), 16)
    mark = folder / "_stamp"
    there = mark.exists() and mark.read_text(encoding="utf-8") == stamp
    whole = [source for work in batch for source in work.sources]
    if not there:
        shutil.rmtree(folder, ignore_errors=True)
        if any(source.text for source in whole):
            read_texts(session, whole, out, folder, batch[0].reader, batch[0].args)
        else:
            for work in batch:
                make_shard(Work(work.number, str(folder), work.stamp, work.sources, work.reader, work.args, False))
        mark.write_text(stamp, encoding="utf-8")
    pa = arrow()
    import pyarrow.dataset

    data = pyarrow.dataset.dataset([str(path) for path in sorted(folder.rglob("*.parquet"))])
    lengths = pa.compute.list_value_length(data.to_table(columns=["events"])["events"])
    return Made(number, len(whole), len(lengths), int(pa.compute.sum(lengths).as_py() or 0)), there


def read_texts(session: Any, whole: list[Source], out: Path, folder: Path, reader: str, args: str) -> None:
    """Texts -> chains by the workers."""
    pa = arrow()
    texts = out / "texts.parquet"
    columns = {
        "document": [source.id for source in whole],
        "text": [source.text for source in whole],
        "scenario": [source.scenario for source in whole],
    }
    write_table(texts, pa.table(columns))
    cores = session.sparkContext.defaultParallelism
    frame = session.read.parquet(str(texts)).repartition(max(cores, min(len(whole), 4 * cores)))
    read = partial(read_arrow, reader=reader, args=args)
    frame.mapInArrow(read, DDL).write.mode("overwrite").parquet(str(folder))
    texts.unlink()


def read_arrow(batches: Iterator[Any], reader: str, args: str) -> Iterator[Any]:
    """The map itself, as it runs on a worker: Arrow batches of texts in, Arrow batches of chains out."""
    pa = arrow()
    for batch in batches:
        given = [Source(row["document"], row["text"], row["scenario"]) for row in batch.to_pylist()]
        rows: list[ChainRow] = []
        for document, story in read_documents(given, reader, args):
            rows += rows_of(document, story)
        yield from pa.table(chain_columns(rows), schema=chain_schema()).to_batches()


def write_spark_table(base: Any, expression: Any, order: tuple[str, ...], path: Path) -> None:
    """Run a count on Spark and write it, sorted, as a folder of Parquet files; nothing half-written takes its name."""
    package = counting.ibis()
    ordered = expression.order_by(*[package.desc(name) if name == "n" else name for name in order])
    fresh = path.with_name(path.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    base.to_parquet(ordered, str(fresh))
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
    fresh.rename(path)
