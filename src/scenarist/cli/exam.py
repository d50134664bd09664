"""`scenarist exam`: write questions and keys as separate files."""

from __future__ import annotations

from pathlib import Path

import typer

from scenarist.cli.console import Force, examples

app = typer.Typer(add_completion=False)


@app.command(epilog=examples("scenarist exam storycloze toy -o d", "scenarist score d predictions.jsonl"))
def exam(
    name: str = typer.Argument(help="Exam, e.g. storycloze, eventcloze, detection."),
    corpus: str = typer.Argument(
        help="Corpus, e.g. toy, storycloze-2016 (see: scenarist corpus list), or webanno:DIR, brat:DIR."
    ),
    out: Path = typer.Option(..., "-o", "--out", help="Folder for questions.jsonl, keys.jsonl and exam.json."),
    split: str = typer.Option(
        "", help="train, dev, test or all; without it dev, or the whole of a folder of annotated files."
    ),
    limit: int | None = typer.Option(None, min=1, help="At most so many items."),
    set_: list[str] = typer.Option([], "--set", help="A switch of the exam as key=value; may be repeated."),
    corpus_set: list[str] = typer.Option(
        [], "--corpus-set", help="A parameter of the corpus as key=value; may be repeated."
    ),
    seed: int = typer.Option(13, help="Seed of random choices."),
    force: Force = False,
    as_json: bool = typer.Option(False, "--json", help="Print the card as JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Write an exam: questions for the solver, keys for the examiner, in separate files."""
    from scenarist.cli.console import console, json_out, switches
    from scenarist.verbs.exam import CARD, FILES, example_line
    from scenarist.verbs.exam import exam as set_exam
    from scenarist.verbs.save import check_output_folder

    check_output_folder(out, FILES, (), force, card=CARD)
    items, card = set_exam(name, corpus, split, seed, limit, switches(set_), switches(corpus_set), out)
    if as_json:
        json_out(card)
    elif not quiet:
        say = console().print
        say(f"{card.items} items of {card.data} ({card.split}) are in {out}.", markup=False)
        say("Give questions.jsonl to the system, keep keys.jsonl, and expect one line an item:", markup=False)
        say(f"  {example_line(items[0])}", markup=False, soft_wrap=True)
        if any(item.key == "" for item in items):
            say(
                "Some have no answer, so the folder cannot be scored here: keep the predictions for who holds the answers.",
                markup=False,
            )
        else:
            say(f"Then: scenarist score {out} predictions.jsonl", markup=False)
