"""`scenarist events`: from plain text to events, entities and chains."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from scenarist.cli.console import Advance
    from scenarist.reading.batch import Text
    from scenarist.story import Story

app = typer.Typer()


@app.command(
    epilog="Examples: scenarist events story.txt | scenarist events stories/ --jobs 2 -o chains.parquet | "
    "scenarist events story.txt --html story.html | echo 'Ann fell. She cried.' | scenarist events -"
)
def events(
    files: list[str] = typer.Argument(help="Text files, folders, archives (zip, tar), or - for standard input."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object a story and line (see the docs)."),
    conllu: bool = typer.Option(False, "--conllu", help="Print the parse with entities as CoNLL-U."),
    html: Path | None = typer.Option(None, help="Write one self-contained page."),
    out: Path | None = typer.Option(None, "-o", "--out", help="Write the chains as Parquet, one row a chain."),
    render: str = typer.Option("", help="Print the sentences as full, caveman or verb-subject instead of chains."),
    rule: str = typer.Option("paper", help="Rule of the rendering: paper or released."),
    view: str = typer.Option("cj", help="How events are counted: cj, pm, gw or dep."),
    least: int = typer.Option(1, "--min", min=1, help="Shortest chain to show."),
    reader: str = typer.Option("default", help="Reader: default, spacy:NAME, corenlp:URL, conllu, conll-coref."),
    light: bool = typer.Option(False, help="Join light verbs with their noun (take_shower)."),
    realis: bool = typer.Option(False, help="Only events that happened in the story."),
    jobs: int = typer.Option(1, "--jobs", "-j", min=1, help="Processes; the result is the same whatever their number."),
    encoding: str = typer.Option("utf-8", help="Encoding of the files."),
    cache: bool = typer.Option(True, help="Remember readings on disk."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress, no notes."),
) -> None:
    """Find events, who takes part in them, and chains."""
    from scenarist.cli.console import progress
    from scenarist.errors import BadInput
    from scenarist.reading.events.views import checked

    checked(view)
    if sum(map(bool, (as_json, conllu, render))) > 1:
        raise BadInput("Choose one of --json, --conllu and --render.")
    if html and html.is_dir():
        raise BadInput(f"{html} is a folder; expected the name of a file to write, e.g. {html}/events.html")
    for name in files:
        if name != "-" and not Path(name).exists():
            raise BadInput(f"{name}: there is no such file or folder. Type: scenarist events FILE")
    settings: dict[str, Any] = {"light": light}
    if reader == "default":
        settings |= {"jobs": jobs, "cache": cache}
    with progress(quiet) as advance:
        stories: Iterable[Story] = read(files, reader, encoding, settings, advance)
        if html:
            stories = list(stories)
            write_page(html, stories, least, view)
        if out:
            from scenarist.reading.chainfile import write

            written = write(out, stories, least, view)
            say(f"{written} chains are in {out}.", quiet)
            return
        for story in stories:
            if as_json:
                show_json(story, least, view, realis)
            elif conllu:
                from scenarist.formats.conllu import as_lines

                if story.tokens:
                    sys.stdout.writelines(as_lines(story))
            elif render:
                from scenarist.reading.render import render as rendered

                sys.stdout.writelines(line + "\n" for line in rendered(story, render, rule))
            elif not html:
                show(story, least, view, realis, quiet)
    if html:
        say(f"The page is {html}.", quiet)


def say(text: str, quiet: bool) -> None:
    """A remark beside the results."""
    if not quiet:
        print(text, file=sys.stderr)


def read(files: list[str], reader: str, encoding: str, settings: dict[str, Any], advance: Advance) -> Iterator[Story]:
    """The stories of all files, named after them, read in one stream."""
    from collections import deque

    from scenarist.registry import make
    from scenarist.story import replace

    names: deque[str] = deque()

    def texts() -> Iterator[str]:
        for text in inputs(files, encoding):
            names.append(text.id)
            yield text.text

    known = sum(expected(Path(name)) for name in files)
    whole = reader in ("conllu", "conll-coref")  # a file of these may hold several documents, each with its own name
    for done, story in enumerate(make("reader", reader, **settings)(texts()), start=1):
        advance("reading", done, max(done, known))
        yield story if whole else replace(story, id=names.popleft())


def expected(path: Path) -> int:
    """How many texts a name stands for, as far as a look at the folder tells."""
    from scenarist.reading.batch import wanted

    return sum(1 for one in path.rglob("*") if wanted(one.name)) if path.is_dir() else 1


def inputs(files: list[str], encoding: str) -> Iterator[Text]:
    """Texts of files, folders, archives and standard input."""
    from scenarist.reading.batch import decoded, texts

    for name in files:
        if name == "-":
            yield decoded(sys.stdin.buffer.read(), "standard input", "stdin", encoding)
        else:
            yield from texts([Path(name)], encoding)


def write_page(path: Path, stories: list[Story], least: int, view: str) -> None:
    """The page of all stories."""
    from scenarist.pages.events import events_page
    from scenarist.store.home import write_whole

    title = stories[0].id if len(stories) == 1 else f"{len(stories)} stories"
    write_whole(path, [events_page(stories, title, least, view).encode("utf-8", "replace")])


def show_json(story: Story, least: int, view: str, realis: bool) -> None:
    """One line of JSON: the story with all layers, its chains, and whose story it is."""
    import msgspec

    from scenarist.reading.chains import chains, protagonist

    central = protagonist(story)
    line = {
        "schema": 1, "view": view, "story": story, "protagonist": central.id if central else None,
        "chains": chains(story, least, view, realis=realis),
    }  # fmt: skip
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")


def show(story: Story, least: int, view: str, realis: bool, quiet: bool) -> None:
    """A story's chains for people: longest first, the protagonist marked."""
    from scenarist.cli.console import console
    from scenarist.reading.chains import chains, protagonist

    out = console()
    central = protagonist(story)
    names = {entity.id: entity for entity in story.entities}
    found = sorted(chains(story, least, view, realis=realis), key=lambda chain: -len(chain))
    counts = (
        (len(story.sentences), "sentence", "sentences"),
        (len(story.events), "event", "events"),
        (len(story.entities), "entity", "entities"),
    )
    said = ", ".join(f"{number} {one if number == 1 else more}" for number, one, more in counts)
    out.print(f"{story.id}: {said}{'' if story.tokens else ' (there is no word in it)'}", markup=False, soft_wrap=True)
    for name, value in () if quiet else story.notes:
        if name in ("language", "cleaned"):
            out.print(f"  note: {value}", markup=False, soft_wrap=True)
    arrow = "->" if view == "dep" else ":"
    for chain in found:
        entity = names[chain.entity]
        name = " ".join((entity.name or (story.of(entity.mentions[0]) if entity.mentions else entity.id)).split())
        links = []
        for link, place in zip(chain.links, chain.places, strict=True):
            args = f"({', '.join(one or '-' for one in link.args)})" if link.args else ""
            denied = "" if story.events[place].polarity else "not "
            links.append(f"{denied}{link.predicate}{arrow}{link.role}{args}")
        star = "*" if central is not None and central.id == chain.entity else " "
        out.print(f"{star} {name}: {', '.join(links)}", markup=False, soft_wrap=True)
    if found and not quiet:
        out.print("  (* the protagonist)", markup=False)
