"""`scenarist order`: put shuffled sentences into story order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Encoding, examples

if TYPE_CHECKING:
    from scenarist.answers import OrderedSentences

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist order story.txt", "shuf story.txt | scenarist order -"))
def order(
    file: Path = typer.Argument(
        ..., help="A text with one sentence a line (or one paragraph); - reads standard input."
    ),
    by: str = typer.Option(
        "careful-order", "--by", help="Which model: careful-order, story-order, or any that answers orders."
    ),
    top: int = typer.Option(1, min=1, max=5, help="How many orders to show."),
    encoding: Encoding = "utf-8",
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print the ordered sentences and nothing else."),
) -> None:
    """Put shuffled sentences into story order."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.order import order as put_into_order

    ordered = put_into_order(file, by, top, encoding)
    if as_json:
        json_out(ordered)
        return
    say = console().print
    for number, ranked in enumerate(ordered.orders):
        if not quiet and len(ordered.orders) > 1:
            say(f"{'' if not number else chr(10)}ln P {ranked.logp or 0.0:.2f}", style="dim")
        for index in ranked.order:
            say(ordered.sentences[index], markup=False)
    if not quiet and ordered.sure is not None:
        say(f"\nSure of this order: {100 * ordered.sure:.0f} %.{open_places(ordered)}", style="dim", markup=False)


def open_places(ordered: OrderedSentences) -> str:
    """Which sentences the next best order moves, where it is at least half as likely."""
    if not ordered.next_moves:
        return ""
    return f" As likely as half of that or more: sentences {' and '.join(map(str, ordered.next_moves))} the other way."
