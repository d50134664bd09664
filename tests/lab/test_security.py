"""What docs/security.md lists: each attack, tried."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import admins, answers, sessions, settings, tokens, trials
from scenarist.lab.export import harmless, table
from scenarist.lab.kinds import page_kind
from scenarist.lab.roster import open_study
from scenarist.lab.study import Study, parse_study
from scenarist.lab.web.app import make_app
from tests.lab.conftest import Visitor

Visit = Callable[..., Visitor]
ROOT = Path(__file__).parents[2]


def test_scripts_in_answers_and_stories_are_text(visit: Visit, admin: Any, database: Database, tmp_path: Path) -> None:
    attack = '<script>alert(1)</script> She left "><img src=x onerror=alert(1)>.'
    person = visit()
    person.agree("?id=%3Cscript%3Ealert(1)%3C/script%3E")
    person.answer()
    person.answer(answer=attack)
    person.open("/page/1")
    texts = [person.reply.text, admin.get("/admin/study/small/").text]
    folder = tmp_path / "stories"
    folder.mkdir()
    story = "<script>alert(2)</script> Ida mixed the flour. She poured the batter. She baked the cake. Ida ate it. She cleaned the kitchen."
    (folder / "a.txt").write_text(story)
    text = f'name = "xss"\ntitle = "<script>alert(3)</script>"\nkind = "mark-scenarios"\nconsent = "<img src=x onerror=alert(1)>"\n[source]\nmake = "stories"\ncorpus = "texts:{folder}"\n[[steps]]\nkind = "trials"\n'
    reader = Visitor(make_app(database, [parse_study(text)]), "xss")
    reader.open("/")
    texts.append(reader.reply.text)
    reader.agree()
    texts.append(reader.reply.text)
    assert reader.page.kind == "mark-scenarios" and "alert(2)" in reader.reply.text
    for page in texts:
        assert "<script>alert" not in page and "<img src=x" not in page


def test_pages_allow_no_foreign_script_and_no_frame(visit: Visit, admin: Any) -> None:
    for client, path in (
        (visit().client, "/study/small/"),
        (admin, "/admin/"),
        (admin, "/nowhere"),
        (admin, "/static/lab.css"),
    ):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "frame-ancestors 'none'" in policy
        assert (
            "unsafe" not in policy
            and headers["x-content-type-options"] == "nosniff"
            and headers["referrer-policy"] == "same-origin"
        )


def test_no_inline_script_or_style_in_any_template() -> None:
    sources = [
        *(ROOT / "src/scenarist/lab/templates").rglob("*.html"),
        *(ROOT / "src/scenarist/lab/kinds").glob("*.py"),
    ]
    for path in sources:
        text = path.read_text("utf-8")
        assert not re.search(r"\son\w+=\"|<style|\sstyle=\"|javascript:|\|safe", text), path.name
        assert not re.search(r"<script(?! src=)", text), path.name


def test_forms_of_another_site_are_refused(visit: Visit, database: Database, admin: Any) -> None:
    person, thief = visit(), visit()
    person.agree()
    thief.agree()
    theirs = thief.page.forms[0].hidden()
    before = len(list(given_answers(database, "small", "")))
    for fields in ({}, {"csrf": "x"}, theirs):
        person.reply = person.client.post("/study/small/page/0", data=fields)
        assert person.reply.status_code == 403
        assert (
            person.client.post("/study/small/leave", data={**fields, "choice": "delete", "sure": "yes"}).status_code
            == 403
        )
    assert len(list(given_answers(database, "small", ""))) == before
    assert "Log in" in admin.post("/admin/study/small/cell", data={"condition": "full", "close": "yes"}).text
    assert visit().client.post("/study/small/begin", data={"choice": "agree"}).status_code == 403


def test_a_planted_cookie_opens_no_session_of_the_victim(visit: Visit) -> None:
    """Session fixation: the value that was there before the consent is not the value after it."""
    thief, victim = visit(), visit()
    thief.open("/")
    victim.client.cookies.set("lab-entry", thief.client.cookies["lab-entry"], path="/study/small")
    victim.client.cookies.set("lab", "planted", path="/study/small")
    form = victim.open("/").forms[0]
    victim.send({**form.hidden(), "choice": "agree"}, form.action)
    assert victim.page.kind == "notice"
    victim.answer()
    values = {cookie.value for cookie in victim.client.cookies.jar if cookie.name == "lab"}
    assert "planted" not in values or len(values) > 1
    thief.client.cookies.set("lab", "planted", path="/study/small")
    assert thief.open("/go").kind == "consent"
    form = thief.page.forms[0]
    thief.send({**form.hidden(), "choice": "agree"}, form.action)
    assert thief.page.kind != "fill-gap", "the thief goes on where the victim was"


def test_cookies_are_http_only_and_the_database_knows_hashes_only(visit: Visit, admin: Any, database: Database) -> None:
    person = visit()
    reply = person.client.get("/study/small/")
    assert "httponly" in reply.headers["set-cookie"].lower() and "samesite=lax" in reply.headers["set-cookie"].lower()
    person.agree()
    with database.read() as connection:
        known = {
            *connection.execute(select(tokens.c.hash)).scalars(),
            *connection.execute(select(admins.c.hash)).scalars(),
        }
        values = set(connection.execute(select(settings.c.value)).scalars())
    secrets = {cookie.value for client in (person.client, admin) for cookie in client.cookies.jar}
    assert not secrets & (known | values)


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE answers; -- she left.", '" OR 1=1; she left.', "%' UNION SELECT 1; she left."]
)
def test_injection_is_text(visit: Visit, database: Database, text: str) -> None:
    person = visit()
    person.agree(f"?id={text}")
    person.answer()
    person.answer(answer=text)
    with database.read() as connection:
        assert len(connection.execute(select(answers)).all()) == 2
    assert person.client.get("/study/small' OR '1'='1/").status_code == 404
    assert person.client.get("/study/%27%20OR%201=1/go").status_code == 404


def test_anothers_link_and_anothers_id_open_nothing(visit: Visit) -> None:
    person, thief = visit(), visit()
    person.agree("?PROLIFIC_PID=known")
    person.open("/leave")
    link = next(address for _, address in person.page.links if "/resume/" in address)
    for forged in (link[:-4] + "AAAA", "/study/small/resume/known", "/study/small/resume/"):
        assert thief.client.get(forged).status_code in (403, 404)
    assert thief.agree("?PROLIFIC_PID=known").kind == "message"
    assert thief.open("/page/0").kind == "consent" and thief.client.get("/study/small/data").url.path == "/study/small/"


def test_exports_name_no_file_and_need_the_admin(visit: Visit, admin: Any) -> None:
    for path in ("answers.csv", "answers.jsonl", "columns.json", "paper.md"):
        assert admin.get(f"/admin/study/small/{path}").status_code == 200
        assert "Log in" in visit().client.get(f"/admin/study/small/{path}").text
    for path in (
        "/admin/study/small/../../etc/passwd",
        "/admin/study/small/..%2f..%2fetc%2fpasswd",
        "/static/../study.py",
        "/static/..%2fstudy.py",
    ):
        assert admin.get(path).status_code in (404, 405)


def test_formulas_in_the_table_are_text(visit: Visit, database: Database, small: Study) -> None:
    person = visit()
    person.agree()
    person.answer()
    person.answer(answer="=HYPERLINK(1) she left.")
    text = b"".join(table(open_study(database, small))).decode()
    assert "'=HYPERLINK" in text and harmless("@x") == "'@x"


def test_codes_are_drawn_and_nobody_can_try_them(visit: Visit, admin: Any, app: Any) -> None:
    page = admin.get("/admin/study/small/").text
    codes = re.findall(r"<code>([0-9A-F]{8})</code>", page)
    assert len(set(codes)) == 3
    for path in (f"/study/small/{codes[0]}", f"/study/small/end?code={codes[0]}", f"/study/small/end/{codes[0]}"):
        assert codes[0] not in visit().client.get(path).text
    assert not [route for route in app.routes if "code" in getattr(route, "path", "")]


def test_logins_are_counted(app: Any, database: Database) -> None:
    from starlette.testclient import TestClient

    from scenarist.lab.web.admin import TRIES, new_admin_token, set_password

    set_password(database, "a long password")
    client = TestClient(app)
    assert client.post("/admin/login", data={"password": "a long password"}).status_code == 200
    client = TestClient(app)
    replies = [
        client.post("/admin/login", data={"password": f"guess {number}"}).status_code for number in range(TRIES + 2)
    ]
    assert replies == [403] * TRIES + [429] * 2
    token = new_admin_token(database)
    assert client.post("/admin/login", data={"password": token}).status_code == 429
    assert database.setting("admin password") != "a long password" and str(
        database.setting("admin password")
    ).startswith("$argon2")


def test_no_key_no_condition_and_no_removed_sentence_reaches_a_browser(database: Database, bundled: Any) -> None:
    """Everything that a participant's browser ever gets, of every condition, against what must stay on the server."""
    study = bundled("fill-gap")
    app = make_app(database, [study])
    opened = open_study(database, study)
    for number in range(3):
        person = Visitor(app, "fill-gap")
        replies: list[Any] = []
        person.client.event_hooks["response"].append(lambda reply, kept=replies: kept.append(reply))
        person.agree(f"?id={number}")
        pages = [person.reply.text]
        draw = random.Random(number)
        while person.page.kind != "end":
            if person.page.kind == "feedback":
                person.open(person.page.link("next") or "")
            else:
                person.answer(**page_kind(person.page.kind).simulate(person.page, person.page.forms[0], draw))
            pages.append(person.reply.text)
        pages += [person.client.get(f"/study/fill-gap/{path}").text for path in ("leave", "data", "end")]
        pages += [str(reply.headers) for reply in replies]
        shown = "\n".join(pages)
        with database.read() as connection:
            (session,) = connection.execute(select(sessions).where(sessions.c.external == str(number)))
            query = select(trials.c.item).where(trials.c.session == session.id, trials.c.phase == "trial")
            names = list(connection.execute(query).scalars())
        assert len(names) == 17
        for name in names:
            assert opened.items["full", name].original.strip() not in shown, name
        for condition in study.conditions[1:]:
            assert condition not in shown
        for private in ('"condition"', "toy-", session.id, *opened.codes.values()):
            assert private not in shown or private == opened.codes["complete"]
