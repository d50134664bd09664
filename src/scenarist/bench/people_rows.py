"""A folder of people's answers -> rows with role *human* beside the models: `bench TABLE --corpus storycloze:DIR --answers FOLDER`.

The folder is an exam folder with predictions beside it, as `scenarist corpus from-study DB choose-ending` writes it. ``people``: every
single answer counts, the mean over the people of an item. ``people-majority``: the answer that most gave; a draw counts at its expected
rank. An answer counts where the question that the person saw is the one that the condition asks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import log
from pathlib import Path
from typing import NamedTuple

import msgspec

from scenarist.bench import marks as scoring
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.bench.sheet import Cell, Done
from scenarist.bench.spec import Row, Table
from scenarist.contracts import Metric
from scenarist.errors import Missing
from scenarist.question import AnyQuestion, Guess, Item, Prediction

PEOPLE, MAJORITY = "people", "people-majority"


class AnsweredQuestion(NamedTuple):
    """What was asked, and what everybody said."""

    question: AnyQuestion
    predictions: list[Prediction]


def with_people(table: Table) -> Table:
    """The table with rows for people."""
    rows = [Row(PEOPLE, role="human"), Row(MAJORITY, role="human")]
    return msgspec.structs.replace(table, row=[*table.row, *rows])


@lru_cache(maxsize=4)
def people_answers(folder: str) -> dict[str, AnsweredQuestion]:
    """Item -> what people answered to it."""
    listed: dict[str, list[Prediction]] = defaultdict(list)
    questions: dict[str, AnyQuestion] = {}
    for part in read_study_files(Path(folder)):
        questions |= {item.id: item.question for item in part.items}
        for predictions in part.people.values():
            for prediction in predictions:
                listed[prediction.item].append(prediction)
    return {item: AnsweredQuestion(questions[item], predictions) for item, predictions in listed.items()}


def take_people(
    done: Done, column: str, items: Sequence[Item], metrics: Sequence[Metric], fields: dict[str, object], folder: str
) -> None:
    """People's answers to the items of a condition, marked as a model's are."""
    answered = people_answers(folder)
    asked = [item for item in items if item.id in answered and answered[item.id].question == item.question]
    if not asked:
        raise Missing("nobody answered these questions as this condition asks them.")
    signed = {**fields, "model": done.row.model, "train": "none", "made": "people"}
    if done.row.model == MAJORITY:
        runs = [{item.id: majority(item.id, answered[item.id].predictions) for item in asked}]
    else:
        most = max(len(answered[item.id].predictions) for item in asked)
        runs = [
            {item.id: listed[place] for item in asked if place < len(listed := answered[item.id].predictions)}
            for place in range(most)
        ]
    done.predictions[column] = runs[0]
    for metric in metrics:
        marks = scoring.mean_marks(
            [scoring.marks_of(metric, [item for item in asked if item.id in run], run) for run in runs]
        )
        done.cells[f"{metric.name}/{column}"] = Cell(scoring.score_marks(metric, marks, signed))


def majority(item: str, predictions: Sequence[Prediction]) -> Prediction:
    """The answers of all, the commonest first, each with its share."""
    votes = Counter(str(prediction.best) for prediction in predictions if prediction.guesses)
    total = sum(votes.values())
    guesses = tuple(Guess(answer, log(count / total)) for answer, count in votes.most_common())
    return Prediction(item, guesses, MAJORITY)
