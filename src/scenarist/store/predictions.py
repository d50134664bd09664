"""Predictions <-> `results/predictions/TABLE-ROW.jsonl.xz`: answers that were made elsewhere or take hours; what recorded rows stand on.

A file has one section for each split, condition and seed of a row: a line that says what was run, where, when, and the command that makes
it anew; then a line an item. An answer is found by the id of its item *and* a hash of its question, so subsets of an exam are answered
from here and anything else is asked live. Kept are the ten best guesses, the key's log-probability and rank, and the mass of the rest:
no question can be read back. `scenarist bench TABLE --only ROW --record` writes them.
"""

from __future__ import annotations

import lzma
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.noun import Noun, from_json, to_json
from scenarist.question import AnyQuestion, Guess, Item, Prediction, Reading, Segments
from scenarist.signature import content_hash
from scenarist.store.home import write_whole

SCHEMA = 1
MOST = 10
"""Guesses of an answer that are kept."""
DIGITS = 6
"""Decimals of a log-probability or weight; where that would make a tie, all of them."""
FOLDER = Path(__file__).parents[3] / "results" / "predictions"
"""Where the files lie in a checkout; a wheel has none."""


class Header(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a section holds."""

    table: str
    row: str
    condition: str
    split: str
    seed: int
    model: str
    settings: dict[str, Any]
    train: list[str]
    exam: str
    data: str
    """The corpus and a hash of all items."""
    command: str
    """What makes these answers anew."""
    where: str
    when: str
    weights: dict[str, str] = {}
    """Files of weights behind the answers, with the beginning of their SHA-256."""
    items: int = 0
    """Lines that follow."""
    schema: int = SCHEMA

    @property
    def place(self) -> tuple[str, str, int]:
        """What there is one section of."""
        return self.split, self.condition, self.seed


class Recorded(Noun, frozen=True):
    """One line: the hash of a question, and what was answered."""

    question: str
    prediction: Prediction


class Section(msgspec.Struct):
    """A header and its answers by item."""

    header: Header
    answers: dict[str, Recorded] = {}

    def find(self, item: Item) -> Prediction | None:
        """The recorded answer to an item, where this very question was asked."""
        recorded = self.answers.get(item.id)
        if recorded is None or recorded.question != question_hash(item.question):
            return None
        return recorded.prediction


def folder() -> Path | None:
    """The folder of recorded predictions: ``SCENARIST_PREDICTIONS``, or the checkout's; None where there is none."""
    if given := os.environ.get("SCENARIST_PREDICTIONS"):
        return Path(given).expanduser()
    return FOLDER if (FOLDER.parents[1] / "pyproject.toml").is_file() else None


def file_of(table: str, row: str) -> Path | None:
    """The file of a row; None where nothing can be recorded."""
    place = folder()
    return None if place is None else place / (re.sub(r"[^\w.@+-]+", "-", f"{table}-{row}") + ".jsonl.xz")


def question_hash(question: AnyQuestion) -> str:
    """A short hash of what is asked; of a story its text, its sentences and the labels of its events, whatever parse it has."""
    story = getattr(question, "story", None)
    if story is None:
        return content_hash([to_json(question)], length=12)
    rest = [(name, getattr(question, name)) for name in question.__struct_fields__ if name != "story"]
    spans = [(sentence.start, sentence.stop) for sentence in story.sentences]
    labels = [event.label for event in story.events if event.label]
    return content_hash([to_json([type(question).__struct_config__.tag, story.text, spans, labels, rest])], length=12)


def shorten(values: Sequence[float | None]) -> list[float | None]:
    """Numbers with few decimals, unless two that differ would become the same."""
    known = {value for value in values if value is not None}
    if len({round(value, DIGITS) for value in known}) < len(known):
        return list(values)
    return [None if value is None else round(value, DIGITS) for value in values]


def shorten_answer(guess: Guess) -> Guess:
    """A guess without reasons, the weights of its segments' labels with few decimals."""
    answer = guess.answer
    if isinstance(answer, Reading):
        raise BadInput("An answer that is a whole reading holds the text itself; it cannot be recorded.")
    if isinstance(answer, Segments):
        segments = []
        for segment in answer.segments:
            weights = shorten([label.weight for label in segment.labels])
            labels = tuple(
                msgspec.structs.replace(label, weight=weight)
                for label, weight in zip(segment.labels, weights, strict=True)
            )
            segments.append(msgspec.structs.replace(segment, labels=labels, why=()))
        answer = Segments(tuple(segments))
    return Guess(answer, guess.logp)


def shorten_prediction(prediction: Prediction) -> Prediction:
    """A prediction as it is recorded: no reasons, few decimals; the key's own numbers are kept whole."""
    guesses = [shorten_answer(guess) for guess in prediction.guesses]
    levels = shorten([guess.logp for guess in guesses] + [prediction.key_logp])[:-1]
    short = tuple(msgspec.structs.replace(guess, logp=logp) for guess, logp in zip(guesses, levels, strict=True))
    rest = None if prediction.rest is None else round(prediction.rest, DIGITS)
    return msgspec.structs.replace(prediction, guesses=short, rest=rest, note="")


def read_sections(path: Path) -> list[Section]:
    """All sections of a file; none where there is no file."""
    if not path.is_file():
        return []
    try:
        with lzma.open(path, "rb") as lines:
            return list(_sections(lines, path))
    except (lzma.LZMAError, EOFError, OSError) as error:
        raise BadInput(f"{path}: not a whole file of recorded predictions ({error}). Restore it with git.") from error


def _sections(lines: Iterable[bytes], path: Path) -> Iterator[Section]:
    section: Section | None = None
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        if section is None or len(section.answers) == section.header.items:
            if section is not None:
                yield section
            section = Section(from_json(line, Header, where), {})
            if section.header.schema != SCHEMA:
                raise BadInput(f"{where}: schema {section.header.schema}, this version reads {SCHEMA}.")
        else:
            recorded = from_json(line, Recorded, where)
            section.answers[recorded.prediction.item] = recorded
    if section is not None:
        if len(section.answers) != section.header.items:
            raise BadInput(f"{path}: the last section has {len(section.answers)} of {section.header.items} answers.")
        yield section


def write_sections(path: Path, sections: Iterable[Section]) -> None:
    """Put sections into a file; those of other splits, conditions and seeds stay."""
    merged = {section.header.place: section for section in (*read_sections(path), *sections)}
    lines = []
    for place in sorted(merged):
        section = merged[place]
        lines += [section.header, *section.answers.values()]
    data = b"".join(to_json(line) + b"\n" for line in lines)
    write_whole(path, [lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)])
