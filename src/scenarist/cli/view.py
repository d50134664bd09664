"""`scenarist view`: answers item by item, two systems side by side."""

from __future__ import annotations

from pathlib import Path

import typer

from scenarist.cli.console import Force, examples

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist exam storycloze toy -o d", "scenarist view d --html answers.html"))
def view(
    folder: Path = typer.Argument(help="Exam folder with one or more predictions files in it."),
    html: Path = typer.Option(Path("view.html"), metavar="FILE", help="The page to write."),
    force: Force = False,
    as_json: bool = typer.Option(False, "--json", help="Print the scores as JSON and write no page."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Write a page on which every item opens: filter by who is right, compare two systems, read the story."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.save import check_output, save_page
    from scenarist.verbs.view import view as score_folder

    scored = score_folder(folder)
    if as_json:
        json_out(scored.json())
        return
    from scenarist.pages.comparison import comparison_page

    check_output(html, (), force)
    save_page(html, comparison_page(scored))
    if not quiet:
        console().print(
            f"{len(scored.systems)} systems on {scored.card.items} items: {html}", markup=False, soft_wrap=True
        )
