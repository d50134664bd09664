"""Name of a table -> Sheet: the table as run; the tables there are. On the command line: `scenarist bench`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarist.bench.run_table import Progress
    from scenarist.bench.run_table import Sheet as Sheet
    from scenarist.bench.spec import Table


def run_table(
    table: str,
    split: str = "dev",
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
) -> Sheet:
    """Run a table (or what of it is not stored yet)."""
    from scenarist.bench.run_table import run_table as run
    from scenarist.bench.spec import load
    from scenarist.store.results import Results

    found = load(table)
    with Results() as store:
        return run(found, store, split, only, limit, seed, refresh, progress)


def tables() -> tuple[Table, ...]:
    """All published tables there are, and those of our own."""
    from scenarist.bench.spec import load, names

    return tuple(load(name) for name in names())
