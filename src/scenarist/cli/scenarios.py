"""`scenarist scenarios`: the inventory of everyday scenarios, their aliases and relations; `add` teaches one of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="List the inventory of scenarios and their relations.", invoke_without_command=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]
Seed = Annotated[int, typer.Option("--seed", help="Accepted everywhere; the same seed teaches the same.")]


@app.callback(
    epilog="Examples: scenarist scenarios | scenarist scenarios --find shop | scenarist scenarios show 'baking a cake' | "
    "scenarist scenarios add 'flying a kite' kites/"
)
def listing(
    context: typer.Context,
    find: Annotated[str, typer.Option(help="Only scenarios whose name or alias contains this.")] = "",
    unlearned: Annotated[bool, typer.Option(help="Only those without labelled text at hand.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """All scenarios of Wanzare et al. (2019), Appendix B, with the paper's counts, and those you added."""
    if context.invoked_subcommand is not None:
        return
    from scenarist.cli.console import console, json_out
    from scenarist.inventory import inventory
    from scenarist.models.scenarios.user_scenarios import taught_names

    word = find.lower()
    found = [one for one in inventory() if any(word in name.lower() for name in (one.name, *one.aliases))]
    if unlearned:
        found = [one for one in found if "mcscript" not in one.learned]
    if json:
        json_out(found)
        return
    out = console()
    if quiet:
        for one in found:
            out.print(one.name, markup=False)
        return
    from rich.table import Table

    grid = Table("scenario", "docs", "sents.", "also called", "relations", "learned from", box=None, pad_edge=False)
    for one in found:
        relations = "; ".join(f"{kind} {other}" for kind, other in one.relations)
        grid.add_row(
            one.name,
            str(one.documents),
            str(one.sentences),
            ", ".join(one.aliases),
            relations,
            ", ".join(one.learned) or "not learned",
        )
    out.print(grid)
    added = taught_names()
    if added:
        out.print("Added by you: " + ", ".join(added), markup=False)
    without = [one.name for one in found if "mcscript" not in one.learned]
    if without:
        out.print(
            f"Without labelled stories: {', '.join(without)}. Those learned from 'weak' come from stories picked by their words "
            "(training/detector/weak.toml), with DeScript's event sequences where it has them.",
            markup=False, soft_wrap=True,
        )  # fmt: skip


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A name or alias.")],
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """One scenario: counts, aliases, relations both ways, and the words that speak for it most."""
    from scenarist.cli.console import console, json_out
    from scenarist.inventory import find, inventory
    from scenarist.models.scenarios.deciding_words import strongest
    from scenarist.models.scenarios.phrase_network import carried

    one = find(name)
    words = strongest(carried(), one.name)
    back = [
        (other.name, kind)
        for other in inventory()
        for kind, there in other.relations
        if there == one.name and kind != "shares participants with"
    ]
    if json:
        json_out(
            {
                "scenario": one,
                "words": words,
                "related_from": [{"scenario": other, "relation": kind} for other, kind in back],
            }
        )
        return
    out = console()
    out.print(f"{one.name}: {one.documents} documents, {one.sentences} sentences in the paper's corpus", markup=False)
    lines = {
        "also called": ", ".join(one.aliases),
        "relations": "; ".join(f"{kind} {other}" for kind, other in one.relations),
        "from others": "; ".join(f"{other} ({kind})" for other, kind in back),
        "learned from": ", ".join(one.learned) or "not learned",
        "told by": ", ".join(words),
    }
    for what, line in lines.items():
        if line:
            out.print(f"  {what}: {line}", markup=False, soft_wrap=True)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="The new scenario's name, e.g. 'flying a kite'.")],
    stories: Annotated[
        Path, typer.Argument(help="A folder of .txt files, one story a file, or one file with a story a line.")
    ],
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """Teach a scenario of your own from about twenty stories: `detect` and `read` find it, `show` shows its script."""
    from scenarist.cli.console import console, json_out
    from scenarist.models.scenarios.user_scenarios import read_stories, teach

    report = teach(name, read_stories(stories))
    if json:
        json_out(report)
    elif not quiet:
        console().print(
            f"{report.name}: learned from {report.stories} stories ({report.sentences} sentences). Left out one fifth at a time, "
            f"{report.found:.0%} of the stories were recognised and {report.false:.1%} of other text was taken for it.\n"
            f"Kept in {report.file}; `scenarist detect`, `read` and `show` ({report.events} event types) know it from now on. "
            f"Words: {', '.join(report.words)}",
            markup=False, soft_wrap=True,
        )  # fmt: skip


@app.command()
def forget(
    name: Annotated[str, typer.Argument(help="A scenario you added.")],
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """Take back a scenario you added."""
    from scenarist.cli.console import console, json_out
    from scenarist.models.scenarios.user_scenarios import forget as drop

    file = drop(name)
    if json:
        json_out({"forgotten": name, "file": str(file)})
    elif not quiet:
        console().print(f"{name}: forgotten ({file} is removed)", markup=False)
