"""The routes of people who take part: consent, one page after another, leaving, the end. Post, redirect, get.

Addresses hold the study and the number of the page, nothing else; who somebody is stands in a cookie whose hash the database knows. A
page is made from the Question alone: no key, no condition and no removed sentence is ever handed to a template.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from typing import Any

from sqlalchemy import Row, and_, func, select
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from scenarist.lab.database.engine import NotKept
from scenarist.lab.database.tables import answers, trials
from scenarist.lab.kinds import page_kind
from scenarist.lab.kinds.base import LabAnswer, NotAccepted
from scenarist.lab.review.beside import compare_with_earlier, sent_back
from scenarist.lab.study import right_answer
from scenarist.lab.web.entrance import Entrance
from scenarist.lab.web.farewell import Farewell
from scenarist.lab.web.http import form_of, same
from scenarist.lab.web.rendering import kind_body, respond
from scenarist.lab.web.visits import OVER
from scenarist.noun import from_json

MOST_PAGES = 1_000_000
FLAGS = ("pastes", "pasted", "away", "typed")


class ParticipantPages(Entrance, Farewell):
    """The pages of all studies that this server runs."""

    def routes(self) -> list[Route]:
        """Where they stand."""
        paths = [
            ("/study/{name}/", self.welcome, ["GET"]), ("/study/{name}/begin", self.begin, ["POST"]),
            ("/study/{name}/go", self.go, ["GET"]),
            ("/study/{name}/page/{trial:int}", self.page, ["GET"]), ("/study/{name}/page/{trial:int}", self.answer, ["POST"]),
            ("/study/{name}/page/{trial:int}/feedback", self.feedback, ["GET"]), ("/study/{name}/check", self.check, ["POST"]),
            ("/study/{name}/end", self.end, ["GET"]), ("/study/{name}/leave", self.leave, ["GET"]),
            ("/study/{name}/leave", self.withdraw, ["POST"]), ("/study/{name}/data", self.data, ["GET"]),
            ("/study/{name}/guidelines", self.guidelines, ["GET"]),
            ("/study/{name}/decided", self.decided, ["GET"]), ("/study/{name}/resume/{link}", self.resume, ["GET"]),
        ]  # fmt: skip
        return [Route(path, route, methods=methods) for path, route, methods in paths]

    def go(self, request: Request) -> Response:
        """To the first page without an answer."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        study = self.open(session)
        try:
            study.arrived(session)
            state = study.seen(session)
        except NotKept:
            state = str(session.state)
        with study.database.read() as connection:
            here = and_(trials.c.session == session.id, trials.c.done.is_(False))
            first = connection.execute(select(func.min(trials.c.trial)).where(here)).scalar_one()
        if state in OVER or first is None:
            return RedirectResponse(f"{self.base(request)}/end", 303)
        return RedirectResponse(f"{self.base(request)}/page/{first}", 303)

    def page(self, request: Request) -> Response:
        """A page, with the answer that was given there before."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        if session.state in OVER:
            return RedirectResponse(f"{self.base(request)}/end", 303)
        number = page_number(request)
        study = self.open(session)
        with study.database.read() as connection:
            query = (
                select(
                    trials,
                    answers.c.attempt,
                    answers.c.body,
                    pages_of(session.id).label("pages"),
                    next_of(session.id).label("next"),
                )
                .select_from(
                    trials.outerjoin(
                        answers, and_(answers.c.session == trials.c.session, answers.c.trial == trials.c.trial)
                    )
                )
                .where(trials.c.session == session.id, trials.c.trial == number)
                .order_by(answers.c.attempt.desc())
                .limit(1)
            )
            row = connection.execute(query).first()
        if row is None or (row.next is not None and number > row.next):
            return RedirectResponse(f"{self.base(request)}/go", 303)
        earlier = from_json(row.body, LabAnswer) if row.body else None
        step = study.step(row.item)
        problem = step.feedback if step is not None and step.phase == "check" and earlier and not row.done else ""
        if step is None and earlier is not None and not row.done:
            problem = sent_back(study.database, session.id, row)
        return self.show(request, session, row, (row.attempt or 0) + 1, earlier, problem)

    def show(
        self, request: Request, session: Row[Any], row: Row[Any], attempt: int, earlier: LabAnswer | None, problem: str = "",
        status: int = 200, sent: dict[str, Any] | None = None,
    ) -> Response:  # fmt: skip
        """One page as HTML."""
        study = self.open(session)
        step = study.step(row.item)
        kind = page_kind(row.kind)
        item = study.item(session.condition, row.item) if step is None else None
        question = item.question if item is not None else step.question if step is not None else None
        settings = study.study.settings_of(step)
        text = step.text if step is not None else ""
        if sent is None and earlier is None and not problem:
            key = (study.version, session.condition, row.item)
            body = self.rendered.get(key)
            if body is None:
                body = self.rendered[key] = kind_body(row.kind, kind.show(question, settings), {}, "", text)
        else:
            value = sent if sent is not None else kind.value(earlier, question) if earlier is not None else {}
            body = kind_body(row.kind, kind.show(question, settings), value, problem, text)
        return respond(
            "page.html", status, study=study.study, kind=kind, body=body, base=self.base(request), number=row.trial, pages=row.pages,
            attempt=attempt, csrf=self.csrf(request), opened=round(time.time(), 2), problem=problem,
            title=step.title if step is not None else "", text=text if row.kind == "notice" else "", phase=row.phase,
            link=self.links.dumps(session.id), keys=kind.hotkeys(settings),
        )  # fmt: skip

    def answer(self, request: Request) -> Response:
        """Keep an answer, then show the next page."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        form = form_of(request)
        if not same(form.get("csrf"), self.csrf(request)):
            return self.message("Please try again", "This form is not yours, or too old. Please open the page again.", 403,
                                f"{self.base(request)}/go")  # fmt: skip
        number = page_number(request)
        study = self.open(session)
        with study.database.read() as connection:
            row = connection.execute(
                select(trials, pages_of(session.id).label("pages"), next_of(session.id).label("next")).where(
                    trials.c.session == session.id, trials.c.trial == number
                )
            ).first()
        if row is None or session.state in OVER or (row.next is not None and number > row.next):
            return RedirectResponse(f"{self.base(request)}/go", 303)
        step = study.step(row.item)
        item = study.item(session.condition, row.item) if step is None else None
        question = item.question if item is not None else step.question if step is not None else None
        settings = study.study.settings_of(step)
        attempt = whole(form.get("attempt"), 1)
        sent = page_kind(row.kind).again(form)
        try:
            answer = page_kind(row.kind).read(form, question, settings)
            if step is None:
                compare_with_earlier(study, session, row, answer, form)
        except NotAccepted as error:
            with suppress(NotKept):
                study.refuse(session.id, number, json.dumps(form.pairs[:50], ensure_ascii=False), str(error))
            return self.show(request, session, row, attempt, None, str(error), 422, sent)
        try:
            kept = study.keep(session, row, attempt, answer, flags_of(form))
        except NotKept:
            problem = "Your answer could not be stored. It is still in the box: please wait a moment and send it again."
            return self.show(request, session, row, attempt, None, problem, 503, sent)
        if kept.state in OVER:
            return RedirectResponse(f"{self.base(request)}/end", 303)
        if not kept.done:
            return RedirectResponse(f"{self.base(request)}/page/{number}", 303)
        if step is not None and step.phase == "practice":
            return RedirectResponse(f"{self.base(request)}/page/{number}/feedback", 303)
        return RedirectResponse(f"{self.base(request)}/page/{number + 1}", 303)

    def feedback(self, request: Request) -> Response:
        """What is said to an answer of the practice."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        study, number = self.open(session), page_number(request)
        with study.database.read() as connection:
            row = connection.execute(
                select(trials.c.item, trials.c.phase, answers.c.body)
                .join(answers, and_(answers.c.session == trials.c.session, answers.c.trial == trials.c.trial))
                .where(trials.c.session == session.id, trials.c.trial == number)
                .order_by(answers.c.attempt.desc())
                .limit(1)
            ).first()
        step = study.step(row.item) if row is not None else None
        if row is None or step is None or step.phase != "practice":
            return RedirectResponse(f"{self.base(request)}/go", 303)
        answer = from_json(row.body, LabAnswer)
        said = page_kind(step.kind).columns(answer, step.question)
        right = right_answer(step, answer.answer) if step.right else None
        return respond(
            "feedback.html",
            study=study.study,
            step=step,
            said=next(iter(said.values()), ""),
            right=right,
            base=self.base(request),
            number=number,
        )

    def check(self, request: Request) -> Response:
        """Is this a sentence yet?"""
        if self.session(request) is None:
            return JSONResponse({"message": ""}, 403)
        form = form_of(request)
        kind = form.get("kind")
        study = self.study(request)
        if study is None or kind not in study.study.kinds:
            return JSONResponse({"message": ""}, 404)
        return JSONResponse({"message": page_kind(kind).check(form.get("text")) or ""})

    def guidelines(self, request: Request) -> Response:
        """The guidelines, to be had at any time."""
        study = self.study(request)
        if study is None:
            return self.lost(request)
        return respond("guidelines.html", study=study.study, base=self.base(request))


def pages_of(session: str) -> Any:
    """How many pages a session has."""
    other = trials.alias()
    return select(func.count()).where(other.c.session == session).scalar_subquery()


def next_of(session: str) -> Any:
    """The first page without an answer."""
    other = trials.alias()
    return select(func.min(other.c.trial)).where(other.c.session == session, other.c.done.is_(False)).scalar_subquery()


def page_number(request: Request) -> int:
    """The page of an address; what no session can have is a page that does not exist."""
    return min(int(request.path_params["trial"]), MOST_PAGES)


def whole(text: str, otherwise: int) -> int:
    """A small number from a form."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else otherwise


def flags_of(form: Any) -> dict[str, float]:
    """Seconds on the page, pastes, time away: numbers only, and never keys."""
    opened = form.get("opened")
    values: dict[str, float] = {name: whole(form.get(name), 0) for name in FLAGS if form.get(name)}
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", opened):
        values["seconds"] = round(max(0.0, min(time.time() - float(opened), 86_400.0)), 2)
    return values
