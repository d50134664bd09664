"""`scenarist exam`: write questions and keys as separate files."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


def switches(pairs: list[str]) -> dict[str, object]:
    """``key=value`` options as typed settings: numbers, yes/no and words."""
    from scenarist.errors import BadInput

    found: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"Expected a setting as key=value, got {pair!r}. For example: --set min=2")
        found[key.replace("-", "_")] = typed(value)
    return found


def typed(value: str) -> object:
    """A word as the value it spells.

    >>> typed("2"), typed("0.5"), typed("yes"), typed("lemma")
    (2, 0.5, True, 'lemma')
    """
    if value.lower() in ("yes", "true", "on"):
        return True
    if value.lower() in ("no", "false", "off"):
        return False
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


@app.command(epilog="Example: scenarist exam storycloze toy -o d   then: scenarist score d predictions.jsonl")
def exam(
    name: str = typer.Argument(help="Exam, e.g. storycloze, eventcloze, detection."),
    corpus: str = typer.Argument(help="Corpus, e.g. toy, storycloze-2016 (see: scenarist corpus list)."),
    out: Path = typer.Option(..., "-o", "--out", help="Folder for questions.jsonl, keys.jsonl and exam.json."),
    split: str = typer.Option("dev", help="train, dev or test."),
    limit: int | None = typer.Option(None, min=1, help="At most so many items."),
    set_: list[str] = typer.Option([], "--set", help="A switch of the exam as key=value; may be repeated."),
    corpus_set: list[str] = typer.Option(
        [], "--corpus-set", help="A parameter of the corpus as key=value; may be repeated."
    ),
    seed: int = typer.Option(13, help="Seed of random choices."),
    as_json: bool = typer.Option(False, "--json", help="Print the card as JSON."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Write an exam: questions for the solver, keys for the examiner, in separate files."""
    from scenarist.bench.exam_folder import example, write
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.exam import exam as set_exam

    items, card = set_exam(name, corpus, split, seed, limit, switches(set_), switches(corpus_set))
    write(out, items, card)
    if as_json:
        json_out(card)
    elif not quiet:
        say = console().print
        say(f"{card.items} items of {card.data} ({split}) are in {out}.", markup=False)
        say("Give questions.jsonl to the system, keep keys.jsonl, and expect one line an item:", markup=False)
        say(f"  {example(items[0])}", markup=False, soft_wrap=True)
        if any(item.key == "" for item in items):
            say(
                "Some have no answer, so the folder cannot be scored here: keep the predictions for who holds the answers.",
                markup=False,
            )
        else:
            say(f"Then: scenarist score {out} predictions.jsonl", markup=False)
