"""`scenarist fill`: the missing event of a chain, or the ending of a story."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from scenarist.answers import FilledChain

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
    from scenarist.cli.console import json_out, switches
    from scenarist.errors import BadInput

    if ending or story is not None:
        for name, given in (("--model", model), ("--scenario", scenario), ("--html", html), ("--chain", chain)):
            if given:
                raise BadInput(f"{name} does not go with endings: it belongs to the missing event of a --chain.")
        fill_story(story, ending, by, switches(set_), write, seed, as_json, quiet)
        return
    if chain is None:
        raise BadInput(
            "Say what to fill: --chain 'arrest:obj escape:subj ?', or FILE --ending 'One.' --ending 'Other.', or FILE alone"
        )
    from scenarist.verbs.fill import fill as fill_gap

    filled = fill_gap(chain, model=by, folder=model, scenario=scenario, settings=switches(set_), top=top)
    if html is not None:
        from scenarist.pages.eventcloze import filled_page
        from scenarist.verbs.save import save_page

        save_page(html, filled_page(filled))
    if as_json:
        json_out(filled)
    elif quiet:
        typer.echo(filled.candidates[0].event if filled.candidates else "")
    else:
        show_chain(filled, html)


def show_chain(filled: FilledChain, html: Path | None) -> None:
    """The ranking with its evidence, for a terminal."""
    from rich.table import Table

    from scenarist.cli.console import console

    say = console()
    chain = list(filled.chain)
    if filled.gap is not None:
        chain.insert(filled.gap, "___")
    say.print(f"{'  '.join(chain)}   ({filled.model}; {filled.learned})", markup=False, style="bold")
    table = Table(box=None, pad_edge=False)
    for name in ("", "event", "ln P", "voted for by", "seen together in"):
        table.add_column(name, overflow="fold", justify="right" if name in ("", "ln P") else "left")
    for place, candidate in enumerate(filled.candidates, start=1):
        votes = ", ".join(candidate.votes) or "frequency alone"
        table.add_row(str(place), candidate.event, f"{candidate.logp:.2f}", votes, "\n".join(candidate.seen))
    say.print(table, markup=False)
    if filled.note:
        say.print(filled.note, markup=False)
    if html is not None:
        say.print(f"The page is in {html}.", markup=False)


def fill_story(
    story: Path | None,
    endings: list[str],
    by: str,
    settings: Mapping[str, Any],
    write: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Choose between endings of a story, or write some; a CSV is answered line by line."""
    from scenarist.cli.console import console, json_out
    from scenarist.errors import BadInput
    from scenarist.verbs.fill import fill as fill_gap

    if story is not None and story.suffix == ".csv":
        if endings:
            raise BadInput(f"{story}: a CSV holds its endings; leave --ending out.")
        fill_lines(story, by, settings)
        return
    text: str | Path = story if story is not None else endings.pop(0)
    say = console().print
    if not endings:
        if by or settings:
            raise BadInput("--by and --set name a model that chooses between endings; give some, each with --ending.")
        written = fill_gap(story=text, count=write, seed=seed)
        if as_json:
            json_out(written)
        else:
            for line in written.endings[:1] if quiet else written.endings:
                say(line, markup=False)
        return
    prediction = fill_gap(story=text, endings=endings, model=by, settings=settings)
    if as_json:
        json_out(prediction)
        return
    if quiet:
        say(endings[int(str(prediction.best))], markup=False)
        return
    for guess in prediction.guesses:
        mark = "->" if guess.answer == prediction.best else "  "
        value = "" if guess.logp is None else f"  (ln P {guess.logp:.2f})"
        say(f"{mark} {endings[int(str(guess.answer))]}{value}", markup=False)
        for why in guess.why:
            say(f"     {why}", markup=False, style="dim")
    if prediction.note:
        say(prediction.note, markup=False)


def fill_lines(path: Path, by: str, settings: Mapping[str, Any]) -> None:
    """A table of stories and endings -> one prediction a line."""
    import msgspec

    from scenarist.verbs.endings import fill_table

    for prediction in fill_table(path, by, settings):
        sys.stdout.buffer.write(msgspec.json.encode(prediction) + b"\n")
    sys.stdout.flush()
