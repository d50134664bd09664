"""The routes of the beginning: what the study is, agree or refuse, a link back into a session."""

from __future__ import annotations

import secrets

from itsdangerous import BadSignature
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scenarist.lab.database.engine import NotKept
from scenarist.lab.database.tables import sessions
from scenarist.lab.kinds.base import clean
from scenarist.lab.roster import Arrival
from scenarist.lab.web.http import cookie, form_key, form_of, hashed, new_token, same
from scenarist.lab.web.rendering import respond
from scenarist.lab.web.visits import ENTRY, SESSION, Visits

PLATFORMS = (("PROLIFIC_PID", "prolific"), ("workerId", "mturk"), ("id", "link"), ("person", "simulated"))
"""Names under which platforms hand on who comes."""


class Entrance(Visits):
    """How one comes in."""

    def welcome(self, request: Request) -> Response:
        """What the study is, and whether one agrees."""
        study = self.study(request)
        if study is None:
            return self.lost(request)
        session = self.session(request)
        if session is not None and session.state != "withdrawn":
            return RedirectResponse(f"{self.base(request)}/go", 303)
        external, source = arriving(request)
        entry = request.cookies.get(ENTRY) or new_token()
        preview = request.query_params.get("preview", "")
        waiting = request.query_params.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"
        page = respond(
            "consent.html", study=study.study, base=self.base(request), external=external, source=source, waiting=waiting,
            csrf=form_key(self.secret, entry), preview=preview,
        )  # fmt: skip
        page.set_cookie(ENTRY, entry, **cookie(request, self.base(request)))
        return page

    def begin(self, request: Request) -> Response:
        """Agree or refuse."""
        study = self.study(request)
        if study is None:
            return self.lost(request)
        form, entry = form_of(request), request.cookies.get(ENTRY, "")
        if not entry or not same(form.get("csrf"), form_key(self.secret, entry)):
            return self.message("Please begin again", "This page was open for too long, or cookies are switched off.", 403,
                                f"{self.base(request)}/")  # fmt: skip
        if form.get("choice") != "agree":
            study.note("refused")
            return self.message(
                "Thank you", "You do not take part, and nothing about you was kept. You may close this page."
            )
        external = form.get("external")[:200] or f"link-{secrets.token_hex(8)}"
        trial_run = False
        if form.get("preview"):
            try:
                trial_run = self.previews.loads(form.get("preview")) == study.study.name
            except BadSignature:
                return self.message("This preview link is not valid", "Please make a new one on the admin page.", 403)
            external = f"preview-{secrets.token_hex(8)}"
        source = form.get("source") if form.get("source") in dict(PLATFORMS).values() else "link"
        token = new_token()
        arrival = Arrival(external, source, hashed(entry), hashed(token), trial_run)
        try:
            admission = study.begin(arrival)
        except NotKept:
            return self.message(
                "Please try again", "The study could not begin just now. Please go back and try once more.", 503
            )
        if admission.refusal == "known":
            return self.message(
                "You have been here before",
                "Somebody began this study with this id. Please use the same browser as then, or the link you were given to come back.",
                409,
            )  # fmt: skip
        if admission.refusal:
            study.note("turned away", admission.refusal)
            return self.message(
                "The study is full",
                "All places are taken. Thank you for coming; you may return the task on your platform.",
            )
        response = RedirectResponse(f"{self.base(request)}/go", 303)
        response.set_cookie(SESSION, token, **cookie(request, self.base(request)))
        return response

    def resume(self, request: Request) -> Response:
        """A link back into a session, from another browser."""
        study = self.study(request)
        if study is None:
            return self.lost(request)
        try:
            identity = str(self.links.loads(request.path_params["link"]))
        except BadSignature:
            return self.message("This link is not valid", "Please copy the whole link.", 403)
        token = new_token()
        with study.database.write() as connection:
            state = connection.execute(
                select(sessions.c.state).where(sessions.c.id == identity, sessions.c.study == study.study.name)
            ).scalar_one_or_none()
            if state is None or state == "withdrawn":
                return self.message("There is nothing to come back to", "The answers of this link were deleted.", 404)
            study.admit(connection, identity, hashed(token))
        response = RedirectResponse(f"{self.base(request)}/go", 303)
        response.set_cookie(SESSION, token, **cookie(request, self.base(request)))
        return response


def arriving(request: Request) -> tuple[str, str]:
    """The platform's id of somebody who comes, and the platform."""
    for name, source in PLATFORMS:
        if value := request.query_params.get(name):
            return clean(value)[:200], source
    return "", "link"
