"""Studies x Database -> the web application. One process serves any number of studies."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from scenarist.errors import BadInput
from scenarist.lab.database.engine import Database, NotKept
from scenarist.lab.roster import OpenStudy, earlier_versions, open_study
from scenarist.lab.study import Study
from scenarist.lab.web.admin import Admin
from scenarist.lab.web.http import Front
from scenarist.lab.web.participants import ParticipantPages
from scenarist.lab.web.rendering import STATIC, respond
from scenarist.lab.web.reviewing import Reviewing


def make_app(database: Database, studies: Sequence[Study]) -> Starlette:
    """The lab."""
    names = [study.name for study in studies]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise BadInput(
            f"Two of these studies are called {twice!r}. Give one of them another name (name = ... in its file), or serve it on a database "
            "and a port of its own."
        )
    secret = database.secret()
    current = {study.name: open_study(database, study) for study in studies}
    versions: dict[str, OpenStudy] = {study.version: study for study in current.values()}
    for name, study in current.items():
        versions |= {old.version: old for old in earlier_versions(database, name, study.version)}
    people = ParticipantPages(current, versions, secret)
    admin = Admin(database, current, people)

    def front(request: Request) -> Response:
        return respond("front.html", studies=[study.study for study in current.values()])

    def failed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        title = (
            "There is no such page"
            if status == 404
            else "This does not work"
            if status < 500
            else "Something went wrong on our side"
        )
        text = (
            "Please check the address."
            if status < 500
            else "Your earlier answers are safe. Please open the page again in a minute."
        )
        return respond("message.html", status, title=title, message=text, link="")

    def not_kept(request: Request, error: Exception) -> Response:
        text = "The disk is full, or the database is gone. What you sent before is safe. Please try again in a minute."
        return respond("message.html", 503, title="This could not be stored", message=text, link="")

    routes = [
        Route("/", front, methods=["GET"]),
        *people.routes(),
        *admin.routes(),
        *Reviewing(admin).routes(),
        Mount("/static", StaticFiles(directory=STATIC), name="static"),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Front)],
        exception_handlers={HTTPException: failed, NotKept: not_kept, 500: failed},
    )
