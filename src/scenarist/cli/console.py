"""What all verbs share in a terminal: options that mean the same everywhere, the console, tables, a progress bar, JSON out, settings in.

A verb takes what it needs: ``encoding: Encoding = "utf-8"``, ``quiet: Quiet = False``. How verbs behave: docs/reference/conventions.md.
A table is never cropped: framed where it fits, else each row on lines of its own. Piped, it is as wide as it needs to be, so that a line
is a row; in a terminal, cells wrap as long as no word has to be cut apart.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from scenarist.verbs.inputs import Skips

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|FOLDER|-...", help="Text files, folders, archives (zip, tar), or - for standard input."
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the files.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first input that cannot be used; else it is named and left out.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=1, help="Processes; the result is the same whatever their number.")
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that scenarist did not write.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (the form is a promise, see the docs).")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]
Top = Annotated[int, typer.Option("--top", min=1, help="Show so many, the best first.")]


def examples(*lines: str) -> str:
    """The end of a help page: one example a line.

    >>> examples("scenarist read story.txt", "scenarist read stories/")
    'Examples:\\n\\nscenarist read story.txt\\n\\nscenarist read stories/'
    """
    return "\n\n".join(("Examples:" if len(lines) > 1 else "Example:", *lines))


@contextmanager
def skipping(strict: bool = False) -> Iterator[Skips]:
    """Inputs that cannot be used are told on standard error and left out; at the end they make the exit code 1."""
    from scenarist.verbs.inputs import Skips

    skips = Skips(strict, lambda problem: print(f"scenarist: skipped: {problem}", file=sys.stderr))
    yield skips
    if len(skips):
        skips.flush()
        number = f"{len(skips)} input{'' if len(skips) == 1 else 's'}"
        print(f"scenarist: {number} skipped, the rest is done (--strict stops at the first).", file=sys.stderr)
        raise typer.Exit(1)


Advance: TypeAlias = Callable[[str, int, int], None]
"""Move the bar: what is worked on, how much is done, how much is known."""
PIPED = 160
"""Columns of prose and rules that go to a pipe."""


def piped() -> bool:
    """Do results go to a file or another program? ``COLUMNS`` says how wide lines are to be all the same."""
    return not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdigit()


def console(**settings: Any) -> Console:
    """A console for results. Piped: no colour, and prose of a width of its own; a table is as wide as it needs to be."""
    from rich.console import Console

    if piped():
        settings.setdefault("width", PIPED)
    return Console(highlight=False, **settings)


def print_table(
    out: Console,
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    title: str = "",
    right: Sequence[str] = (),
    framed: bool = True,
) -> None:
    """Print rows under their heads; ``right`` names the columns of numbers, ``framed`` draws lines around."""
    from rich.table import Table
    from rich.text import Text

    settings: dict[str, Any] = {} if framed else {"box": None, "pad_edge": False}
    grid = Table(title=Text(title) if title else None, title_justify="left", **settings)
    for head in heads:
        grid.add_column(Text(head), justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    print_grid(out, grid, heads, rows, title)


def print_grid(
    out: Console, grid: Any, heads: Sequence[str], rows: Sequence[Sequence[object]], title: str = ""
) -> None:
    """Print a table that is made already, or its rows one by one where it does not fit."""
    columns = list(zip(heads, *rows, strict=True))
    least = [max(len(word) for cell in column for word in (str(cell).split() or [""])) for column in columns]
    most = [max(len(line) for cell in column for line in (str(cell).split("\n"))) for column in columns]
    around = (
        (3 * len(columns) + 1) if grid.box else 2 * len(columns) - 2
    )  # cells have a space on both sides, but at edges
    if piped():
        out.width = max(out.width, sum(most) + around)
    spare = out.width - around - sum(least)
    if spare >= 0:
        for column, width in zip(grid.columns, shared(least, most, spare), strict=True):
            column.width = width
        out.print(grid)
        return
    if title:
        out.print(title, markup=False)
    for row in rows:
        first, *others = (" ".join(str(cell).split()) for cell in row)
        named = f"{heads[0]}: {first}" if heads[0] else first
        out.print(named, style="bold", markup=False, overflow="fold")
        for head, cell in zip(heads[1:], others, strict=False):
            if cell:
                out.print(f"  {' '.join(head.split())}: {cell}", markup=False, overflow="fold")


def shared(least: Sequence[int], most: Sequence[int], spare: int) -> list[int]:
    """The widths of columns: each at least as wide as its longest word, the rest of the room by what each could use.

    >>> shared([5, 10], [5, 40], 10), shared([5, 10], [8, 20], 50)
    ([5, 20], [8, 20])
    """
    wish = [high - low for low, high in zip(least, most, strict=True)]
    share = min(1.0, spare / max(1, sum(wish)))
    return [low + int(share * more) for low, more in zip(least, wish, strict=True)]


def json_out(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


INTERRUPTED: list[tuple[str, ...]] = []
"""Of the work that was interrupted, the kinds of things with which the same command goes on."""


@contextmanager
def kept(*kinds: str) -> Iterator[None]:
    """Where this block is interrupted, the same command goes on with what is kept of these kinds (`scenarist.store.ledger`)."""
    try:
        yield
    except KeyboardInterrupt:
        INTERRUPTED.append(kinds)
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
