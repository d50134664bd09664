"""`scenarist show`: what is known of a scenario."""

from __future__ import annotations

import typer

from scenarist.cli.options import Force, Html, Quiet, Top, examples

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist show 'taking a bath'", "scenarist show 'baking a cake' --html cake.html"))
def show(
    name: str = typer.Argument(help="A scenario, by its name or an alias (see: scenarist scenarios)."),
    top: Top = 20,
    html: Html = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: bool = typer.Option(False, "--json", help="Print the script as JSON."),
) -> None:
    """Show what is known of a scenario: typical events in order, participants, related scenarios."""
    from scenarist.cli.console import console, json_out
    from scenarist.cli.tables import print_table
    from scenarist.verbs.save import check_output
    from scenarist.verbs.show import show as show_scenario

    if html:
        check_output(html, (), force)
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
    rows: list[tuple[str, ...]] = []
    typical = sorted(script.events[:top], key=lambda event: event.place)
    for event in typical:
        bar = "·" * round(event.place * 20) + "●" + "·" * (20 - round(event.place * 20))
        others = ", ".join(phrase.replace("_", " ") for phrase in event.phrases[:7] if phrase != event.id)
        rows.append((event.id.replace("_", " "), str(event.tellers), f"{event.share:.0%}", bar, others))
    print_table(out, ("event", "tellers", "share", "when", "also put as"), rows, right=("tellers", "share"))
    if quiet:
        return
    out.print("participants: " + ", ".join(f"{who} ({n})" for who, n in script.participants), markup=False)
    for kind, other in scenario.relations:
        out.print(f"{kind}: {other}", markup=False)
    out.print(f"learned from {script.evidence}", style="dim", markup=False)
