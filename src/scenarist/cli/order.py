"""`scenarist order`: put shuffled sentences into story order."""

from __future__ import annotations

from pathlib import Path

import typer

from scenarist.cli.console import Encoding, examples

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist order story.txt", "shuf story.txt | scenarist order -"))
def order(
    file: Path = typer.Argument(
        ..., help="A text with one sentence a line (or one paragraph); - reads standard input."
    ),
    by: str = typer.Option("story-order", "--by", help="Which model: story-order, or any that answers orders."),
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
