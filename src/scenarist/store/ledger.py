"""What this process has put into place so far, counted by kind: an interruption says what is kept, and only that."""

from __future__ import annotations

from collections import Counter

KEPT: Counter[str] = Counter()
"""Kind (in the plural, as it is said) -> how many."""


def note_kept(kind: str, number: int = 1) -> None:
    """So many more are in place, whole."""
    KEPT[kind] += number


def kept_so_far(*kinds: str) -> str:
    """How many of these kinds (none named: of all) are in place; empty where there is none.

    >>> kept_so_far("castles in the air")
    ''
    """
    counts = {kind: KEPT[kind] for kind in kinds or sorted(KEPT)}
    return ", ".join(f"{kind} kept: {number:,}" for kind, number in counts.items() if number)
