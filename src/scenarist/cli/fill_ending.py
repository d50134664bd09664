"""The endings of `scenarist fill`: given ones are ranked, where none is given some are written; a CSV is answered line by line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput


def told(story: Path) -> str:
    """The text of a story file, or of standard input."""
    if str(story) == "-":
        return sys.stdin.read()
    try:
        return story.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{story}: expected a story in UTF-8 text ({error}).") from error


def fill_ending(
    story: Path | None,
    endings: list[str],
    by: str,
    settings: Mapping[str, Any],
    write: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Choose between endings of a story, or write some."""
    from scenarist.cli.console import console, json_out
    from scenarist.verbs.endings import choose_ending, write_endings

    if story is not None and story.suffix == ".csv":
        if endings:
            raise BadInput(f"{story}: a CSV holds its endings; leave --ending out.")
        fill_table(story, by, settings)
        return
    text = told(story) if story is not None else endings.pop(0)
    if not text.strip():
        raise BadInput(f"{story or '--ending'}: the story is empty.")
    say = console().print
    if not endings:
        if by or settings:
            raise BadInput("--by and --set name a model that chooses between endings; give some, each with --ending.")
        lines = write_endings(text, write, seed)
        if as_json:
            json_out({"by": "story-lm", "seed": seed, "endings": lines})
        else:
            for line in lines[:1] if quiet else lines:
                say(line, markup=False)
        return
    prediction = choose_ending(text, tuple(endings), by, settings)
    if as_json:
        json_out(prediction)
        return
    if quiet:
        say(endings[int(str(prediction.best))], markup=False)
        return
    for guess in prediction.guesses:
        mark = "->" if guess.answer == prediction.best else "  "
        value = "" if guess.logp is None else f"  (ln P {guess.logp:.2f})"
        say(f"{mark} {endings[int(str(guess.answer))]}{value}", markup=False)
        for why in guess.why:
            say(f"     {why}", markup=False, style="dim")
    if prediction.note:
        say(prediction.note, markup=False)


def fill_table(path: Path, by: str, settings: Mapping[str, Any]) -> None:
    """Stories and endings in the official CSV columns -> one prediction a line, with answers in the file or without."""
    from scenarist.bench.sit import ask
    from scenarist.corpora.storycloze import StoryCloze2016
    from scenarist.exams.storycloze import StoryClozeExam
    from scenarist.noun import to_json
    from scenarist.verbs.endings import chooser

    items = list(StoryClozeExam(blind=True).set(StoryCloze2016(path=path)))
    for prediction in ask(chooser(by, settings), items):
        sys.stdout.buffer.write(to_json(prediction) + b"\n")
    sys.stdout.flush()
