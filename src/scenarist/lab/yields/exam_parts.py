"""A study's answers -> exam folders, one a condition: what `scenarist score` and `scenarist bench TABLE --answers DIR` read.

Each holds the frozen items (questions and keys apart) with the card of their exam, and the answers of the people in that condition as
Predictions. Studies whose items are no exam's (decisions, groups of answers) have none.
"""

from __future__ import annotations

from pathlib import Path

from scenarist import __version__
from scenarist.bench import exam_folder
from scenarist.bench.sit import data_hash
from scenarist.lab.answered import as_prediction, given_answers, study_items
from scenarist.lab.roster import OpenStudy
from scenarist.marked import ExamCard
from scenarist.noun import to_json
from scenarist.registry import find
from scenarist.signature import plain, short_name
from scenarist.store.home import write_whole

EXAMS = {"gaps": "gaps", "stories": "detection", "words": "wordcloze"}
"""Sources that make the items of an exam of another name."""


def exam_of(study: OpenStudy) -> str:
    """The exam that a study's items are of; empty where they are of none."""
    source = study.study.source
    return str(source.switches.get("exam", "")) if source.make == "exam" else EXAMS.get(source.make, "")


def export_parts(study: OpenStudy, out: Path) -> list[str]:
    """Write a folder for each condition that has answers; their names."""
    name = exam_of(study)
    if not name:
        return []
    source = study.study.source
    by = str(source.switches.get("by", "condition" if source.make == "gaps" else ""))
    fixed = tuple((key, plain(value)) for key, value in source.switches.items() if key not in ("exam", "by"))
    answers: dict[str, list[bytes]] = {}
    for given in given_answers(study.database, study.study.name):
        answers.setdefault(given.condition, []).append(to_json(as_prediction(given)) + b"\n")
    written = []
    for condition in study.study.conditions:
        if condition not in answers:
            continue
        items = list(study_items(study.database, study.study.name, condition).values())
        corpus = short_name(source.corpus)
        card = ExamCard(
            name, corpus, source.split or "dev", len(items), f"{corpus}#{data_hash(items)}",
            (*fixed, *(((by, condition),) if by else ())), tuple(getattr(find("exam", name), "metrics", ("accuracy",))),
            study.study.seed, version=__version__,
        )  # fmt: skip
        exam_folder.write(out / condition, items, card)
        write_whole(out / condition / "answers.jsonl", answers[condition])
        written.append(str(out / condition))
    return written
