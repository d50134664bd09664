"""Request -> who it is: the study of an address, the session of a cookie, and what every page needs.

Who somebody is stands in a cookie whose hash the database knows.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from itsdangerous import URLSafeSerializer
from sqlalchemy import Row, select
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from scenarist.lab.database.tables import sessions, tokens
from scenarist.lab.roster import OpenStudy
from scenarist.lab.web.http import form_key, hashed
from scenarist.lab.web.rendering import respond

ENTRY, SESSION = "lab-entry", "lab"
"""The cookie of somebody who has not agreed yet, and the one of a session: a new value, so that nobody else chose it."""
OVER = ("complete", "failed", "screened", "withdrawn", "gone")


class Visits:
    """What all routes of people share."""

    def __init__(self, studies: dict[str, OpenStudy], versions: dict[str, OpenStudy], secret: str) -> None:
        self.studies, self.versions, self.secret = studies, versions, secret
        self.links = URLSafeSerializer(secret, salt="resume")
        self.previews = URLSafeSerializer(secret, salt="preview")
        self.rendered: dict[tuple[str, str, str], Any] = {}

    def study(self, request: Request) -> OpenStudy | None:
        """The study of an address."""
        return self.studies.get(request.path_params["name"])

    def session(self, request: Request) -> Row[Any] | None:
        """The session of a cookie."""
        study, token = self.study(request), request.cookies.get(SESSION)
        if study is None or not token:
            return None
        with study.database.read() as connection:
            query = select(sessions).join(tokens, tokens.c.session == sessions.c.id)
            return connection.execute(
                query.where(tokens.c.hash == hashed(token), sessions.c.study == study.study.name)
            ).first()

    def open(self, session: Row[Any]) -> OpenStudy:
        """The version of the study that a session belongs to."""
        return self.versions[session.version]

    def csrf(self, request: Request) -> str:
        """What the forms of a session carry."""
        return form_key(self.secret, request.cookies.get(SESSION, ""))

    def base(self, request: Request) -> str:
        """The address of the study."""
        return f"/study/{quote(request.path_params['name'])}"

    def lost(self, request: Request) -> Response:
        """Nobody is known here: back to the beginning."""
        if self.study(request) is None:
            return self.message("There is no such study", "Please check the address that you were given.", 404)
        return RedirectResponse(f"{self.base(request)}/", 303)

    def message(self, title: str, text: str, status: int = 200, link: str = "") -> HTMLResponse:
        """A page that says one thing."""
        return respond("message.html", status, title=title, message=text, link=link)
