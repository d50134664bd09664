"""`scenarist show`: what is known of a scenario, or the index of all scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Force, Quiet, Top, examples

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from scenarist.answers import KnownEvent, KnownScript, LearnedChains, ScriptSummary

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist show 'taking a bath'",
        "scenarist show 'baking a cake' --html cake.html",
        "scenarist show --html scripts/",
        "scenarist show --chains model",
        "scenarist show arrest --chains model --html chains.html",
        "scenarist show 'taking a bath' --sdf bath.json --csv bath.csv",
    )
)
def show(
    name: str = typer.Argument(
        "", help="A scenario, by its name or an alias (see: scenarist scenarios); all where none is named."
    ),
    scripts: str = typer.Option(
        "", help="Scripts of your own: a folder of script files, one of `learn --scripts`, or an SDF file."
    ),
    chains: Path | None = typer.Option(
        None,
        metavar="DIR",
        help="Narrative chains of a folder of `learn --chains`: all, or those that have the verb or event NAME.",
    ),
    top: Top = 60,
    html: Path | None = typer.Option(
        None,
        "--html",
        metavar="FILE",
        help="Write one self-contained page; without a NAME a folder: an index and a page a script.",
    ),
    csv: Path | None = typer.Option(None, metavar="FILE", help="Write typicality norms, an event a line."),
    sdf: Path | None = typer.Option(None, metavar="FILE", help="Write KAIROS SDF 2.3."),
    graphml: Path | None = typer.Option(None, metavar="FILE", help="Write the graph as GraphML."),
    force: Force = False,
    quiet: Quiet = False,
    as_json: bool = typer.Option(False, "--json", help="Print the script as JSON."),
) -> None:
    """Show what is known of a scenario: scenes, events told or not, alternatives, sub-scripts, participants, and where each fact is
    from."""
    from scenarist.cli.console import console, json_out, piped
    from scenarist.errors import BadInput
    from scenarist.verbs.save import check_output, check_output_folder
    from scenarist.verbs.show import save_script, save_scripts, show_all
    from scenarist.verbs.show import show as show_scenario

    if chains is not None:
        if csv or sdf or graphml or scripts:
            raise BadInput(
                "--chains shows narrative chains: --html and --json go with it, --csv, --sdf, --graphml and --scripts do not."
            )
        show_narrative(chains, name, top, html, force, quiet, as_json)
        return
    if not name:
        if csv or sdf or graphml:
            raise BadInput("--csv, --sdf and --graphml write one script: name its scenario.")
        summaries = show_all(scripts)
        if html:
            check_output_folder(html, ("index.html",), (), force)
            save_scripts(html, scripts)
        if as_json:
            json_out(summaries)
        elif not quiet:
            print_index(summaries, html)
        return
    outputs = ((html, "html"), (csv, "csv"), (sdf, "sdf"), (graphml, "graphml"))
    for path, _ in outputs:
        if path:
            check_output(path, (), force)
    script = show_scenario(name, scripts)
    for path, form in outputs:
        if path:
            save_script(path, script, form)
    if as_json:
        json_out(script)
    elif not quiet:
        out = console()
        out.print(tree(script, top))
        people = ", ".join(
            f"{person.name.replace('_', ' ')} ({', '.join(person.words[:3])})" for person in script.participants
        )
        out.print(f"participants: {people}", markup=False, soft_wrap=piped())
        for kind, other in script.relations:
            out.print(f"{kind}: {other}", markup=False)
        out.print(
            "told n of m: so many tellers mention it; happened: how likely it happened, told or not.",
            style="dim",
            markup=False,
            soft_wrap=piped(),
        )
        sources = ", ".join(f"{corpus} {n}" for corpus, n in script.sources)
        out.print(
            f"{script.made or 'learned'}; tellers: {sources or 'none at hand'}",
            style="dim",
            markup=False,
            soft_wrap=piped(),
        )


def show_narrative(
    folder: Path, name: str, top: int, html: Path | None, force: bool, quiet: bool, as_json: bool
) -> None:
    """Narrative chains, a line each, and their page."""
    from scenarist.cli.console import console, json_out, piped
    from scenarist.pages.eventcloze import ORDERED, narrative_page, spoken
    from scenarist.verbs.narrative_chains import show_chains
    from scenarist.verbs.save import check_output, save_page

    narrative: LearnedChains = show_chains(folder, name)
    if html:
        check_output(html, (), force)
        save_page(html, narrative_page(narrative))
    if as_json:
        json_out(narrative)
        return
    if quiet:
        return
    out = console()
    for number, chain in enumerate(narrative.chains[:top], start=1):
        events = " → ".join(map(spoken, chain.events))
        out.print(f"{number}. {events}   (mean PMI {chain.score:.2f})", markup=False, soft_wrap=piped())
    if (left := len(narrative.chains) - top) > 0:
        out.print(f"and {left} more: --top {len(narrative.chains)}", style="dim", markup=False)
    said = f"{narrative.corpus}, {narrative.documents:,} documents; {ORDERED[narrative.ordered]}."
    out.print(said, style="dim", markup=False, soft_wrap=piped())
    if html:
        out.print(f"The page is in {html}.", markup=False, soft_wrap=True)


def tree(script: KnownScript, most: int) -> Tree:
    """Scenes, their events, alternatives together, sub-scripts below."""
    from rich.text import Text
    from rich.tree import Tree

    tellers = f"what {script.tellers} tellers tell" if script.tellers else "nobody told it at hand"
    root = Tree(Text(f"{script.scenario}: {len(script.events)} events, {tellers}", style="bold"))
    shown = script.events[:most]
    scenes = list(dict.fromkeys(event.scene for event in shown))
    for scene in scenes:
        title = scene if scene != "" else "told by many, not in the written script"
        branch = root.add(Text(title, style="bold"))
        ways: dict[str, Tree] = {}
        for event in shown:
            if event.scene != scene:
                continue
            at = branch
            if event.one_of:
                if event.one_of not in ways:
                    ways[event.one_of] = branch.add(Text(f"one of ({event.one_of}):", style="italic"))
                at = ways[event.one_of]
            leaf = at.add(line(event))
            if event.sub:
                leaf.add(Text(f"▸ {event.sub}", style="cyan"))
    if left := len(script.events) - len(shown):
        root.add(Text(f"and {left} more: --top {len(script.events)}", style="dim"))
    return root


def line(event: KnownEvent) -> Text:
    """An event on one line of the tree."""
    from rich.text import Text

    text = Text(event.phrase.replace("_", " "), style="" if not event.silent else "italic")
    told = f"told {event.told} of {event.tellers}" if event.tellers else "told –"
    mark = ", hardly ever told" if event.silent else ""
    text.append(f"   {told}, happened {event.happened:.0%}, {event.source}{mark}", style="dim")
    return text


def print_index(summaries: tuple[ScriptSummary, ...], html: Path | None) -> None:
    """All scripts, a line each."""
    from scenarist.cli.console import console, print_table

    rows = [(one.scenario, one.scenes, one.events, one.silent, one.tellers or "–", one.source) for one in summaries]
    out = console()
    right = ("scenes", "events", "hardly ever told", "tellers")
    print_table(out, ("scenario", *right, "from"), rows, right=right, framed=False)
    if html:
        out.print(f"The index is in {html / 'index.html'}.", markup=False, soft_wrap=True)
