"""`scenarist align`: which concrete phrases an abstract word stands for, and which abstract words call for a tool."""

from __future__ import annotations

from pathlib import Path

import typer

from scenarist.cli.console import Quiet, Top, examples

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        "scenarist align parmesan",
        'scenarist align "cutting board" --from concrete',
        "scenarist align whisk --sentences 2 --plain",
    )
)
def align(
    phrase: str = typer.Argument(help="An abstract word (parmesan) or a concrete phrase (cutting board)."),
    side: str = typer.Option("both", "--from", help="Which side it is on: abstract, concrete or both."),
    top: Top = 8,
    sentences: int = typer.Option(
        0, "--sentences", "-s", min=0, help="Show so many sentences behind each row (needs the corpus)."
    ),
    table: Path | None = typer.Option(None, help="Another table (made by training/kidscook/alignments.py)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    plain: bool = typer.Option(False, help="Plain PMI, as in the paper, instead of PMI discounted for rare pairs."),
    quiet: Quiet = False,
) -> None:
    """Look up which concrete phrase an abstract word stands for."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.align import align as look_up

    aligned = look_up(phrase, side, top, sentences, table, plain)
    sides = {name: rows for name in ("concrete", "abstract") if (rows := getattr(aligned, name)) is not None}
    if as_json:
        json_out({"asked": aligned.asked, "by": aligned.by, **sides})
        return
    out = console()
    for name, rows in sides.items():
        if not rows:
            continue
        head = "-> what is said in detail" if name == "concrete" else "<- what it is said for"
        out.print(f"{aligned.asked} {head}", style="bold")
        for row in rows:
            text = row.phrase if name == "concrete" else row.word
            out.print(f"  {text:<28} pmi {row.pmi:5.2f}  {row.count:4d} times", markup=False)
            for line in row.sentences:
                out.print(f"      {line}", style="dim", markup=False)
    if not quiet:
        out.print(
            f"Alignments by {aligned.by}, natural-log PMI{'' if plain else ', discounted for rare pairs'}.", style="dim"
        )
