"""What the verbs share: the console, a progress bar on long work (none when piped), JSON out, settings in."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console

Advance: TypeAlias = Callable[[str, int, int], None]
"""Move the bar: what is worked on, how much is done, how much is known."""
PIPED = 160
"""Columns of prose and rules that go to a pipe."""


def piped() -> bool:
    """Do results go to a file or another program? ``COLUMNS`` says how wide lines are to be all the same."""
    return not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdigit()


def console(**settings: Any) -> Console:
    """A console for results. Piped: no colour, and prose of a width of its own; a table is as wide as it needs to be (tables.py)."""
    from rich.console import Console

    if piped():
        settings.setdefault("width", PIPED)
    return Console(highlight=False, **settings)


def json_out(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


INTERRUPTED: list[str] = []
"""What was interrupted and is kept, so that the same command goes on from there."""


@contextmanager
def kept(what: str = "what was done") -> Iterator[None]:
    """Where this block is interrupted, what it did is kept: Ctrl-C says so."""
    try:
        yield
    except KeyboardInterrupt:
        INTERRUPTED.append(what)
        raise


@contextmanager
def progress(quiet: bool = False) -> Iterator[Advance]:
    """A progress bar with its pace and its end on standard error; silent when piped or quiet."""
    if quiet or not sys.stderr.isatty():
        yield lambda what, done, known: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=1800) as bar:
        task = bar.add_task("", total=None, amount="")
        last, since, before = "", time.monotonic(), 0

        def advance(what: str, done: int, known: int) -> None:
            nonlocal last, since, before
            if what != last:  # other work: its pace is not that of what was before
                bar.reset(task, completed=done)
                last, since, before = what, time.monotonic(), done
            bar.update(task, description=what, completed=done, total=known or None)
            bar.update(task, amount=amount(done, known, (done - before) / max(time.monotonic() - since, 1e-9)))

        yield advance


def amount(done: int, known: int, pace: float) -> str:
    """How much is done of how much, and how fast.

    >>> amount(1200, 3600, 2.5), amount(12, 0, 4.0)
    ('1,200/3,600, 2.5/s', '12, 4.0/s')
    """
    of = f"/{known:,}" if known else ""
    return f"{done:,}{of}, {pace:,.1f}/s" if pace < 100 else f"{done:,}{of}, {pace:,.0f}/s"


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
