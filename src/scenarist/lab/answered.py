"""Rows -> nouns: what people answered, as Predictions, as annotated stories, as answers to be grouped, as one person's own data."""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import Row, and_, func, select

from scenarist.corpora.adjudication import Outcome, merge, outcomes
from scenarist.errors import BadInput
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import answers, events, items, refusals, reviews, sessions, studies, trials
from scenarist.lab.kinds.base import LabAnswer
from scenarist.noun import from_json
from scenarist.question import AnyQuestion, Group, Guess, Item, Prediction, Segments, SentenceGap, Where
from scenarist.story import Story, replace

if TYPE_CHECKING:
    from scenarist.lab.roster import OpenStudy

FINISHED = ("complete",)


class GivenAnswer(NamedTuple):
    """An answer with all that is known of it; ``last`` tells the answer that counts from those it revised."""

    session: str
    external: str
    source: str
    state: str
    trial_run: bool
    version: str
    condition: str
    trial: int
    attempt: int
    phase: str
    kind: str
    item: str
    answer: LabAnswer
    kept: float
    flags: dict[str, float]
    last: bool


def given_answers(
    database: Database,
    study: str,
    phase: str = "trial",
    tests: bool = False,
    revisions: bool = False,
    session: str = "",
) -> Iterator[GivenAnswer]:
    """All answers to a study, person by person, streamed; without tests and without what was revised, unless asked for; of one person
    where ``session`` names her."""
    latest = (
        select(answers.c.session, answers.c.trial, func.max(answers.c.attempt).label("attempt"))
        .group_by(answers.c.session, answers.c.trial)
        .subquery()
    )
    query = (
        select(answers, sessions.c.external, sessions.c.source, sessions.c.state, sessions.c.trial_run, sessions.c.condition,
               trials.c.phase, trials.c.kind, trials.c.item, latest.c.attempt.label("newest"))
        .join(sessions, sessions.c.id == answers.c.session)
        .join(trials, and_(trials.c.session == answers.c.session, trials.c.trial == answers.c.trial))
        .join(latest, and_(latest.c.session == answers.c.session, latest.c.trial == answers.c.trial))
        .where(sessions.c.study == study)
        .order_by(sessions.c.began, answers.c.session, answers.c.trial, answers.c.attempt)
    )  # fmt: skip
    if phase:
        query = query.where(trials.c.phase == phase)
    if not tests:
        query = query.where(sessions.c.trial_run.is_(False))
    if session:
        query = query.where(sessions.c.id == session)
    with database.stream() as connection:
        for row in connection.execute(query):
            last = row.attempt == row.newest
            if last or revisions:
                yield GivenAnswer(
                    row.session, row.external, row.source, row.state, row.trial_run, row.version, row.condition, row.trial, row.attempt,
                    row.phase, row.kind, row.item, from_json(row.body, LabAnswer), row.kept, json.loads(row.flags), last,
                )  # fmt: skip


def as_prediction(given: GivenAnswer) -> Prediction:
    """A person's answer beside a model's."""
    return Prediction(given.item, (Guess(given.answer.answer),), given.session)


def study_items(database: Database, study: str, condition: str = "") -> dict[str, Item]:
    """The items of a study by id, of all its versions; the latest version counts."""
    query = (
        select(items.c.condition, items.c.body)
        .join(studies, studies.c.version == items.c.version)
        .where(studies.c.name == study)
        .order_by(studies.c.number, items.c.place)
    )
    if condition:
        query = query.where(items.c.condition == condition)
    with database.read() as connection:
        listed = [from_json(row.body, Item) for row in connection.execute(query)]
    return {item.id: item for item in listed}


def annotated_stories(database: Database, study: str, least: int = 2) -> list[Story]:
    """Documents with the segments of everybody who marked them (``by`` is the session), where at least two did."""
    known = study_items(database, study)
    people: dict[str, dict[str, Segments]] = defaultdict(dict)
    for given in given_answers(database, study):
        if isinstance(given.answer.answer, Segments) and given.item in known:
            people[given.item][given.session] = given.answer.answer
    stories = []
    for name, marked in people.items():
        question = known[name].question
        if len(marked) < least or not isinstance(question, Where):
            continue
        segments = tuple(
            msgspec.structs.replace(segment, by=session)
            for session, answer in marked.items()
            for segment in answer.segments
        )
        notes = tuple(("annotator", session) for session in marked)
        stories.append(replace(question.story, segments=segments, notes=notes))
    return sorted(stories, key=lambda story: story.id)


def decided_segments(database: Database, session: str, study: str) -> list[tuple[Story, list[Outcome]]]:
    """What adjudicators made of somebody's segments: each finished story with what became of each of her annotations."""
    seen: dict[str, tuple[Story, list[Outcome]]] = {}
    for name in studies_about(database, study, "annotated"):
        known = study_items(database, name)
        for given in given_answers(database, name):
            item = known.get(given.item)
            if item is None or not isinstance(item.question, Where):
                continue
            story = item.question.story
            if any(segment.by == session for segment in story.segments):
                taken = taken_offers(given.answer.get("taken"))
                seen[given.item] = (story, outcomes(story, merge(story), taken, session))
    return list(seen.values())


def studies_about(database: Database, study: str, make: str = "") -> list[str]:
    """The studies of a database whose items are made of answers to this one; those of one source where ``make`` names it."""
    with database.read() as connection:
        rows = connection.execute(select(studies.c.name, studies.c.text)).all()
    sources = [(str(row.name), tomllib.loads(row.text).get("source", {})) for row in rows]
    return sorted(
        {name for name, source in sources if source.get("study") == study and make in ("", source.get("make"))}
    )


def taken_offers(text: str) -> dict[str, list[int]]:
    """The decisions of an adjudication as they are stored.

    >>> taken_offers("d/0: 1 2; d/1: none")
    {'d/0': [1, 2], 'd/1': []}
    """
    pairs = [part.rpartition(": ") for part in text.split("; ") if part]
    return {name: [int(place) for place in places.split() if place.isdigit()] for name, _, places in pairs}


def answer_groups(database: Database, study: str, least: int = 2) -> list[Item]:
    """The different answers to each item, to be grouped by meaning; where an item has fewer than two, there is nothing to group."""
    known = study_items(database, study)
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    for given in given_answers(database, study):
        if isinstance(given.answer.answer, str) and given.answer.answer.strip():
            texts[given.item].setdefault(given.answer.answer.strip())
    listed = []
    for name, different in sorted(texts.items()):
        if len(different) >= least and name in known:
            question = Group(tuple(sorted(different)), context_of(known[name].question))
            listed.append(Item(f"{name}/{len(different)}", question, "", known[name].group))
    return listed


def context_of(question: AnyQuestion) -> tuple[str, ...]:
    """What stands above answers that are grouped: the chain with its blank."""
    if isinstance(question, SentenceGap):
        lines = list(question.sentences)
        lines.insert(question.gap, "…")
        return tuple(lines)
    return ()


def own_data(study: OpenStudy, session: Row[Any]) -> Mapping[str, Any]:
    """Everything that is stored about a person; the condition is not told, since it would tell the design."""
    with study.database.read() as connection:
        rows = connection.execute(
            select(answers.c.trial, answers.c.attempt, answers.c.body, answers.c.kept, answers.c.flags)
            .where(answers.c.session == session.id)
            .order_by(answers.c.trial, answers.c.attempt)
        ).all()
        refused = connection.execute(
            select(refusals.c.trial, refusals.c.body, refusals.c.complaint, refusals.c.kept).where(
                refusals.c.session == session.id
            )
        ).all()
        decided = connection.execute(
            select(reviews.c.trial, reviews.c.attempt, reviews.c.verdict, reviews.c.feedback, reviews.c.kept)
            .where(reviews.c.session == session.id)
            .order_by(reviews.c.number)
        ).all()
    return {
        "study": study.study.title,
        "id": session.external,
        "came from": session.source,
        "began": session.began,
        "ended": session.ended,
        "state": session.state,
        "answers": [
            {"page": row.trial + 1, "attempt": row.attempt, "answer": json.loads(row.body), "stored": row.kept, **json.loads(row.flags)}
            for row in rows
        ],
        "not accepted": [
            {"page": row.trial + 1, "sent": row.body, "why": row.complaint}
            for row in refused
        ],
        "reviewed": [
            {"page": row.trial + 1 or "all", "attempt": row.attempt, "verdict": row.verdict, "feedback": row.feedback, "stored": row.kept}
            for row in decided
        ],
    }  # fmt: skip


def exports(database: Database, study: str) -> int:
    """How often the answers of a study were exported."""
    with database.read() as connection:
        query = select(func.count()).select_from(events).where(events.c.study == study, events.c.what == "exported")
        return int(connection.execute(query).scalar_one())


def known_study(database: Database, name: str) -> str:
    """The text of the latest version of a study in a database."""
    with database.read() as connection:
        text = connection.execute(
            select(studies.c.text).where(studies.c.name == name).order_by(studies.c.number.desc()).limit(1)
        ).scalar_one_or_none()
    if text is None:
        with database.read() as connection:
            names = sorted(set(connection.execute(select(studies.c.name)).scalars()))
        raise BadInput(
            f"{database.name} has no study {name!r}. It has: {', '.join(names) or 'none yet'}. "
            f"Run it there first: scenarist lab serve {name} --db {database.name}"
        )
    return str(text)
