"""Rows -> a table that is never cropped: framed where it fits, else each row on lines of its own.

Piped, a table is as wide as it needs to be, so that a line is a row. In a terminal, cells wrap as long as no word has to be cut apart;
in a narrower one each row becomes lines of *name: value*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.measure import Measurement

WIDEST = 100_000
"""Columns of a pipe."""


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

    if piped():
        out.width = max(out.width, table_widths(out, grid).maximum)
    if table_widths(out, grid).minimum <= out.width:
        out.print(grid)
        return
    if title:
        out.print(title, markup=False)
    for row in rows:
        first, *others = (" ".join(str(cell).split()) for cell in row)
        out.print(first, style="bold", markup=False, overflow="fold")
        for head, cell in zip(heads[1:], others, strict=False):
            if cell:
                out.print(f"  {' '.join(head.split())}: {cell}", markup=False, overflow="fold")


def table_widths(out: Console, grid: Any) -> Measurement:
    """The least width at which no word of a table is cut apart, and the most that it can use."""
    from rich.measure import Measurement

    return Measurement.get(out, out.options.update(width=WIDEST, max_width=WIDEST), grid)
