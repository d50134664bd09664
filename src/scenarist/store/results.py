"""Predictions <-> SQLite: the store of results, keyed by what exactly was run.

Predictions are kept batch by batch, compressed, so that an interrupted run goes on where it stopped. A batch is stored before its keys are
rated and again after; one that was never rated is asked again. Several processes may write at once: the lock is one run's (`locks`), and
a second process at the very same run waits for the first.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.noun import from_json, read_jsonl, to_json, write_jsonl
from scenarist.question import Prediction
from scenarist.signature import content_hash
from scenarist.store.home import folder
from scenarist.store.ledger import note_kept

SCHEMA = 2
PATIENCE = 60.0
"""Seconds to wait while another process writes a batch."""
TOGETHER = 256
"""Predictions of the first schema that become one batch."""


def pack(predictions: Iterable[Prediction]) -> bytes:
    """Predictions as one compressed block."""
    return zlib.compress(b"".join(write_jsonl(predictions)), 6)


class Results:
    """The store of predictions, keyed by what exactly was run."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or folder("results") / "results.sqlite"
        with self._trouble():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._trouble():
                self._open()
        except BadInput:
            self.close()
            raise

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """What may go wrong with the file, in words."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "full" in str(error) or self._no_space():
                raise BadInput(
                    f"The disk is full: {self.path} cannot grow. Free some space, or set SCENARIST_HOME to another disk; "
                    "what was stored so far stays, and the run goes on from there."
                ) from error
            if not isinstance(error, sqlite3.OperationalError):
                raise BadInput(
                    f"{self.path} is not a scenarist store ({error}). Move it away and run again."
                ) from error
            if "locked" in str(error):
                raise BadInput(f"Another process has kept {self.path} busy for {PATIENCE:g} s. Try again.") from error
            raise BadInput(f"Cannot use the results at {self.path}: {error}.") from error
        except OSError as error:
            raise BadInput(f"Cannot open the results at {self.path}: {error.strerror}.") from error

    def _no_space(self) -> bool:
        """Is there no room left for a page of the file? SQLite then speaks of errors and of damage."""
        try:
            return shutil.disk_usage(self.path.parent).free < PAGE
        except OSError:
            return False

    def _open(self) -> None:
        base = self._base
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("BEGIN IMMEDIATE")
        base.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        base.execute("CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, hash TEXT UNIQUE, what TEXT)")
        base.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
        (version,) = base.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if version not in ("1", str(SCHEMA)):
            base.execute("ROLLBACK")
            raise BadInput(
                f"{self.path} has schema {version}, this version writes {SCHEMA}. Move it away and run again."
            )
        base.execute(
            "CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY, run INTEGER, rated INTEGER, predictions BLOB)"
        )
        base.execute("CREATE INDEX IF NOT EXISTS batch_run ON batch (run)")
        if version == "1":
            self._migrate()
        base.execute("COMMIT")
        if version == "1":
            base.execute("VACUUM")

    def _migrate(self) -> None:
        """Predictions of the first schema, a row each and plain, become batches."""
        base = self._base
        for (run,) in base.execute("SELECT DISTINCT run FROM prediction").fetchall():
            rows = base.execute("SELECT json FROM prediction WHERE run = ?", (run,))
            while lines := rows.fetchmany(TOGETHER):
                block = zlib.compress(b"".join(line + b"\n" for (line,) in lines), 6)
                base.execute("INSERT INTO batch (run, rated, predictions) VALUES (?, 1, ?)", (run, block))
        base.execute("DROP TABLE prediction")
        base.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (str(SCHEMA),))

    def run(self, what: Mapping[str, object]) -> int:
        """The number of a run: one for each distinct description of what is run."""
        text = to_json(dict(sorted(what.items())))
        key = content_hash([text], length=32)
        with self._trouble():
            self._base.execute("INSERT OR IGNORE INTO run (hash, what) VALUES (?, ?)", (key, text.decode()))
            (number,) = self._base.execute("SELECT id FROM run WHERE hash = ?", (key,)).fetchone()
        return int(number)

    def runs(self) -> dict[int, dict[str, object]]:
        """What was run, by number."""
        with self._trouble():
            rows = self._base.execute("SELECT id, what FROM run ORDER BY id").fetchall()
        return {int(number): from_json(what, dict[str, object], str(self.path)) for number, what in rows}

    def hold(self, run: int, waiting: Callable[[], None] | None = None) -> AbstractContextManager[None]:
        """The lock of a run, for as long as it is written; a second process waits, and says so by ``waiting``."""
        return held(self.path.parent / "locks" / f"{self.path.stem}-{run}.lock", waiting)

    def add(self, run: int, predictions: Iterable[Prediction], rated: bool = True) -> int:
        """Store a batch of predictions, all or none; its number."""
        with self._trouble():
            done = self._base.execute(
                "INSERT INTO batch (run, rated, predictions) VALUES (?, ?, ?)", (run, int(rated), pack(predictions))
            )
        note_kept("batches of answers")
        return int(done.lastrowid or 0)

    def rate(self, batch: int, predictions: Iterable[Prediction]) -> None:
        """The predictions of a batch with what the model makes of the keys."""
        with self._trouble():
            self._base.execute("UPDATE batch SET rated = 1, predictions = ? WHERE id = ?", (pack(predictions), batch))

    def predictions(self, run: int) -> dict[str, Prediction]:
        """All rated predictions of a run by item."""
        known: dict[str, Prediction] = {}
        with self._trouble():
            blocks = self._base.execute(
                "SELECT id, predictions FROM batch WHERE run = ? AND rated = 1 ORDER BY id", (run,)
            )
            for number, block in blocks:
                try:
                    lines = zlib.decompress(block).splitlines()
                except zlib.error as error:
                    raise BadInput(
                        f"{self.path}, batch {number}: broken ({error}). Run again with --refresh."
                    ) from error
                for prediction in read_jsonl(lines, Prediction, f"{self.path}, batch {number}"):
                    known[prediction.item] = prediction
        return known

    def forget(self, run: int, unrated: bool = False) -> None:
        """Drop the predictions of a run (``--refresh``), or those that were never rated."""
        with self._trouble():
            self._base.execute(f"DELETE FROM batch WHERE run = ? {'AND rated = 0' if unrated else ''}", (run,))

    def close(self) -> None:
        """Release the store."""
        self._base.close()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


PAGE = 1 << 16
"""Bytes without which nothing can be stored."""
PAUSE = 0.2
"""Seconds between two tries."""


def _take(handle: int) -> bool:
    """Lock an open file, if nobody else holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _same(handle: int, path: Path) -> bool:
    """Is the file that was locked still the one at this path? The process before may have removed it when it was done."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def held(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold a lock while the block lasts; where another process has it, wait, and say so by ``waiting`` once."""
    said = False
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise BadInput(f"Cannot lock {path}: {error.strerror}. Set SCENARIST_HOME to a folder of yours.") from error
        if _take(handle):
            if _same(handle, path):
                break
        elif not said and waiting is not None:
            waiting()
            said = True
        os.close(handle)
        time.sleep(PAUSE)
    try:
        yield
    finally:
        if sys.platform != "win32":
            path.unlink(missing_ok=True)
        os.close(handle)
