"""`scenarist detect`: which everyday scenarios a text tells, and where."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scenarist.cli.console import Encoding, Files, Force, Jobs, Strict, examples, skipping

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from scenarist.story import Segment, Story

app = typer.Typer(add_completion=False)
COLOURS = (
    "cyan",
    "yellow",
    "green",
    "magenta",
    "blue",
    "red",
    "bright_cyan",
    "bright_yellow",
    "bright_green",
    "bright_magenta",
)


@app.command(
    epilog=examples(
        "scenarist detect story.txt",
        "scenarist detect a.txt b.txt --html found.html",
        "scenarist detect stories/ --jobs 2 -o found.jsonl",
        "cat story.txt | scenarist detect -",
    )
)
def detect(
    files: Files,
    as_json: bool = typer.Option(False, "--json", help="Print the stories with their segments as JSON."),
    html: Path | None = typer.Option(None, "--html", metavar="FILE", help="Write a page with bands beside the text."),
    webanno: Path | None = typer.Option(None, help="Write WebAnno TSV 3: a file for one text, a folder for several."),
    out: Path | None = typer.Option(
        None, "-o", "--out", metavar="FILE", help="Write the stories with their segments, one JSON object a line."
    ),
    model: str = typer.Option("library-detector", help="The model that detects."),
    least: float = typer.Option(0.1, min=0.0, max=1.0, help="Show labels of at least this weight."),
    encoding: Encoding = "utf-8",
    jobs: Jobs = 1,
    strict: Strict = False,
    force: Force = False,
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress; one line a segment, without the text."),
) -> None:
    """Find segments of everyday scenarios: label, weight, and the words that decided."""
    from scenarist.cli.console import console, json_out, progress
    from scenarist.verbs.detect import check_webanno, detect_all, detect_texts, write_stories, write_webanno
    from scenarist.verbs.inputs import count_texts
    from scenarist.verbs.save import check_output

    for path in (html, out):
        if path:
            check_output(path, files, force)
    if webanno:
        check_webanno(webanno, files)
    with skipping(strict) as skips:
        stories: list[Story] = []
        with progress(quiet) as advance:
            known = count_texts(files)
            detected = detect_all(detect_texts(files, encoding, skips), model, least, jobs=jobs)
            for number, story in enumerate(detected, start=1):
                advance("detecting, stories", number, max(number, known))
                stories.append(story)
        if html:
            from scenarist.pages.segment import segment_page
            from scenarist.verbs.save import save_page

            save_page(html, segment_page(stories))
        if webanno:
            write_webanno(webanno, stories, force)
        if out:
            write_stories(out, stories)
        if as_json:
            json_out(stories)
        elif not out:
            show(stories, console(), quiet)
        elif not quiet:
            print(f"{len(stories)} stories with their segments are in {out}.")


def show(stories: list[Story], out: Console, quiet: bool) -> None:
    """Each text in colours, or a line a segment."""
    for story in stories:
        if quiet:
            for segment in story.segments:
                names = "; ".join(f"{label.name} {label.weight:.2f}" for label in segment.labels)
                out.print(
                    f"{story.id}\t{segment.start}-{segment.stop}\t{names}\t{', '.join(segment.why)}",
                    markup=False,
                    soft_wrap=True,
                )
            continue
        out.rule(story.title or story.id, align="left")
        out.print(painted(story))
        for kind, note in story.notes:
            out.print(f"{kind}: {note}", style="dim", markup=False)


def painted(story: Story) -> Text:
    """The text in colours, each segment headed by its label, weight and deciding words."""
    from rich.text import Text

    names = list(dict.fromkeys(segment.names[0] for segment in story.segments if segment.labels))
    cuts = sorted({0, len(story.text), *(s.start for s in story.segments), *(s.stop for s in story.segments)})
    out = Text()
    for start, stop in itertools.pairwise(cuts):
        text = story.text[start:stop].strip()
        if not text:
            continue
        inside = [s for s in story.segments if s.start <= start and stop <= s.stop]
        for segment in inside:
            if segment.start == start:
                depth = sum(other.start <= segment.start and segment.stop <= other.stop for other in inside) - 1
                out.append(
                    "  " * depth + headline(segment) + "\n",
                    style=f"bold {COLOURS[names.index(segment.names[0]) % len(COLOURS)]}",
                )
        style = COLOURS[names.index(inside[-1].names[0]) % len(COLOURS)] if inside else "dim"
        bar = "┃" * max(1, len(inside)) if inside else " "
        for line in text.splitlines():
            out.append(f"{bar} ", style=style)
            out.append(line.strip() + "\n", style="" if inside else "dim")
    if not story.segments:
        out.append("No scenario of the inventory is told here.\n", style="italic")
    return out


def headline(segment: Segment) -> str:
    """Label, weight, what else, and why, in one line."""
    first, *rest = segment.labels
    line = f"{first.name} {first.weight:.2f}"
    if rest:
        line += "  (also " + ", ".join(f"{label.name} {label.weight:.2f}" for label in rest) + ")"
    return line + (f"  by: {', '.join(segment.why)}" if segment.why else "")
