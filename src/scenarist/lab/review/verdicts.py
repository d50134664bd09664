"""Answer x reviewer -> verdict: approve, send back with feedback, reject with a reason; or leave out all that a person gave.

A verdict speaks of one attempt: an answer that was changed afterwards waits again. What is sent back is opened for its writer: when she
comes again she sees the page with her answer and the feedback.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, func, insert, select, update

from scenarist.errors import BadInput
from scenarist.lab.answered import GivenAnswer, given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import answers, reviews, sessions, trials
from scenarist.lab.kinds import page_kind
from scenarist.registry import suggest

if TYPE_CHECKING:
    from scenarist.lab.roster import OpenStudy

APPROVED, SENT_BACK, REJECTED, WAITING = "approved", "sent back", "rejected", "waiting"
LEFT_OUT, TAKEN_IN = "left out", "taken in"
OF_ANSWERS = (APPROVED, SENT_BACK, REJECTED)
OF_PEOPLE = (LEFT_OUT, TAKEN_IN)
PERSON = -1
"""The trial of a verdict on a person."""
LONGEST_FEEDBACK = 2_000
KEPT_STATES = ("active", "complete")
"""Who failed a check, was screened or went away gives nothing to a corpus."""


class Verdict(NamedTuple):
    """What was decided of an answer, or of a person."""

    verdict: str
    feedback: str
    attempt: int
    kept: float


def verdicts(database: Database, study: str) -> dict[tuple[str, int], Verdict]:
    """(session, trial) -> the last verdict; people stand under trial -1."""
    query = (
        select(reviews)
        .join(sessions, sessions.c.id == reviews.c.session)
        .where(sessions.c.study == study)
        .order_by(reviews.c.number)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    return {(row.session, row.trial): Verdict(row.verdict, row.feedback, row.attempt, row.kept) for row in rows}


def verdict_on(known: dict[tuple[str, int], Verdict], session: str, trial: int, attempt: int) -> Verdict:
    """The verdict on an attempt; *waiting* where there is none, or one of an earlier attempt."""
    verdict = known.get((session, trial))
    return verdict if verdict is not None and verdict.attempt == attempt else Verdict(WAITING, "", attempt, 0.0)


def check_verdict(verdict: str, feedback: str, known: tuple[str, ...]) -> str:
    """The feedback of a verdict as it is kept; who is not approved is told why."""
    if verdict not in known:
        raise suggest(verdict, list(known), "verdict")
    text = " ".join(feedback.split())
    if verdict == SENT_BACK and not text:
        raise BadInput("Sent back without feedback: write what the person is to change.")
    if verdict in (REJECTED, LEFT_OUT) and not text:
        raise BadInput(f"{verdict.capitalize()} without a reason: write why.")
    if len(text) > LONGEST_FEEDBACK:
        raise BadInput(f"The feedback has {len(text):,} characters; write at most {LONGEST_FEEDBACK:,}.")
    return text


def review(database: Database, session: str, trial: int, attempt: int, verdict: str, feedback: str = "") -> None:
    """Decide of an answer. What was changed since the reviewer saw it is not decided."""
    text = check_verdict(verdict, feedback, OF_ANSWERS)
    here = and_(trials.c.session == session, trials.c.trial == trial)
    with database.write() as connection:
        latest = connection.execute(
            select(func.max(answers.c.attempt)).where(answers.c.session == session, answers.c.trial == trial)
        ).scalar_one()
        if latest is None:
            raise BadInput("This answer is not there any more: the person withdrew it.")
        if latest != attempt:
            raise BadInput("This answer was changed while you looked at it. Please read it again.")
        connection.execute(
            insert(reviews).values(
                session=session, trial=trial, attempt=attempt, verdict=verdict, feedback=text, kept=time.time()
            )
        )
        if verdict == SENT_BACK:
            connection.execute(update(trials).where(here).values(done=False))
            again = and_(sessions.c.id == session, sessions.c.state == "complete")
            connection.execute(update(sessions).where(again).values(state="active", ended=None, seen=time.time()))


def review_person(database: Database, session: str, verdict: str, reason: str = "") -> None:
    """Leave out all that a person gave, or take it in again."""
    text = check_verdict(verdict, reason, OF_PEOPLE)
    with database.write() as connection:
        if connection.execute(select(sessions.c.id).where(sessions.c.id == session)).first() is None:
            raise BadInput("There is no such person in this database.")
        connection.execute(
            insert(reviews).values(
                session=session, trial=PERSON, attempt=0, verdict=verdict, feedback=text, kept=time.time()
            )
        )


def feedback_on(database: Database, session: str, trial: int, attempt: int) -> str:
    """What the reviewer wrote when this attempt was sent back; empty where it was not."""
    query = (
        select(reviews.c.verdict, reviews.c.feedback, reviews.c.attempt)
        .where(reviews.c.session == session, reviews.c.trial == trial)
        .order_by(reviews.c.number.desc())
        .limit(1)
    )
    with database.read() as connection:
        row = connection.execute(query).first()
    return str(row.feedback) if row is not None and row.verdict == SENT_BACK and row.attempt == attempt else ""


def decisions_on(study: OpenStudy, session: str) -> list[tuple[str, Verdict]]:
    """What became of somebody's own answers, for herself: how each begins, and the verdict; nothing in a study that nobody reviews."""
    known = verdicts(study.database, study.study.name)
    if not study.study.review.needed and not any(person == session for person, _ in known):
        return []
    listed = []
    for given in given_answers(study.database, study.study.name, tests=True, session=session):
        text = page_kind(given.kind).written(given.answer) or f"page {given.trial + 1}"
        listed.append((text, verdict_on(known, session, given.trial, given.attempt)))
    return listed


def left_out(database: Database, study: str) -> dict[str, str]:
    """People whose answers do not count -> why."""
    return {
        session: verdict.feedback
        for (session, trial), verdict in verdicts(database, study).items()
        if trial == PERSON and verdict.verdict == LEFT_OUT
    }


def counted_answers(database: Database, study: str, needed: bool = False) -> Iterator[GivenAnswer]:
    """The answers that count: of people who are not left out, not rejected, and where ``needed`` approved."""
    known = verdicts(database, study)
    for given in given_answers(database, study):
        person = known.get((given.session, PERSON))
        if given.state not in KEPT_STATES or (person is not None and person.verdict == LEFT_OUT):
            continue
        verdict = verdict_on(known, given.session, given.trial, given.attempt).verdict
        if verdict == APPROVED or (not needed and verdict == WAITING):
            yield given
