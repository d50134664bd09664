"""An answer beside what is stored -> does the page take it? Not a text twice, nor what is unchanged after feedback."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, and_, func, select

from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import answers, sessions, trials
from scenarist.lab.kinds import page_kind
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted
from scenarist.lab.review.verdicts import feedback_on
from scenarist.lab.roster import OpenStudy
from scenarist.noun import from_json, to_json


def compare_with_earlier(
    study: OpenStudy, session: Row[Any], trial: Row[Any], answer: LabAnswer, form: FormFields
) -> None:
    """NotAccepted where an answer cannot stand beside what is stored."""
    kind = page_kind(trial.kind)
    if not (kind.unique or kind.scale):
        return
    kind.compare(answer, own_answers(study.database, session.id, trial), form)
    body = to_json(answer).decode()
    if kind.unique:
        sent = feedback_on(
            study.database, session.id, trial.trial, last_attempt(study.database, session.id, trial.trial)
        )
        if sent and last_body(study.database, session.id, trial.trial) == body:
            raise NotAccepted(f"Nothing was changed. The reviewer wrote: {sent}")
        if given_by_others(study.database, study.study.name, session.id, body):
            raise NotAccepted("Somebody sent exactly this text before. Please write another one.", "text")


def own_answers(database: Database, session: str, trial: Row[Any]) -> list[LabAnswer]:
    """What the person said last on her other pages of this kind, in order."""
    query = (
        select(answers.c.trial, answers.c.body)
        .join(trials, and_(trials.c.session == answers.c.session, trials.c.trial == answers.c.trial))
        .where(
            answers.c.session == session, trials.c.phase == "trial", trials.c.kind == trial.kind,
            answers.c.trial != trial.trial,
        )
        .order_by(answers.c.trial, answers.c.attempt)
    )  # fmt: skip
    with database.read() as connection:
        last = {row.trial: row.body for row in connection.execute(query)}
    return [from_json(body, LabAnswer) for body in last.values()]


def given_by_others(database: Database, study: str, session: str, body: str) -> bool:
    """Did somebody else give exactly this answer?"""
    query = (
        select(answers.c.session)
        .join(sessions, sessions.c.id == answers.c.session)
        .where(sessions.c.study == study, answers.c.session != session, answers.c.body == body)
        .limit(1)
    )
    with database.read() as connection:
        return connection.execute(query).first() is not None


def last_attempt(database: Database, session: str, trial: int) -> int:
    """The number of the last answer to a page; 0 where there is none."""
    query = select(func.max(answers.c.attempt)).where(answers.c.session == session, answers.c.trial == trial)
    with database.read() as connection:
        return int(connection.execute(query).scalar_one() or 0)


def last_body(database: Database, session: str, trial: int) -> str:
    """The last answer to a page as it is stored."""
    query = (
        select(answers.c.body)
        .where(answers.c.session == session, answers.c.trial == trial)
        .order_by(answers.c.attempt.desc())
        .limit(1)
    )
    with database.read() as connection:
        return str(connection.execute(query).scalar() or "")


def sent_back(database: Database, session: str, row: Row[Any]) -> str:
    """What a page that was sent back says above the answer."""
    feedback = feedback_on(database, session, row.trial, row.attempt or 0)
    return f"The reviewer sent this back to you: {feedback} Please change it and send it again." if feedback else ""
