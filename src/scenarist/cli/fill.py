"""`scenarist fill`: the missing event of a chain, or the ending of a story."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


@app.command(epilog="Example: scenarist fill --chain 'arrest:obj escape:subj ?'")
def fill(
    story: Path | None = typer.Argument(None, help="A story in plain text, for --ending; - reads standard input."),
    chain: str | None = typer.Option(None, help="Events as verb:role with ? where one is missing."),
    ending: list[str] = typer.Option(
        [], help="A possible ending, repeated to choose between; without a FILE the first one is the story."
    ),
    write: int = typer.Option(3, min=1, max=20, help="Endings to write where none is given."),
    model: Path | None = typer.Option(
        None, help="A folder made by `scenarist learn`; the package's own counts otherwise."
    ),
    by: str = typer.Option(
        "", "--by", help="Which model: mixture, bigram, pmi-cutoff, unigram, ... (endings: its own list)."
    ),
    scenario: str = typer.Option("", help="A scenario of a folder learned with --by-scenario."),
    set_: list[str] = typer.Option([], "--set", help="A setting of the model as key=value; may be repeated."),
    top: int = typer.Option(10, min=1, max=50, help="Candidates to show."),
    html: Path | None = typer.Option(None, help="Also write a page with the evidence."),
    seed: int = typer.Option(13, help="Seed of the endings that are written; nothing else here is random."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print the best answer only."),
) -> None:
    """Fill a gap: which event is missing from a chain, or which ending fits a story."""
    from scenarist.cli.console import json_out
    from scenarist.cli.exam import switches
    from scenarist.errors import BadInput

    if ending or story is not None:
        from scenarist.cli.fill_ending import fill_ending

        for name, given in (("--model", model), ("--scenario", scenario), ("--html", html), ("--chain", chain)):
            if given:
                raise BadInput(f"{name} does not go with endings: it belongs to the missing event of a --chain.")
        fill_ending(story, ending, by, switches(set_), write, seed, as_json, quiet)
        return
    if chain is None:
        raise BadInput(
            "Say what to fill: --chain 'arrest:obj escape:subj ?', or FILE --ending 'One.' --ending 'Other.', or FILE alone"
        )
    from scenarist.verbs.fill import fill_chain

    filled = fill_chain(chain, by or "mixture", model, top, switches(set_), scenario)
    if html is not None:
        from scenarist.pages.eventcloze import filled_page
        from scenarist.store.home import write_whole

        write_whole(html, [filled_page(filled).encode()])
    if as_json:
        json_out(filled)
    elif quiet:
        typer.echo(filled.candidates[0].event if filled.candidates else "")
    else:
        shown(filled, html)


def shown(filled: object, html: Path | None) -> None:
    """The ranking with its evidence, for a terminal."""
    from rich.table import Table

    from scenarist.cli.console import console
    from scenarist.verbs.fill import Filled

    assert isinstance(filled, Filled)
    say = console()
    chain = list(filled.chain)
    if filled.gap is not None:
        chain.insert(filled.gap, "___")
    say.print(f"{'  '.join(chain)}   ({filled.model}; {filled.learned})", markup=False, style="bold")
    table = Table(box=None, pad_edge=False)
    for name in ("", "event", "ln P", "voted for by", "seen together in"):
        table.add_column(name, overflow="fold", justify="right" if name in ("", "ln P") else "left")
    for place, one in enumerate(filled.candidates, start=1):
        seen = "\n".join(one.seen)
        table.add_row(str(place), one.event, f"{one.logp:.2f}", ", ".join(one.votes) or "frequency alone", seen)
    say.print(table, markup=False)
    if filled.note:
        say.print(filled.note, markup=False)
    if html is not None:
        say.print(f"The page is in {html}.", markup=False)
