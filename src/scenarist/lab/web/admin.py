"""The routes of those who run studies: progress, cells, agreement, models' ranks, exports, preview.

A password (argon2) or a token opens a session that lies in the database; every form carries the session's own key; logins are counted by
address. Exports are streamed and named by us: no address names a file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Row, insert, select
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from scenarist.errors import BadInput, ScenaristError
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import admins
from scenarist.lab.export import described, predictions, reconcile, table
from scenarist.lab.findings import figures, rank_model
from scenarist.lab.paper import paper
from scenarist.lab.review.crowd import crowd_tables
from scenarist.lab.roster import OpenStudy
from scenarist.lab.web.http import RateLimit, address, cookie, form_of, hashed, new_token, same
from scenarist.lab.web.participants import ParticipantPages
from scenarist.lab.web.rendering import respond

ADMIN = "lab-admin"
HOURS = 12
PASSWORD, TOKEN = "admin password", "admin token"
TRIES, MINUTES = 10, 15


def set_password(database: Database, password: str) -> None:
    """The admin's password, as argon2 keeps it."""
    if len(password) < 10:
        raise BadInput(f"A password of {len(password)} characters is too short; take ten or more.")
    database.set(PASSWORD, PasswordHasher().hash(password))


def new_admin_token(database: Database) -> str:
    """A drawn token that opens the admin page as a password does; shown once, kept as its hash."""
    token = new_token()
    database.set(TOKEN, hashed(token))
    return token


class Admin:
    """The admin pages of all studies that this server runs."""

    def __init__(self, database: Database, studies: dict[str, OpenStudy], people: ParticipantPages) -> None:
        self.database, self.studies, self.people = database, studies, people
        self.tries = RateLimit(TRIES, MINUTES * 60)

    def routes(self) -> list[Route]:
        """Where they stand."""
        paths: list[tuple[str, Callable[[Request], Response], str]] = [
            ("/admin/", self.overview, "GET"), ("/admin/login", self.login_page, "GET"), ("/admin/login", self.login, "POST"),
            ("/admin/logout", self.logout, "POST"), ("/admin/study/{name}/", self.study_page, "GET"),
            ("/admin/study/{name}/cell", self.cell, "POST"), ("/admin/study/{name}/ranks", self.ranks, "POST"),
            ("/admin/study/{name}/reconcile", self.reconcile, "POST"), ("/admin/study/{name}/answers.jsonl", self.export, "GET"),
            ("/admin/study/{name}/answers.csv", self.export, "GET"), ("/admin/study/{name}/columns.json", self.export, "GET"),
            ("/admin/study/{name}/paper.md", self.export, "GET"),
        ]  # fmt: skip
        return [Route(path, route, methods=[method]) for path, route, method in paths]

    def admin(self, request: Request) -> Row[Any] | None:
        """The session of an admin."""
        token = request.cookies.get(ADMIN)
        if not token:
            return None
        with self.database.read() as connection:
            return connection.execute(
                select(admins).where(admins.c.hash == hashed(token), admins.c.ends > time.time())
            ).first()

    def keyed(self, request: Request) -> Row[Any] | None:
        """The session, where the form carries its key too."""
        admin = self.admin(request)
        return admin if admin is not None and same(form_of(request).get("csrf"), admin.csrf) else None

    def login_page(self, request: Request) -> Response:
        """Ask for the password."""
        known = self.database.setting(PASSWORD) is not None or self.database.setting(TOKEN) is not None
        return respond("admin/login.html", known=known, problem="")

    def login(self, request: Request) -> Response:
        """A session for who knows the password or the token."""
        if not self.tries.allows(address(request)):
            return respond(
                "admin/login.html", 429, known=True, problem="Too many tries. Please wait a quarter of an hour."
            )
        given = form_of(request).get("password")
        if not self.right(given):
            return respond("admin/login.html", 403, known=True, problem="This is not right.")
        self.tries.forget(address(request))
        token = new_token()
        with self.database.write() as connection:
            connection.execute(admins.delete().where(admins.c.ends < time.time()))
            connection.execute(
                insert(admins).values(hash=hashed(token), csrf=new_token(), ends=time.time() + HOURS * 3600)
            )
        response = RedirectResponse("/admin/", 303)
        response.set_cookie(ADMIN, token, **(cookie(request, "/admin") | {"samesite": "strict"}))
        return response

    def right(self, given: str) -> bool:
        """Is it the password, or the token?"""
        token, password = self.database.setting(TOKEN), self.database.setting(PASSWORD)
        if token is not None and given and same(hashed(given), token):
            return True
        if password is None or not given:
            return False
        try:
            return PasswordHasher().verify(password, given)
        except (VerificationError, InvalidHashError):
            return False

    def logout(self, request: Request) -> Response:
        """End the session."""
        admin = self.keyed(request)
        if admin is not None:
            with self.database.write() as connection:
                connection.execute(admins.delete().where(admins.c.hash == admin.hash))
        response = RedirectResponse("/admin/login", 303)
        response.delete_cookie(ADMIN, path="/admin")
        return response

    def overview(self, request: Request) -> Response:
        """All studies."""
        admin = self.admin(request)
        if admin is None:
            return RedirectResponse("/admin/login", 303)
        rows = [(study.study, figures_short(study)) for study in self.studies.values()]
        return respond("admin/overview.html", rows=rows, csrf=admin.csrf)

    def study_page(self, request: Request) -> Response:
        """One study."""
        admin, study = self.admin(request), self.studies.get(request.path_params["name"])
        if admin is None:
            return RedirectResponse("/admin/login", 303)
        return self.show(request, admin, study)

    def show(
        self, request: Request, admin: Row[Any], study: OpenStudy | None, problem: str = "", listed: Any = ()
    ) -> Response:
        """The page of a study."""
        if study is None:
            return self.people.message("There is no such study", "It does not run on this server.", 404)
        base = str(request.base_url).rstrip("/")
        name = study.study.name
        links = {
            "plain": f"{base}/study/{name}/", "with an id": f"{base}/study/{name}/?id=CODE",
            "Prolific": f"{base}/study/{name}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}&SESSION_ID={{{{%SESSION_ID%}}}}",
            "MTurk": f"{base}/study/{name}/?workerId=...&assignmentId=...&hitId=...",
            "preview (not counted)": f"{base}/study/{name}/?preview={self.people.previews.dumps(name)}",
        }  # fmt: skip
        return respond(
            "admin/study.html", 200 if not problem else 422, study=study.study, version=study.version, codes=study.codes,
            csrf=admin.csrf, links=links, problem=problem, listed=listed, items=len(study.items), crowd=crowd_tables(study), **figures(study),
        )  # fmt: skip

    def changed(self, request: Request, change: Callable[[OpenStudy], object]) -> Response:
        """Do something to a study, and show it again."""
        admin, study = self.keyed(request), self.studies.get(request.path_params["name"])
        if admin is None:
            return RedirectResponse("/admin/login", 303)
        if study is None:
            return self.show(request, admin, None)
        try:
            change(study)
        except ScenaristError as error:
            return self.show(request, admin, study, str(error))
        return RedirectResponse(f"/admin/study/{study.study.name}/", 303)

    def cell(self, request: Request) -> Response:
        """Close a condition, or open it again."""
        form = form_of(request)
        return self.changed(request, lambda study: study.close_cell(form.get("condition"), form.get("close") == "yes"))

    def ranks(self, request: Request) -> Response:
        """Let a model sit the same items."""
        form = form_of(request)
        return self.changed(request, lambda study: rank_model(study, form.get("model").strip()))

    def reconcile(self, request: Request) -> Response:
        """The platform's list beside our rows."""
        admin, study = self.keyed(request), self.studies.get(request.path_params["name"])
        if admin is None or study is None:
            return RedirectResponse("/admin/login", 303)
        try:
            return self.show(request, admin, study, "", reconcile(study, form_of(request).get("csv")))
        except ScenaristError as error:
            return self.show(request, admin, study, str(error))

    def export(self, request: Request) -> Response:
        """A file, streamed."""
        admin, study = self.admin(request), self.studies.get(request.path_params["name"])
        if admin is None:
            return RedirectResponse("/admin/login", 303)
        if study is None:
            return self.show(request, admin, None)
        name = request.url.path.rsplit("/", 1)[1]
        if name.startswith("answers"):
            study.note("exported", name)
        makers: dict[str, tuple[str, Callable[[OpenStudy], Iterator[bytes]]]] = {
            "answers.jsonl": ("application/x-ndjson", predictions), "answers.csv": ("text/csv; charset=utf-8", table),
            "columns.json": ("application/json", lambda study: iter([described(study)])),
            "paper.md": ("text/markdown; charset=utf-8", lambda study: iter([paper(study).encode()])),
        }  # fmt: skip
        media, make = makers[name]
        return StreamingResponse(
            make(study),
            media_type=media,
            headers={"content-disposition": f'attachment; filename="{study.study.name}-{name}"'},
        )


def figures_short(study: OpenStudy) -> dict[str, int]:
    """People by state, for the overview."""
    from scenarist.lab.findings import cells

    counts: dict[str, int] = {}
    for cell in cells(study):
        for state, number in cell.states.items():
            counts[state] = counts.get(state, 0) + number
    return counts
