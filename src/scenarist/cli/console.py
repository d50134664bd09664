"""What the verbs share: the console, a progress bar on long work (none when piped), JSON out, settings in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console

Advance: TypeAlias = Callable[[str, int, int], None]
"""Move the bar: what is worked on, how much is done, how much is known."""


def console(**settings: Any) -> Console:
    """A console for results: wide enough for a table when piped, no colour then."""
    from rich.console import Console

    if not sys.stdout.isatty():
        settings.setdefault("width", 160)
    return Console(highlight=False, **settings)


def json_out(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


@contextmanager
def progress(quiet: bool = False) -> Iterator[Advance]:
    """A progress bar on standard error; silent when piped or quiet."""
    if quiet or not sys.stderr.isatty():
        yield lambda what, done, known: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=1800) as bar:
        task = bar.add_task("", total=None)
        last = ""

        def advance(what: str, done: int, known: int) -> None:
            nonlocal last
            if what != last:  # other work: the time left is not told by the pace of what was before
                bar.reset(task, completed=done)
                last = what
            bar.update(task, description=what, completed=done, total=known or None)

        yield advance


def switches(pairs: list[str]) -> dict[str, object]:
    """``key=value`` options as typed settings: numbers, yes/no and words."""
    from scenarist.errors import BadInput

    settings: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"Expected a setting as key=value, got {pair!r}. For example: --set min=2")
        settings[key.replace("-", "_")] = typed(value)
    return settings


def typed(value: str) -> object:
    """A word as the value it spells.

    >>> typed("2"), typed("0.5"), typed("yes"), typed("lemma")
    (2, 0.5, True, 'lemma')
    """
    if value.lower() in ("yes", "true", "on"):
        return True
    if value.lower() in ("no", "false", "off"):
        return False
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
