"""`scenarist read`: a story's scenarios, events, and what goes without saying, in a terminal, as JSON, as a page."""

from __future__ import annotations

import itertools
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Encoding, Files, Force, Jobs, Strict, examples, skipping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from scenarist.answers import ReadFolder
    from scenarist.interpretation import Interpretation

app = typer.Typer(add_completion=False)
HUES = ("blue", "dark_orange3", "green4", "deep_pink3", "purple", "gold3", "dark_cyan", "red3")


@app.command(
    epilog=examples(
        "scenarist read story.txt",
        "scenarist read story.txt --html story.html",
        "echo 'We went to a restaurant ...' | scenarist read -",
        "scenarist read stories/ more.zip -o out --jobs 2",
        "scenarist read story.txt --scripts scripts/",
    )
)
def read(
    files: Files,
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object a story and line (see the docs)."),
    html: Path | None = typer.Option(
        None, "--html", metavar="FILE", help="Write one self-contained page (of a single story)."
    ),
    out: Path | None = typer.Option(
        None,
        "-o",
        "--out",
        help="Folder for accounts.jsonl, chains.parquet and untold.parquet; an interrupted run goes on.",
    ),
    encoding: Encoding = "utf-8",
    jobs: Jobs = 1,
    title: str = typer.Option("", help="Title of the story."),
    scripts: str = typer.Option(
        "", metavar="FOLDER", help="Scripts of your own, written or learned, known beside the library."
    ),
    strict: Strict = False,
    force: Force = False,
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress and no legend."),
) -> None:
    """Read a story: which scenarios it tells, who does what, and what goes without saying."""
    from scenarist.cli.console import kept, progress
    from scenarist.verbs.inputs import count_texts, single_size, titled_texts
    from scenarist.verbs.read import own_scripts
    from scenarist.verbs.read_folder import FILES, read_folder
    from scenarist.verbs.save import check_output, check_output_folder

    if html:
        check_output(html, files, force)
    if out:
        check_output_folder(out, FILES, files, force)
    with own_scripts(scripts), skipping(strict) as skips:
        texts = titled_texts(files, "read", encoding, title, skips)
        if out:
            with kept("stories"), progress(quiet) as advance:
                folder = read_folder(texts, out, jobs, advance, count_texts(files), single_size(files), force)
            if not quiet:
                show_folder(folder, out)
            return
        print_readings(texts, files, jobs, as_json, html, quiet)


def print_readings(
    texts: Iterable[tuple[str, str, str]], files: list[str], jobs: int, as_json: bool, html: Path | None, quiet: bool
) -> None:
    """Each story in the terminal or as JSON, the page of a single one."""
    from scenarist.cli.console import console, progress
    from scenarist.errors import BadInput
    from scenarist.parallel import Pace, paced
    from scenarist.verbs.read import read_all

    texts = iter(texts)
    first = list(itertools.islice(texts, 2))
    if html and len(first) > 1:
        raise BadInput(
            f"{' '.join(files)} holds more than one story, and --html shows one. Read them one by one, or use -o FOLDER."
        )
    size = len(first[0][1]) if len(first) == 1 else 0
    with progress(quiet or not size) as advance, paced(Pace(advance, size) if size else None):
        readings = read_all(itertools.chain(first, texts), jobs if len(first) > 1 else 1)
        single = list(itertools.islice(readings, 1)) if size else []
    for interpretation in itertools.chain(single, readings):
        if html:
            write_page(html, interpretation)
        if as_json:
            import msgspec

            sys.stdout.write(msgspec.json.encode(interpretation).decode() + "\n")
        elif not (html and quiet):
            show(interpretation, console(), quiet)
    if html and not quiet and not as_json:
        print(f"The page is in {html}.")


def write_page(path: Path, interpretation: Interpretation) -> None:
    """The page of an interpretation."""
    from scenarist.pages.story import story_page
    from scenarist.verbs.save import save_page

    save_page(path, story_page(interpretation))


def show_folder(folder: ReadFolder, out: Path) -> None:
    """How much was read, and where it is."""
    print(f"{folder.interpretations} interpretations are in {folder.file}", end="")
    if folder.missing:
        print(f". No Parquet: {folder.missing}")
    else:
        chains, untold = out / "chains.parquet", out / "untold.parquet"
        print(f", {folder.chains} chains in {chains}, {folder.untold} untold events in {untold}.")


def plain(text: str) -> str:
    """Text that cannot steer a terminal: control characters other than line breaks and tabs are shown as a mark.

    >>> plain("red \x1b[31m alert\x07")
    'red �[31m alert�'
    """
    return "".join(one if one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cf", "Cs") else "�" for one in text)


def show(interpretation: Interpretation, out: Console, quiet: bool) -> None:
    """The interpretation in a terminal: bands beside the text, the unsaid in dim italics at their place, chains below."""
    from rich.text import Text

    from scenarist.pages.story import placed

    story = interpretation.story
    out.print(Text(plain(story.title or story.id), style="bold"))
    for remark in interpretation.remarks:
        out.print(Text(plain(remark), style="yellow"))
    width = max(40, min(out.width, 100)) - 4
    order = list(dict.fromkeys(name for segment in story.segments for name in segment.names[:1]))
    for start, stop, segment, mine in placed(story, interpretation.untold):
        hue = HUES[order.index(segment.names[0]) % len(HUES)] if segment else "bright_black"
        bar = Text("┃ " if segment else "  ", style=hue)
        out.print()
        if segment:
            label = Text(f"{segment.names[0]} {segment.labels[0].weight:.0%}", style=f"bold {hue}")
            if len(segment.names) > 1:
                label.append(f"  also {', '.join(segment.names[1:])}", style="not bold bright_black")
            if segment.why:
                label.append(f"  ({plain(' · '.join(segment.why[:5]))})", style="not bold bright_black")
            out.print(bar + label, soft_wrap=True)
        at = start
        for one in [*mine, None]:
            to = stop if one is None else max(at, min(one.at, stop))
            if words := " ".join(plain(story.text[at:to]).split()):
                for line in Text(words).wrap(out, width):
                    out.print(bar + line)
            if one is not None:
                lead = "     also: " if one.folded else "   ⋯ "
                out.print(bar + Text(f"{lead}{one.phrase} ({one.probability:.0%})", style="dim italic"))
            at = to
    show_chains(interpretation, out)
    if not quiet:
        out.print()
        out.print(
            Text(
                "⋯ goes without saying, and how likely it happened; --html shows the reasons, --json all of it.",
                style="dim",
            )
        )


def show_chains(interpretation: Interpretation, out: Console) -> None:
    """What each participant does."""
    from rich.text import Text

    from scenarist.pages.story import NOBODY, called

    story = interpretation.story
    names = {one.id: called(story, one) for one in story.entities if not one.members or len(one.mentions) > 1}
    shown = [
        chain
        for chain in interpretation.chains
        if len(chain.links) > 1 and names.get(chain.entity, "nobody").lower() not in NOBODY
    ][:6]
    if shown:
        out.print()
    for chain in shown:
        name = names[chain.entity]
        star = "*" if chain.entity == interpretation.protagonist else " "
        line = Text(f"{star} {plain(name)}: ", style="bold")
        steps = ", ".join(f"{link.predicate.replace('_', ' ')}:{link.role}" for link in chain.links)
        line.append(plain(steps), style="not bold")
        out.print(line, soft_wrap=True)
    for event, place in interpretation.denied:
        out.print(
            Text(
                f"  said not to have happened: {event.replace('_', ' ')} (“{plain(story.of(story.events[place]))}”)",
                style="red",
            )
        )
