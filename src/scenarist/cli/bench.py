"""`scenarist bench`: run a published table beside our own rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from scenarist.cli.console import Force, examples

if TYPE_CHECKING:
    from scenarist.verbs.run_table import Sheet

MODEL_WIDTH = 18
"""The first column of a table keeps this width where a name needs it; longer names go on below."""

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist bench --list",
        "scenarist bench toy --html toy.html",
        "scenarist bench toy --only constant,random --json",
        "scenarist bench --explain 'mrr|exam:eventcloze|data:toy#12ab|seed:13|v:0.2'",
    )
)
def bench(
    table: str = typer.Argument("", help="Table, e.g. toy, storycloze2016; or a TOML file of your own."),
    split: str = typer.Option("", help="dev (where none is named) or test (train for a look)."),
    corpus: str = typer.Option("", help="The same rows on another corpus, e.g. webanno:DIR, brat:DIR, storycloze:DIR."),
    annotations: str = typer.Option(
        "", help="Folder of annotations by several people (WebAnno TSV, brat, or the lab's), for the table agreement."
    ),
    answers: str = typer.Option(
        "", help="Folder of a study: an exam folder with people's predictions; tables of models get rows for people."
    ),
    only: str = typer.Option("", help="Rows to run, joined by commas."),
    limit: int | None = typer.Option(None, min=1, help="At most so many items a condition."),
    seed: int | None = typer.Option(None, help="One seed instead of the table's own."),
    refresh: bool = typer.Option(False, help="Ask again what is stored already."),
    live: bool = typer.Option(
        False, help="Ask the models of recorded rows, too (marked * otherwise; hours, for some)."
    ),
    record: bool = typer.Option(False, help="Ask recorded rows live and write their answers to results/predictions."),
    model: list[str] = typer.Option(
        [], help="A language model as a further row: hf:NAME_OR_FOLDER, gguf:FILE, openai:URL#NAME; may be repeated."
    ),
    set_: list[str] = typer.Option(
        [], "--set", help="A setting of the rows of --model, e.g. score=letters, how=sum, shots=4."
    ),
    device: str = typer.Option("", help="Where hf: models run: cpu, cuda."),
    budget: str = typer.Option(
        "", help="What servers may be asked for: requests=1000,tokens=500000,money=2.50 (exit code 4)."
    ),
    prices: str = typer.Option("", help="Dollars for a million tokens: in=0.15,out=0.60."),
    results: str = typer.Option("", help="For the table `all`: a folder of results; without it those of the checkout."),
    html: Path | None = typer.Option(
        None, metavar="FILE", help="Write one self-contained page in which every row opens its items."
    ),
    force: Force = False,
    as_json: bool = typer.Option(False, "--json", help="Print JSON (the form is a promise, see the docs)."),
    list_: bool = typer.Option(False, "--list", help="List the tables."),
    explain: str = typer.Option("", help="Say a signature in words."),
    cite: bool = typer.Option(False, help="Say how to cite the table's rows."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress, no footnotes."),
) -> None:
    """Run one table: ours, the published rows beside it, intervals, paired tests, signatures."""
    from scenarist.cli.console import console, json_out, kept, progress, switches
    from scenarist.errors import BadInput
    from scenarist.verbs.run_table import run_table

    if explain:
        from scenarist.verbs.run_table import explain_signature

        lines = explain_signature(explain)
        if as_json:
            json_out(lines)
        else:
            for line in lines:
                console().print(f"- {line}", markup=False)
        return
    if list_:
        from scenarist.cli.console import print_table
        from scenarist.verbs.run_table import tables

        known = tables()
        if as_json:
            fields = ("title", "paper", "kind", "experiment")
            json_out([{"table": spec.name, **{field: getattr(spec, field) for field in fields}} for spec in known])
        else:
            rows = [(spec.name, f"{spec.title}{' (experiment)' if spec.experiment else ''}") for spec in known]
            print_table(console(), ("table", "what it is"), rows, framed=False)
        return
    if not table:
        raise BadInput("Which table? See them with: scenarist bench --list")
    if table == "all":
        write_site(html, results, quiet)
        return
    if html:
        from scenarist.verbs.save import check_output

        check_output(html, [table] if table.endswith(".toml") else (), force)
    names_ = [name.strip() for name in only.split(",") if name.strip()]
    settings = switches(set_) | ({"device": device} if device else {})
    with kept("batches of answers"), progress(quiet) as advance:
        sheet = run_table(
            table, split, names_, limit, seed, refresh, advance, live, record, corpus, annotations, answers,
            model, settings, budget, prices, None if quiet or as_json else told,
        )  # fmt: skip
    if html:
        from scenarist.pages.report import table_page
        from scenarist.registry import load as named
        from scenarist.verbs.save import save_page

        drawn = named(sheet.table.page)(sheet.json()) if sheet.table.page else table_page(sheet_parts(sheet))
        save_page(html, drawn)
    form = sheet.json()
    if as_json:
        json_out(form)
    else:
        show(form, sheet, quiet, cite)
    asked = [row for row in form["rows"] if row["role"] != "published"]
    added = {done.row.name for done in sheet.rows if ":" in done.row.model}  # models at addresses
    failed = [row for row in asked if row.get("problem")]
    if asked and (
        len(failed) == len(asked) or any(row["model"] in added for row in failed)
    ):  # each row says what to type
        raise typer.Exit(3)


def told(estimate: str) -> None:
    """Say what a run will ask servers for."""
    from scenarist.cli.console import console

    console().print(
        f"Servers will be asked for at most {estimate}; what was kept costs nothing.", markup=False, soft_wrap=True
    )


def write_site(folder: Path | None, results: str, quiet: bool) -> None:
    """`bench all`: every stored table as one static site."""
    from scenarist.cli.console import console
    from scenarist.errors import BadInput
    from scenarist.pages.leaderboard import site
    from scenarist.verbs.leaderboard import leaderboard
    from scenarist.verbs.save import save_page

    if folder is None:
        raise BadInput("`bench all` writes a site: say where, e.g. scenarist bench all --html site")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; expected a folder for the site.")
    pages = site(leaderboard(results))
    for name, text in pages.items():
        save_page(folder / name, text)
    if not quiet:
        console().print(f"{len(pages)} pages; begin at {folder / 'index.html'}", markup=False, soft_wrap=True)


def sheet_parts(sheet: Sheet) -> dict[str, Any]:
    """What the page needs of a run table, as plain values: the form, the items, the predictions and their marks."""
    rows = []
    for done in sheet.rows:
        marks = {
            column: {mark.item: dict(mark.counts) for mark in cell.score.marks} for column, cell in done.cells.items()
        }
        rows.append({"model": done.row.name, "predictions": done.predictions, "marks": marks})
    return {
        "json": sheet.json(), "title": sheet.table.title, "paper": sheet.table.paper, "items": sheet.items, "rows": rows,
        "numbers": sheet.table.numbers(), "note": sheet.table.note,
    }  # fmt: skip


def show(form: dict[str, Any], sheet: Sheet, quiet: bool, cite: bool) -> None:
    """Print the table."""
    from rich.table import Table

    from scenarist.cli.console import console, print_grid
    from scenarist.pages.numbers import against, few_text, figure_remarks, marked_name, row_remarks

    out, table, numbers = console(), sheet.table, sheet.table.numbers()
    columns = list(dict.fromkeys(column for row in form["rows"] for column in row["scores"]))
    grid = Table(title=f"{table.title} ({sheet.split})", title_justify="left")
    longest = max((len(marked_name(row)) for row in form["rows"]), default=0)
    grid.add_column(
        "model", overflow="fold", min_width=min(longest, MODEL_WIDTH)
    )  # a name cut short may be that of two rows
    grid.add_column("role")
    for column in columns:
        grid.add_column(column.replace("/", "\n"), justify="right", overflow="fold")
    cells: list[tuple[str, ...]] = []
    for row in form["rows"]:
        texts = []
        for column in columns:
            one = row["scores"].get(column)
            if one is None:
                texts.append("")
                continue
            text = numbers.text(one["value"], column)
            if one.get("low") is not None:
                low, high = (numbers.text(one[end], column) for end in ("low", "high"))
                text += f"\n{low} to {high}"
            if one.get("few"):
                text += f"\n{few_text(one['groups'])}"
            if one.get("seeds"):
                text += f"\n± {numbers.text(one['seed_sd'], column)} ({len(one['seeds'])} seeds)"
            texts.append(text)
        grid.add_row(marked_name(row), row["role"], *texts)
        cells.append((marked_name(row), row["role"], *texts))
    print_grid(out, grid, ("model", "role", *columns), cells, f"{table.title} ({sheet.split})")
    if axes := form.get("axes"):
        from scenarist.pages.eventcloze import curve_groups, curve_lines

        width = max(30, min(100, out.width - 12))
        for group, curves in curve_groups(form["curves"]).items():
            drawn = curve_lines(curves, axes["x"], axes["y"], axes["log"], width)
            for line in [*([f"{group}:"] if group else []), *drawn]:
                out.print(line, markup=False, highlight=False, soft_wrap=True)
    for row in form["rows"]:
        if row.get("problem"):
            out.print(f"{row['model']} was not run: {row['problem']}", markup=False, soft_wrap=True)
        if row.get("left_out"):
            out.print(f"{row['model']} was run without {row['left_out']}", markup=False, soft_wrap=True)
    for line in row_remarks(form["rows"]):
        out.print(line, markup=False, soft_wrap=True)
    for remark in [*form.get("remarks", ()), *figure_remarks(form["rows"])]:
        out.print(remark, markup=False, soft_wrap=True)
    if quiet:
        return
    for test in form.get("tests", []):
        difference, low, high = (numbers.text(test[key], test["column"], True) for key in ("difference", "low", "high"))
        out.print(
            f"{test['column']}: {test['row']} {against(test)}: {difference} ({low} to {high}), "
            f"p = {test['p']:.4f}, corrected {test['p_holm']:.4f} ({test['test']}); "
            f"detectable {numbers.text(test['detectable'], test['column'])}",
            markup=False, soft_wrap=True,
        )  # fmt: skip
    if table.note:
        out.print(table.note, markup=False, soft_wrap=True)
    out.print(form["signature"], markup=False, soft_wrap=True)
    if cite:
        out.print(
            "To cite a row, give the table, the row, the number with its interval, the signature under it, and the paper: "
            f"{table.paper or 'scenarist'} and the scenarist software (CITATION.cff).",
            markup=False, soft_wrap=True,
        )  # fmt: skip
