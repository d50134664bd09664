"""`scenarist doctor`: what is installed, found and missing here."""

from __future__ import annotations

import typer

app = typer.Typer(add_completion=False)


@app.command()
def doctor(
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Say what is installed, found and missing here, and what to type next."""
    from rich.table import Table

    from scenarist.cli.console import console, json_out
    from scenarist.verbs.doctor import doctor as examine

    findings = examine()
    if as_json:
        json_out(findings)
        return
    table = Table()
    for head in ("part", "state", "detail", "next"):
        table.add_column(head, overflow="fold")
    for finding in findings:
        cells = (finding.part, finding.state, finding.detail, finding.next)
        table.add_row(*(cell.replace("[", "\\[") for cell in cells))
    console().print(table)
