"""Path -> a lock that one process holds: the system frees it when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scenarist.errors import BadInput

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
