"""The admin's side: who is to be paid, ranks beside people, agreement, attention, withdrawals, the paper, and answers to earlier versions."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from scenarist.errors import BadInput
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import sessions
from scenarist.lab.export import columns, reconcile, table
from scenarist.lab.findings import agreement, model_ranks
from scenarist.lab.forms import ParsedForm, parse_page
from scenarist.lab.paper import paper
from scenarist.lab.review.queue import approve_clean, review_queue
from scenarist.lab.roster import open_study
from scenarist.lab.study import Study, load_study, parse_study
from scenarist.lab.web.admin import new_admin_token
from scenarist.lab.web.app import make_app
from tests.lab.conftest import SMALL, Visitor
from tests.lab.test_browser import MARKING

PAGE = "/admin/study/small/"
ATTENTION = """
[[steps]]
kind = "choose"
phase = "attention"
text = "Choose the first."
question = { ask = "choice", context = [], choices = ["first", "second"] }
right = ["0"]
after = 2
"""


def finish(app: Any, study: str, query: str, seed: int = 1) -> Visitor:
    """Somebody who takes part to the end."""
    person = Visitor(app, study)
    person.agree(query)
    person.finish(seed)
    return person


def form_to(admin: TestClient, page: str, action: str) -> ParsedForm:
    """A form of an admin page."""
    return next(form for form in parse_page(admin.get(page).text).forms if form.action.endswith(action))


def rows_of(database: Database, study: Study) -> list[dict[str, str]]:
    """The table as a spreadsheet reads it."""
    return list(csv.DictReader(io.StringIO(b"".join(table(open_study(database, study))).decode())))


def test_the_platforms_list_is_held_against_the_rows(
    app: Any, admin: TestClient, database: Database, small: Study
) -> None:
    finish(app, "small", "?PROLIFIC_PID=done")
    finish(app, "small", "?PROLIFIC_PID=other-code")
    finish(app, "small", "?PROLIFIC_PID=unlisted")
    Visitor(app).agree("?PROLIFIC_PID=began")
    code = open_study(database, small).codes["complete"]
    listed = (
        "\ufeffSubmission id,Participant id,Status,Completion code\n"
        f"1,done,APPROVED,{code}\n2,other-code,AWAITING REVIEW,GUESSED\n3,began,AWAITING REVIEW,{code}\n4,<b>nobody</b>,RETURNED,\n"
    )
    form = form_to(admin, PAGE, "/reconcile")
    page = admin.post(form.action, data={**form.hidden(), "csv": listed}).text
    assert "&lt;b&gt;nobody&lt;/b&gt;" in page
    verdicts = {entry.external: entry.verdict for entry in reconcile(open_study(database, small), listed)}
    assert verdicts == {
        "done": "finished: pay",
        "other-code": "finished: pay; the code sent, GUESSED, is not the one that was shown",
        "began": "not finished (active): do not pay on the code alone",
        "<b>nobody</b>": "unknown here: withdrew, never began, or another id",
        "unlisted": "finished here, not on the platform's list",
    }
    assert all(verdict.split(";")[0] in page for verdict in list(verdicts.values())[:3])
    for wrong, said in (("", "no CSV with a header"), ("name,age\nx,3\n", "No column with the ids")):
        reply = admin.post(form.action, data={**form.hidden(), "csv": wrong})
        assert reply.status_code == 422 and said in reply.text


def test_a_model_sits_the_same_gaps_and_stands_beside_people(
    app: Any, admin: TestClient, database: Database, small: Study
) -> None:
    finish(app, "small", "?id=a")
    form = form_to(admin, PAGE, "/ranks")
    page = admin.post(form.action, data={**form.hidden(), "model": "unigram"}).text
    rows = model_ranks(open_study(database, small))
    assert {(row.condition, row.model) for row in rows} == {("full", "unigram"), ("caveman", "unigram")}
    assert all(1 <= row.original <= 100 and 0 <= row.recalled <= 1 for row in rows)
    assert sum(row.people > 0 for row in rows) == 1, "one condition has a person"
    assert "unigram" in page and "unigram" in paper(open_study(database, small))
    reply = admin.post(form.action, data={**form.hidden(), "model": "unigramm"})
    assert reply.status_code == 422 and "unigram" in reply.text


@pytest.mark.parametrize("name", ["unshuffle", "mark-unrelated", "mark-relations"])
def test_agreement_is_told_of_orders_groups_and_choices(name: str, database: Database) -> None:
    text = load_study(name).text.replace('study = "write-story"', 'corpus = "toy"\nlimit = 3')
    study = parse_study(text.replace("more = true", ""))
    app = make_app(database, [study])
    for seed in range(3):
        finish(app, name, f"?id={seed}", seed)
    (figure,) = agreement(open_study(database, study))
    assert (figure.name, figure.n > 0) == ("entropy_agreement", True)
    assert round(figure.low, 9) <= round(figure.value, 9) <= round(figure.high, 9) <= 0


def test_one_annotator_is_no_agreement(database: Database) -> None:
    study = parse_study(MARKING)
    finish(make_app(database, [study]), "marking", "?id=a")
    assert agreement(open_study(database, study)) == []


def test_answers_to_an_earlier_version_keep_their_columns_and_their_place_in_the_queue(database: Database) -> None:
    finish(make_app(database, [parse_study(MARKING)]), "marking", "?id=a")
    steps = '[[steps]]\nkind = "notice"\ntitle = "New"\n[[steps]]\nkind = "trials"'
    later = parse_study(
        MARKING.replace('[[steps]]\nkind = "trials"', steps).replace('"mark-scenarios"', '"write"').replace('"stories"', '"prompts"')
        .replace("[draw]", '[source.settings]\nask_for = "What did you see?"\n[draw]')
    )  # fmt: skip
    app = make_app(database, [later])
    person = Visitor(app, "marking")
    person.agree("?id=b")
    person.answer()
    person.answer(answer="A cat.")
    rows = [row for row in rows_of(database, later) if row["phase"] == "trial"]
    assert len(rows) == 3 and set(rows[0]) == set(columns(open_study(database, later)))
    assert [bool(row["segments"] or row["nothing"]) for row in rows] == [True, True, False]
    assert rows[2]["text"] == "A cat."
    admin = Visitor(app)
    admin.client.post("/admin/login", data={"password": new_admin_token(database)})
    reply = admin.client.get("/admin/study/marking/queue")
    assert reply.status_code == 200 and "segments:" in reply.text and "A cat." in reply.text


def test_who_missed_an_attention_question_is_told_and_left_in(database: Database) -> None:
    head, notice, trials = SMALL.partition("[[steps]]")
    study = parse_study(head + ATTENTION + notice + trials)
    app = make_app(database, [study])
    for name, choice in (("a", "0"), ("b", "1")):
        person = Visitor(app)
        person.agree(f"?id={name}")
        while person.page.kind != "end":
            fields = {"choose": {"answer": choice}, "fill-gap": {"answer": "She went home."}}
            person.answer(**fields.get(person.page.kind, {}))
    opened = open_study(database, study)
    rows = rows_of(database, study)
    assert [row["passed"] for row in rows if row["phase"] == "attention"] == ["yes", "no"]
    assert {row["passed"] for row in rows if row["phase"] == "trial"} == {""}
    assert [row.flags for row in review_queue(opened).people] == [(), ("Missed 1 of 1 attention questions.",)]
    assert approve_clean(opened)[0] == 3, "the other person's answers are left for somebody to look at"
    told = paper(opened)
    assert "1 of 2 attention questions were missed, by 1 of 2 people." in told and "2 people finished" in told


def test_the_paper_is_written_from_the_frozen_study(database: Database) -> None:
    text = SMALL.replace("[draw]", '[people]\nhourly = 12.0\nown_minutes = 10.0\npay = "pounds"\n\n[draw]')
    study = parse_study(text)
    app = make_app(database, [study])
    people = [finish(app, "small", f"?id={number}", number) for number in range(4)]
    refusing = Visitor(app)
    form = refusing.open("/").forms[0]
    refusing.send({**form.hidden(), "choice": "refuse"}, form.action)
    people[0].open("/leave")
    leaving = people[0].page.forms[0]
    people[0].send({**leaving.hidden(), "choice": "delete", "sure": "yes"}, leaving.action)
    told = paper(open_study(database, study))
    assert f"Study `small`, version `{study.version}`" in told
    assert "3 people finished the study (1 withdrawn). 1 did not consent, 1 withdrew" in told
    assert "Each was paid 3.00 pounds: 12 an hour, and 1.5 times the 10 minutes" in told
    assert "of 3 documents of the corpus `toy`" in told and "Each person saw 3, at most 1 of a document" in told
    assert "full: " in told and "caveman: " in told and "| full | " in told and "## Exclusions and flags" in told


def test_who_withdrew_is_named_to_the_admin_and_told_where_texts_may_stand(
    app: Any, admin: TestClient, database: Database
) -> None:
    person = finish(app, "small", "?id=a")
    with database.read() as connection:
        (session,) = connection.execute(sessions.select())
    assert admin.get(f"{PAGE}answers.csv").status_code == 200
    about = 'name = "about"\ntitle = "About"\nkind = "gloss"\n[source]\nmake = "answers"\nstudy = "small"\n[[steps]]\nkind = "trials"\n'
    finish(app, "small", "?id=b", 2)
    finish(app, "small", "?id=c", 3)
    open_study(database, parse_study(about))
    assert session.id not in admin.get(PAGE).text
    person.open("/leave")
    form = person.page.forms[0]
    person.send({**form.hidden(), "choice": "delete", "sure": "yes"}, form.action)
    assert "exported 1 times before" in person.reply.text and "Another study here" in person.reply.text
    page = admin.get(PAGE).text
    assert "Withdrawn." in page and session.id in page


BROKEN = (
    ('kind = "fill-gap"\nconditions', 'kind = "fill-gaps"\nconditions', "page kind 'fill-gaps'.*fill-gap"),
    ('make = "gaps"', 'make = "gap"', "source of items 'gap'.*gaps"),
    ('conditions = ["full", "caveman"]', 'conditions = ["full", "full"]', "named once each"),
    ('title = "A small study"', 'titel = "A small study"', "titel"),
    ('kind = "trials"\nphase = "trial"', 'kind = "trials"\nphase = "trail"', "phase 'trail'.*trial"),
    ('kind = "trials"', 'kind = "notice"', "the items would never be shown"),
    ('kind = "notice"', 'kind = "choose"', "step 1: the page kind 'choose' needs a question"),
    ("[draw]", '[people]\nresume = "sometimes"\n[draw]', "rule for resume 'sometimes'.*always"),
    ("[draw]", '[codes]\ndone = "X"\n[draw]', "outcome of a code 'done'.*complete"),
    ('name = "small"', 'name = "small', "not TOML"),
)


@pytest.mark.parametrize(("before", "after", "said"), BROKEN)
def test_what_is_wrong_with_a_study_file_is_named_before_it_starts(before: str, after: str, said: str) -> None:
    assert SMALL.count(before) == 1
    with pytest.raises(BadInput, match=f"(?s)my.toml: .*{said}"):
        parse_study(SMALL.replace(before, after), "my.toml")


def test_a_key_that_two_things_want_is_named(monkeypatch: Any) -> None:
    from scenarist.lab.kinds.fill_gap import FillGap

    monkeypatch.setattr(FillGap, "hotkeys", lambda self, settings: (("j", "next"), ("j", "before")))
    with pytest.raises(BadInput, match="fill-gap: the key 'j' is wanted twice: 'next' and 'before'"):
        parse_study(SMALL)


def test_an_empty_corpus_two_items_and_two_studies_of_one_name(database: Database, small: Study, tmp_path: Any) -> None:
    (tmp_path / "texts").mkdir()
    with pytest.raises(BadInput, match="texts"):
        open_study(database, parse_study(SMALL.replace('"toy"', f'"texts:{tmp_path}/texts"')))
    (tmp_path / "texts" / "blank.txt").write_text(" \n")
    with pytest.raises(BadInput, match=r"no text|empty"):
        open_study(database, parse_study(SMALL.replace('"toy"', f'"texts:{tmp_path}/texts"')))
    (tmp_path / "twice.jsonl").write_text(json.dumps({"id": "x", "text": "Ida baked a cake. She ate it."}) + "\n")
    marking = MARKING.replace('"toy"', f'"jsonl:{tmp_path}/twice.jsonl"')
    open_study(database, parse_study(marking))
    with (tmp_path / "twice.jsonl").open("a") as handle:
        handle.write(json.dumps({"id": "x", "text": "Tom took a bath. He was clean."}) + "\n")
    with pytest.raises(BadInput, match="'x'"):
        open_study(database, parse_study(marking + "\n"))
    (tmp_path / "twice.jsonl").write_text(json.dumps({"id": "x" * 300, "text": "Ida baked a cake. She ate it."}) + "\n")
    with pytest.raises(BadInput, match="300 characters; at most 200"):
        open_study(database, parse_study(marking + "\n\n"))
    with pytest.raises(BadInput, match="Two of these studies are called 'small'"):
        make_app(database, [small, parse_study(SMALL + "\n")])
