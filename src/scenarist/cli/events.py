"""`scenarist events`: from plain text to events, entities and chains."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from scenarist.cli.console import Encoding, Files, Force, Html, Jobs, Strict, examples, skipping

if TYPE_CHECKING:
    from scenarist.story import Story

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist events story.txt",
        "scenarist events stories/ --jobs 2 -o chains.parquet",
        "scenarist events story.txt --html story.html",
        "echo 'Ann fell. She cried.' | scenarist events -",
    )
)
def events(
    files: Files,
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object a story and line (see the docs)."),
    conllu: bool = typer.Option(False, "--conllu", help="Print the parse with entities as CoNLL-U."),
    html: Html = None,
    out: Path | None = typer.Option(None, "-o", "--out", help="Write the chains as Parquet, one row a chain."),
    render: str = typer.Option("", help="Print the sentences as full, caveman or verb-subject instead of chains."),
    rule: str = typer.Option("paper", help="Rule of the rendering: paper or released."),
    view: str = typer.Option("cj", help="How events are counted: cj, pm, gw or dep."),
    least: int = typer.Option(1, "--min", min=1, help="Shortest chain to show."),
    reader: str = typer.Option("default", help="Reader: default, spacy:NAME, corenlp:URL, conllu, conll-coref."),
    light: bool = typer.Option(False, help="Join light verbs with their noun (take_shower)."),
    realis: bool = typer.Option(False, help="Only events that happened in the story."),
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    strict: Strict = False,
    force: Force = False,
    cache: bool = typer.Option(True, help="Remember readings on disk."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress, no notes."),
) -> None:
    """Find events, who takes part in them, and chains."""
    from scenarist.cli.console import progress
    from scenarist.errors import BadInput
    from scenarist.parallel import Pace, paced
    from scenarist.verbs import events as verb
    from scenarist.verbs.inputs import count_texts, named_texts, single_size
    from scenarist.verbs.save import check_output

    verb.check_view(view)
    if sum(map(bool, (as_json, conllu, render))) > 1:
        raise BadInput("Choose one of --json, --conllu and --render.")
    for path in (html, out):
        if path:
            check_output(path, files, force)
    settings: dict[str, Any] = {"light": light}
    if reader == "default":
        settings |= {"jobs": jobs, "cache": cache}
    shown = sys.stdout.isatty() and not (html or out)  # what is printed would run into the bar
    with skipping(strict) as skips, progress(quiet or shown) as advance:
        known, size = count_texts(files), single_size(files)

        def read() -> Iterator[Story]:
            with paced(Pace(advance, size) if size else None):
                stories = verb.events_all(named_texts(files, "events", encoding, skips), reader, **settings)
                for number, story in enumerate(stories, start=1):
                    if not size:
                        advance("reading stories", number, max(number, known))
                    yield story

        stories: Iterable[Story] = read()
        if html:
            stories = list(stories)
            write_page(html, stories, least, view)
        if out:
            written = verb.write_chains(out, stories, least, view)
            say(f"{written} chains are in {out}.", quiet)
            return
        for story in stories:
            if as_json:
                show_json(story, least, view, realis)
            elif conllu:
                sys.stdout.writelines(verb.conllu_lines(story))
            elif render:
                sys.stdout.writelines(line + "\n" for line in verb.rendered_lines(story, render, rule))
            elif not html:
                show(story, least, view, realis, quiet)
        if html:
            say(f"The page is {html}.", quiet)


def say(text: str, quiet: bool) -> None:
    """A remark beside the results."""
    if not quiet:
        print(text, file=sys.stderr)


def write_page(path: Path, stories: list[Story], least: int, view: str) -> None:
    """The page of all stories."""
    from scenarist.pages.events import events_page
    from scenarist.verbs.save import save_page

    title = stories[0].id if len(stories) == 1 else f"{len(stories)} stories"
    save_page(path, events_page(stories, title, least, view))


def show_json(story: Story, least: int, view: str, realis: bool) -> None:
    """One line of JSON: the story with all layers, its chains, and whose story it is."""
    import msgspec

    from scenarist.verbs.events import chains

    derived = chains(story, least, view, realis)
    line = {
        "schema": 1, "view": view, "story": story, "protagonist": derived.protagonist, "chains": derived.chains,
    }  # fmt: skip
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")


def show(story: Story, least: int, view: str, realis: bool, quiet: bool) -> None:
    """A story's chains for people: longest first, the protagonist marked."""
    from scenarist.cli.console import console
    from scenarist.verbs.events import chains

    out = console()
    derived = chains(story, least, view, realis)
    names = {entity.id: entity for entity in story.entities}
    longest_first = sorted(derived.chains, key=lambda chain: -len(chain))
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
    for chain in longest_first:
        entity = names[chain.entity]
        name = " ".join((entity.name or (story.of(entity.mentions[0]) if entity.mentions else entity.id)).split())
        links = []
        for link, place in zip(chain.links, chain.places, strict=True):
            args = f"({', '.join(one or '-' for one in link.args)})" if link.args else ""
            denied = "" if story.events[place].polarity else "not "
            links.append(f"{denied}{link.predicate}{arrow}{link.role}{args}")
        star = "*" if derived.protagonist == chain.entity else " "
        out.print(f"{star} {name}: {', '.join(links)}", markup=False, soft_wrap=True)
    if longest_first and not quiet:
        out.print("  (* the protagonist)", markup=False)
