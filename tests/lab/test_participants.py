"""People in a study: consent and refusal, one page after another, what is not accepted, coming back, leaving, the code at the end."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database, open_database
from scenarist.lab.database.tables import events, refusals, sessions
from scenarist.lab.forms import parse_page
from scenarist.lab.kinds.base import clean
from scenarist.lab.study import Study, parse_study
from scenarist.lab.web.app import make_app
from tests.lab.conftest import Visitor

Visit = Callable[..., Visitor]


def stored(database: Database, phase: str = "trial") -> list[Any]:
    return [given.answer.answer for given in given_answers(database, "small", phase, revisions=True)]


def counts(database: Database, what: str) -> int:
    with database.read() as connection:
        return len(connection.execute(select(events).where(events.c.what == what)).all())


def test_from_the_link_to_the_code(visit: Visit, database: Database) -> None:
    person = visit()
    assert person.agree("?PROLIFIC_PID=abc").kind == "notice"
    page = person.finish()
    assert page.marked("code")
    assert "It was about gaps." in person.reply.text and "app.prolific.com" in person.reply.text
    assert len(stored(database)) == 3
    assert person.open("/").kind == "end"  # whoever comes again sees the end


def test_no_code_before_everything_is_stored(visit: Visit) -> None:
    person = visit()
    person.agree()
    assert person.open("/end").kind == "notice"
    assert not person.page.marked("code")


def test_saying_no_keeps_nothing_but_a_count(visit: Visit, database: Database) -> None:
    person = visit()
    form = person.open("/").forms[0]
    assert person.send({**form.hidden(), "choice": "refuse"}, form.action).kind == "message"
    assert counts(database, "refused") == 1
    with database.read() as connection:
        assert connection.execute(select(sessions)).all() == []
    assert person.open("/go").kind == "consent"  # the back button, and a second visit
    assert person.agree().kind == "notice"


def test_a_page_ahead_is_not_shown_and_cannot_be_answered(visit: Visit, database: Database) -> None:
    person = visit()
    person.agree()
    fields = person.page.forms[0].hidden()
    assert person.open("/page/2").kind == "notice"
    assert person.send({**fields, "answer": "She left."}, "/study/small/page/2").kind == "notice"
    assert stored(database) == []
    assert person.open("/page/99").kind == "notice"


def test_what_is_no_sentence_is_sent_back_with_a_message_and_kept_apart(visit: Visit, database: Database) -> None:
    person = visit()
    person.agree()
    person.answer()
    page = person.answer(answer="a bowl of soup")
    assert person.reply.status_code == 422 and page.kind == "fill-gap"
    assert "a phrase without a verb" in person.reply.text
    assert page.forms[0].hidden()["answer"] == ["a bowl of soup"]
    assert stored(database) == []
    with database.read() as connection:
        assert "a bowl of soup" in connection.execute(select(refusals.c.body)).scalar_one()
    assert person.answer(answer="She ate a bowl of soup.").kind == "fill-gap"
    assert stored(database) == ["She ate a bowl of soup."]


@pytest.mark.parametrize(
    "text",
    [
        "She laughed 🙂🙂.",
        "She\x00 laughed\x1b.",
        "היא הלכה הביתה. She went home.",
        "She left her <b>home</b> & 'car'.",
        "She left." + " " * 300,
    ],
)
def test_strange_answers_are_kept_as_they_are(visit: Visit, database: Database, text: str) -> None:
    person = visit()
    person.agree()
    person.answer()
    person.answer(answer=text)
    assert person.reply.status_code == 200
    assert stored(database) == [" ".join(clean(text).split())]
    person.open("/page/1")
    assert person.page.forms[0].hidden()["answer"] == stored(database)


def test_a_megabyte_is_refused_and_nothing_breaks(visit: Visit, database: Database) -> None:
    person = visit()
    person.agree()
    person.answer()
    form = person.page.forms[0]
    person.reply = person.client.post(form.action, data={**form.hidden(), "answer": "x" * 1_000_000})
    assert person.reply.status_code == 413 and "nothing of it was kept" in person.reply.text
    person.reply = person.client.post(form.action, data={**form.hidden(), "answer": "She left. " * 2_000})
    assert person.reply.status_code == 422 and "characters long" in person.reply.text
    assert stored(database) == []
    assert person.open("/go").kind == "fill-gap"


def test_back_shows_the_answer_and_a_change_is_a_revision(visit: Visit, database: Database) -> None:
    person = visit()
    person.agree()
    person.answer()
    person.answer(answer="She left.")
    person.open("/page/1")
    assert person.page.forms[0].hidden()["answer"] == ["She left."]
    person.answer(answer="She stayed.")
    person.open("/page/1")
    person.answer(answer="She stayed.")  # sent again without a change
    assert stored(database) == ["She left.", "She stayed."]
    assert [given.answer.answer for given in given_answers(database, "small")] == ["She stayed."]


def test_a_full_disk_is_said_and_the_answer_stays_in_the_box(
    visit: Visit, database: Database, monkeypatch: Any
) -> None:
    from scenarist.lab.database.engine import NotKept
    from scenarist.lab.roster import OpenStudy

    def full(*_: Any) -> None:
        raise NotKept("database or disk is full")

    person = visit()
    person.agree()
    person.answer()
    with monkeypatch.context() as patch:
        patch.setattr(OpenStudy, "store", full)
        page = person.answer(answer="She left.")
    assert person.reply.status_code == 503 and "could not be stored" in person.reply.text
    assert page.forms[0].hidden()["answer"] == ["She left."]
    person.answer(answer="She left.")
    assert stored(database) == ["She left."]


def test_a_disk_that_is_really_full(tmp_path: Path, small: Study) -> None:
    """A file system of six megabytes: the answer, the beginning and the deletion are refused with a message, and taken when there is room."""
    folder = tmp_path / "small disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        database = open_database(str(folder / "lab.db"))
        person = Visitor(make_app(database, [small]))
        person.agree()
        person.answer()
        ballast = folder / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as handle:
            while True:
                handle.write(b"x" * 4096)
        page = person.answer(answer="She left.")
        assert person.reply.status_code == 503 and "could not be stored" in person.reply.text
        assert page.forms[0].hidden()["answer"] == ["She left."]
        other = Visitor(person.client.app)
        assert other.agree().kind == "message" and other.reply.status_code == 503
        person.open("/leave")
        link = next(address for _, address in person.page.links if "/resume/" in address)
        assert other.open(link).kind == "message" and other.reply.status_code == 503
        ballast.unlink()
        person.open("/go")
        person.answer(answer="She left.")
        assert stored(database) == ["She left."]
        database.close()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_one_id_one_person_and_the_link_back(visit: Visit, database: Database) -> None:
    person, other = visit(), visit()
    person.agree("?id=w1")
    person.answer()
    assert other.agree("?id=w1").kind == "message" and other.reply.status_code == 409
    person.open("/leave")
    link = next(address for _, address in person.page.links if "/resume/" in address)
    assert other.open(link).kind == "fill-gap"
    other.answer(answer="She left.")
    assert person.open("/go").forms[0].action.endswith("/page/2")
    assert len(stored(database)) == 1


def test_own_data_and_withdrawal(visit: Visit, database: Database) -> None:
    person = visit()
    person.agree("?id=w1")
    person.answer()
    person.answer(answer="a phrase")
    person.answer(answer="She left.")
    document = json.loads(person.client.get("/study/small/data").text)
    assert document["id"] == "w1" and document["answers"][1]["answer"]["answer"] == "She left."
    assert document["not accepted"][0]["page"] == 2
    person.open("/leave")
    form = person.page.form("leave")
    assert form is not None
    person.send({**form.hidden(), "choice": "delete"}, form.action)
    assert len(stored(database)) == 1  # not without the tick
    person.open("/leave")
    person.send({**person.page.forms[0].hidden(), "choice": "delete", "sure": "yes"}, form.action)
    assert "Your answers were deleted" in person.reply.text
    assert stored(database, "") == []
    with database.read() as connection:
        row = connection.execute(select(sessions)).one()
        assert row.state == "withdrawn" and "w1" not in row.external
        assert connection.execute(select(refusals)).all() == []
    assert person.open("/go").kind == "consent"


def test_check_training_attention_and_qualification(database: Database, small: Study) -> None:
    steps = """
[[steps]]
kind = "fill-gap"
phase = "practice"
question = { ask = "sentence-gap", gap = 0, sentences = ["She paid."] }
feedback = "Well *done*."
[[steps]]
kind = "choose"
phase = "check"
text = "Which?"
question = { ask = "choice", context = [], choices = ["left", "right"] }
right = ["1"]
tries = 2
feedback = "Look again."
[[steps]]
kind = "choose"
phase = "attention"
text = "Choose the first."
question = { ask = "choice", context = [], choices = ["first", "second"] }
right = ["0"]
after = 2
[[steps]]
kind = "trials"
"""
    head = small.text.split("[[steps]]")[0].replace('"small"', '"strict"')
    app = make_app(database, [parse_study(head + steps)])
    person = Visitor(app, "strict")
    person.agree()
    assert person.answer(answer="He ate.").kind == "feedback" and "<em>done</em>" in person.reply.text
    person.open(person.page.link("next") or "")
    assert "Look again." in (person.answer(answer="0") and person.reply.text)
    assert person.answer(answer="1").kind == "fill-gap"
    person.answer(answer="She left.")
    assert person.answer(answer="He left.").kind == "choose"
    person.answer(answer="1")  # inattentive: noted, never excluded
    assert person.finish().marked("code")
    failing = Visitor(app, "strict")
    failing.agree()
    failing.answer(answer="He ate.")
    failing.open(failing.page.link("next") or "")
    failing.answer(answer="0")
    page = failing.answer(answer="0")
    assert page.kind == "end" and page.marked("code") and page.marked("code") != person.page.marked("code")
    qualified = parse_study(
        (head + steps).replace('"strict"', '"picky"').replace('phase = "check"', 'phase = "qualification"').replace("seed = ", "seed = ")
        .replace("conditions =", "qualify = 1.0\nconditions =")
    )  # fmt: skip
    picky = Visitor(make_app(database, [qualified]), "picky")
    picky.agree()
    picky.answer(answer="He ate.")
    picky.open(picky.page.link("next") or "")
    assert "needs people with other answers" in (picky.answer(answer="0") and picky.reply.text)


def test_a_session_stays_with_its_version(visit: Visit, database: Database, small: Study) -> None:
    person = visit()
    person.agree()
    person.answer()
    changed = parse_study(small.text.replace("documents = 3", "documents = 5").replace("number = 3", "number = 5"))
    later = Visitor(make_app(database, [changed]))
    later.client.cookies = person.client.cookies
    later.open("/go")
    assert "of 4" in later.reply.text  # a notice and three trials, as it began
    new = Visitor(make_app(database, [changed]))
    new.agree()
    assert "of 6" in new.reply.text


def test_preview_is_marked_and_not_counted(visit: Visit, admin: Any, database: Database) -> None:
    page = admin.get("/admin/study/small/").text
    link = page.split("preview=")[1].split("<")[0]
    person = visit()
    person.agree(f"?preview={link}")
    person.finish()
    assert stored(database) == []
    with database.read() as connection:
        assert connection.execute(select(sessions.c.trial_run)).scalars().all() == [True]
    forged = visit()
    assert forged.agree("?preview=small").kind == "message" and forged.reply.status_code == 403


def test_the_live_check_says_what_is_missing(visit: Visit) -> None:
    person = visit()
    person.agree()

    def ask(text: str) -> str:
        return str(person.client.post("/study/small/check", data={"kind": "fill-gap", "text": text}).json()["message"])

    assert ask("She left.") == "" and "without a verb" in ask("a bowl of soup")
    assert visit().client.post("/study/small/check", data={"kind": "fill-gap", "text": "x"}).status_code == 403


def test_mturk_preview_cannot_begin(visit: Visit) -> None:
    page = visit().open("/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&workerId=w")
    assert page.forms == []


def test_pages_are_small_and_hold_no_item_names(visit: Visit) -> None:
    person = visit()
    person.agree()
    person.answer()
    assert len(person.reply.text) < 8_000 and "toy-" not in person.reply.text
    assert parse_page(person.reply.text).marked("sentence")


def test_who_simulates_passes_a_check_within_its_choices(database: Database, small: Study) -> None:
    check = """
[[steps]]
kind = "choose"
phase = "check"
text = "Which?"
question = { ask = "choice", context = [], choices = ["left", "middle", "right"] }
right = ["1"]
tries = 3
feedback = "Look again."
"""
    head, notice, trials = small.text.partition("[[steps]]")
    app = make_app(database, [parse_study(head.replace('"small"', '"checked"') + check + notice + trials)])
    for seed in range(6):
        person = Visitor(app, "checked")
        person.agree()
        assert person.finish(seed).marked("code") and person.reply.text.count("Thank you, that was all") == 1


def test_who_comes_back_too_late_sees_what_became_of_it(database: Database, small: Study) -> None:
    text = small.text.replace('"small"', '"strict"').replace("[draw]", '[people]\nresume = "day"\n\n[draw]')
    person = Visitor(make_app(database, [parse_study(text)]), "strict")
    person.agree()
    person.answer()
    person.answer(answer="She left.")
    with database.write() as connection:
        connection.execute(sessions.update().values(seen=sessions.c.seen - 90_000))
    assert person.open("/go").kind == "end" and not person.page.marked("code")
    assert "The time is over" in person.reply.text and "What you sent is kept" in person.reply.text
    assert person.page.link("data") and [given.answer.answer for given in given_answers(database, "strict")] == [
        "She left."
    ]
