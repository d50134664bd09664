"""`scenarist score`: mark any predictions file, with intervals and paired tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Force, examples

if TYPE_CHECKING:
    from scenarist.marked import Scored

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples("scenarist score d mine.jsonl", "scenarist score d mine.jsonl theirs.jsonl --html score.html")
)
def score(
    folder: Path = typer.Argument(help="Exam folder, written by `scenarist exam`."),
    predictions: list[Path] = typer.Argument(help="One or more predictions files (JSONL)."),
    metric: list[str] = typer.Option(
        [], "--metric", "-m", help="A metric, e.g. recall@50; may be repeated. Default: the exam's own."
    ),
    strict: bool = typer.Option(False, help="Refuse a file that lacks a prediction for some item."),
    html: Path | None = typer.Option(None, metavar="FILE", help="Write a page with every item, right and wrong."),
    force: Force = False,
    seed: int = typer.Option(13, help="Seed of the bootstrap."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print the table only."),
) -> None:
    """Score predictions: value, 95 % interval, detectable difference, paired tests, signature."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.exam import FILES
    from scenarist.verbs.save import check_output
    from scenarist.verbs.score import score as score_folder

    if html:
        check_output(html, [*predictions, *(folder / name for name in FILES)], force)
    scored = score_folder(folder, predictions, metric, strict, seed)
    if html:
        from scenarist.pages.report import score_page
        from scenarist.verbs.save import save_page

        systems = [(system.name, list(system.scores.values()), system.predictions) for system in scored.systems]
        save_page(html, score_page(scored.card.exam, scored.card.data, scored.items, systems))
    if as_json:
        json_out(scored.json())
    else:
        show(scored, quiet)


def show(scored: Scored, quiet: bool) -> None:
    """Print the table."""
    from scenarist.cli.console import console, print_table
    from scenarist.pages.numbers import exam_form

    out, numbers = console(), exam_form(scored.card.exam)
    heads = ("system", "metric", "value", "95 % interval", "n", "missing", "detectable")
    rows = [
        (
            system.name, name, numbers.text(cell.value, name), f"{numbers.text(cell.low, name)} to {numbers.text(cell.high, name)}",
            cell.n, cell.missing, numbers.text(system.detectable[name], name),
        )
        for system in scored.systems
        for name, cell in system.scores.items()
    ]  # fmt: skip
    title = f"{scored.card.exam} on {scored.card.data} ({scored.card.split})"
    print_table(out, heads, rows, title, right=heads[2:])
    if scored.tests:
        versus = ("metric", "first", "second", "difference", "95 % interval", "p", "p corrected", "test")
        tests = []
        for test in scored.tests:
            against = test.comparison
            difference, low, high = (
                numbers.text(value, test.metric, sign=True) for value in (against.difference, against.low, against.high)
            )
            tests.append((
                test.metric, test.first, test.second, difference, f"{low} to {high}",
                f"{against.p:.4f}", f"{test.corrected:.4f}", against.test,
            ))  # fmt: skip
        print_table(out, versus, tests, "paired tests (p corrected after Holm)", right=versus[3:7])
    if quiet:
        return
    for name, first in scored.systems[0].scores.items():
        out.print(f"{name}: {first.signature}", markup=False, soft_wrap=True)
    for system in scored.systems:
        if gone := next(iter(system.scores.values())).missing:
            out.print(
                f"{system.name}: {gone} items have no prediction and were counted as wrong (--strict refuses that).",
                markup=False,
            )
        if empty := sum(not prediction.guesses for prediction in system.predictions.values()):
            out.print(
                f"{system.name}: {empty} predictions hold no guess and were counted as wrong (--strict refuses that).",
                markup=False,
            )
