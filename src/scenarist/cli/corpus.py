"""`scenarist corpus list | info | stats | check | merge | from-study`: what is there, what is missing, what people made."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scenarist.cli.console import Force, examples

if TYPE_CHECKING:
    from scenarist.answers import CheckedStory
    from scenarist.verbs.corpus import CorpusReport

app = typer.Typer(add_completion=False, help="List, describe and check corpora.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of a corpus; see `scenarist corpus list`.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but what was asked for.")]


@app.command("list")
def list_corpora(json: Json = False, quiet: Quiet = False) -> None:
    """All corpora: what each holds and which of its splits are at hand."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.corpus import list_corpora as look_around

    rows = look_around()
    if json:
        json_out(rows)
        return
    if quiet:
        print("\n".join(row.name for row in rows))
        return
    from scenarist.cli.console import console, print_table

    out = console()
    cells = [(row.name, row.yields, row.what, ", ".join(row.splits) or "missing") for row in rows]
    print_table(out, ("corpus", "gives", "what", "at hand"), cells, framed=False)
    missing = [row.name for row in rows if not row.splits]
    if missing:
        out.print(f"\nMissing: {', '.join(missing)}. How to get one: scenarist corpus info NAME", markup=False)


@app.command()
def info(name: Name, json: Json = False, quiet: Quiet = False) -> None:
    """What a corpus is, its licence, how to cite and obtain it, its files and its known traps."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.corpus import VARIABLE, describe_corpus, files_at_hand

    entry = describe_corpus(name)
    if json:
        json_out(entry)
        return
    from rich.padding import Padding

    from scenarist.cli.console import console as results

    console = results()
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
    console.print(f"[bold]files[/bold] in {entry.folder}/ on {VARIABLE}")
    places = files_at_hand(name)
    for file in entry.files:
        note = ", ".join(part for part in (file.split, file.what) if part)
        console.print(f"  {'+' if places[file.name] else '-'} {file.name}{f' ({note})' if note else ''}", markup=False)
    for head, lines in (
        ("expected", [f"{c.split}: {c.count:,} {c.what}" for c in entry.counts]),
        ("traps", entry.traps),
        ("contamination", (entry.contamination,) if entry.contamination else ()),
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
    force: Force = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page with figures (corpora of stories).")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count a corpus: documents, sentences, words, and of each layer how many; of an annotation of time, how its links run."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.corpus import count_corpus, story_figures

    if Path(name).suffix == ".xml" and Path(name).is_file():
        show_links(Path(name), json)
        return
    if html is not None:
        from scenarist.verbs.save import check_output

        check_output(html, [name], force)
    counted = count_corpus(name, split, limit)
    if html is not None:
        from scenarist.pages.stories import figures_page
        from scenarist.verbs.save import save_page

        save_page(html, figures_page(story_figures(name, split, limit)))
    if json:
        tables = {"counts": dict(counted.counts), "scenarios": dict(counted.scenarios), "genres": dict(counted.genres)}
        json_out({"corpus": counted.corpus, "split": counted.split, "yields": counted.yields, **tables})
        return
    from rich.table import Table

    from scenarist.cli.console import console as results

    console = results()
    if not quiet:
        console.print(f"[bold]{counted.corpus}[/bold] split {counted.split}, gives {counted.yields}")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for what, number in counted.counts:
        if number:
            table.add_row(what, f"{number:,}")
    console.print(table)
    for head, pairs in (("scenarios", counted.scenarios), ("genres", counted.genres)):
        if pairs and not quiet:
            shown = ", ".join(f"{label} {number:,}" for label, number in pairs[:8])
            console.print(f"{head}: {shown}{', ...' if len(pairs) > 8 else ''}")


def show_links(path: Path, json: bool) -> None:
    """Shares of *before* and *simultaneous* links, and how often the text tells things in the order they happened."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.corpus import time_shares

    shares = time_shares(path)
    links, stories = int(shares.pop("links")), int(shares.pop("stories"))
    if json:
        json_out({"links": links, **shares})
        return
    for name, value in shares.items():
        print(f"{name.replace('_', ' '):<14}{value:6.1%}")
    print(f"{links} links in {stories} stories")


@app.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of corpora (all that are at hand where none is given), or files of stories."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Verify corpora (files, checksums, and that each reads to its end with the expected counts), or stories by the rules for writers."""
    if names and all(Path(name).is_file() for name in names):
        from scenarist.verbs.check_stories import check_stories

        show_faults([story for name in names for story in check_stories(name)], json, quiet)
        return
    from scenarist.cli.console import json_out
    from scenarist.verbs.corpus import names_to_check, verify_corpus

    chosen = names_to_check(names or ())
    reports: list[CorpusReport] = []
    if sys.stderr.isatty() and not quiet and not json:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("checking", total=len(chosen))
            for name in chosen:

                def tick(doing: str, count: int, name: str = name) -> None:
                    progress.update(task, description=f"{name}: {doing} {count or ''}")

                reports.append(verify_corpus(name, tick))
                progress.advance(task)
    else:
        reports = [verify_corpus(name) for name in chosen]
    if json:
        json_out(reports)
    else:
        show(reports, quiet)
    code = max((report.code for report in reports), key=lambda code: {0: 0, 3: 1, 1: 2}[code], default=0)
    if code:
        raise typer.Exit(code)


def show_faults(stories: Sequence[CheckedStory], json: bool, quiet: bool) -> None:
    """Stories held against the rules for writers; a broken rule that is certain is a failed check."""
    from scenarist.cli.console import json_out

    broken = sum(any(fault.sure for fault in story.faults) for story in stories)
    if json:
        json_out(stories)
    else:
        for story in stories:
            for line in fault_lines(story):
                print(line)
        if not quiet:
            doubtful = sum(bool(story.faults) for story in stories) - broken
            fine = len(stories) - broken - doubtful
            print(
                f"Stories: {len(stories)}; with a broken rule: {broken}; with a doubt: {doubtful}; without either: {fine}."
            )
    if broken:
        raise typer.Exit(1)


def fault_lines(checked: CheckedStory) -> list[str]:
    """What is said to the writer of a story.

    >>> from scenarist.answers import CheckedStory, Fault
    >>> fault_lines(CheckedStory("mine", (Fault("length", 2, "81 characters; at most 70."),)))
    ['mine, sentence 2: length. 81 characters; at most 70.']
    """
    return [
        f"{checked.story}{f', sentence {fault.sentence}' if fault.sentence else ''}: {fault.rule}. {fault.text}"
        f"{'' if fault.sure else ' (A rule of thumb: you may know better.)'}"
        for fault in checked.faults
    ]


@app.command()
def rank(
    name: Name,
    split: Annotated[str, typer.Option(help="train, dev, test or all, as the corpus has them.")] = "",
    top: Annotated[int | None, typer.Option(min=1, help="Only the so many highest.")] = None,
    least: Annotated[int, typer.Option(help="Leave out texts with fewer content words.")] = 0,
    cutoff: Annotated[float, typer.Option(min=0, max=1, help="Leave out texts with less affinity.")] = 0.0,
    quota: Annotated[int, typer.Option(min=0, help="At most so many texts of a scenario; 0: any number.")] = 0,
    affinity: Annotated[
        str, typer.Option(metavar="FILE", help="By scenarios of your own: a file of `corpus affinity`.")
    ] = "",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank texts by their affinity to the everyday scenarios (topics and logistic regression, Wanzare et al. 2019, section 3)."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.corpus import rank_corpus

    ranked = rank_corpus(name, split, top, least, cutoff, quota, affinity)
    if json:
        json_out(ranked)
        return
    for text in ranked:
        print(text.id if quiet else f"{text.affinity:.4f}  {text.id}  {text.scenario}  ({text.words} content words)")


@app.command("affinity", epilog=examples("scenarist corpus affinity texts:activities -o mine.npz"))
def learn_affinity(
    name: Name,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="Where the affinities go, for `corpus rank --affinity`.")
    ],
    split: Annotated[str, typer.Option(help="train, dev, test or all, as the corpus has them.")] = "",
    none: Annotated[str, typer.Option(metavar="CORPUS", help="Texts that tell none of the scenarios.")] = "",
    features: Annotated[str, typer.Option(help="topics (as the paper), words, or topics+words.")] = "topics+words",
    words: Annotated[str, typer.Option(help="lemmas, common (lemmas without names) or stems (quicker).")] = "lemmas",
    topics: Annotated[int, typer.Option(min=0, help="Topics to learn from these texts; 0: the package's own.")] = 0,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Learn affinities from labelled texts of your own: a corpus with scenarios, or texts in a folder a scenario."""
    from scenarist.cli.console import console
    from scenarist.verbs.corpus import fit_affinity
    from scenarist.verbs.save import check_output

    check_output(out, (), force)
    scenarios = fit_affinity(name, out, split, none, features, words, topics)
    if not quiet:
        say = f"{len(scenarios)} scenarios. Rank texts by them: scenarist corpus rank texts:FOLDER --affinity {out}"
        console().print(say, markup=False, soft_wrap=True)


def show(reports: Sequence[CorpusReport], quiet: bool) -> None:
    """Reports as a table, with what to say about each below it."""
    from scenarist.cli.console import console, print_table

    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for report in reports:
        there = [file for file in report.files if file.path]
        known = sum(file.state == "known" for file in there)
        splits = ", ".join(
            f"{one.split} {one.count:,}{'' if one.state == 'ok' else f' ({one.state})'}" for one in report.splits
        )
        rows.append((report.corpus, report.state, f"{len(there)} of {len(report.files)}, {known} known", splits))
        notes += [f"{report.corpus}: {warning}" for warning in report.warnings]
        notes += [f"{report.corpus}: {one.message}" for one in report.splits if one.state == "bad"]
    out = console()
    print_table(out, ("corpus", "state", "files", "read"), rows, framed=False)
    for note in notes if not quiet else ():
        out.print(note, markup=False)


@app.command("merge", epilog=examples("scenarist corpus merge annotations -o gold"))
def merge_folder(
    folder: Annotated[
        Path, typer.Argument(help="Folder with a sub-folder an annotator: WebAnno .tsv or brat .ann files.")
    ],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where gold files and open decisions go.")] = None,
    adjacent: Annotated[
        bool, typer.Option("--adjacent", help="Join segments of one label that stand side by side, too.")
    ] = False,
    format: Annotated[list[str] | None, typer.Option(help="webanno, brat, jsonl; all three by default.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Merge what annotators agree on (Wanzare et al. 2019, section 3.3): gold files, and the decisions that people must take."""
    from scenarist.cli.console import json_out
    from scenarist.verbs.merge_annotations import FORMATS, merge_annotations
    from scenarist.verbs.save import check_output_folder

    if out is not None:
        check_output_folder(out, (), [folder])
    merged = merge_annotations(folder, out, adjacent, tuple(format or FORMATS))
    if json:
        json_out({"share": merged.share, **{field: getattr(merged, field) for field in merged.__struct_fields__}})
        return
    if quiet:
        print("\n".join(merged.files))
        return
    print(f"Documents: {merged.documents} with two annotators or more, {merged.alone} with one (left out).")
    print(
        f"Annotations: {merged.annotations}, of which {merged.merged} were merged automatically ({merged.share:.0%})."
    )
    print(f"Gold segments so far: {merged.segments}. Decisions left: {merged.decisions}.")
    if out is None:
        print("Nothing was written; name a folder: -o gold")


@app.command("from-study", epilog=examples("scenarist corpus from-study lab.db rate-story -o mycloze"))
def from_study(
    db: Annotated[str, typer.Argument(help="The lab's database: a file, or postgresql://USER@HOST/NAME.")],
    study: Annotated[
        str, typer.Argument(help="A study in it, e.g. write-story, rate-story (or build-storycloze), unshuffle.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the corpus and its card.")],
    filter: Annotated[
        str, typer.Option(help="Story Cloze: which ratings a case must have: paper, not-good, majority, apart.")
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed of the division into validation and test.")] = 13,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a corpus of what people gave in a study: stories, a Story Cloze set, orders, answers; with a card."""
    from scenarist.cli.console import json_out
    from scenarist.lab.yields.write import collect_corpus
    from scenarist.verbs.save import check_output_folder

    if not force:
        check_output_folder(out, ())
    card = collect_corpus(db, study, out, {"filter": filter, "seed": seed})
    if json:
        json_out(card)
        return
    if quiet:
        print("\n".join(card.files))
        return
    print(f"{card.what}: {', '.join(f'{name} {count:,}' for name, count in card.counts)}.")
    if card.left_out:
        print(f"Left out: {'; '.join(f'{reason}: {count:,}' for reason, count in card.left_out)}.")
    print(f"People: {card.people}, {card.first} to {card.last}. Card: {out / 'CARD.md'}")
    for line in card.then:
        print(f"Next: {line}")
