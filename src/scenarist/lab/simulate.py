"""Simulated people x a study -> SimulatedRun: the real server, real pages, and a comparison of what was acknowledged with what is stored.

Each person opens the link, agrees, fills in every form as its page kind says (knowing the page only), thinks between pages, and does what
people do: sends a form twice, goes back and changes an answer, closes the browser and comes back. The server may be killed at random
moments. An answer counts as acknowledged when the server replied to it with the redirect to the next page. Afterwards every
acknowledged answer must be in the database (else it is *lost*), and no page may have more rows than different answers sent (*doubled*).
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from sqlalchemy import select

from scenarist.answers import SimulatedRun
from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers
from scenarist.lab.browser import HttpReply, SimulatedBrowser
from scenarist.lab.database.engine import Database, open_database
from scenarist.lab.database.tables import sessions
from scenarist.lab.forms import ParsedForm, ParsedPage, parse_page
from scenarist.lab.kinds import page_kind
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted
from scenarist.lab.review.queue import approve_clean
from scenarist.lab.roster import OpenStudy, open_study
from scenarist.lab.server import ServerProcess
from scenarist.lab.solver import PageSolver
from scenarist.lab.sources import SOURCES
from scenarist.lab.study import Study, load_study

PAGES_A_SECOND = 50.0
"""What people together ask of the server where ``think`` is not given: with 300 people each thinks 2 to 10 s."""
MOST_TRIES = 400
MOST_CALLS = 2_000
"""How often somebody calls a server that does not answer: as long as one may take to start."""
FEW_FIRST = 4
"""People who answer the study before, where there are no answers yet to ask about."""


class Habits(NamedTuple):
    """How simulated people behave: seconds between pages, and chances a page of what goes wrong."""

    think: tuple[float, float]
    twice: float = 0.03
    revise: float = 0.03
    close: float = 0.01
    tabs: float = 0.02
    kills: int = 0
    closings: int = 0
    """Browsers closed at random moments in the whole run; 0 leaves it to ``close``."""


class SentForm(NamedTuple):
    """A form that somebody sent."""

    trial: int
    fields: tuple[tuple[str, str], ...]
    acknowledged: bool


class SimulatedPerson:
    """Somebody who takes part."""

    def __init__(self, name: str, port: int, study: str, habits: Habits, seed: str, solver: PageSolver | None) -> None:
        self.name, self.base, self.habits, self.solver = name, f"/study/{study}", habits, solver
        self.browser = SimulatedBrowser(port)
        self.draw = random.Random(seed)
        self.sent: list[SentForm] = []
        self.closed = 0
        self.ended = ""

    async def take_part(self) -> None:
        """From the link to the code."""
        reply = await self.insist("GET", f"{self.base}/?person={self.name}")
        for _ in range(MOST_TRIES):
            page = parse_page(reply.text)
            if page.kind == "end":
                self.ended = "complete" if page.marked("code") else "ended"
                break
            if page.kind == "message":
                again = page.link("again")
                if again is None:
                    self.ended = "turned away"
                    break
                reply = await self.insist("GET", again)
                continue
            await asyncio.sleep(self.draw.uniform(*self.habits.think))
            reply = await self.turn(page, reply)
        self.browser.close()

    async def turn(self, page: ParsedPage, reply: HttpReply) -> HttpReply:
        """From one page to the next."""
        if page.kind == "consent":
            form = page.form("consent")
            assert form is not None
            moved = await self.insist("POST", form.action, form.hidden() | {"choice": ["agree"]})
            return await self.follow(moved)
        if page.kind == "feedback":
            return await self.insist("GET", page.link("next") or f"{self.base}/go")
        form = page.form("page")
        if form is None:
            return await self.insist("GET", f"{self.base}/go")
        if self.draw.random() < self.habits.close:
            return await self.close_and_return()
        answer = await self.answer_of(page, form)
        fields = form.hidden() | answer
        trial = int(form.action.rsplit("/", 1)[1])
        if self.draw.random() < self.habits.tabs:  # a second tab with the same page
            await self.insist("GET", form.action)
        if self.draw.random() < self.habits.twice:  # a double click: the same form on two connections
            other = SimulatedBrowser(self.browser.port, dict(self.browser.cookies))
            first, second = await asyncio.gather(
                self.send(trial, form.action, fields),
                self.send(trial, form.action, fields, other),
                return_exceptions=True,
            )
            other.close()
            replies = [reply for reply in (first, second) if isinstance(reply, HttpReply)]
            moved = replies[0] if replies else await self.send_until(trial, form.action, fields)
        else:
            moved = await self.send_until(trial, form.action, fields)
        after = await self.follow(moved)
        if moved.status == 303 and self.draw.random() < self.habits.revise:
            after = await self.revise(form.action, trial, after)
        return after

    async def answer_of(self, page: ParsedPage, form: ParsedForm) -> dict[str, list[str]]:
        """What to fill in: by the page kind, or by a model."""
        if self.solver is not None:
            solved = await asyncio.to_thread(self.solver.fill, page, form)
            if solved is not None:
                return solved
        return page_kind(page.kind).simulate(page, form, self.draw)

    async def revise(self, action: str, trial: int, after: HttpReply) -> HttpReply:
        """Back, another answer, and on from where one was."""
        reply = await self.insist("GET", action)
        page = parse_page(reply.text)
        form = page.form("page")
        if form is None or form.action != action:
            return await self.insist("GET", f"{self.base}/go")
        fields = form.hidden() | await self.answer_of(page, form)
        moved = await self.send_until(trial, action, fields)
        await self.follow(moved)
        return await self.insist("GET", f"{self.base}/go")

    async def close_and_return(self) -> HttpReply:
        """The browser is closed, perhaps in the middle of a request, and opened again later."""
        self.closed += 1
        self.browser.close()
        await asyncio.sleep(self.draw.uniform(*self.habits.think))
        return await self.insist("GET", f"{self.base}/")

    async def send(
        self, trial: int, action: str, fields: dict[str, list[str]], browser: SimulatedBrowser | None = None
    ) -> HttpReply:
        """Send a form once, and write down whether it was acknowledged."""
        pairs = tuple((name, value) for name, values in fields.items() for value in values)
        try:
            reply = await (browser or self.browser).post(action, fields)
        except ConnectionError:
            self.sent.append(SentForm(trial, pairs, False))
            raise
        if reply.status != 422:
            kept = reply.status == 303 and not reply.location.endswith("/study") and "/go" not in reply.location
            self.sent.append(SentForm(trial, pairs, kept))
        return reply

    async def send_until(self, trial: int, action: str, fields: dict[str, list[str]]) -> HttpReply:
        """Send a form until the server answers: a reload, or the page opened anew."""
        for _ in range(MOST_CALLS):
            try:
                reply = await self.send(trial, action, fields)
                if reply.status != 503:
                    return reply
            except ConnectionError:
                pass
            await asyncio.sleep(self.draw.uniform(0.1, 0.5))
            if self.draw.random() < 0.5:
                return await self.insist("GET", f"{self.base}/go")
        raise ConnectionError("the server does not come back")

    async def insist(self, method: str, path: str, fields: dict[str, list[str]] | None = None) -> HttpReply:
        """Try until the server answers."""
        for _ in range(MOST_CALLS):
            try:
                reply = await (self.browser.get(path) if method == "GET" else self.browser.post(path, fields or {}))
                if reply.status != 503:
                    return reply
            except ConnectionError:
                pass
            await asyncio.sleep(self.draw.uniform(0.1, 0.5))
        raise ConnectionError("the server does not come back")

    async def follow(self, reply: HttpReply) -> HttpReply:
        """Where a redirect leads."""
        return await self.insist("GET", reply.location) if reply.status == 303 else reply


class Killer:
    """Kills the server at random moments of the run, and starts it again."""

    def __init__(
        self, server: ServerProcess, people: list[SimulatedPerson], habits: Habits, expected: int, seed: str
    ) -> None:
        self.server, self.people, self.habits = server, people, habits
        self.draw = random.Random(seed)
        top = max(1, int(expected * 0.9))
        self.moments = sorted(self.draw.randint(1, top) for _ in range(habits.kills))
        self.closings = sorted(self.draw.randint(1, top) for _ in range(habits.closings))
        self.kills = 0

    async def watch(self) -> None:
        """Wait for each moment: so many forms sent in all, and some milliseconds."""
        while self.moments or self.closings:
            sent = sum(len(person.sent) for person in self.people)
            if self.closings and sent >= self.closings[0]:
                self.closings.pop(0)
                person = self.draw.choice([person for person in self.people if not person.ended] or self.people)
                person.browser.close()
                person.closed += 1
            if self.moments and sent >= self.moments[0]:
                self.moments.pop(0)
                await asyncio.sleep(self.draw.uniform(0, 0.05))
                self.server.kill()
                self.kills += 1
                await asyncio.sleep(self.draw.uniform(0, 0.3))
                await asyncio.to_thread(self.server.start)
            await asyncio.sleep(0.01)


def simulate_study(
    study: str, people: int = 20, db: str = "lab.db", kill: int = 0, model: str = "", corpus: str = "", seed: int = 13,
    habits: Habits | None = None,
) -> SimulatedRun:  # fmt: skip
    """Let simulated people, or a model, take part in a study on a real server, and compare what was acknowledged with what is stored."""
    if people < 1:
        raise BadInput(f"simulate: expected at least one person, got {people}.")
    plan = load_study(study, corpus)
    database = open_database(db)
    prepare_source(plan, db, database, seed)
    opened = open_study(database, plan)
    mean = people / PAGES_A_SECOND
    habits = (habits or Habits((mean / 3, mean * 5 / 3)))._replace(kills=kill)
    solver = PageSolver(model) if model else None
    run = secrets.token_hex(4)
    server = ServerProcess(study, db, corpus)
    persons = [
        SimulatedPerson(f"sim-{run}-{number}", server.port, plan.name, habits, f"{seed} {number}", solver)
        for number in range(people)
    ]
    killer = Killer(server, persons, habits, opened.fewest_pages() * people, f"{seed} kills")
    server.start()
    try:
        with ThreadPoolExecutor(1) as own_thread:  # a notebook has a loop of its own
            seconds = own_thread.submit(asyncio.run, drive(persons, killer)).result()
    finally:
        server.stop()
    rows = compare(open_study(database, plan), persons, run)
    times = sorted(value for person in persons for value in person.browser.times)
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))] * 1000 if times else 0.0
    database.close()
    return SimulatedRun(
        plan.name, people, rows.complete, rows.answers, rows.lost, rows.doubled, killer.kills, round(p95, 1),
        sum(person.closed for person in persons), len(times), round(seconds, 1), run,
    )  # fmt: skip


async def drive(people: list[SimulatedPerson], killer: Killer) -> float:
    """Everybody at once."""
    begun = asyncio.get_running_loop().time()
    watching = asyncio.create_task(killer.watch())
    results = await asyncio.gather(*(person.take_part() for person in people), return_exceptions=True)
    watching.cancel()
    (trouble,) = await asyncio.gather(watching, return_exceptions=True)
    for failure in (*results, trouble):
        if isinstance(failure, BaseException) and not isinstance(failure, (ConnectionError, asyncio.CancelledError)):
            raise failure
    return asyncio.get_running_loop().time() - begun


class StoredRows(NamedTuple):
    """What the rows say."""

    complete: int
    answers: int
    lost: int
    doubled: int


def compare(study: OpenStudy, people: list[SimulatedPerson], run: str) -> StoredRows:
    """Acknowledged answers against stored rows."""
    stored: dict[tuple[str, int], list[LabAnswer]] = defaultdict(list)
    places: dict[tuple[str, int], tuple[str, str, str]] = {}
    prefix = f"sim-{run}-"
    for given in given_answers(study.database, study.study.name, phase="", tests=True, revisions=True):
        if given.external.startswith(prefix):
            stored[given.external, given.trial].append(given.answer)
            places[given.external, given.trial] = (given.condition, given.kind, given.item)
    with study.database.read() as connection:
        query = select(sessions.c.external, sessions.c.state).where(
            sessions.c.study == study.study.name, sessions.c.external.startswith(prefix)
        )
        states = connection.execute(query).all()
    lost = doubled = 0
    for person in people:
        sent: dict[int, list[SentForm]] = defaultdict(list)
        for form in person.sent:
            sent[form.trial].append(form)
        for trial, forms in sent.items():
            rows = stored.get((person.name, trial), [])
            if not rows:
                lost += sum(form.acknowledged for form in forms)
                continue
            wanted = [(meant(study, places[person.name, trial], form), form) for form in forms]
            lost += sum(form.acknowledged and answer is not None and answer not in rows for answer, form in wanted)
            attempts = {(answer, dict(form.fields).get("attempt")) for answer, form in wanted if answer is not None}
            doubled += max(0, len(rows) - len(attempts))
    doubled += len(states) - len({external for external, _ in states})
    complete = sum(state == "complete" for _, state in states)
    complete = min(complete, sum(person.ended == "complete" for person in people))
    return StoredRows(complete, sum(len(rows) for rows in stored.values()), lost, doubled)


def meant(study: OpenStudy, trial: tuple[str, str, str], form: SentForm) -> LabAnswer | None:
    """The answer in a form as the page kind reads it."""
    condition, kind, name = trial
    step = study.step(name)
    item = study.item(condition, name) if step is None else None
    question = item.question if item is not None else step.question if step is not None else None
    settings = study.study.settings_of(step)
    try:
        return page_kind(kind).read(FormFields(form.fields), question, settings)
    except NotAccepted:
        return None


def prepare_source(study: Study, db: str, database: Database, seed: int) -> None:
    """Where a study asks about answers of another and there are none yet: let some people answer that one first."""
    if not study.source.study:
        return
    try:
        SOURCES[study.source.make](study, database)
    except BadInput:
        simulate_study(study.source.study, FEW_FIRST, db, seed=seed)
        before = open_study(database, load_study(study.source.study))
        if before.study.review.needed:
            approve_clean(before)
