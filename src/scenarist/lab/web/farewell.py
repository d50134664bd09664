"""The routes of the end: debriefing and code, stopping, one's own data, having everything deleted."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scenarist.lab.answered import decided_segments, own_data, studies_about
from scenarist.lab.database.engine import NotKept
from scenarist.lab.review.verdicts import decisions_on
from scenarist.lab.web.http import form_of, same
from scenarist.lab.web.rendering import respond
from scenarist.lab.web.visits import ENTRY, SESSION, Visits


class Farewell(Visits):
    """How one goes."""

    def end(self, request: Request) -> Response:
        """The debriefing and the code, made from the rows: no full set, no code."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        study = self.open(session)
        with study.database.read() as connection:
            left = study.left(connection, session.id)
        state = str(session.state)
        if state == "active" and left:
            return RedirectResponse(f"{self.base(request)}/go", 303)
        code = study.codes.get(state, "") if state != "complete" or not left else ""
        return respond(
            "end.html", study=study.study, state=state, code=code, base=self.base(request), link=self.links.dumps(session.id),
            source=session.source, csrf=self.csrf(request), decisions=decisions_on(study, session.id),
        )  # fmt: skip

    def leave(self, request: Request) -> Response:
        """Stop, take one's data along, or have them deleted."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        return respond(
            "leave.html",
            study=self.open(session).study,
            base=self.base(request),
            csrf=self.csrf(request),
            link=self.links.dumps(session.id),
        )

    def withdraw(self, request: Request) -> Response:
        """Delete everything."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        form = form_of(request)
        if not same(form.get("csrf"), self.csrf(request)):
            return self.message(
                "Please try again", "This form is not yours, or too old.", 403, f"{self.base(request)}/leave"
            )
        if form.get("choice") != "delete" or form.get("sure") != "yes":
            return self.message(
                "Nothing was deleted",
                "Please tick the box if you want your answers deleted.",
                422,
                f"{self.base(request)}/leave",
            )
        try:
            study = self.open(session)
            exported = study.exports()
            study.withdraw(session.id)
        except NotKept:
            return self.message(
                "Please try again", "Your answers could not be deleted just now.", 503, f"{self.base(request)}/leave"
            )
        already = (
            f" They were exported {exported} times before; whoever ran the study is told to delete them there, too."
            if exported
            else ""
        )
        further = (
            " Another study here was made of answers to this one and may go on showing what you wrote; whoever ran the study is told to "
            "delete it there, too."
            if studies_about(study.database, study.study.name)
            else ""
        )
        response = self.message(
            "Your answers were deleted",
            f"Nothing that you wrote is left in this study.{already}{further} You may close this page.",
        )
        response.delete_cookie(SESSION, path=self.base(request))
        response.delete_cookie(ENTRY, path=self.base(request))
        return response

    def decided(self, request: Request) -> Response:
        """What an adjudicator decided about one's own segments."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        study = self.open(session)
        stories = [
            (story, [(outcome, [story.text[start:stop] for start, stop in outcome.spans]) for outcome in listed])
            for story, listed in decided_segments(study.database, session.id, study.study.name)
        ]
        return respond("decided.html", study=study.study, base=self.base(request), stories=stories)

    def data(self, request: Request) -> Response:
        """Everything that is stored about somebody."""
        session = self.session(request)
        if session is None:
            return self.lost(request)
        document = own_data(self.open(session), session)
        return Response(
            json.dumps(document, ensure_ascii=False, indent=1), media_type="application/json",
            headers={"content-disposition": 'attachment; filename="my-answers.json"'},
        )  # fmt: skip
