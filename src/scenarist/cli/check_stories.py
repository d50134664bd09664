"""The files of `scenarist corpus check`: stories held against the rules for writers, each broken one with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.noun import Noun
from scenarist.verbs.quality import Fault, check


class Checked(Noun, frozen=True):
    """A story and what is wrong with it."""

    story: str
    faults: tuple[Fault, ...]


def stories(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Name and sentences of each story: a CSV or JSONL of ROCStories, or one story as plain text (one sentence a line, or running)."""
    if path.suffix in (".csv", ".jsonl", ".gz"):
        from scenarist.corpora.rocstories import ROCStories
        from scenarist.story import sentence_texts

        for story in ROCStories("all", path=path):
            yield story.id, list(sentence_texts(story))
        return
    from scenarist.formats import plain

    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected a story in UTF-8 text ({error}).") from error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    yield path.stem, lines if len(lines) > 1 else [text[one.start : one.stop] for one in plain.sentences(text)]


def check_stories(path: Path) -> list[Checked]:
    """All stories of a file."""
    return [Checked(name, tuple(check(sentences))) for name, sentences in stories(path)]


def lines_of(checked: Checked) -> list[str]:
    """What is said to the writer of a story.

    >>> lines_of(Checked("mine", (Fault("length", 2, "81 characters; at most 70."),)))
    ['mine, sentence 2: length. 81 characters; at most 70.']
    """
    return [
        f"{checked.story}{f', sentence {fault.sentence}' if fault.sentence else ''}: {fault.rule}. {fault.text}"
        f"{'' if fault.sure else ' (A rule of thumb: you may know better.)'}"
        for fault in checked.faults
    ]
