"""Items <-> a folder with questions and keys apart, and predictions files: how a foreign system is examined.

``questions.jsonl`` goes to the solver, ``keys.jsonl`` stays with the examiner, ``exam.json`` says what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from scenarist.bench.check_answers import check_prediction, prediction_lines
from scenarist.bench.sit import data_hash
from scenarist.errors import BadInput
from scenarist.formats.harness import is_harness_log, read_harness_log
from scenarist.marked import ExamCard, ExamPaper
from scenarist.noun import Noun, from_json, read_jsonl, to_json, write_jsonl
from scenarist.question import Answer, AnyQuestion, Item, Prediction
from scenarist.store.home import write_whole

N = TypeVar("N", bound=Noun)


class QuestionLine(Noun, frozen=True):
    """A line of questions.jsonl."""

    id: str
    question: AnyQuestion


class Key(Noun, frozen=True):
    """A line of keys.jsonl."""

    id: str
    key: Answer
    group: str = ""
    accept: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    original: str = ""


def write(path: Path, items: Sequence[Item], card: ExamCard) -> None:
    """Write the three files; the card comes last, so a folder with a card is whole."""
    if path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file; expected a folder to write questions and keys to.")
    write_whole(path / "questions.jsonl", write_jsonl(QuestionLine(item.id, item.question) for item in items))
    keys = (Key(i.id, i.key, i.group, i.accept, i.tags, i.groups, i.original) for i in items)
    write_whole(path / "keys.jsonl", write_jsonl(keys))
    write_whole(path / "exam.json", [to_json(card), b"\n"])


def card(path: Path) -> ExamCard:
    """The card of an exam folder."""
    file = path / "exam.json"
    if not file.exists():
        raise BadInput(f"{path} holds no exam.json. Make an exam folder with: scenarist exam NAME CORPUS -o {path}")
    return from_json(file.read_bytes(), ExamCard, str(file))


def read(path: Path) -> ExamPaper:
    """The items of an exam folder, checked against its card."""
    what = card(path)
    questions = {one.id: one.question for one in lines(path / "questions.jsonl", QuestionLine)}
    keys = list(lines(path / "keys.jsonl", Key))
    lost = [key.id for key in keys if key.id not in questions]
    if lost or len(questions) != len(keys):
        raise BadInput(
            f"{path}: questions.jsonl and keys.jsonl do not hold the same items (e.g. {lost[0] if lost else '?'!r})."
        )
    items = [
        Item(key.id, questions[key.id], key.key, key.group, key.accept, key.tags, key.groups, key.original)
        for key in keys
    ]
    found = f"{what.corpus}#{data_hash(items)}"
    if found != what.data:
        raise BadInput(
            f"{path}: the items were changed after the exam was written (expected {what.data}, found {found})."
        )
    return ExamPaper(items, what)


def lines(path: Path, kind: type[N]) -> Iterator[N]:
    """The nouns of a JSONL file."""
    if not path.exists():
        raise BadInput(f"There is no file {path}.")
    try:
        with path.open("rb") as handle:
            yield from read_jsonl(handle, kind, str(path))
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error


class PersonFile(NamedTuple):
    """What one person (or system) answered, and the file it stands in."""

    path: Path
    predictions: dict[str, Prediction]


def prediction_file(path: Path) -> list[tuple[int, Prediction]]:
    """The predictions of a file, with their lines: JSONL (integers as answers and a byte order mark allowed), or a harness's log."""
    if not path.exists():
        raise BadInput(f"There is no file {path}.")
    try:
        if is_harness_log(path):
            return list(enumerate(read_harness_log(path), start=1))
        with path.open("rb") as handle:
            return list(prediction_lines(handle, str(path)))
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error


def predictions_by_person(path: Path, items: Sequence[Item], strict: bool = False) -> list[PersonFile]:
    """A predictions file that may hold the answers of several people (``by``), each checked like a file of her own."""
    numbered = prediction_file(path)
    people = list(dict.fromkeys(prediction.by for _, prediction in numbered))
    if len(people) < 2 or len({prediction.item for _, prediction in numbered}) == len(numbered):
        return [PersonFile(path, checked_predictions(path, numbered, items, strict))]
    return [
        PersonFile(path, checked_predictions(path, [line for line in numbered if line[1].by == person], items, strict))
        for person in people
    ]


def predictions(path: Path, items: Sequence[Item], strict: bool = False) -> dict[str, Prediction]:
    """The predictions of a file of one system, checked."""
    return checked_predictions(path, prediction_file(path), items, strict)


def checked_predictions(
    path: Path, numbered: Sequence[tuple[int, Prediction]], items: Sequence[Item], strict: bool = False
) -> dict[str, Prediction]:
    """Item -> prediction: known items only, each once, with answers they can have; all of them where ``strict``."""
    known = {item.id: item for item in items}
    given: dict[str, Prediction] = {}
    for number, prediction in numbered:
        where = f"{path}, line {number}, prediction {len(given) + 1}"
        if prediction.item not in known:
            raise BadInput(
                f"{where}: there is no item {prediction.item!r} in this exam (ids look like {items[0].id!r})."
            )
        if prediction.item in given:
            raise BadInput(f"{where}: a second prediction for item {prediction.item!r}; expected one each.")
        check_prediction(prediction, known[prediction.item], where)
        given[prediction.item] = prediction
    if not given:
        raise BadInput(f"{path} holds no prediction. Expected lines such as {example(items[0])}")
    if strict and (gone := [item.id for item in items if item.id not in given or not given[item.id].guesses]):
        raise BadInput(
            f"{path}: {len(gone)} of {len(items)} items have no prediction (first: {gone[0]!r}); --strict refuses that."
        )
    return given


def example(item: Item) -> str:
    """A line as it should look like."""
    return f'{{"item": "{item.id}", "guesses": [{{"answer": ..., "logp": -0.7}}], "by": "my-model"}}'
