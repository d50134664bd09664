"""`scenarist explain`: the concrete steps of an instruction, as for a child, and the word each came from."""

from __future__ import annotations

from pathlib import Path

import typer

from scenarist.cli.console import Force, examples

app = typer.Typer(add_completion=False)


@app.command(
    epilog=examples(
        'scenarist explain "drain the pasta"',
        'scenarist explain "whisk the eggs until fluffy" --html eggs.html',
        'scenarist explain "fry the onions" --near 2',
        'scenarist explain "fry the onions" --size large',
    )
)
def explain(
    instruction: str = typer.Argument(help="An instruction of a recipe, e.g. 'drain the pasta'."),
    size: str = typer.Option(
        "auto", help="auto: our own kitchen; large (SmolLM2) or small (the transducer): a model writes."
    ),
    near: int = typer.Option(0, min=0, help="Show so many like instructions of KidsCook (needs the corpus)."),
    html: Path | None = typer.Option(None, metavar="FILE", help="Write the picture of the alignment as a page."),
    device: str = typer.Option("auto", help="cpu, cuda, or auto (for a model)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    seed: int = typer.Option(1, help="Seed of the released weights (for a model)."),
    force: Force = False,
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No notes."),
) -> None:
    """Write the concrete steps of an abstract instruction."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.explain import explain as write_steps
    from scenarist.verbs.save import check_output

    if html:
        check_output(html, (), force)
    explanation = write_steps(instruction, size, device, seed, near)
    alignment, pair = explanation.alignment, explanation.alignment.pair
    if html:
        from scenarist.pages.alignment import page
        from scenarist.verbs.save import save_page

        save_page(html, page([alignment], " ".join(pair.abstract), f"Steps and alignment by {alignment.by}"))
    if as_json:
        json_out({
            "abstract": list(pair.abstract), "concrete": list(pair.concrete), "by": explanation.by,
            "confidence": explanation.confidence, "steps": explanation.steps, "near": explanation.near,
            "spans": [{"from": pair.abstract[at] if at >= 0 else None, "at": at, "text": " ".join(pair.concrete[start:stop])}
                      for at, start, stop in alignment.spans()],
        })  # fmt: skip
        return
    out = console()
    word = ""
    for number, step in enumerate(explanation.steps, start=1):
        if step.word != word and len({shown.word for shown in explanation.steps}) > 1:
            out.print(step.word, style="bold", markup=False)
        word = step.word
        out.print(f"{number}. {step.text}", markup=False, highlight=False)
    for entry in explanation.near:
        out.print(f"\n{entry.id} ({entry.likeness:.2f}) {entry.instruction}", style="bold", markup=False)
        out.print(entry.concrete, style="dim", markup=False)
    if quiet:
        return
    if explanation.confidence is None:
        out.print(f"\nWritten by {explanation.by}: steps of a model are often wrong.", style="dim")
    else:
        seen = sorted({phrase for step in explanation.steps for phrase in step.evidence})
        note = f" KidsCook's alignments with these words: {', '.join(seen)}." if seen else ""
        out.print(f"\nFrom our kitchen, confidence {explanation.confidence:.2f}.{note}", style="dim", markup=False)
    if html:
        out.print(f"The picture is {html}.")
