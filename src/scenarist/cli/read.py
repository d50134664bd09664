"""`scenarist read`: a story's scenarios, events, and what goes without saying, in a terminal, as JSON, as a page."""

from __future__ import annotations

import itertools
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from scenarist.interpretation import Interpretation

app = typer.Typer()
Named: TypeAlias = tuple[str, str, str]
HUES = ("blue", "dark_orange3", "green4", "deep_pink3", "purple", "gold3", "dark_cyan", "red3")


@app.command(
    epilog="Examples: scenarist read story.txt | scenarist read story.txt --html story.html | "
    "echo 'We went to a restaurant ...' | scenarist read - | scenarist read stories/ -o out --jobs 2"
)
def read(
    source: str = typer.Argument(
        metavar="FILE|-|FOLDER", help="A text file, - for standard input, a folder or an archive."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object a story and line (see the docs)."),
    html: Path | None = typer.Option(None, help="Write one self-contained page (of a single story)."),
    out: Path | None = typer.Option(
        None,
        "-o",
        "--out",
        help="Folder for accounts.jsonl, chains.parquet and untold.parquet; an interrupted run goes on.",
    ),
    encoding: str = typer.Option("utf-8", help="Encoding of the files."),
    jobs: int = typer.Option(1, "--jobs", "-j", min=1, help="Processes; the result is the same whatever their number."),
    title: str = typer.Option("", help="Title of the story."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress and no legend."),
) -> None:
    """Read a story: which scenarios it tells, who does what, and what goes without saying."""
    from scenarist.cli.console import progress
    from scenarist.errors import BadInput

    if html and html.is_dir():
        raise BadInput(f"{html} is a folder; expected the name of a file to write, e.g. {html}/story.html")
    if out and out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; expected a folder to write accounts.jsonl to.")
    texts = list_texts(source, encoding, title)
    if out:
        with progress(quiet) as advance:
            stream(texts, out, jobs, advance, quiet)
        return
    from scenarist.verbs.read import read_all

    first = list(itertools.islice(texts, 2))
    if html and len(first) > 1:
        raise BadInput(
            f"{source} holds more than one story, and --html shows one. Read them one by one, or use -o FOLDER."
        )
    if len(first) == 1 and not first[0][1].strip():
        raise BadInput(f"{source}: expected a story, found an empty text.")
    for interpretation in read_all(itertools.chain(first, texts), jobs if len(first) > 1 else 1):
        if html:
            write_page(html, interpretation)
        if as_json:
            import msgspec

            sys.stdout.write(msgspec.json.encode(interpretation).decode() + "\n")
        elif not (html and quiet):
            from scenarist.cli.console import console

            show(interpretation, console(), quiet)
    if html and not quiet and not as_json:
        print(f"The page is in {html}.")


def list_texts(source: str, encoding: str, title: str) -> Iterator[Named]:
    """The texts of a source as (id, text, title)."""
    from scenarist.errors import BadInput
    from scenarist.reading.batch import texts

    if source == "-":
        raw = sys.stdin.buffer.read()
        try:
            yield "stdin", raw.decode(encoding), title
        except (UnicodeDecodeError, LookupError) as error:
            raise BadInput(f"standard input is not {encoding}: {error}. Name its encoding with --encoding.") from error
        return
    if not Path(source).exists():
        raise BadInput(
            f"{source}: there is no such file or folder. Type: scenarist read FILE, or - for standard input."
        )
    for one in texts([Path(source)], encoding):
        yield one.id, one.text, title or name_of(one.id)


def name_of(file: str) -> str:
    """A title from a file's name.

    >>> name_of("two-scenarios_at-once.txt")
    'Two scenarios at once'
    """
    words = Path(file).stem.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def write_page(path: Path, interpretation: Interpretation) -> None:
    """The page of an interpretation."""
    from scenarist.pages.story import story_page
    from scenarist.store.home import write_whole

    write_whole(path, [story_page(interpretation).encode()])


def stream(texts: Iterator[Named], out: Path, jobs: int, advance: object, quiet: bool) -> None:
    """Interpretations to a folder, one JSON line each, and their tables; what an earlier run wrote is kept and passed over."""
    from scenarist.errors import BadInput, Missing
    from scenarist.verbs.read import read_lines
    from scenarist.verbs.read_tables import ReadTables, table_rows

    file = out / "accounts.jsonl"
    missing = ""
    with ExitStack() as stack:
        try:
            out.mkdir(parents=True, exist_ok=True)
            end = 0
            known: set[str] = set()
            tables: ReadTables | None = None
            try:
                tables = stack.enter_context(ReadTables(out))
            except Missing as error:
                missing = str(error)
            for interpretation, stop in already(file):
                end = stop
                known.add(interpretation.story.id)
                if tables:
                    tables.add(table_rows(interpretation))
            with file.open("r+b" if end else "wb") as kept:
                kept.seek(end)
                kept.truncate()  # a line an interruption tore
                number = len(known)
                for line in read_lines((one for one in texts if one[0] not in known), jobs, tables is not None):
                    kept.write(line.json + b"\n")
                    kept.flush()
                    if tables:
                        tables.add(line.rows)
                    number += 1
                    advance(line.id, number, 0)  # type: ignore[operator]
        except OSError as error:
            raise BadInput(f"Cannot write to {out}: {error.strerror}.") from error
    if not quiet:
        print(f"{number} interpretations are in {file}", end="")
        if tables:
            print(
                f", {tables.chains.count} chains in {tables.chains.path}, {tables.untold.count} untold events in {tables.untold.path}."
            )
        else:
            print(f". No Parquet: {missing}")


def already(file: Path) -> Iterator[tuple[Interpretation, int]]:
    """What an earlier run has read, and where each whole line ends."""
    import msgspec

    from scenarist.interpretation import Interpretation

    end = 0
    if file.exists():
        with file.open("rb") as lines:
            for line in lines:
                try:
                    interpretation = msgspec.json.decode(line, type=Interpretation)
                except (msgspec.DecodeError, ValueError):
                    break
                if not line.endswith(b"\n"):
                    break
                end += len(line)
                yield interpretation, end


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
                out.print(bar + Text(f"   ⋯ {one.phrase} ({one.probability:.0%})", style="dim italic"))
            at = to
    show_chains(interpretation, out)
    if not quiet:
        out.print()
        out.print(Text("⋯ goes without saying; --html shows the reasons, --json all of it.", style="dim"))


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
