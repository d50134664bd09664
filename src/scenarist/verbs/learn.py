"""Corpus -> CountsCard: event chains and their counts in a folder, from a corpus or from your own text (Chambers 2017)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.registry import make

if TYPE_CHECKING:
    from scenarist.learning.learn import CountsCard

OWN = ("texts:", "jsonl:")
"""Corpora of one's own: taken whole where no split is asked for."""


def learn(
    corpus: str,
    out: str | Path,
    *,
    split: str = "",
    reader: str = "default",
    engine: str = "duckdb",
    master: str = "local[2]",
    memory: str = "2GB",
    jobs: int = 1,
    dedup: bool = True,
    args: str = "single",
    minimum: int = 2,
    window: int = 24,
    by_scenario: bool = False,
    limit: int | None = None,
    refresh: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> CountsCard:
    """Learn event counts from a corpus into a folder; an interrupted run goes on with the same call.

    The options are those of the command line.
    """
    from scenarist.corpora.loader import Limited
    from scenarist.learning.learn import ChainSettings, Engine, learn_events

    things: Iterable[Any] = make("corpus", corpus, split=split or ("all" if corpus.startswith(OWN) else "train"))
    if limit is not None:
        things = Limited(things, limit)
    chains = ChainSettings(reader, dedup, args=args, minimum=minimum, window=window, by_scenario=by_scenario)
    return learn_events(things, Path(out), corpus, chains, Engine(engine, master, memory, jobs), refresh, progress)


def example_chain(folder: str | Path) -> str:
    """Two frequent events of what was learned, for a first chain to fill."""
    from scenarist.learning.event_chains import BE, REPORTING
    from scenarist.learning.event_counts import EventCounts
    from scenarist.story import Link

    path = Path(folder) / "counts.npz"
    if not path.exists():
        return "arrest:obj"
    names = EventCounts.load(path).types[:200]
    plain = [name for name in names if Link.parse(name).predicate not in BE | REPORTING]
    return " ".join((plain or list(names))[5:7] or names[:1])
