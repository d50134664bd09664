"""Model -> what it reads: the content of the weights and tables behind its answers, part of the name its predictions are stored under.

So new weights never replay old answers. A model says what it reads by ``reads()``; one that has no such method reads nothing but what
it learns from, and the name of its runs is what it always was.
"""

from __future__ import annotations

from pathlib import Path

from scenarist.learning.releases import digest

_known: dict[tuple[Path, int, int], str] = {}


def content(path: Path) -> str:
    """SHA-256 of a file's content; it is read again only where its size or its time has changed."""
    stat = path.stat()
    key = (path, stat.st_size, stat.st_mtime_ns)
    if key not in _known:
        _known[key] = digest(path)
    return _known[key]


def read_by(model: object) -> list[str]:
    """What a model reads, as short hashes in order: the same content from another place is the same."""
    reads = getattr(model, "reads", None)
    return sorted({content(path)[:16] for path in reads()}) if callable(reads) else []
