"""Corpus -> a learned folder: chains in Parquet, count tables, and the arrays that models rank with.

Chambers (2017), section 3 and 5: read, extract chains, remove duplicates, count. Everything can be stopped and goes on where it
stopped; the folder's card is written last, so a folder with a card is whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np

from scenarist import __version__
from scenarist.errors import BadInput, missing_extra
from scenarist.formats.chain_file import stamp_of
from scenarist.formats.row_file import arrow
from scenarist.learning import counting
from scenarist.learning.dedup import Duplicates, find_duplicates
from scenarist.learning.event_counts import SCHEMA, WINDOW, EventCounts, Ints, check_schema
from scenarist.learning.shards import ShardCount, UncutDocument, Work, cut, make_shard, sources
from scenarist.signature import content_hash
from scenarist.store.home import whole_file, write_whole
from scenarist.store.ledger import note_kept

Tick: TypeAlias = Callable[[str, int, int], None]
"""Progress: what is being done, how much of it is done, and of how much (0: not known)."""
Mapper: TypeAlias = Callable[[Iterator[Work]], Iterator[ShardCount]]
"""Who makes shards: a pool of processes here, or the workers of a cluster."""
LARGEST = 60_000_000
"""Most pairs of the array file: where there are more, the rarest are in the Parquet tables only."""
LONGEST = 100_000_000
"""Most events of chains in the array file: where there are more, instance-based models have none to look in."""


class CountsCard(msgspec.Struct, omit_defaults=False):
    """What a learned folder says of itself (``card.json``)."""

    schema: int
    corpus: str
    reader: str
    engine: str
    args: str
    minimum: int
    window: int
    documents: int
    exact: int
    """Exact duplicates left out."""
    near: int
    """Near-duplicates left out."""
    dedup: str
    chains: int
    events: int
    shards: int
    stamp: str
    tables: dict[str, int]
    """Rows of each table."""
    scenarios: dict[str, str] = {}
    """Scenario -> folder, with --by-scenario."""
    rebuilt: list[str] = []
    """Damaged shards that were made again in the last run."""
    resumed: int = 0
    """Shards that were there already."""
    least: int = 1
    """How often a pair was seen, at the least, to be in the array file."""
    version: str = __version__


def read_card(folder: Path) -> CountsCard:
    """The card of a learned folder."""
    path = folder / "card.json"
    if not path.exists():
        raise BadInput(
            f"{folder} holds no learned model (no card.json). Make one with: scenarist learn CORPUS -o {folder}"
        )
    try:
        raw = msgspec.json.decode(path.read_bytes())
        check_schema(raw.get("schema") if isinstance(raw, dict) else None, path)
        return msgspec.convert(raw, CountsCard)
    except (msgspec.MsgspecError, OSError) as error:
        raise BadInput(f"{path}: not a card of a learned folder ({error}). Learn again with --refresh.") from error


class ChainSettings(NamedTuple):
    """What is read, left out and counted."""

    reader: str = "default"
    dedup: bool = True
    """Leave out exact and near-duplicate documents."""
    threshold: float = 0.8
    """How alike near-duplicates are."""
    args: str = "single"
    minimum: int = 2
    """The shortest chain that is counted."""
    window: int = WINDOW
    by_scenario: bool = False
    evidence: bool = True
    """Keep the sentences that chains come from."""


class Engine(NamedTuple):
    """What counts: DuckDB here, or Spark on a cluster."""

    name: str = "duckdb"
    master: str = "local[2]"
    memory: str = "2GB"
    jobs: int = 1

    def check(self) -> None:
        """Refuse what cannot be meant before anything is read."""
        if self.name not in ("duckdb", "spark"):
            raise BadInput(f"engine is 'duckdb' or 'spark', not {self.name!r}.")
        if self.name == "spark" and find_spec("pyspark") is None:
            raise missing_extra("pyspark", "cluster", "Counting on a cluster")
        if self.name == "spark":
            counting.check_master(self.master)
        else:
            counting.check_memory(self.memory)


PLAIN, HERE = ChainSettings(), Engine()


def learn_events(
    corpus: Iterable[Any],
    out: Path,
    name: str = "corpus",
    chains: ChainSettings = PLAIN,
    engine: Engine = HERE,
    refresh: bool = False,
    tick: Tick | None = None,
) -> CountsCard:
    """Learn event counts from a corpus of stories or chains into a folder."""
    say = tick or (lambda _what, _done, _known: None)
    arrow()
    engine.check()
    out = prepared(out.absolute() if engine.name == "spark" else out, refresh)  # a worker has a folder of its own
    minimum, window = chains.minimum, chains.window
    repeats = find_duplicates(noted(corpus, say), chains.threshold) if chains.dedup else Duplicates((), (), ())
    left_out = repeats.all
    kept = (source for place, source in enumerate(sources(corpus)) if place not in left_out)
    build = partial(build_shards, kept, out, chains, say=say, known=repeats.documents - len(left_out))
    if engine.name == "spark":
        from scenarist.learning.spark import shards_on_spark, write_tables_on_spark

        with counting.spark_engine(engine.master, engine.memory) as session:
            built = build(partial(shards_on_spark, session))
            write_tables_on_spark(session, out, minimum, window, say)
    else:
        with pool_of(engine.jobs) as mapper:
            built = build(mapper)
        with counting.duckdb_engine(engine.memory, engine.jobs, out / "spill") as base:
            write_tables(base, out, minimum, window, say)
    shutil.rmtree(out / "spill", ignore_errors=True)
    tables = table_rows(out)
    check_ids(out)
    say("arrays", 0, 0)
    least = least_count(out)
    shards = built.shards
    events = sum(shard.events for shard in shards)
    counts_of_folder(out, minimum, window, least=least, keep=events <= LONGEST).save(out / "counts.npz")
    scenarios = split_scenarios(out, minimum, window, say) if chains.by_scenario else {}
    how = f"minhash of 5-word shingles, {chains.threshold:g}" if chains.dedup else "none"
    card = CountsCard(
        SCHEMA, name, chains.reader, engine.name, chains.args, minimum, window, sum(shard.documents for shard in shards),
        len(repeats.exact), len(repeats.near), how, sum(shard.chains for shard in shards), events, len(shards), built.stamp, tables,
        scenarios, built.damaged, built.resumed, least,
    )  # fmt: skip
    write_whole(out / "card.json", [msgspec.json.format(msgspec.json.encode(card), indent=1)])
    return card


def prepared(out: Path, refresh: bool) -> Path:
    """The folder, emptied with ``refresh``; one of another version or kind is refused."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; -o names a folder.")
    if refresh and out.exists():
        if (out / "card.json").exists() or (out / "chains").exists() or not any(out.iterdir()):
            shutil.rmtree(out)
        else:
            raise BadInput(f"{out} is not empty and not a learned folder; it is left alone. Choose another with -o.")
    card = out / "card.json"
    if card.exists():
        read_card(out)
        card.unlink()  # it is written again when all is done
    elif out.exists() and any(out.iterdir()) and not (out / "chains").exists():
        raise BadInput(f"{out} is not empty and not a learned folder; it is left alone. Choose another with -o.")
    try:
        (out / "chains").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot make the folder {out}: {error.strerror}. Choose another with -o.") from error
    return out


def noted(corpus: Iterable[Any], say: Tick) -> Iterator[str]:
    for number, source in enumerate(sources(corpus), start=1):
        say("looking for duplicates", number, 0)
        yield source.words


@contextmanager
def pool_of(jobs: int) -> Iterator[Mapper]:
    """Processes of this machine that make shards."""
    from scenarist.parallel import in_order, workers

    with workers(jobs) if jobs > 1 else nullcontext() as pool:
        yield lambda works: in_order(make_shard, works, pool, jobs)


class Built(NamedTuple):
    """The shards of a folder."""

    shards: list[ShardCount]
    resumed: int
    """How many were there already."""
    damaged: list[str]
    """Those that were made again."""
    stamp: str


def build_shards(
    kept: Iterable[UncutDocument], out: Path, chains: ChainSettings, mapper: Mapper, say: Tick, known: int = 0
) -> Built:
    """Make the shards that are not there."""
    there: list[ShardCount] = []
    fresh: list[ShardCount] = []
    done = 0
    damaged: list[str] = []
    stamps: list[bytes] = []
    names: set[str] = set()

    def note(what: str, one: ShardCount) -> None:
        nonlocal done
        done += one.documents
        say(what, done, known)

    def missing() -> Iterator[Work]:
        for work in cut(kept, out, chains.reader, chains.args, chains.evidence):
            stamps.append(work.stamp.encode())
            names.add(work.path.name)
            stamp = stamp_of(work.path)
            if stamp == work.stamp:
                there.append(counted_shard(work))
                note("documents there already", there[-1])
                continue
            if stamp is None and work.path.exists():
                damaged.append(str(work.path))
            yield work

    say("reading documents", 0, known)
    for one in mapper(missing()):
        fresh.append(one)
        note_kept("shards of chains")
        note("reading documents", one)
    for folder in (out / "chains", out / "sentences"):
        for path in folder.glob("*"):
            if path.name not in names:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    if not names:
        raise BadInput("The corpus gave no document to learn from.")
    made = sorted([*there, *fresh], key=lambda one: one.number)
    return Built(made, len(there), damaged, content_hash(stamps, 16))


def counted_shard(work: Work) -> ShardCount:
    """What a shard that is there holds."""
    pa = arrow()
    table = pa.parquet.read_table(work.path, columns=["events"])
    events = int(pa.compute.sum(pa.compute.list_value_length(table["events"])).as_py() or 0)
    return ShardCount(work.number, len(work.sources), table.num_rows, events)


def write_tables(base: Any, out: Path, minimum: int, window: int, say: Tick) -> None:
    """All count tables by DuckDB, each whole or not at all."""
    chains = base.read_parquet(str(out / "chains" / "*.parquet"))

    def written(name: str) -> Any:
        return base.read_parquet(str(out / f"{name}.parquet"))

    for number, (name, count) in enumerate(counting.TABLES.items(), start=1):
        say(f"counting {name}", number, len(counting.TABLES))
        if (out / f"{name}.parquet").is_dir():
            shutil.rmtree(out / f"{name}.parquet")  # of a Spark run
        with whole_file(out / f"{name}.parquet") as temporary:
            counting.write_count_table(base, count(chains, written, minimum, window), counting.ORDER[name], temporary)


def table_rows(out: Path) -> dict[str, int]:
    """Rows of each table, be it a file (DuckDB) or a folder of files (Spark)."""
    arrow()
    import pyarrow.dataset

    return {name: int(pyarrow.dataset.dataset(str(out / f"{name}.parquet")).count_rows()) for name in counting.TABLES}


def check_ids(out: Path) -> None:
    """Two events must not share a number (the chance is one in 10^7 for a million events)."""
    ids = arrow().parquet.read_table(out / "events.parquet", columns=["id"])["id"].to_numpy()
    if len(np.unique(ids)) != len(ids):
        raise BadInput(f"{out}: two different events have the same 63-bit number; please report this corpus.")


def least_count(out: Path) -> int:
    """How often a pair must have been seen so that no more than LARGEST of them are taken: once, where all are few enough."""
    arrow()
    import pyarrow.dataset

    rows = np.zeros(1001, np.int64)
    for batch in pyarrow.dataset.dataset(str(out / "pairs.parquet")).to_batches(columns=["n"]):
        rows += np.bincount(np.minimum(batch.column("n").to_numpy(), 1000), minlength=1001)
    beyond = np.cumsum(rows[::-1])[::-1]  # [n]: pairs seen n times or more
    return max(1, int(np.argmax(beyond <= LARGEST))) if beyond[-1] <= LARGEST else 1000


def counts_of_folder(
    out: Path, minimum: int = 2, window: int = WINDOW, scenario: str | None = None, least: int = 1, keep: bool = True
) -> EventCounts:
    """The arrays of a folder: from its tables, or for one scenario from its chains. ``keep``: the chains too."""
    pa = arrow()
    import pyarrow.dataset

    events = pa.parquet.read_table(out / "events.parquet")
    known = events["id"].to_numpy()
    order = np.argsort(known)
    words = events["event"].to_pylist()

    def numbered(ids: Any) -> Any:
        return order[np.searchsorted(known[order], ids.to_numpy())] if len(ids) else np.zeros(0, np.int64)

    chains, names = chains_of_folder(out, minimum, scenario, numbered) if keep else (None, [])
    if scenario is not None and chains is not None:
        used = np.unique(chains[0])
        small = np.searchsorted(used, chains[0])
        return EventCounts.of_arrays([words[at] for at in used], small, chains[1], chains[2], names, window, True)
    counts = events["n"].to_numpy().astype(np.int64)
    pairs = pyarrow.dataset.dataset(str(out / "pairs.parquet")).to_table(filter=pyarrow.dataset.field("n") >= least)
    coded = np.stack(
        [numbered(pairs["first"]), numbered(pairs["second"]), pairs["distance"].to_numpy()], axis=1
    ).astype(np.int64)
    back = np.lexsort((coded[:, 2], coded[:, 1], coded[:, 0]))
    return EventCounts(words, counts, coded[back], pairs["n"].to_numpy().astype(np.int64)[back], window, chains, names)


def chains_of_folder(
    out: Path, minimum: int, scenario: str | None, numbered: Callable[[Any], Any]
) -> tuple[tuple[Ints, Ints, Ints], list[str]]:
    """The chains of a folder end to end with the names of their documents."""
    pa = arrow()
    columns = ["document", "ids", "scenario"]
    parts = sorted((out / "chains").rglob("*.parquet"))
    table = pa.concat_tables([pa.parquet.read_table(path, columns=columns).replace_schema_metadata() for path in parts])
    long = pa.compute.greater_equal(pa.compute.list_value_length(table["ids"]), minimum)
    if scenario is not None:
        long = pa.compute.and_(long, pa.compute.equal(table["scenario"], scenario))
    table = table.filter(long).sort_by("document").combine_chunks()
    if not table.num_rows:
        return (np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64)), []
    lists, documents = table["ids"].chunk(0), table["document"].chunk(0).dictionary_encode()
    start = np.concatenate([[0], np.cumsum(lists.value_lengths().to_numpy(zero_copy_only=False))]).astype(np.int64)
    owner = documents.indices.to_numpy().astype(np.int64)
    return (numbered(lists.flatten()).astype(np.int64), start, owner), documents.dictionary.to_pylist()


def split_scenarios(out: Path, minimum: int, window: int, say: Tick) -> dict[str, str]:
    """One array file for each scenario label."""
    pa = arrow()
    labels: set[str] = set()
    for path in (out / "chains").rglob("*.parquet"):
        labels.update(pa.compute.unique(pa.parquet.read_table(path, columns=["scenario"])["scenario"]).to_pylist())
    folders: dict[str, str] = {}
    for number, label in enumerate(sorted(labels - {""}), start=1):
        say("scenarios", number, len(labels - {""}))
        path = out / "scenarios" / "".join(letter if letter.isalnum() else "-" for letter in label) / "counts.npz"
        counts_of_folder(out, minimum, window, label).save(path)
        folders[label] = str(path.parent.relative_to(out))
    if not folders:
        raise BadInput("--by-scenario: the stories of this corpus have no scenario label.")
    return folders
