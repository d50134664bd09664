"""`scenarist export`: tasks for other harnesses."""

from __future__ import annotations

from pathlib import Path

import typer

from scenarist.cli.console import examples

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist export lm-eval storycloze2016 tasks", "scenarist export inspect cold tasks"))
def export(
    harness: str = typer.Argument(help="lm-eval or inspect."),
    table: str = typer.Argument(help="A table whose questions are choices, e.g. storycloze2016, cold."),
    folder: Path = typer.Argument(
        help="Folder for the tasks, their documents, and exam folders to score logs against."
    ),
    split: str = typer.Option("", help="dev (where none is named) or test."),
    limit: int | None = typer.Option(None, min=1, help="At most so many items a condition."),
    prompts: str = typer.Option("v1", help="Version of the prompts, or a file of your own (.toml)."),
    as_json: bool = typer.Option(False, "--json", help="Print the files as JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Write the tasks of a table so that lm-evaluation-harness or inspect runs them unchanged."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.export import export as write_tasks

    files = write_tasks(harness, table, folder, split, limit, prompts)
    if as_json:
        json_out([str(file) for file in files])
        return
    if quiet:
        return
    for file in files:
        console().print(f"{file}", markup=False, soft_wrap=True)
    console().print("How to run one, and how its log comes back, stands at its top.", markup=False)
