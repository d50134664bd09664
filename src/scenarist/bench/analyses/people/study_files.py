"""A folder of a study -> items and people's Predictions, part by part: what the analyses of people's answers read.

A part is a folder that holds an exam (`scenarist exam ... -o DIR`: questions.jsonl, keys.jsonl, exam.json) and, beside it or in folders
below it, any number of predictions files (JSONL), each of one person or of several (``by``). Where `answers.csv` of the lab lies there, it
says which condition a person was in, and only that condition's items take her answers. What cannot be used is named and left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from scenarist.bench import exam_folder
from scenarist.errors import BadInput
from scenarist.marked import ExamCard
from scenarist.question import Item, Prediction

OWN = ("questions.jsonl", "keys.jsonl")


class StudyPart(NamedTuple):
    """An exam and who answered it."""

    folder: Path
    card: ExamCard
    items: list[Item]
    people: dict[str, list[Prediction]]
    remarks: list[str]


def read_study_files(folder: Path) -> list[StudyPart]:
    """All parts of a study."""
    if not folder.is_dir():
        raise BadInput(
            f"{folder}: expected a folder with an exam (scenarist exam NAME CORPUS -o {folder}) and people's predictions."
        )
    exams = sorted(path.parent for path in folder.rglob("exam.json"))
    if not exams:
        raise BadInput(f"{folder} holds no exam.json. Make an exam folder with: scenarist exam NAME CORPUS -o {folder}")
    parts = [read_part(path, [other for other in exams if other != path and path in other.parents]) for path in exams]
    if not any(part.people for part in parts):
        raise BadInput(
            f"{folder}: nobody's predictions lie beside {exams[0] / 'exam.json'}. Expected JSONL files such as anna.jsonl."
        )
    return parts


def read_part(folder: Path, inner: Iterable[Path]) -> StudyPart:
    """One exam with the predictions beside it; exams inside it have their own."""
    paper = exam_folder.read(folder)
    known = {item.id for item in paper.items}
    people: dict[str, list[Prediction]] = {}
    remarks: list[str] = []
    apart = list(inner)
    for path in sorted(folder.rglob("*.jsonl")):
        if path.name in OWN or any(other in path.parents for other in apart):
            continue
        for _, prediction in exam_folder.prediction_file(path):
            person = prediction.by or path.stem
            if prediction.item not in known:
                remarks.append(
                    f"{path.name}: an answer of {person} to {prediction.item!r}, which is no item of this exam, was left out."
                )
            elif any(earlier.item == prediction.item for earlier in people.get(person, ())):
                remarks.append(f"{path.name}: {person} answered {prediction.item!r} twice; the first answer counts.")
            else:
                people.setdefault(person, []).append(prediction)
    conditions = csv_conditions(folder / "answers.csv")
    wanted = str(dict(paper.card.settings).get("condition", ""))
    if conditions and wanted:
        people = {person: answers for person, answers in people.items() if conditions.get(person, wanted) == wanted}
    return StudyPart(folder, paper.card, paper.items, people, remarks)


def csv_conditions(path: Path) -> dict[str, str]:
    """Person -> condition, from the lab's table."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as handle:
        rows = csv.DictReader(handle)
        if not {"person", "condition"} <= set(rows.fieldnames or ()):
            raise BadInput(
                f"{path}: expected the lab's table with the columns person and condition, got {', '.join(rows.fieldnames or ())}."
            )
        return {row["person"]: row["condition"] for row in rows}
