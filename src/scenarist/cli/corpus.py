"""`scenarist corpus list | info | stats | check`: what is there, verified, and what is missing and how to get it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="List, describe and check corpora.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of a corpus; see `scenarist corpus list`.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]
Seed = Annotated[
    int, typer.Option("--seed", help="Accepted everywhere; counting and checking draw nothing.", hidden=True)
]


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode("utf-8"))


@app.command("list")
def list_corpora(json: Json = False, quiet: Quiet = False, seed: Seed = 13) -> None:
    """All corpora: what each holds and which of its splits are at hand."""
    from scenarist.corpora import at_hand as listing

    rows = listing.overview()
    if json:
        print_json(rows)
        return
    if quiet:
        print("\n".join(row.name for row in rows))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("corpus", "gives", "what", "at hand", box=None, pad_edge=False)
    for row in rows:
        there = ", ".join(row.splits) or "[dim]missing[/dim]"
        table.add_row(row.name, row.yields, row.what, there)
    console = Console()
    console.print(table)
    missing = [row.name for row in rows if not row.splits]
    if missing:
        console.print(f"\nMissing: {', '.join(missing)}. How to get one: scenarist corpus info NAME", highlight=False)


@app.command()
def info(name: Name, json: Json = False, quiet: Quiet = False, seed: Seed = 13) -> None:
    """What a corpus is, its licence, how to cite and obtain it, its files and its known traps."""
    from scenarist.corpora import manifest
    from scenarist.corpora import search_path as finding

    entry = manifest.entry(name)
    if json:
        print_json(entry)
        return
    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False)
    console.print(f"[bold]{entry.name}[/bold]  {entry.title}: {entry.what}")
    for head, body in (
        ("gives", entry.yields),
        ("cite", entry.citation),
        ("licence", entry.licence),
        ("obtain", entry.obtain),
    ):
        if body:
            console.print(f"[bold]{head}[/bold]")
            console.print(Padding(body, (0, 0, 0, 2)), markup=False)
    console.print(f"[bold]files[/bold] in {entry.folder}/ on {finding.VARIABLE}")
    for file in entry.files:
        found = finding.locate(name, file.name)
        note = ", ".join(part for part in (file.split, file.what) if part)
        console.print(f"  {'+' if found else '-'} {file.name}{f' ({note})' if note else ''}", markup=False)
    for head, lines in (
        ("expected", [f"{c.split}: {c.count:,} {c.what}" for c in entry.counts]),
        ("traps", entry.traps),
    ):
        if lines:
            console.print(f"[bold]{head}[/bold]")
            for line in lines:
                console.print(Padding(f"- {line}", (0, 0, 0, 2)), markup=False)


@app.command()
def stats(
    name: Annotated[
        str,
        typer.Argument(help="Name of a corpus, or a file: stories (CSV, JSONL) or temporal links (XML, TimeML-like)."),
    ],
    split: Annotated[str, typer.Option(help="train, dev, test or all.")] = "",
    limit: Annotated[int | None, typer.Option(help="Count the first N only.", min=1)] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a page with figures (corpora of stories).")] = None,
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """Count a corpus: documents, sentences, words, and of each layer how many; of an annotation of time, how its links run."""
    from scenarist.corpora import stats as counting

    if Path(name).suffix == ".xml" and Path(name).is_file():
        links_of(Path(name), json)
        return
    found = counting.describe(corpus_of(name, split), limit)
    if html is not None:
        from scenarist.bench.analyses.stories import figures
        from scenarist.errors import BadInput
        from scenarist.pages.stories import figures_page
        from scenarist.store.home import write_whole

        if found.yields != "Story":
            raise BadInput(f"--html draws corpora of stories; {name} gives {found.yields}.")
        counted = figures(corpus_of(name, split), limit)
        write_whole(html, [figures_page(counted).encode()])
    if json:
        tables = {"counts": dict(found.counts), "scenarios": dict(found.scenarios), "genres": dict(found.genres)}
        print_json({"corpus": found.corpus, "split": found.split, "yields": found.yields, **tables})
        return
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not quiet:
        console.print(f"[bold]{found.corpus}[/bold] split {found.split}, gives {found.yields}")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for what, number in found.counts:
        if number:
            table.add_row(what, f"{number:,}")
    console.print(table)
    for head, pairs in (("scenarios", found.scenarios), ("genres", found.genres)):
        if pairs and not quiet:
            shown = ", ".join(f"{label} {number:,}" for label, number in pairs[:8])
            console.print(f"{head}: {shown}{', ...' if len(pairs) > 8 else ''}")


def corpus_of(name: str, split: str) -> Any:
    """A corpus by name, or the stories of a file."""
    from scenarist.registry import make

    if Path(name).is_file():
        return make("corpus", "rocstories", path=name, split=split or "all")
    return make("corpus", name, **({"split": split} if split else {}))


def links_of(path: Path, json: bool) -> None:
    """Shares of *before* and *simultaneous* links, and how often the text tells things in the order they happened."""
    from scenarist.bench.analyses.temporal import read_links, shares

    links = read_links(path)
    found = shares(links)
    if json:
        print_json({"links": len(links), **found})
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):<14}{value:6.1%}")
    print(f"{len(links)} links in {len({link.story for link in links})} stories")


@app.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of corpora (all that are at hand where none is given), or files of stories."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """Verify corpora (files, checksums, and that each reads to its end with the expected counts), or stories by the rules for writers."""
    if names and all(Path(name).is_file() for name in names):
        check_files([Path(name) for name in names], json, quiet)
        return
    from scenarist.corpora import at_hand as listing
    from scenarist.corpora import manifest
    from scenarist.corpora.checking import Report
    from scenarist.corpora.checking import check as checked

    chosen = [manifest.entry(name).name for name in names or ()] or [
        row.name for row in listing.overview() if row.splits
    ]
    reports: list[Report] = []
    if sys.stderr.isatty() and not quiet and not json:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("checking", total=len(chosen))
            for name in chosen:

                def tick(doing: str, count: int, name: str = name) -> None:
                    progress.update(task, description=f"{name}: {doing} {count or ''}")

                reports.append(checked(name, tick))
                progress.advance(task)
    else:
        reports = [checked(name) for name in chosen]
    if json:
        print_json(reports)
    else:
        show(reports, quiet)
    code = max((report.code for report in reports), key=lambda one: {0: 0, 3: 1, 1: 2}[one], default=0)
    if code:
        raise typer.Exit(code)


def check_files(paths: list[Path], json: bool, quiet: bool) -> None:
    """Stories against the rules for writers; a broken rule that is certain is a failed check."""
    from scenarist.cli.check_stories import check_stories, lines_of

    found = [checked for path in paths for checked in check_stories(path)]
    broken = sum(any(fault.sure for fault in one.faults) for one in found)
    if json:
        print_json(found)
    else:
        for one in found:
            for line in lines_of(one):
                print(line)
        if not quiet:
            doubtful = sum(bool(one.faults) for one in found) - broken
            fine = len(found) - broken - doubtful
            print(
                f"Stories: {len(found)}; with a broken rule: {broken}; with a doubt: {doubtful}; without either: {fine}."
            )
    if broken:
        raise typer.Exit(1)


@app.command()
def rank(
    name: Name,
    split: Annotated[str, typer.Option(help="train, dev, test or all, as the corpus has them.")] = "",
    top: Annotated[int | None, typer.Option(min=1, help="Only the so many highest.")] = None,
    least: Annotated[int, typer.Option(help="Leave out texts with fewer content words.")] = 0,
    json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 13,
) -> None:
    """Rank texts by their affinity to the everyday scenarios (topics and logistic regression, Wanzare et al. 2019, section 3)."""
    from scenarist.errors import BadInput
    from scenarist.learning.affinity import rank as ranked
    from scenarist.registry import make
    from scenarist.story import Story

    corpus = make("corpus", name, **({"split": split} if split else {}))
    if not isinstance(next(iter(corpus), None), Story):
        raise BadInput(f"{name}: expected a corpus of stories to rank; see: scenarist corpus list")
    found = ranked(corpus, top, least)
    if json:
        print_json(found)
        return
    for one in found:
        print(one.id if quiet else f"{one.affinity:.4f}  {one.id}  {one.scenario}  ({one.words} content words)")


def show(reports: list[Any], quiet: bool) -> None:
    """Reports as a table, with what to say about each below it."""
    from rich.console import Console
    from rich.table import Table

    table = Table("corpus", "state", "files", "read", box=None, pad_edge=False)
    notes: list[str] = []
    for report in reports:
        there = [file for file in report.files if file.path]
        known = sum(file.state == "known" for file in there)
        splits = ", ".join(
            f"{one.split} {one.count:,}{'' if one.state == 'ok' else f' ({one.state})'}" for one in report.splits
        )
        table.add_row(report.corpus, report.state, f"{len(there)} of {len(report.files)}, {known} known", splits)
        notes += [f"{report.corpus}: {warning}" for warning in report.warnings]
        notes += [f"{report.corpus}: {one.message}" for one in report.splits if one.state == "bad"]
    console = Console(highlight=False)
    console.print(table)
    for note in notes if not quiet else ():
        console.print(note, markup=False)
