"""`scenarist serve`: pages of verbs, the lab mounted in them, and what a careful site refuses."""

from __future__ import annotations

import json
import re
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")
pytest.importorskip("httpx", reason="needs httpx")

from starlette.testclient import TestClient

from scenarist.web.app import MOST_CHARACTERS, WebPages, make_app
from scenarist.web.frame import EXAMPLE

ROW = {"model": "twin", "role": "ours", "scores": {"accuracy/dev": {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}}}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    form = {"table": "toy", "split": "dev", "signature": "toy|v:1", "rows": [ROW], "tests": []}
    (tmp_path / "toy.json").write_text(json.dumps(form), encoding="utf-8")
    return tmp_path


@pytest.fixture
def client(results: Path) -> TestClient:
    return TestClient(make_app(WebPages(str(results)), hosts=["testserver"]), raise_server_exceptions=False)


def test_a_pasted_story_is_read(client: TestClient) -> None:
    front = client.get("/")
    assert front.status_code == 200 and EXAMPLE.split(".")[0] in front.text
    page = client.post("/read", data={"text": EXAMPLE, "title": "A <b>surprise</b>"})
    assert page.status_code == 200
    assert "baking a cake" in page.text and 'class="note"' in page.text
    assert "A &lt;b&gt;surprise&lt;/b&gt;" in page.text and "<b>surprise" not in page.text
    assert page.headers["cache-control"] == "no-store"


def test_only_scripts_that_came_with_a_page_may_run(client: TestClient) -> None:
    page = client.post("/read", data={"text": "Ann baked a cake.</script><script>alert(1)</script>"})
    scripts = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    policy = page.headers["content-security-policy"]
    assert scripts and not any("alert(1)" in script for script in scripts)
    assert all(b64encode(sha256(script.encode()).digest()).decode() in policy for script in scripts)
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


@pytest.mark.parametrize(
    "fields, status",
    [
        ({"text": "  "}, 400),
        ({}, 400),
        ({"text": "a" * (MOST_CHARACTERS + 1)}, 413),
        ({"text": "ä" * 4 * MOST_CHARACTERS}, 413),
    ],
)
def test_what_cannot_be_read_is_said(client: TestClient, fields: dict[str, str], status: int) -> None:
    page = client.post("/read", data=fields)
    assert page.status_code == status and "Back to the start" in page.text


def test_scripts_have_an_index_and_a_page_each(client: TestClient) -> None:
    index = client.get("/scripts")
    links = re.findall(r'href="(/scripts/[^"]+)"', index.text)
    assert len(links) >= 200
    page = client.get(next(link for link in links if "taking%20a%20bath" in link))
    assert page.status_code == 200 and "<svg" in page.text
    assert client.get("/scripts/taking a bth").status_code == 404
    assert "Did you mean" in client.get("/scripts/taking a bth").text


def test_stored_results_open(client: TestClient) -> None:
    index = client.get("/results/")
    assert 'href="toy-dev.html"' in index.text
    assert "50.0" in client.get("/results/toy-dev.html").text
    assert client.get("/results/nothing.html").status_code == 404
    assert client.get("/results/..%2f..%2fpyproject.toml").status_code == 404


def test_a_folder_that_is_not_there_is_said() -> None:
    client = TestClient(make_app(WebPages("no/such/folder"), hosts=["testserver"]), raise_server_exceptions=False)
    page = client.get("/results/")
    assert page.status_code == 400 and "There is no folder" in page.text


def test_another_name_of_this_machine_is_refused(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "127.0.0.1:8000"}).status_code == 200


@pytest.mark.parametrize(
    "method, address, status", [("GET", "/read", 405), ("GET", "/nowhere", 404), ("POST", "/scripts", 405)]
)
def test_other_requests_get_a_page_too(client: TestClient, method: str, address: str, status: int) -> None:
    page = client.request(method, address)
    assert page.status_code == status and "Back to the start" in page.text


def test_the_lab_is_mounted(results: Path, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="needs the extra 'web'")
    from scenarist.lab.database.engine import open_database
    from scenarist.lab.study import load_study
    from scenarist.lab.web.app import make_app as make_lab

    study = load_study("fill-gap", "toy")
    lab = make_lab(open_database(str(tmp_path / "lab.db")), [study])
    client = TestClient(make_app(WebPages(str(results), studies=[study]), lab, ["testserver"]))
    assert 'href="/study/fill-gap/"' in client.get("/").text
    assert client.get("/study/fill-gap/").status_code == 200
    assert client.get("/static/lab.css").status_code == 200
    assert "style-src 'self'" in client.get("/study/fill-gap/").headers["content-security-policy"]


@pytest.fixture
def served(results: Path) -> Iterator[str]:
    """A real server on this machine."""
    uvicorn: Any = pytest.importorskip("uvicorn", reason="needs the extra 'web'")
    from scenarist.lab.web.ports import free_port

    port = free_port()
    server = uvicorn.Server(uvicorn.Config(make_app(WebPages(str(results))), port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)


def test_in_a_browser(served: str, browser_page: Any) -> None:
    """A story is pasted and a note opened: the page's own script runs under its policy, and nothing complains."""
    page = browser_page
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(served)
    page.click("text=Read it")
    page.wait_for_selector("button.note", timeout=120_000)
    page.click("button.note >> nth=0")
    assert page.is_visible("p.why >> nth=0")
    page.click("nav.site >> text=Scripts")
    page.fill("#find", "bath")
    assert "of" in page.inner_text("#count") and page.locator("tbody tr:visible").count() < 20
    assert [text for text in complaints if "favicon" not in text] == []
