"""Predictions <-> SQLite: the store of results, keyed by what exactly was run.

One row an item, written batch by batch, so that an interrupted run goes on where it stopped. One run at a time may write: the lock is
a second SQLite file held exclusively, which the system frees when the process ends, however it ends.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.noun import from_json, to_json
from scenarist.question import Prediction
from scenarist.signature import content_hash
from scenarist.store.home import folder

SCHEMA = 1


class Results:
    """The store of predictions, keyed by what exactly was run."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or folder("results") / "results.sqlite"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = sqlite3.connect(self.path.with_suffix(".lock"), timeout=0, isolation_level=None)
            self._lock.execute("BEGIN EXCLUSIVE")
        except (sqlite3.OperationalError, OSError) as error:
            if "locked" in str(error):
                raise BadInput(
                    f"Another run is writing to {self.path}. Wait for it, or set SCENARIST_HOME to another folder."
                ) from error
            raise BadInput(f"Cannot open the results at {self.path}: {error}") from error
        self._base = sqlite3.connect(self.path)
        try:
            self._open()
        except (sqlite3.DatabaseError, BadInput) as error:
            self.close()
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"{self.path} is not a scenarist store ({error}). Move it away and run again.") from error

    def _open(self) -> None:
        base = self._base
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        base.execute("CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, hash TEXT UNIQUE, what TEXT)")
        base.execute(
            "CREATE TABLE IF NOT EXISTS prediction (run INTEGER, item TEXT, json BLOB, PRIMARY KEY (run, item)) WITHOUT ROWID"
        )
        base.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
        (version,) = base.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if version != str(SCHEMA):
            raise BadInput(
                f"{self.path} has schema {version}, this version writes {SCHEMA}. Move it away and run again."
            )
        base.commit()

    def run(self, what: Mapping[str, object]) -> int:
        """The number of a run: one for each distinct description of what is run."""
        text = to_json(dict(sorted(what.items())))
        key = content_hash([text], length=32)
        self._base.execute("INSERT OR IGNORE INTO run (hash, what) VALUES (?, ?)", (key, text.decode()))
        self._base.commit()
        (number,) = self._base.execute("SELECT id FROM run WHERE hash = ?", (key,)).fetchone()
        return int(number)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """A batch is kept all or none: what is added inside counts only when the block ends well."""
        with self._base:
            yield

    def add(self, run: int, predictions: Iterable[Prediction]) -> None:
        """Store predictions, inside a ``batch``."""
        self._base.executemany(
            "INSERT OR REPLACE INTO prediction VALUES (?, ?, ?)", ((run, one.item, to_json(one)) for one in predictions)
        )

    def predictions(self, run: int) -> dict[str, Prediction]:
        """All predictions of a run by item."""
        rows = self._base.execute("SELECT item, json FROM prediction WHERE run = ?", (run,))
        return {item: from_json(json, Prediction, f"{self.path}, item {item}") for item, json in rows}

    def forget(self, run: int) -> None:
        """Drop the predictions of a run (``--refresh``)."""
        with self._base:
            self._base.execute("DELETE FROM prediction WHERE run = ?", (run,))

    def close(self) -> None:
        """Release the store."""
        self._base.close()
        self._lock.close()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
