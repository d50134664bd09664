"""(reader, text) -> Story, remembered: a content-hash cache of readings in the home folder.

The key is a hash of the reader's version, its settings and the text; the value is the story as compressed JSON. A cache
that cannot be opened or is damaged is passed over in silence: it only saves time.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from scenarist.errors import ScenaristError
from scenarist.noun import SCHEMA, from_json, to_json
from scenarist.store.home import folder
from scenarist.story import Story


def key(version: str, text: str) -> bytes:
    """The name of one reading."""
    return hashlib.blake2b(
        f"{SCHEMA}\0{version}\0".encode() + text.encode("utf-8", "surrogatepass"), digest_size=20
    ).digest()


class Cache:
    """Readings on disk; one process writes, any may read."""

    def __init__(self, path: Path | None = None) -> None:
        self.base: sqlite3.Connection | None = None
        try:
            self.base = sqlite3.connect(path or folder("cache") / "reading.sqlite", timeout=10, isolation_level=None)
            self.base.execute("PRAGMA journal_mode=WAL")
            self.base.execute("PRAGMA synchronous=OFF")
            self.base.execute("CREATE TABLE IF NOT EXISTS reading (key BLOB PRIMARY KEY, story BLOB) WITHOUT ROWID")
        except (sqlite3.Error, ScenaristError):
            self.close()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Story]:
        """The stories that are there."""
        stories: dict[bytes, Story] = {}
        if self.base is None:
            return stories
        for key in keys:
            try:
                row = self.base.execute("SELECT story FROM reading WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    stories[key] = from_json(zlib.decompress(row[0]), Story, "cache")
            except (sqlite3.Error, zlib.error, ScenaristError):
                continue
        return stories

    def put(self, stories: Mapping[bytes, Story]) -> None:
        """Remember stories, all or none."""
        if self.base is None or not stories:
            return
        rows = [(key, zlib.compress(to_json(story), 1)) for key, story in stories.items()]
        try:
            self.base.execute("BEGIN")
            self.base.executemany("INSERT OR REPLACE INTO reading VALUES (?, ?)", rows)
            self.base.execute("COMMIT")
        except sqlite3.Error:
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self.base is not None:
            self.base.close()
            self.base = None
