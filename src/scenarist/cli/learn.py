"""`scenarist learn`: event chains and their counts from a corpus or from your own text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.options import Encoding, Jobs, Strict, examples, skipping

if TYPE_CHECKING:
    from scenarist.verbs.learn import CountsCard

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist learn stories/ -o model",
        "scenarist learn rocstories -o model --jobs 2",
        "scenarist learn toy --by-scenario -o model",
        "scenarist fill --model model --chain 'arrest:obj ?'",
    )
)
def learn(
    sources: list[str] = typer.Argument(
        metavar="CORPUS|FILE|FOLDER|-...",
        help="A corpus (see: scenarist corpus list; jsonl:FILE is one), or text files, folders and archives.",
    ),
    out: Path = typer.Option(..., "-o", "--out", help="Folder for chains, count tables and arrays."),
    split: str | None = typer.Option(None, help="train (default), dev or test; your own texts are taken whole."),
    reader: str = typer.Option("default", help="Who reads plain text: default, spacy:NAME, corenlp:URL."),
    engine: str = typer.Option("duckdb", help="duckdb (here) or spark (a cluster)."),
    master: str = typer.Option("local[2]", help="Spark master: local[N], spark://HOST:PORT, yarn or k8s://URL."),
    memory: str = typer.Option(
        "2GB", help="Memory for counting, on Spark of each executor; what does not fit goes to disk."
    ),
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    strict: Strict = False,
    dedup: bool = typer.Option(True, help="Leave out exact and near-duplicate documents."),
    args: str = typer.Option("single", help="single: verb and role; multi: all arguments as variables."),
    minimum: int = typer.Option(2, "--min", min=1, help="Shortest chain that is counted."),
    window: int = typer.Option(24, min=1, help="Events farther apart in a chain are not paired."),
    by_scenario: bool = typer.Option(False, "--by-scenario", help="Also keep one model per scenario label."),
    limit: int | None = typer.Option(None, min=1, help="Only the first so many stories (or chains)."),
    refresh: bool = typer.Option(False, help="Start anew instead of going on where a run stopped."),
    as_json: bool = typer.Option(False, "--json", help="Print the card as JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Learn event counts from a corpus; an interrupted run goes on with the same command."""
    from scenarist.cli.console import kept, progress
    from scenarist.verbs.learn import learn as learn_counts
    from scenarist.verbs.save import check_output_folder

    check_output_folder(out, (), sources)
    with skipping(strict) as skips:
        with kept(), progress(quiet) as advance:
            card = learn_counts(
                sources, out, split=split or "", reader=reader, engine=engine, master=master, memory=memory, jobs=jobs, dedup=dedup,
                args=args, minimum=minimum, window=window, by_scenario=by_scenario, limit=limit, refresh=refresh, progress=advance,
                encoding=encoding, skip=skips,
            )  # fmt: skip
        show(card, out, dedup, as_json, quiet)


def show(card: CountsCard, out: Path, dedup: bool, as_json: bool, quiet: bool) -> None:
    """What was learned, and what to type next."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.learn import example_chain

    if as_json:
        json_out(card)
        return
    if quiet:
        return
    say = console().print
    say(
        f"{out}: {card.events:,} events in {card.chains:,} chains of {card.documents:,} documents ({card.corpus}, read by {card.reader})."
    )
    if dedup:
        say(f"Left out as duplicates: {card.exact:,} exact, {card.near:,} near ({card.dedup}).")
    kinds, pairs = card.tables["events"], card.tables["unordered"]
    say(
        f"{kinds:,} kinds of event and {pairs:,} pairs of them, from chains of {card.minimum} or more, by {card.engine}."
    )
    if card.resumed:
        say(f"{card.resumed:,} of {card.shards:,} shards were there already.")
    if card.least > 1:
        say(f"{out / 'counts.npz'} holds the pairs seen {card.least} times or more; the tables hold all.")
    for path in card.rebuilt:
        say(f"A damaged shard was made again: {path}")
    if card.scenarios:
        say(f"{len(card.scenarios):,} scenarios have a model of their own under {out / 'scenarios'}.")
    say(f'Try: scenarist fill --model {out} --chain "{example_chain(out)} ?"', markup=False)
