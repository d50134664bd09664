"""A small lab: the real application in this process (a test client), or in a thread for a real browser; SQLite, or PostgreSQL where it is."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the lab needs the extra [web]")
pytest.importorskip("httpx", reason="the lab's tests need httpx")

from starlette.testclient import TestClient

from scenarist.cli.main import run
from scenarist.lab.database.engine import Database, open_database
from scenarist.lab.forms import ParsedPage, parse_page
from scenarist.lab.kinds import page_kind
from scenarist.lab.study import Study, load_study, parse_study
from scenarist.lab.web.app import make_app

SMALL = """
name = "small"
title = "A small study"
kind = "fill-gap"
conditions = ["full", "caveman"]
consent = "Do you agree?"
debriefing = "It was about gaps."

[source]
make = "gaps"
corpus = "toy"
documents = 3

[draw]
number = 3
a_family = 1

[[steps]]
kind = "notice"
title = "What you will do"
text = "Write a **sentence**."

[[steps]]
kind = "trials"
phase = "trial"
"""


class Visitor:
    """Somebody with a browser of her own, driven by hand."""

    def __init__(self, app: Any, study: str = "small") -> None:
        self.client = TestClient(app, follow_redirects=True)
        self.base = f"/study/{study}"

    def open(self, path: str = "/") -> ParsedPage:
        self.reply = self.client.get(path if path.startswith("/study") else self.base + path)
        self.page = parse_page(self.reply.text)
        return self.page

    def agree(self, query: str = "") -> ParsedPage:
        self.open(f"/{query}")
        form = self.page.forms[0]
        return self.send({**form.hidden(), "choice": ["agree"]}, form.action)

    def send(self, fields: dict[str, Any], action: str = "") -> ParsedPage:
        self.reply = self.client.post(action or self.page.forms[0].action, data=fields)
        self.page = parse_page(self.reply.text)
        return self.page

    def answer(self, **fields: Any) -> ParsedPage:
        form = self.page.form("page")
        assert form is not None, self.reply.text
        return self.send({**form.hidden(), **fields}, form.action)

    def finish(self, seed: int = 1) -> ParsedPage:
        import random

        draw = random.Random(seed)
        for _ in range(200):
            if self.page.kind == "end":
                return self.page
            if self.page.kind == "feedback":
                self.open(self.page.link("next") or "")
                continue
            form = self.page.form("page")
            assert form is not None, self.reply.text
            self.answer(**page_kind(self.page.kind).simulate(self.page, form, draw))
        raise AssertionError("the study does not end")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(str(tmp_path / "lab.db"))
    yield opened
    opened.close()


@pytest.fixture
def small() -> Study:
    return parse_study(SMALL)


@pytest.fixture
def app(database: Database, small: Study) -> Any:
    return make_app(database, [small])


@pytest.fixture
def visit(app: Any) -> Callable[..., Visitor]:
    return lambda study="small": Visitor(app, study)


@pytest.fixture
def admin(app: Any, database: Database) -> TestClient:
    from scenarist.lab.web.admin import new_admin_token

    client = TestClient(app, base_url="http://testserver")
    token = new_admin_token(database)
    assert client.post("/admin/login", data={"password": token}).status_code == 200
    return client


def postgres_program(name: str) -> str | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((str(folder / name) for folder in folders if (folder / name).exists()), shutil.which(name))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL of this test run: its URL. Skipped by name where none is installed."""
    initdb, server = postgres_program("initdb"), postgres_program("postgres")
    if not initdb or not server:
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = Path(tempfile.mkdtemp(prefix="lab-postgres-"))
    data = folder / "data"
    user: list[str] = []
    if os.geteuid() == 0:
        if (
            shutil.which("runuser") is None
            or subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode
        ):
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    subprocess.run(
        [*user, initdb, "-D", str(data), "-U", "lab", "-A", "trust", "--no-sync"], check=True, capture_output=True
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*user, server, "-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", str(folder)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    import psycopg

    for _ in range(200):
        try:
            psycopg.connect(f"postgresql://lab@127.0.0.1:{port}/postgres").close()
            break
        except psycopg.OperationalError:
            time.sleep(0.05)
    yield f"postgresql://lab@127.0.0.1:{port}/postgres"
    process.terminate()
    process.wait(20)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def live(app: Any) -> Iterator[str]:
    """The application on a real port, for a real browser."""
    yield from serve_in_thread(app)


def go_on(card: Any, folder: Path, monkeypatch: Any) -> None:
    """Run what a card says one can go on with; of a table of many models one row sits it, and a server is not started."""
    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.chdir(folder)
        for line in card.then:
            words = shlex.split(line)
            while "=" in words[0]:
                name, _, value = words.pop(0).partition("=")
                patch.setenv(name, value)
            assert words[0] == "scenarist"
            if words[1:3] == ["lab", "serve"]:
                continue
            only = ["--only", "n-gram-overlap"] if words[1:3] == ["bench", "storycloze2016"] else []
            assert run([*words[1:], *only, "--quiet"]) == 0, line


def serve_in_thread(app: Any) -> Iterator[str]:
    import uvicorn

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def bundled() -> Callable[[str], Study]:
    return load_study
