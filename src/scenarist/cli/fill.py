"""`scenarist fill`: the missing event of a chain, or the ending of a story."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from scenarist.cli.console import Encoding, Force, examples

if TYPE_CHECKING:
    from scenarist.answers import FilledChain

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist fill --chain 'order:subj eat:subj ?'",
        "scenarist fill --chain 'arrest:obj escape:subj ?' --from news",
        "scenarist fill --chain 'arrest:obj ?' --model model --html filled.html",
        "scenarist fill --chain 'score:subj ?' --compare unigram,bigram,pmi --answer win:subj",
        "scenarist fill story.txt --ending 'She was glad.' --ending 'It rained.'",
        "scenarist fill --story 'A seed grew.' --ending 'It rained.' --ending 'We ate.'",
        "scenarist fill story.txt --write 5",
    )
)
def fill(
    file: Path | None = typer.Argument(None, help="A story in plain text, for --ending; - reads standard input."),
    story: str = typer.Option("", "--story", metavar="TEXT", help="The story itself, in place of FILE."),
    chain: str | None = typer.Option(None, help="Events as verb:role with ? where one is missing."),
    ending: list[str] = typer.Option(
        [], help="A possible ending; repeat it to choose between several. Without one, endings are written."
    ),
    write: int = typer.Option(3, min=1, max=20, help="Endings to write where none is given."),
    model: Path | None = typer.Option(
        None, help="A folder made by `scenarist learn`; the package's own counts otherwise."
    ),
    source: str = typer.Option("stories", "--from", help="The package's own counts: of everyday stories, or of news."),
    by: str = typer.Option(
        "", "--by", help="Which model: mixture, bigram, pmi-cutoff, unigram, ... (endings: its own list)."
    ),
    compare: str = typer.Option(
        "", metavar="MODEL,...", help="Several models side by side (Chambers 2017, Table 4): unigram,bigram,pmi"
    ),
    answer: str = typer.Option("", help="With --compare: the missing event, whose rank is shown."),
    scenario: str = typer.Option("", help="A scenario of a folder learned with --by-scenario."),
    set_: list[str] = typer.Option([], "--set", help="A setting of the model as key=value; may be repeated."),
    top: int = typer.Option(10, min=1, max=50, help="Candidates to show."),
    html: Path | None = typer.Option(None, help="Also write a page with the evidence."),
    seed: int = typer.Option(13, help="Seed of the endings that are written; nothing else here is random."),
    encoding: Encoding = "utf-8",
    force: Force = False,
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print the best answer only."),
) -> None:
    """Fill a gap: which event is missing from a chain, or which ending fits a story."""
    from scenarist.cli.console import json_out, switches
    from scenarist.errors import BadInput
    from scenarist.verbs.save import check_output

    if story and file is not None:
        raise BadInput(f"Two stories: --story and {file}. Give one of them.")
    if ending and not story and file is None:
        raise BadInput("Which story do the endings belong to? Say --story TEXT, or name a FILE before them.")
    if story or file is not None:
        others = (
            ("--scenario", scenario),
            ("--html", html),
            ("--chain", chain),
            ("--compare", compare),
            ("--answer", answer),
        )
        for name, given in (("--model", model), *others):
            if given:
                raise BadInput(f"{name} does not go with endings: it belongs to the missing event of a --chain.")
        fill_story(file or story, ending, by, switches(set_), write, seed, as_json, quiet, encoding)
        return
    if chain is None:
        raise BadInput(
            "Say what to fill: --chain 'arrest:obj escape:subj ?', or --story TEXT --ending 'One.' --ending 'Other.', or a FILE "
            "with a story"
        )
    from scenarist.verbs.fill import fill as fill_gap

    if html is not None:
        check_output(html, (), force)
    if compare:
        if by or set_:
            raise BadInput("--compare names the models itself; leave --by and --set out.")
        models = [name.strip() for name in compare.split(",") if name.strip()]
        show_compared(chain, models, answer, model, scenario, top, source, html, as_json)
        return
    if answer:
        raise BadInput("--answer goes with --compare: its rank by each model is shown.")
    filled = fill_gap(chain, model=by, folder=model, scenario=scenario, settings=switches(set_), top=top, source=source)
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
    from scenarist.cli.console import console, print_table

    say = console()
    chain = list(filled.chain)
    if filled.gap is not None:
        chain.insert(filled.gap, "___")
    say.print(f"{'  '.join(chain)}   ({filled.model}; {filled.learned})", markup=False, style="bold")
    rows: list[tuple[str, ...]] = []
    for place, candidate in enumerate(filled.candidates, start=1):
        votes = ", ".join(candidate.votes) or "frequency alone"
        where = [*candidate.seen, *(f"script: {name}" for name in candidate.scripts)]
        rows.append((str(place), candidate.event, f"{candidate.logp:.2f}", votes, "\n".join(where)))
    heads: tuple[str, ...] = ("", "event", "ln P", "voted for by", "seen together in")
    if not any(row[-1] for row in rows):  # the package's own counts name no documents
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    print_table(say, heads, rows, right=("", "ln P"), framed=False)
    if filled.note:
        say.print(filled.note, markup=False)
    if html is not None:
        say.print(f"The page is in {html}.", markup=False)


def show_compared(
    chain: str,
    models: list[str],
    answer: str,
    folder: Path | None,
    scenario: str,
    top: int,
    source: str,
    html: Path | None,
    as_json: bool,
) -> None:
    """Models side by side, for a terminal, with the page where it is asked for."""
    from scenarist.cli.console import console, json_out, print_table
    from scenarist.pages.eventcloze import compared_page, rank_text
    from scenarist.verbs.compare_models import compare_models
    from scenarist.verbs.save import save_page

    compared = compare_models(chain, models, answer=answer, folder=folder, scenario=scenario, top=top, source=source)
    if html is not None:
        save_page(html, compared_page(compared))
    if as_json:
        json_out(compared)
        return
    say = console()
    events = list(compared.chain)
    if compared.gap is not None:
        events.insert(compared.gap, "___")
    say.print(f"{'  '.join(events)}   ({compared.learned})", markup=False, style="bold")
    rows = [
        (str(place + 1), *(marked_event(column.events, place, compared.answer) for column in compared.columns))
        for place in range(max(len(column.events) for column in compared.columns))
    ]
    if compared.answer:
        rows.append((f"rank of {compared.answer}", *(rank_text(column.rank) for column in compared.columns)))
    print_table(say, ("", *(column.model for column in compared.columns)), rows, framed=False)
    for note in compared.notes:
        say.print(note, markup=False)
    if html is not None:
        say.print(f"The page is in {html}.", markup=False)


def marked_event(events: tuple[str, ...], place: int, answer: str) -> str:
    """An event of a column, the answer with a mark."""
    if place >= len(events):
        return ""
    return f"{events[place]} ✓" if events[place] == answer else events[place]


def fill_story(
    story: Path | str,
    endings: list[str],
    by: str,
    settings: Mapping[str, Any],
    write: int,
    seed: int,
    as_json: bool,
    quiet: bool,
    encoding: str,
) -> None:
    """Choose between endings of a story, or write some; a CSV is answered line by line."""
    from scenarist.cli.console import console, json_out
    from scenarist.errors import BadInput
    from scenarist.verbs.fill import fill as fill_gap
    from scenarist.verbs.inputs import text_of

    if isinstance(story, Path) and story.suffix == ".csv":
        if endings:
            raise BadInput(f"{story}: a CSV holds its endings; leave --ending out.")
        fill_lines(story, by, settings)
        return
    if isinstance(story, Path) and encoding != "utf-8":
        story = text_of(story, "fill", encoding=encoding).text
    say = console().print
    if not endings:
        if by or settings:
            raise BadInput("--by and --set name a model that chooses between endings; give some, each with --ending.")
        written = fill_gap(story=story, count=write, seed=seed)
        if as_json:
            json_out(written)
        else:
            for line in written.endings[:1] if quiet else written.endings:
                say(line, markup=False)
        return
    prediction = fill_gap(story=story, endings=endings, model=by, settings=settings)
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
