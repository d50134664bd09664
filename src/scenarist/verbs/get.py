"""Name of a release -> its files in place (models, adapters), checked by their sums."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarist.store.releases import ReleaseState


def get(name: str, source: str = "", again: bool = False) -> tuple[Path, ...]:
    """Put the files of a release into place and give their paths; ``source`` is a folder or address that holds them."""
    from scenarist.store import releases as store

    return tuple(store.get(name, source, again))


def releases() -> tuple[ReleaseState, ...]:
    """What there is to get, and whether it is in place."""
    from scenarist.store import releases as store

    return tuple(store.state(release) for release in store.manifest().values())
