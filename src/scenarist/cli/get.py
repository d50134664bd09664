"""`scenarist get`: put release files (models, adapters) into place, checked by their sums."""

from __future__ import annotations

import typer

from scenarist.cli.console import examples

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples("scenarist get --list", "scenarist get smollm2", "scenarist get storycloze --from ../release")
)
def get(
    name: str = typer.Argument("", help="What to get, e.g. smollm2, storycloze."),
    source: str = typer.Option(
        "", "--from", help="A folder or address that holds the files; else the checkout's release/ or PyPI."
    ),
    again: bool = typer.Option(False, "--again", help="Get it anew even where it is in place."),
    listing: bool = typer.Option(False, "--list", help="List what there is to get, and what is in place."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing."),
) -> None:
    """Put release files (models, adapters) into place."""
    from scenarist.cli.console import console, json_out
    from scenarist.errors import BadInput
    from scenarist.verbs.get import get as put_into_place
    from scenarist.verbs.get import releases

    if listing:
        states = releases()
        if as_json:
            json_out(states)
            return
        for state in states:
            size = sum(file.size for file in state.files) / 1e6
            there = "in place" if state.there else "-"
            console().print(f"{state.name:<12} {size:7.1f} MB  {there:<9} {state.what} ({state.licence})", markup=False)
        return
    if not name:
        raise BadInput("Say what to get, e.g. scenarist get smollm2. What there is: scenarist get --list")
    paths = put_into_place(name, source, again)
    if as_json:
        json_out({"name": name, "files": [str(path) for path in paths]})
    elif not quiet:
        for path in paths:
            console().print(str(path), markup=False)
