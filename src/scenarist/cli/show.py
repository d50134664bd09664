"""`scenarist show`: what is known of a scenario."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


@app.command(epilog="Examples: scenarist show 'taking a bath' | scenarist show 'baking a cake' --html cake.html")
def show(
    name: str = typer.Argument(help="A scenario, by its name or an alias (see: scenarist scenarios)."),
    most: int = typer.Option(20, min=1, help="How many events to show."),
    html: Path | None = typer.Option(None, help="Write one self-contained page."),
    as_json: bool = typer.Option(False, "--json", help="Print the script as JSON."),
) -> None:
    """Show what is known of a scenario: typical events in order, participants, related scenarios."""
    from rich.table import Table

    from scenarist.cli.console import console, json_out
    from scenarist.verbs.show import show as show_scenario

    script, scenario = show_scenario(name)
    if html:
        from scenarist.pages.script import script_page
        from scenarist.verbs.save import save_page

        save_page(html, script_page(script, scenario))
    if as_json:
        json_out(script)
        return
    out = console()
    out.print(f"{script.scenario}: what {script.tellers} tellers tell", style="bold", markup=False)
    table = Table()
    for head in ("event", "tellers", "share", "when", "also put as"):
        table.add_column(head, justify="right" if head in ("tellers", "share") else "left")
    typical = sorted(script.events[:most], key=lambda event: event.place)
    for event in typical:
        bar = "·" * round(event.place * 20) + "●" + "·" * (20 - round(event.place * 20))
        others = ", ".join(phrase.replace("_", " ") for phrase in event.phrases[:7] if phrase != event.id)
        table.add_row(event.id.replace("_", " "), str(event.tellers), f"{event.share:.0%}", bar, others)
    out.print(table)
    out.print("participants: " + ", ".join(f"{who} ({n})" for who, n in script.participants), markup=False)
    for kind, other in scenario.relations:
        out.print(f"{kind}: {other}", markup=False)
    out.print(f"learned from {script.evidence}", style="dim", markup=False)
