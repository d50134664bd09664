"""The routes of the reviewer: the queue of a study, verdicts on answers and on people. Whoever may open the admin page may review."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sqlalchemy import Row
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from scenarist.errors import BadInput, ScenaristError
from scenarist.lab.review.queue import SHOWN, approve_clean, review_queue
from scenarist.lab.review.verdicts import APPROVED, REJECTED, SENT_BACK, WAITING, review, review_person
from scenarist.lab.roster import OpenStudy
from scenarist.lab.web.http import form_of
from scenarist.lab.web.rendering import respond

if TYPE_CHECKING:
    from scenarist.lab.web.admin import Admin

NAMES = (WAITING, SENT_BACK, REJECTED, APPROVED)


class Reviewing:
    """The reviewer's pages of all studies that this server runs."""

    def __init__(self, admin: Admin) -> None:
        self.admin = admin

    def routes(self) -> list[Route]:
        """Where they stand."""
        paths: list[tuple[str, Callable[[Request], Response], str]] = [
            ("/admin/study/{name}/queue", self.queue, "GET"), ("/admin/study/{name}/review", self.decide, "POST"),
            ("/admin/study/{name}/person", self.person, "POST"), ("/admin/study/{name}/clean", self.clean, "POST"),
        ]  # fmt: skip
        return [Route(path, route, methods=[method]) for path, route, method in paths]

    def queue(self, request: Request) -> Response:
        """What waits, and what was decided."""
        session, study = self.admin.admin(request), self.admin.studies.get(request.path_params["name"])
        if session is None:
            return RedirectResponse("/admin/login", 303)
        if study is None:
            return self.admin.show(request, session, None)
        page = request.query_params.get("page", "0")
        return self.show(
            study, session, request.query_params.get("show", WAITING), int(page) if page.isdecimal() else 0
        )

    def show(self, study: OpenStudy, session: Row[Any], name: str, page: int = 0, problem: str = "") -> Response:
        """The queue; answers that others resemble stand first."""
        name = name if name in NAMES else WAITING
        queue = review_queue(study)
        chosen = sorted(
            (entry for entry in queue.submissions if entry.verdict == name), key=lambda entry: not entry.noticed
        )
        pages = max(1, -(-len(chosen) // SHOWN))
        page = min(page, pages - 1)
        return respond(
            "admin/queue.html", 422 if problem else 200, study=study.study, csrf=session.csrf, queue=queue, waiting=len(queue.waiting()),
            names=NAMES, show=name, total=len(chosen), entries=chosen[page * SHOWN : (page + 1) * SHOWN], page=page, pages=pages,
            problem=problem,
        )  # fmt: skip

    def changed(self, request: Request, change: Callable[[OpenStudy], object]) -> Response:
        """Decide something, and show the queue again."""
        session, study = self.admin.keyed(request), self.admin.studies.get(request.path_params["name"])
        if session is None:
            return RedirectResponse("/admin/login", 303)
        if study is None:
            return self.admin.show(request, session, None)
        name = form_of(request).get("show") or WAITING
        try:
            change(study)
        except ScenaristError as error:
            return self.show(study, session, name, problem=str(error))
        return RedirectResponse(f"/admin/study/{quote(study.study.name)}/queue?show={quote(name)}", 303)

    def decide(self, request: Request) -> Response:
        """A verdict on an answer."""
        form = form_of(request)
        return self.changed(
            request,
            lambda study: review(
                study.database, form.get("session"), whole_number(form.get("trial")), whole_number(form.get("attempt")),
                form.get("verdict"), form.get("feedback"),
            ),
        )  # fmt: skip

    def person(self, request: Request) -> Response:
        """A verdict on all answers of a person."""
        form = form_of(request)
        return self.changed(
            request,
            lambda study: review_person(study.database, form.get("session"), form.get("verdict"), form.get("feedback")),
        )

    def clean(self, request: Request) -> Response:
        """Approve what nothing was noticed of."""
        return self.changed(request, approve_clean)


def whole_number(text: str) -> int:
    """A number from a hidden field."""
    if not text.isdecimal() or len(text) > 6:
        raise BadInput("This form is not whole. Please open the queue again.")
    return int(text)
