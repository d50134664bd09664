"""`scenarist explain`: the concrete steps of an instruction, as for a child, and the word each came from."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


@app.command(
    epilog='Examples: scenarist explain "drain the pasta" | scenarist explain "whisk the eggs" --html eggs.html | '
    'scenarist explain "fry the onions" --size small'
)
def explain(
    instruction: str = typer.Argument(help="An abstract instruction, e.g. 'drain the pasta'."),
    size: str = typer.Option("auto", help="large (SmolLM2 and adapters), small (the transducer), or auto."),
    html: Path | None = typer.Option(None, help="Write the picture of the alignment as a page."),
    device: str = typer.Option("auto", help="cpu, cuda, or auto."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    seed: int = typer.Option(1, help="Seed of the released weights (1 to 3)."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No notes."),
) -> None:
    """Write the concrete steps of an abstract instruction."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.explain import explain as write_steps

    alignment = write_steps(instruction, size, device, seed)
    pair = alignment.pair
    if html:
        from scenarist.pages.alignment import page
        from scenarist.verbs.save import save_page

        save_page(html, page([alignment], " ".join(pair.abstract), f"Steps and alignment by {alignment.by}"))
    if as_json:
        json_out({
            "abstract": list(pair.abstract), "concrete": list(pair.concrete), "by": alignment.by,
            "spans": [{"from": pair.abstract[at] if at >= 0 else None, "at": at, "text": " ".join(pair.concrete[a:b])}
                      for at, a, b in alignment.spans()],
        })  # fmt: skip
        return
    from scenarist.pages.alignment import text

    out = console()
    steps = " ".join(pair.concrete).split(" .")
    for number, step in enumerate((one.strip() for one in steps if one.strip()), start=1):
        out.print(f"{number}. {step}.")
    out.print()
    out.print(text(alignment), style="dim")
    if html and not quiet:
        out.print(f"The picture is {html}.")
