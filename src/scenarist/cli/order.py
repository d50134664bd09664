"""`scenarist order`: put shuffled sentences into story order."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


@app.command(epilog="Example: shuf story.txt | scenarist order -")
def order(
    file: Path = typer.Argument(
        ..., help="A text with one sentence a line (or one paragraph); - reads standard input."
    ),
    by: str = typer.Option("story-order", "--by", help="Which model: story-order, or any that answers orders."),
    top: int = typer.Option(1, min=1, max=5, help="How many orders to show."),
    seed: int = typer.Option(13, help="Nothing here is random; accepted as everywhere."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print the ordered sentences and nothing else."),
) -> None:
    """Put shuffled sentences into story order."""
    import sys

    from scenarist.cli.console import console, json_out
    from scenarist.errors import BadInput
    from scenarist.formats import plain
    from scenarist.models.ordering import MOST
    from scenarist.question import Order, Permutation
    from scenarist.registry import make

    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{file}: expected sentences in UTF-8 text ({error}).") from error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    sentences = tuple(lines if len(lines) > 1 else (text[span.start : span.stop] for span in plain.sentences(text)))
    if not 2 <= len(sentences) <= MOST:
        raise BadInput(f"{file}: expected 2 to {MOST} sentences, one a line, got {len(sentences)}.")
    model = make("model", by)
    if model.learns != "nothing":
        raise BadInput(f"{by} has to learn first; use story-order.")
    prediction = model.answer(Order(sentences))
    orders = [guess for guess in prediction.guesses[:top] if isinstance(guess.answer, Permutation)]
    if as_json:
        json_out({"sentences": sentences, "by": by, "orders": [
            {"order": guess.answer.order, "logp": guess.logp} for guess in orders if isinstance(guess.answer, Permutation)]})  # fmt: skip
        return
    say = console().print
    for number, guess in enumerate(orders):
        if not quiet and (number or len(orders) > 1):
            say(f"{'' if not number else chr(10)}ln P {guess.logp or 0.0:.2f}", style="dim")
        for at in guess.answer.order if isinstance(guess.answer, Permutation) else ():
            say(sentences[at], markup=False)
