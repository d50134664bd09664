"""What verbs give, as pages in a browser: a story that is pasted, all scripts, all stored results; the lab where studies are named.

Pages are those of `pages/`, as the command line writes them, with a line of links above. Nothing is stored: a text that is pasted is
read, shown and forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from scenarist.errors import BadInput, Missing, ScenaristError
from scenarist.lab.study import Study
from scenarist.lab.web.http import read_body
from scenarist.pages.leaderboard import site
from scenarist.pages.script import index_page, script_page
from scenarist.pages.story import story_page
from scenarist.verbs.leaderboard import leaderboard
from scenarist.verbs.read import read
from scenarist.verbs.show import MADE, show, show_all
from scenarist.web.frame import form_page, headers, message_page, with_links

MOST_CHARACTERS = 50_000
"""Of a text that is read while somebody waits: a short story; longer ones are for `scenarist read`."""


class WebPages:
    """The pages, and where their stored results lie."""

    def __init__(self, results: str = "", scripts: str = "", studies: Sequence[Study] = ()) -> None:
        """``results``: a folder of tables as `bench --json` prints them, the checkout's where empty; ``scripts``: a folder of scripts of
        one's own; ``studies``: those of the lab that is mounted."""
        self.results, self.scripts, self.studies = results, scripts, studies

    def answer(self, page: str, here: str, status: int = 200) -> Response:
        """A page with the links above it."""
        linked = with_links(page, here, bool(self.studies))
        return HTMLResponse(linked, status, headers=headers(linked))

    def front(self, request: Request) -> Response:
        """Where a text is pasted."""
        studies = [(study.name, study.title) for study in self.studies]
        return self.answer(form_page(MOST_CHARACTERS, studies), "/")

    async def read(self, request: Request) -> Response:
        """The interpretation of a pasted text."""
        body = await read_body(request.receive, 6 * MOST_CHARACTERS)
        fields = parse_qs((body or b"").decode("utf-8", "replace"), keep_blank_values=True)
        text, title = (fields.get(name, [""])[0] for name in ("text", "title"))
        if body is None or len(text) > MOST_CHARACTERS:
            raise HTTPException(
                413, f"Please paste at most {MOST_CHARACTERS:,} characters; longer texts: scenarist read FILE"
            )
        if not text.strip():
            raise HTTPException(400, "There is nothing to read: please paste a story first.")
        interpretation = await run_in_threadpool(
            read, text.replace("\r\n", "\n"), title.strip()[:200] or "Your story", scripts=self.scripts
        )
        return self.answer(await run_in_threadpool(story_page, interpretation), "/read")

    def scripts_index(self, request: Request) -> Response:
        """All scripts."""
        summaries = show_all(self.scripts)
        links = {summary.scenario: f"/scripts/{quote(summary.scenario, safe='')}" for summary in summaries}
        return self.answer(
            index_page(summaries, links, f"scripts of {self.scripts}" if self.scripts else MADE), "/scripts"
        )

    def script(self, request: Request) -> Response:
        """One script."""
        try:
            script = show(request.path_params["name"], self.scripts)
        except BadInput as error:
            raise HTTPException(404, str(error)) from error
        return self.answer(script_page(script), "/scripts")

    def results_page(self, request: Request) -> Response:
        """A stored table, or the list of all."""
        pages = site(leaderboard(self.results))
        name = request.path_params.get("name", "index.html")
        if name not in pages:
            raise HTTPException(404, f"There are no stored results {name.removesuffix('.html')}.")
        return self.answer(pages[name], "/results/")

    def failed(self, request: Request, error: Exception) -> Response:
        """What went wrong, in words."""
        if isinstance(error, HTTPException):
            known = {404: "There is no such page", 405: "This page takes no such request", 413: "This is too long"}
            said = error.detail if error.detail and error.detail[-1:] in ".?ED" else "Please check the address."
            return self.answer(
                message_page(known.get(error.status_code, "This does not work"), said), "", error.status_code
            )
        if isinstance(error, ScenaristError):
            status = 404 if isinstance(error, Missing) else 400
            return self.answer(message_page("This does not work", str(error)), "", status)
        return self.answer(message_page("Something went wrong on our side", "The terminal says more."), "", 500)

    def routes(self) -> list[Route | Mount]:
        """Address -> page."""
        return [
            Route("/", self.front, methods=["GET"]),
            Route("/read", self.read, methods=["POST"]),
            Route("/scripts", self.scripts_index, methods=["GET"]),
            Route("/scripts/{name}", self.script, methods=["GET"]),
            Route("/results/", self.results_page, methods=["GET"]),
            Route("/results/{name}", self.results_page, methods=["GET"]),
        ]


def make_app(pages: WebPages, lab: ASGIApp | None = None, hosts: Sequence[str] = ()) -> Starlette:
    """The application; ``lab`` answers all other addresses; ``hosts``: names beside this machine's own under which it may be asked (a
    page elsewhere cannot reach it by a name that it gives this machine)."""
    routes: list[Route | Mount] = [*pages.routes(), *([Mount("/", lab)] if lab else [])]
    allowed = ["localhost", "127.0.0.1", "[::1]", *hosts]
    return Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=allowed)],
        exception_handlers={HTTPException: pages.failed, ScenaristError: pages.failed, 500: pages.failed},
    )
