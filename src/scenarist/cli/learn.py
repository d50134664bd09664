"""`scenarist learn`: event chains and their counts from a corpus or from your own text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Encoding, Jobs, Strict, examples, skipping

if TYPE_CHECKING:
    from scenarist.answers import LearnedScripts
    from scenarist.verbs.learn import CountsCard

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist learn stories/ -o model",
        "scenarist learn rocstories -o model --jobs 2",
        "scenarist learn toy --by-scenario -o model",
        "scenarist fill --model model --chain 'arrest:obj ?'",
        "scenarist learn stories/ -o model --chains",
        "scenarist show --chains model",
        "scenarist learn activities/ --scripts -o scripts",
        "scenarist show 'flying a kite' --scripts scripts",
    )
)
def learn(
    sources: list[str] = typer.Argument(
        metavar="CORPUS|FILE|FOLDER|-...",
        help="A corpus (see: scenarist corpus list; jsonl:FILE is one), or text files, folders and archives.",
    ),
    out: Path = typer.Option(..., "-o", "--out", help="Folder for chains, count tables and arrays, or for scripts."),
    scripts: bool = typer.Option(
        False, "--scripts", help="Learn scripts: the scenario of a story is its label, or the folder its text lies in."
    ),
    detect: bool = typer.Option(
        False, "--detect", help="With --scripts: let the detector say which scenarios are told where."
    ),
    narrative: bool = typer.Option(
        False, "--chains", help="Also make narrative chains of the counts: events of one protagonist, in their order."
    ),
    ordered: str = typer.Option(
        "text", help="With --chains, their order: text, or classifier (learned from proScript's crowd-written scripts)."
    ),
    fewest: int = typer.Option(5, min=1, help="With --scripts: stories of a scenario below which nothing is learned."),
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
    """Learn event counts, or scripts, from a corpus; an interrupted run of counts goes on with the same command."""
    from scenarist.cli.console import kept, progress
    from scenarist.errors import BadInput
    from scenarist.verbs.learn import learn as learn_counts
    from scenarist.verbs.learn import learn_scripts
    from scenarist.verbs.save import check_output_folder

    check_output_folder(out, (), sources)
    if detect and not scripts:
        raise BadInput("--detect says how the stories of --scripts are labelled; write both.")
    if narrative and (scripts or args != "single"):
        raise BadInput(
            "--chains are made of counts of events of one protagonist: leave --scripts and --args multi out."
        )
    if ordered != "text" and not narrative:
        raise BadInput("--ordered is the order of narrative chains: write --chains, too.")
    with skipping(strict) as skips:
        if scripts:
            with progress(quiet) as advance:
                learned = learn_scripts(
                    sources, out, split=split or "", detect=detect, fewest=fewest, limit=limit, progress=advance,
                    encoding=encoding, skip=skips,
                )  # fmt: skip
            show_scripts(learned, fewest, as_json, quiet)
            return
        with kept("shards of chains"), progress(quiet) as advance:
            card = learn_counts(
                sources, out, split=split or "", reader=reader, engine=engine, master=master, memory=memory, jobs=jobs, dedup=dedup,
                args=args, minimum=minimum, window=window, by_scenario=by_scenario, limit=limit, refresh=refresh, progress=advance,
                encoding=encoding, skip=skips,
            )  # fmt: skip
        if narrative:
            from scenarist.verbs.narrative_chains import learn_chains

            chains = learn_chains(out, ordered)
        show(card, out, dedup, as_json, quiet)
        if narrative and not (as_json or quiet):
            from scenarist.cli.console import console

            say = f"{len(chains.chains)} narrative chains, ordered by {ordered}. Look at them: scenarist show --chains {out}"
            console().print(say, markup=False, soft_wrap=True)


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


def show_scripts(learned: LearnedScripts, fewest: int, as_json: bool, quiet: bool) -> None:
    """Which scripts were learned, and how to look at one."""
    from scenarist.cli.console import console, json_out

    if as_json:
        json_out(learned)
        return
    if quiet:
        return
    say = console().print
    for name, tellers, events in learned.scripts:
        say(f"{name}: {events} event types of {tellers} tellers", markup=False)
    if learned.left_out:
        few = ", ".join(f"{name} ({tellers})" for name, tellers in learned.left_out[:12])
        more = ", ..." if len(learned.left_out) > 12 else ""
        say(f"Told by fewer than {fewest}, left out: {few}{more}", markup=False, soft_wrap=True)
    if learned.unlabelled:
        say(f"{learned.unlabelled} stories belong to no scenario.", markup=False)
    name = learned.scripts[0][0]
    say(f"Look at one: scenarist show {name!r} --scripts {learned.folder}", markup=False, soft_wrap=True)
