"""Stored answers -> what they say so far: progress, times, agreement with its interval, and our models' ranks on the same items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import func, insert, select

from scenarist.bench.bootstrap import interval
from scenarist.contracts import Metric
from scenarist.errors import BadInput
from scenarist.lab.answered import GivenAnswer, as_prediction, given_answers, study_items
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import events, ranks, refusals, sessions
from scenarist.lab.roster import OpenStudy
from scenarist.lab.solver import answer_gap, make_model
from scenarist.metrics.recovery import answer_verb
from scenarist.noun import from_json, to_json
from scenarist.question import (
    Answer,
    Groups,
    Guess,
    Item,
    Mark,
    Permutation,
    Prediction,
    Segments,
    SentenceGap,
)
from scenarist.reading.wordnet import gloss, match
from scenarist.registry import make

NOT_RECALLED = 100
"""The rank of a model that lists no right verb (Bennett, Single-entity Event Chain Model Comparison)."""
FEW_REPLICATES = 13


class StudyCell(NamedTuple):
    """A condition: how many people in which state, and their times."""

    condition: str
    states: Mapping[str, int]
    closed: bool
    seconds: float
    """Median seconds a page."""


class StudyFigure(NamedTuple):
    """A number with its interval."""

    condition: str
    name: str
    value: float
    low: float
    high: float
    n: int


class ModelRank(NamedTuple):
    """Where a model has what people say, and what was removed."""

    condition: str
    model: str
    items: int
    original: float
    """Median rank of the removed event (or a synonym)."""
    people: float
    """Median rank of the best of people's verbs; 0 where nobody answered."""
    recalled: float
    """Share of items whose removed event is among the first ten."""


def cells(study: OpenStudy) -> list[StudyCell]:
    """Progress, condition by condition."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with study.database.read() as connection:
        closed = study.closed(connection)
        query = (
            select(sessions.c.condition, sessions.c.state, sessions.c.trial_run, func.count())
            .where(sessions.c.study == study.study.name)
            .group_by(sessions.c.condition, sessions.c.state, sessions.c.trial_run)
        )
        for condition, state, trial_run, number in connection.execute(query):
            counts[condition]["test" if trial_run else state] += number
    times: dict[str, list[float]] = defaultdict(list)
    for given in given_answers(study.database, study.study.name):
        if "seconds" in given.flags:
            times[given.condition].append(given.flags["seconds"])
    return [
        StudyCell(name, counts[name], name in closed, median(times[name]) if times[name] else 0.0)
        for name in study.study.conditions
    ]


def happenings(database: Database, study: str) -> dict[str, int]:
    """Who refused, withdrew or was turned away, and how many answers were not accepted."""
    with database.read() as connection:
        rows = connection.execute(
            select(events.c.what, func.count()).where(events.c.study == study).group_by(events.c.what)
        )
        counts = {row[0]: int(row[1]) for row in rows}
        query = (
            select(func.count())
            .select_from(refusals.join(sessions, sessions.c.id == refusals.c.session))
            .where(sessions.c.study == study)
        )
        counts["answers not accepted"] = int(connection.execute(query).scalar_one())
    return counts


def withdrawn(database: Database, study: str) -> list[str]:
    """Who withdrew: the ids that stand in files which were exported before."""
    query = select(sessions.c.id).where(sessions.c.study == study, sessions.c.state == "withdrawn")
    with database.read() as connection:
        return list(connection.execute(query.order_by(sessions.c.ended)).scalars())


def agreement(study: OpenStudy) -> list[StudyFigure]:
    """How far people agree so far, each condition with its bootstrap interval (items are drawn)."""
    known = study_items(study.database, study.study.name)
    given: dict[str, dict[str, list[GivenAnswer]]] = defaultdict(lambda: defaultdict(list))
    for answer in given_answers(study.database, study.study.name):
        if answer.item in known:
            given[answer.condition][answer.item].append(answer)
    figures_: list[StudyFigure] = []
    for condition in study.study.conditions:
        figures_ += condition_agreement(condition, known, given[condition])
    return figures_


def condition_agreement(
    condition: str, known: Mapping[str, Item], given: Mapping[str, Sequence[GivenAnswer]]
) -> list[StudyFigure]:
    """The measures that fit the answers of a condition."""
    first = next((answer for listed in given.values() for answer in listed), None)
    if first is None:
        return []
    if isinstance(first.answer.answer, Segments):
        pairs = [pair_agreement(condition, name, known, given) for name in ("kappa", "raw_agreement", "span_agreement")]
        return [figure for figure in pairs if figure.n]
    if not comparable(first.answer.answer):
        return []
    marks: list[Mark] = []
    right: list[Mark] = []
    metric, recovery = make("metric", "entropy_agreement"), make("metric", "recovery")
    for name, listed in given.items():
        item = known[name]
        sentences = isinstance(item.question, SentenceGap)
        for said in zip(*(comparable(answer.answer.answer) for answer in listed), strict=False):
            texts = [meaning(text) if sentences else text for text in said]
            if len(texts) > 1:
                marks.append(marked(item, metric.mark(item, Prediction(name, tuple(map(Guess, texts))))))
        if sentences:
            right += [marked(item, recovery.mark(item, as_prediction(answer))) for answer in listed]
    measures: list[tuple[Metric, list[Mark]]] = [(metric, marks), (recovery, right)]
    return [measure(condition, kind, listed) for kind, listed in measures if listed]


def comparable(answer: Answer) -> tuple[str, ...]:
    """What of an answer can be held against others': a choice or a text, a whole order, the group of each text; else nothing.

    >>> comparable("1"), comparable(Permutation((1, 0))), comparable(Groups(("related", "unrelated")))
    (('1',), ('1 0',), ('related', 'unrelated'))
    """
    if isinstance(answer, str):
        return (answer,)
    if isinstance(answer, Permutation):
        return (" ".join(map(str, answer.order)),)
    return answer.names if isinstance(answer, Groups) else ()


def meaning(text: str) -> str:
    """The verb group of an answer: the name of its main verb's first WordNet synset (Bennett, Agreement Metric)."""
    verb = answer_verb(text)
    return gloss(verb) or verb or text.lower()


def pair_agreement(
    condition: str, name: str, known: Mapping[str, Item], given: Mapping[str, Sequence[GivenAnswer]]
) -> StudyFigure:
    """A measure of two annotators over all pairs who marked the same text."""
    metric = make("metric", name)
    marks = [
        marked(known[item], metric.agree(as_prediction(a), as_prediction(b), known[item]))
        for item, listed in given.items()
        for a, b in combinations(listed, 2)
    ]
    return measure(condition, metric, marks)


def marked(item: Item, counts: Mapping[str, float]) -> Mark:
    """What a metric counted of one item."""
    return Mark(item.id, tuple(counts.items()), item.group)


def measure(condition: str, metric: Metric, marks: list[Mark]) -> StudyFigure:
    """A metric over marks, with its interval."""
    if not marks:
        return StudyFigure(condition, metric.name, 0.0, 0.0, 0.0, 0)
    totals: dict[str, float] = defaultdict(float)
    for mark in marks:
        for name, number in mark.counts:
            totals[name] += number
    value = float(metric.combine({name: np.asarray([number]) for name, number in totals.items()})[0])
    bounds = interval(metric, marks, seed=FEW_REPLICATES)
    return StudyFigure(condition, metric.name, value, bounds.low, bounds.high, len(marks))


def rank_model(study: OpenStudy, model: str) -> int:
    """Let a registered model sit the items of a study, and keep what it says; how many it answered."""
    solver = make_model(model)
    rows = []
    for (condition, name), item in study.items.items():
        if not isinstance(item.question, SentenceGap):
            raise BadInput(f"{study.study.name}: ranks are for gaps in sentences; this study asks something else.")
        prediction = answer_gap(solver, item.question)
        kept = Prediction(name, prediction.guesses[:NOT_RECALLED], model)
        rows.append(
            {
                "version": study.version,
                "condition": condition,
                "item": name,
                "model": model,
                "body": to_json(kept).decode(),
            }
        )
    with study.database.write() as connection:
        connection.execute(ranks.delete().where(ranks.c.version == study.version, ranks.c.model == model))
        connection.execute(insert(ranks), rows)
    return len(rows)


def model_ranks(study: OpenStudy) -> list[ModelRank]:
    """Models that sat the items, beside what people said to them."""
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    for given in given_answers(study.database, study.study.name):
        if isinstance(given.answer.answer, str):
            said[given.condition, given.item].add(answer_verb(given.answer.answer))
    places: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    with study.database.read() as connection:
        rows = connection.execute(select(ranks).where(ranks.c.version == study.version)).all()
    for row in rows:
        item = study.items.get((row.condition, row.item))
        if item is None:
            continue
        verbs = [
            answer_verb(guess.answer)
            for guess in from_json(row.body, Prediction).guesses
            if isinstance(guess.answer, str)
        ]
        people = said[row.condition, row.item]
        places[row.condition, row.model].append(
            (rank_of(verbs, {str(item.key)}), rank_of(verbs, people) if people else 0)
        )
    return [
        ModelRank(
            condition, model, len(listed), median(original for original, _ in listed),
            median([best for _, best in listed if best] or [0]), sum(original <= 10 for original, _ in listed) / len(listed),
        )
        for (condition, model), listed in sorted(places.items())
    ]  # fmt: skip


def rank_of(verbs: Sequence[str], right: Iterable[str]) -> int:
    """The first of the verbs that is right, or a synonym of what is right."""
    wanted = [verb for verb in right if verb]
    return next(
        (number for number, verb in enumerate(verbs, 1) if any(match(verb, other) for other in wanted)), NOT_RECALLED
    )


def figures(study: OpenStudy) -> dict[str, Any]:
    """All of it, for the admin page and `lab paper`."""
    return {
        "cells": cells(study), "happenings": happenings(study.database, study.study.name), "agreement": agreement(study),
        "ranks": model_ranks(study), "withdrawn": withdrawn(study.database, study.study.name),
    }  # fmt: skip
