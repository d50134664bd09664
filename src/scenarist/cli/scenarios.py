"""`scenarist scenarios`: the inventory of everyday scenarios, their aliases and relations; `add` teaches one of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenarist.cli.console import examples

app = typer.Typer(
    add_completion=False, help="List the inventory of scenarios and their relations.", invoke_without_command=True
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]


@app.callback(
    epilog=examples(
        "scenarist scenarios",
        "scenarist scenarios --find shop",
        "scenarist scenarios show 'baking a cake'",
        "scenarist scenarios add 'flying a kite' kites/",
    )
)
def listing(
    context: typer.Context,
    find: Annotated[str, typer.Option(help="Only scenarios whose name or alias contains this.")] = "",
    unlearned: Annotated[bool, typer.Option(help="Only those without labelled text at hand.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """All scenarios of Wanzare et al. (2019), Appendix B, with the paper's counts, and those you added."""
    if context.invoked_subcommand is not None:
        return
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.scenarios import added_scenarios, scenarios

    chosen = scenarios(find, unlearned)
    if json:
        json_out(chosen)
        return
    out = console()
    if quiet:
        for scenario in chosen:
            out.print(scenario.name, markup=False)
        return
    from scenarist.cli.console import print_table

    rows: list[tuple[str, ...]] = []
    for scenario in chosen:
        relations = "; ".join(f"{kind} {other}" for kind, other in scenario.relations)
        rows.append(
            (
                scenario.name,
                str(scenario.documents),
                str(scenario.sentences),
                ", ".join(scenario.aliases),
                relations,
                ", ".join(scenario.learned) or "not learned",
            )
        )
    heads = ("scenario", "docs", "sents.", "also called", "relations", "learned from")
    print_table(out, heads, rows, right=("docs", "sents."), framed=False)
    added = added_scenarios()
    if added:
        out.print("Added by you: " + ", ".join(added), markup=False)
    without = [scenario.name for scenario in chosen if "mcscript" not in scenario.learned]
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
) -> None:
    """One scenario: counts, aliases, relations both ways, and the words that speak for it most."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.scenarios import scenario as look_up

    known = look_up(name)
    if json:
        json_out(known)
        return
    out, scenario = console(), known.scenario
    out.print(
        f"{scenario.name}: {scenario.documents} documents, {scenario.sentences} sentences in the paper's corpus",
        markup=False,
    )
    lines = {
        "also called": ", ".join(scenario.aliases),
        "relations": "; ".join(f"{kind} {other}" for kind, other in scenario.relations),
        "from others": "; ".join(f"{other.scenario} ({other.relation})" for other in known.related_from),
        "learned from": ", ".join(scenario.learned) or "not learned",
        "told by": ", ".join(known.words),
    }
    for what, line in lines.items():
        if line:
            out.print(f"  {what}: {line}", markup=False, soft_wrap=True)


@app.command()
def gaps(
    name: Annotated[str, typer.Argument(help="A name or alias.")],
    least: Annotated[float, typer.Option(min=0.0, max=1.0, help="Told by so many of the tellers, as a share.")] = 0.1,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What many tell of an activity and its script has not: proposals for the library."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.show import script_gaps

    found = script_gaps(name, least)
    if json:
        json_out(found)
        return
    out = console()
    for gap in found:
        where = f", near {' and '.join(gap.near)}" if gap.near else ""
        line = (
            gap.phrase
            if quiet
            else f"{gap.phrase}: told by {gap.told} of {gap.tellers}, at {gap.place:.0%} of the telling{where}"
        )
        out.print(line, markup=False, soft_wrap=True)
    if not found and not quiet:
        out.print(f"Nothing that {least:.0%} of the tellers tell is missing in the script.", markup=False)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="The new scenario's name, e.g. 'flying a kite'.")],
    stories: Annotated[
        Path, typer.Argument(help="A folder of .txt files, one story a file, or one file with a story a line.")
    ],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Teach a scenario of your own from about twenty stories: `detect` and `read` find it, `show` shows its script."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.scenarios import add_scenario

    report = add_scenario(name, stories)
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
) -> None:
    """Take back a scenario you added."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.scenarios import forget_scenario

    file = forget_scenario(name)
    if json:
        json_out({"forgotten": name, "file": str(file)})
    elif not quiet:
        console().print(f"{name}: forgotten ({file} is removed)", markup=False)
