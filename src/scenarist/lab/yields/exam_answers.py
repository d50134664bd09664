"""Answers to an exam's questions -> an exam folder with people's Predictions beside it, as `score` and the tables of people read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist import __version__
from scenarist.bench.exam_folder import Key, QuestionLine
from scenarist.bench.sit import data_hash
from scenarist.lab.answered import as_prediction
from scenarist.lab.collected import counted
from scenarist.lab.roster import OpenStudy
from scenarist.lab.yields.write import HarvestedFiles
from scenarist.marked import ExamCard
from scenarist.noun import to_json, write_jsonl
from scenarist.question import Item, Prediction

EXAMS = {
    "order": ("ordering", ("perfect_order", "near_order", "kendall_tau")),
    "choose-ending": ("storycloze", ("accuracy",)),
}


def harvest_orders(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """Table 3: a part for the stories of the best writers and one for the others, each with people's orders."""
    parts: dict[str, list[Item]] = defaultdict(list)
    for item in study.items.values():
        parts[item.tags[0] if item.tags else "random"].append(item)
    answers = predictions_that_count(study)
    files: dict[str, Sequence[bytes]] = {}
    counts: dict[str, int] = {}
    for label, items in parts.items():
        answered = exam_files(study, items, answers)
        if answered:
            files |= {f"{label}/{name}": pieces for name, pieces in answered.items()}
            counts |= {
                f"{label} stories": len(items),
                f"{label} orders": sum(len(answers.get(item.id, ())) for item in items),
            }
    return HarvestedFiles(
        files, counts, {}, "Orders that people gave to shuffled stories", ("scenarist bench shuffling --answers {out}",)
    )


def harvest_predictions(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """The questions with everybody's choices."""
    items, answers = list({item.id: item for item in study.items.values()}.values()), predictions_that_count(study)
    files = exam_files(study, items, answers)
    corpus = study.study.source.corpus
    return HarvestedFiles(
        files, {"items": len(items), "answers": sum(map(len, answers.values()))}, {}, "Endings that people chose",
        ("scenarist score {out} {out}/people.jsonl", f"scenarist bench storycloze2016 --corpus {corpus} --answers {{out}}"),
    )  # fmt: skip


def predictions_that_count(study: OpenStudy) -> Mapping[str, list[Prediction]]:
    """Item -> what the first so many people said as the study wants of each; where nobody was wanted any more, the rest is practice."""
    answers: dict[str, list[Prediction]] = defaultdict(list)
    for given in counted(study.database, study.study.name):
        if not study.study.draw.people or len(answers[given.item]) < study.study.draw.people:
            answers[given.item].append(as_prediction(given))
    return answers


def exam_files(
    study: OpenStudy, items: Sequence[Item], answers: Mapping[str, Sequence[Prediction]]
) -> dict[str, list[bytes]]:
    """questions.jsonl, keys.jsonl, exam.json and people.jsonl; nothing where nobody answered."""
    asked = [item for item in items if answers.get(item.id)]
    if not asked:
        return {}
    exam, metrics = EXAMS[study.study.kind]
    corpus = study.study.source.corpus or f"study:{study.study.source.study}"
    card = ExamCard(
        exam, corpus, study.study.source.split or "all", len(asked), f"{corpus}#{data_hash(asked)}", (), metrics, study.study.seed,
        version=__version__,
    )  # fmt: skip
    keys = (Key(i.id, i.key, i.group, i.accept, i.tags, i.groups, i.original) for i in asked)
    people = [prediction for item in asked for prediction in answers[item.id]]
    return {
        "questions.jsonl": list(write_jsonl(QuestionLine(item.id, item.question) for item in asked)),
        "keys.jsonl": list(write_jsonl(keys)),
        "exam.json": [to_json(card), b"\n"],
        "people.jsonl": list(write_jsonl(sorted(people, key=lambda prediction: (prediction.by, prediction.item)))),
    }
