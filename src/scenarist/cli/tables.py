"""Rows -> a table that is never cropped: framed where it fits, else each row on lines of its own.

Piped, a table is as wide as it needs to be, so that a line is a row. In a terminal, cells wrap as long as no word has to be cut apart;
in a narrower one each row becomes lines of *name: value*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


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
    from scenarist.cli.console import piped

    columns = list(zip(heads, *rows, strict=True))
    least = [max(len(word) for cell in column for word in (str(cell).split() or [""])) for column in columns]
    most = [max(len(line) for cell in column for line in (str(cell).split("\n"))) for column in columns]
    around = (3 * len(columns) + 1) if grid.box else len(columns)
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
