"""Study x Database -> OpenStudy: who takes part, and every answer kept once.

An answer is known by (session, trial, attempt); the same one sent twice is one row, a differing one is a revision beside it.
"""

from __future__ import annotations

import json
import random
import secrets
import time
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from scenarist.errors import BadInput
from scenarist.lab.assignment import Assignment
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import answers, events, items, refusals, reviews, sessions, studies, tokens, trials
from scenarist.lab.kinds import page_kind
from scenarist.lab.kinds.base import LabAnswer
from scenarist.lab.sources import make_items
from scenarist.lab.study import OUTCOMES, Study, StudyStep, parse_study, right_answer
from scenarist.noun import from_json, to_json
from scenarist.question import AnyQuestion, Item

LIVE = ("annotated", "answers", "contexts", "full-stories", "pilots", "guesses")
"""Sources that grow while people answer."""
DAY = 86_400.0
USED = "used "


class Arrival(NamedTuple):
    """Who asks to begin: the platform's id, where it came from, and the hashes of the cookies."""

    external: str
    source: str
    entry: str
    token: str
    trial_run: bool = False


class Admission(NamedTuple):
    """A session, or why there is none: ``known``, ``full``, ``closed``."""

    session: str
    refusal: str = ""


class Kept(NamedTuple):
    """What became of an answer: the number of its row, and whether the trial is done."""

    attempt: int
    done: bool
    state: str


class OpenStudy(Assignment):
    """A version of a study with its items in memory."""

    def __init__(self, database: Database, study: Study, codes: dict[str, str], sets: dict[str, list[Item]]) -> None:
        self.database, self.study, self.codes = database, study, codes
        self.sets = sets
        self.items = {(condition, item.id): item for condition, listed in sets.items() for item in listed}
        self.steps = {f"step.{number}": prepared(step) for number, step in enumerate(study.steps)}
        self.others: dict[str, OpenStudy] = {}

    @property
    def version(self) -> str:
        """The study's hash."""
        return self.study.version

    def step(self, item: str) -> StudyStep | None:
        """The step behind a trial that is no drawn item."""
        return self.steps.get(item)

    def item(self, condition: str, name: str) -> Item | None:
        """The drawn item behind a trial."""
        return self.items.get((condition, name))

    def of_version(self, version: str) -> OpenStudy | None:
        """The version that an answer was given to: this one, or another one of the same name, read once."""
        if version == self.version:
            return self
        if version not in self.others:
            self.others = {
                other.version: other for other in earlier_versions(self.database, self.study.name, self.version)
            }
        return self.others.get(version)

    def question(self, version: str, condition: str, name: str) -> AnyQuestion | None:
        """What was asked on a page, in the version that was open then."""
        study = self.of_version(version)
        step = study.step(name) if study is not None else None
        item = study.item(condition, name) if study is not None else None
        return step.question if step is not None else item.question if item is not None else None

    def begin(self, arrival: Arrival, draw: random.Random | None = None) -> Admission:
        """A session for somebody who agreed. The same arrival twice is one session; the same person a second time is none."""
        draw = draw or random.Random(secrets.randbits(64))
        identity = secrets.token_hex(10)
        with self.database.write() as connection:
            self.database.lock_study(connection, self.study.name)
            earlier = connection.execute(
                select(sessions.c.id, sessions.c.study).where(sessions.c.entry == arrival.entry)
            ).first()
            if earlier is not None:  # the answer to the first request was lost on its way
                self.admit(connection, earlier.id, arrival.token)
                return Admission(earlier.id)
            taken = select(sessions.c.id).where(
                sessions.c.study == self.study.name, sessions.c.external == arrival.external
            )
            if connection.execute(taken).first() is not None:
                return Admission("", "known")
            condition = self.least_filled(connection, draw)
            if condition is None:
                return Admission("", "full")
            now = time.time()
            plan, note = self.plan(connection, condition, draw)
            row = {
                "id": identity, "study": self.study.name, "version": self.version, "external": arrival.external, "source": arrival.source,
                "condition": condition, "state": "active", "trial_run": arrival.trial_run, "entry": arrival.entry, "began": now,
                "seen": now, "resumed": 0, "note": json.dumps(note),
            }  # fmt: skip
            connection.execute(insert(sessions).values(row))
            self.admit(connection, identity, arrival.token)
            rows = [
                {"session": identity, "trial": number, "phase": phase, "kind": kind, "item": name, "done": False}
                for number, (phase, kind, name) in enumerate(plan)
            ]
            connection.execute(insert(trials), rows)
        return Admission(identity)

    def admit(self, connection: Connection, session: str, token: str) -> None:
        """A cookie speaks for a session from now on."""
        connection.execute(insert(tokens).values(hash=token, session=session, began=time.time()))

    def arrived(self, session: Row[Any]) -> None:
        """The new cookie is in use: the one that was there before the consent, which somebody else may know, opens nothing any more."""
        if session.entry.startswith(USED):
            return
        with self.database.write() as connection:
            connection.execute(
                update(sessions).where(sessions.c.id == session.id).values(entry=USED + secrets.token_hex(24))
            )

    def keep(self, session: Row[Any], trial: Row[Any], attempt: int, answer: LabAnswer, flags: dict[str, Any]) -> Kept:
        """Store an answer; when this returns it is on the disk."""
        try:
            return self.store(session, trial, attempt, answer, flags)
        except IntegrityError:  # two requests wrote the same attempt in the same moment: look again
            return self.store(session, trial, attempt, answer, flags)

    def store(self, session: Row[Any], trial: Row[Any], attempt: int, answer: LabAnswer, flags: dict[str, Any]) -> Kept:
        """One transaction: the answer, its trial and the session."""
        body, now = to_json(answer).decode(), time.time()
        step = self.step(trial.item)
        passed = step is None or step.phase not in ("check",) or right_answer(step, answer.answer)
        where = and_(answers.c.session == session.id, answers.c.trial == trial.trial)
        with self.database.write() as connection:
            rows = connection.execute(
                select(answers.c.attempt, answers.c.body).where(where).order_by(answers.c.attempt)
            ).all()
            earlier = {row.attempt: row.body for row in rows}
            latest = rows[-1].attempt if rows else 0
            again = earlier.get(attempt) == body or (passed and bool(rows) and rows[-1].body == body)
            if not again:
                latest += 1
                connection.execute(
                    insert(answers).values(
                        session=session.id, trial=trial.trial, attempt=latest, version=session.version, body=body, kept=now,
                        flags=json.dumps(flags),
                    )
                )  # fmt: skip
            state = session.state
            if passed and not trial.done:
                connection.execute(
                    update(trials)
                    .where(trials.c.session == session.id, trials.c.trial == trial.trial)
                    .values(done=True)
                )
                if not self.left(connection, session.id):
                    state = "complete"
            elif step is not None and not passed and latest >= step.tries:
                state = "failed"
            if step is not None and step.phase == "qualification" and self.unqualified(connection, session.id):
                state = "screened"
            changes: dict[str, Any] = {"seen": now}
            if state != session.state:
                changes |= {"state": state, "ended": now}
            connection.execute(update(sessions).where(sessions.c.id == session.id).values(changes))
        return Kept(latest, passed, state)

    def left(self, connection: Connection, session: str) -> int:
        """Pages without an answer."""
        return int(
            connection.execute(
                select(func.count()).select_from(trials).where(trials.c.session == session, trials.c.done.is_(False))
            ).scalar_one()
        )

    def unqualified(self, connection: Connection, session: str) -> bool:
        """Are all qualification pages answered, and too few of them rightly?"""
        rows = connection.execute(
            select(trials.c.trial, trials.c.item, answers.c.body)
            .select_from(
                trials.outerjoin(
                    answers, and_(answers.c.session == trials.c.session, answers.c.trial == trials.c.trial)
                )
            )
            .where(trials.c.session == session, trials.c.phase == "qualification")
            .order_by(trials.c.trial, answers.c.attempt)
        ).all()
        last = {row.trial: row for row in rows}
        if any(row.body is None for row in last.values()):
            return False
        right = sum(right_answer(self.steps[row.item], from_json(row.body, LabAnswer).answer) for row in last.values())
        return right < self.study.qualify * len(last)

    def refuse(self, session: str, trial: int, body: str, complaint: str) -> None:
        """Keep what was not accepted."""
        with self.database.write() as connection:
            connection.execute(
                insert(refusals).values(
                    session=session, trial=trial, body=body[:2000], complaint=complaint, kept=time.time()
                )
            )

    def note(self, what: str, note: str = "") -> None:
        """Keep that something happened."""
        with self.database.write() as connection:
            connection.execute(insert(events).values(study=self.study.name, what=what, note=note, kept=time.time()))

    def seen(self, session: Row[Any]) -> str:
        """Somebody is here (again): the state of the session after the rule for coming back."""
        now, rules = time.time(), self.study.people
        away = now - session.seen
        if session.state != "active" or away < 60:
            return str(session.state)
        gone = away > rules.active_minutes * 60
        state = "active"
        if (rules.resume == "never" and gone) or (rules.resume == "day" and away > DAY):
            state = "gone"
        with self.database.write() as connection:
            connection.execute(
                update(sessions)
                .where(sessions.c.id == session.id)
                .values(seen=now, resumed=session.resumed + int(gone), state=state)
            )
            if gone and state == "active" and self.study.draw.people and not self.study.draw.pool:
                self.give_back(connection, session)
        return state

    def give_back(self, connection: Connection, session: Row[Any]) -> None:
        """The lease ran out: items that others answered meanwhile are exchanged for free ones, or dropped."""
        load, limit = self.load(connection), self.study.draw.people
        rows = connection.execute(select(trials).where(trials.c.session == session.id, trials.c.phase == "trial")).all()
        own = {row.item for row in rows}
        free = [item.id for item in self.sets[session.condition] if item.id not in own and load[item.id] < limit]
        for row in rows:
            if row.done or load[row.item] <= limit:
                continue
            here = and_(trials.c.session == session.id, trials.c.trial == row.trial)
            if free:
                connection.execute(update(trials).where(here).values(item=free.pop(0)))
            elif not self.study.draw.more:
                connection.execute(trials.delete().where(here))

    def withdraw(self, session: str) -> None:
        """Delete what somebody gave us; that she was there is kept as a count, without her id."""
        with self.database.write() as connection:
            for table in (answers, refusals, reviews, trials, tokens):
                connection.execute(table.delete().where(table.c.session == session))
            connection.execute(
                update(sessions)
                .where(sessions.c.id == session)
                .values(
                    state="withdrawn", ended=time.time(), external=f"withdrawn-{secrets.token_hex(8)}", note="{}",
                    entry=secrets.token_hex(32),
                )
            )  # fmt: skip
            connection.execute(
                insert(events).values(study=self.study.name, what="withdrawn", note="", kept=time.time())
            )

    def exports(self) -> int:
        """How often the answers were exported: who withdraws is told."""
        from scenarist.lab.answered import exports

        return exports(self.database, self.study.name)

    def close_cell(self, condition: str, closed: bool) -> None:
        """Let nobody more into a condition, or again."""
        if condition not in self.study.conditions:
            raise BadInput(f"{self.study.name} has no condition {condition!r}: {', '.join(self.study.conditions)}.")
        with self.database.write() as connection:
            names = set(self.closed(connection)) - {condition} | ({condition} if closed else set())
            connection.execute(
                update(studies).where(studies.c.version == self.version).values(closed=json.dumps(sorted(names)))
            )


def prepared(step: StudyStep) -> StudyStep:
    """A step with its question as its page kind needs it."""
    if step.question is None:
        return step
    return msgspec.structs.replace(step, question=page_kind(step.kind).prepare(step.question))


def open_study(database: Database, study: Study) -> OpenStudy:
    """A study ready for people: its items made once and frozen, its kinds warm."""
    with database.read() as connection:
        known = connection.execute(
            select(studies.c.codes).where(studies.c.version == study.version)
        ).scalar_one_or_none()
    if known is None:
        sets = make_items(study, database)
        known = json.dumps({outcome: secrets.token_hex(4).upper() for outcome in OUTCOMES} | dict(study.codes))
        with database.write() as connection:
            database.lock_study(connection, study.name)
            count = select(func.count()).select_from(studies).where(studies.c.name == study.name)
            number = int(connection.execute(count).scalar_one()) + 1
            connection.execute(
                insert(studies).values(
                    version=study.version,
                    name=study.name,
                    number=number,
                    text=study.text,
                    codes=known,
                    closed="[]",
                    began=time.time(),
                )
            )
            add_items(connection, study, sets)
    elif study.source.make in LIVE:
        sets = make_items(study, database)
        with database.write() as connection:
            add_items(connection, study, sets)
    for name in study.kinds:
        page_kind(name).warm()
    return OpenStudy(database, study, json.loads(known), load_items(database, study))


def add_items(connection: Connection, study: Study, sets: Any) -> None:
    """Write items that are not there yet."""
    query = select(items.c.condition, items.c.item).where(items.c.version == study.version)
    there = {(condition, name) for condition, name in connection.execute(query)}
    rows = [
        {
            "version": study.version, "condition": condition, "item": item.id, "family": item.group, "place": number,
            "body": to_json(item).decode(),
        }
        for condition, listed in sets.items()
        for number, item in enumerate(listed)
        if (condition, item.id) not in there
    ]  # fmt: skip
    if rows:
        connection.execute(insert(items), rows)


def load_items(database: Database, study: Study) -> dict[str, list[Item]]:
    """The frozen items, condition by condition."""
    sets: dict[str, list[Item]] = {condition: [] for condition in study.conditions}
    with database.read() as connection:
        rows = connection.execute(
            select(items.c.condition, items.c.body).where(items.c.version == study.version).order_by(items.c.place)
        )
        for condition, body in rows:
            sets[condition].append(from_json(body, Item))
    return sets


def earlier_versions(database: Database, name: str, but: str = "") -> list[OpenStudy]:
    """Versions of a study that people began before its file changed: they go on as they began."""
    with database.read() as connection:
        rows = connection.execute(
            select(studies.c.text, studies.c.codes).where(studies.c.name == name, studies.c.version != but)
        ).all()
    return [
        OpenStudy(database, study, json.loads(row.codes), load_items(database, study))
        for row in rows
        for study in [parse_study(row.text, f"{name} in the database")]
    ]
