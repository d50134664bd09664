"""Stories, endings, ratings, orders: what pages take and refuse, the reviewer's queue, and the corpora that come of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers
from scenarist.lab.collected import written_stories
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import refusals, sessions
from scenarist.lab.kinds.judge import broken_rules
from scenarist.lab.review.queue import approve_clean, review_queue
from scenarist.lab.review.verdicts import APPROVED, REJECTED, SENT_BACK, review, review_person
from scenarist.lab.roster import open_study
from scenarist.lab.study import Study, load_study, parse_study
from scenarist.lab.web.app import make_app
from scenarist.lab.yields.write import collect_corpus, read_card
from scenarist.question import Choice
from scenarist.registry import make
from tests.lab.conftest import Visitor, go_on

STORY = (
    "Olga baked bread.",
    "She took it to her neighbours.",
    "They ate all of it.",
    "They asked her for more.",
    "Olga was glad.",
)
OTHER = (
    "Jan lost his key.",
    "He looked in his pockets.",
    "He rang at the door.",
    "His sister opened it.",
    "Jan was relieved.",
)


def without_qualification(name: str, study: str = "") -> Study:
    """A study of the package whose qualification is left out, so that a test begins with the writing."""
    text = load_study(name).text
    kept = [
        part for part in text.split("[[steps]]") if 'phase = "qualification"' not in part and "practice" not in part
    ]
    return parse_study("[[steps]]".join(kept).replace("write-story", study or "write-story"), name)


def writer(database: Database, id: str = "w1") -> Visitor:
    person = Visitor(make_app(database, [without_qualification("write-story")]), "write-story")
    person.agree(f"?id={id}")
    person.answer()
    assert person.page.kind == "write-story"
    return person


def refused(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(select(refusals.c.complaint).order_by(refusals.c.number)).scalars())


def send(person: Visitor, sentences: tuple[str, ...] = STORY, title: str = "Bread") -> None:
    person.answer(title=title, text=[*sentences, *[""] * (5 - len(sentences))])


@pytest.mark.parametrize(
    ("sentences", "title", "said"),
    [
        (STORY[:4], "Four", "Sentence 5 is empty: please write all 5."),
        ((), "A title", "There is a title and nothing below it"),
        (STORY, "", "The title is missing"),
        ((*STORY[:4], "Olga was so glad that she danced through the whole kitchen until it was dark."), "Long", "has 77 characters; at most 70"),
        ((*STORY[:4], 'Olga said "thank you".'), "Quoted", "No quotations"),
        ((*STORY[:4], "Olga is gonna bake again."), "Slang", "gonna"),
        ((*STORY[:4], "Olga baked bread."), "Twice", "stands there twice"),
    ],
)  # fmt: skip
def test_a_story_that_breaks_a_certain_rule_is_sent_back_and_the_reviewer_sees_it(
    database: Database, sentences: tuple[str, ...], title: str, said: str
) -> None:
    person = writer(database)
    send(person, sentences, title)
    assert person.reply.status_code == 422 and person.page.kind == "write-story"
    assert any(said in complaint for complaint in refused(database)), refused(database)
    assert [box.value for box in person.page.forms[0].named("text")][: len(sentences)] == list(sentences)
    queue = review_queue(open_study(database, without_qualification("write-story")))
    assert queue.submissions == [] and said in queue.refused[0].complaint


def test_the_same_story_twice_is_refused_whoever_sends_it(database: Database) -> None:
    person = writer(database)
    send(person)
    send(person, tuple(sentence.upper() for sentence in STORY))
    assert person.reply.status_code == 422 and "You sent this text before" in person.reply.text
    other = writer(database, "w2")
    send(other)
    assert other.reply.status_code == 422 and "Somebody sent exactly this text before" in other.reply.text
    send(other, (*STORY[:4], "Olga was very glad."), "Bread again")
    assert other.reply.status_code == 200
    entry = review_queue(open_study(database, without_qualification("write-story"))).submissions[1]
    assert any("Nearly the same text as page 2 by " in flag for flag in entry.flags), entry.flags


def test_what_is_sent_back_is_opened_again_with_the_feedback_and_waits_anew(database: Database) -> None:
    study = open_study(database, without_qualification("write-story"))
    person = writer(database)
    for number in range(5):
        send(person, (*STORY[:4], f"Olga baked {number + 2} more loaves."), f"Bread {number}")
    person.answer(answer="")
    assert person.page.kind == "end"
    first = review_queue(study).submissions[0].given
    with pytest.raises(BadInput, match="write what the person is to change"):
        review(database, first.session, first.trial, first.attempt, SENT_BACK)
    review(database, first.session, first.trial, first.attempt, SENT_BACK, "Say why Olga bakes.")
    assert person.open("/").kind == "write-story"
    assert "The reviewer sent this back to you: Say why Olga bakes." in person.reply.text
    fields = person.page.forms[0].hidden()
    person.send(fields, person.page.forms[0].action)
    assert person.reply.status_code == 422 and "Nothing was changed" in person.reply.text
    send(person, ("Olga baked bread for a party.", *STORY[1:]), "Bread")
    assert person.page.kind == "end"
    entry = review_queue(study).submissions[0]
    assert entry.verdict == "waiting" and entry.given.attempt == 2
    review(database, first.session, first.trial, 2, REJECTED, "A party is no reason.")
    person.open("/end")
    decisions = person.page.marked("decision")
    assert len(decisions) == 5 and decisions[0].startswith("not taken: A party is no reason.")
    assert decisions[1].startswith("waits for the reviewer")
    reviewed = person.client.get("/study/write-story/data").json()["reviewed"]
    assert [(entry["page"], entry["verdict"]) for entry in reviewed] == [(2, "sent back"), (2, "rejected")]
    with pytest.raises(BadInput, match="changed while you looked"):
        review(database, first.session, first.trial, 1, REJECTED, "Too short.")


def test_only_approved_stories_go_on_and_the_card_says_what_was_left_out(
    database: Database, tmp_path: Path, monkeypatch: Any
) -> None:
    study = open_study(database, without_qualification("write-story"))
    people = [writer(database, f"w{number}") for number in range(3)]
    for number, person in enumerate(people):
        send(
            person,
            (*(STORY, OTHER, OTHER)[number][:4], f"In the end there were {number + 3} of them."),
            f"Story {number}",
        )
    assert written_stories(database, "write-story") == []
    given = [entry.given for entry in review_queue(study).submissions]
    review(database, given[1].session, given[1].trial, 1, REJECTED, "Nothing happens.")
    assert approve_clean(study)[0] == 1  # the third repeats the second one nearly
    out = tmp_path / "stories"
    card = collect_corpus(database.url.removeprefix("sqlite:///"), "write-story", out)
    assert dict(card.counts) == {"stories": 1, "writers": 1}
    go_on(card, tmp_path / "then", monkeypatch)
    assert dict(card.left_out) == {"answers rejected": 1, "answers that wait for a reviewer": 1}
    assert card.versions[0].version == study.version and card.people == 3 and read_card(out) == card
    (story,) = make("corpus", f"rocstories:{out}")
    assert story.title == "Story 0" and len(story.sentences) == 5
    assert given[0].session not in (out / "CARD.md").read_text() + (out / "card.json").read_text()
    review_person(database, given[0].session, "left out", "Copied.")
    with pytest.raises(BadInput, match="nobody's answers count yet"):
        collect_corpus(database.url.removeprefix("sqlite:///"), "write-story", tmp_path / "none")


def test_withdrawing_takes_the_verdicts_along(database: Database) -> None:
    study = open_study(database, without_qualification("write-story"))
    person = writer(database)
    send(person)
    (entry,) = review_queue(study).submissions
    review(database, entry.given.session, entry.given.trial, 1, REJECTED, "Nothing happens.")
    study.withdraw(entry.given.session)
    assert review_queue(study).submissions == []
    with pytest.raises(BadInput, match="withdrew"):
        review(database, entry.given.session, entry.given.trial, 1, REJECTED, "Nothing happens.")


@pytest.mark.parametrize("name", ["write-story", "write-endings"])
def test_the_given_texts_of_a_qualification_are_judged_by_the_rules_as_the_study_says(name: str) -> None:
    steps = [step for step in load_study(name).steps if step.phase == "qualification"]
    for step in steps:
        assert isinstance(step.question, Choice)
        broken = broken_rules(step.question.context)
        assert ("1" in step.right) == bool(broken), (step.title, broken)


def test_who_does_not_qualify_writes_nothing(database: Database) -> None:
    person = Visitor(make_app(database, [load_study("write-story")]), "write-story")
    person.agree()
    person.answer()
    for _ in range(5):
        person.answer(answer="1")
    assert person.page.kind == "end" and "needs people with other answers" in person.reply.text
    with database.read() as connection:
        assert connection.execute(select(sessions.c.state)).scalar_one() == "screened"
    assert list(given_answers(database, "write-story")) == []


def admin_of(app: Any, database: Database) -> Visitor:
    from scenarist.lab.web.admin import new_admin_token

    visitor = Visitor(app)
    visitor.client.post("/admin/login", data={"password": new_admin_token(database)})
    return visitor


def test_the_queue_is_a_page_with_verdicts_and_rates(database: Database) -> None:
    study = without_qualification("write-story")
    person = writer(database)
    send(person)
    send(person, OTHER, "A key")
    app = make_app(database, [study])
    admin = admin_of(app, database)
    page = admin.open("/study/x") and admin
    page.reply = admin.client.get("/admin/study/write-story/queue")
    assert "2 of them waiting" in page.reply.text and "Olga baked bread." in page.reply.text
    from scenarist.lab.forms import parse_page

    forms = [form for form in parse_page(page.reply.text).forms if form.action.endswith("/review")]
    reply = admin.client.post(forms[0].action, data={**forms[0].hidden(), "verdict": "rejected"})
    assert reply.status_code == 422 and "write why" in reply.text
    reply = admin.client.post(
        forms[0].action, data={**forms[0].hidden(), "verdict": "rejected", "feedback": "Too short."}
    )
    assert reply.status_code == 200 and "1 of them waiting" in reply.text
    reply = admin.client.post(forms[1].action, data={**forms[1].hidden(), "verdict": "approved"})
    assert "50 %" in reply.text
    reply = admin.client.post(forms[1].action, data={**forms[1].hidden(), "csrf": "x", "verdict": "approved"})
    assert "password" in reply.text.lower()
    assert "# submitted stories" in admin.client.get("/admin/study/write-story/").text


def test_the_statistics_of_tables_2_and_5_and_the_versions_of_the_prompt(database: Database) -> None:
    from scenarist.lab.review.crowd import crowd_tables
    from tests.lab.test_story_cloze import RATING

    study = open_study(database, without_qualification("write-story"))
    for number, stories in enumerate((3, 1)):
        person = writer(database, f"w{number}")
        for story in range(stories):
            send(person, (*(STORY, OTHER)[number][:4], f"In the end there were {story + 3} of them."), f"Story {story}")
    given = [entry.given for entry in review_queue(study).submissions]
    for answer in given[1:]:
        review(database, answer.session, answer.trial, 1, APPROVED)
    review(database, given[0].session, given[0].trial, 1, REJECTED, "Nothing happens.")
    (table,) = crowd_tables(study)
    rows = {row.name: (row.value, row.published) for row in table.rows}
    assert "Table 2" in table.caption
    assert rows["# submitted stories"] == ("4", "49,895") and rows["# approved stories"] == ("3", "49,255")
    assert rows["# people"] == ("2", "932") and rows["average # stories by one person"] == ("2.00", "52.84")
    assert rows["max # stories by one person"][0] == "3" and rows["payment for one of the stories (cents)"] == (
        "26",
        "26",
    )
    later = parse_study(
        without_qualification("write-story").text.replace("about anything that you have in mind", "about a day out")
    )
    person = Visitor(make_app(database, [later]), "write-story")
    person.agree("?id=later")
    person.answer()
    send(
        person,
        ("Mia took the bus.", "She saw the sea.", "She swam.", "She ate fish.", "She slept on the way home."),
        "The sea",
    )
    pilots = parse_study(RATING)
    app = make_app(database, [pilots])
    for number in range(3):
        rater = Visitor(app, "rating")
        rater.agree(f"?id=r{number}")
        while rater.page.kind == "rate":
            rater.answer(answer="0" if "sea" in " ".join(rater.page.marked("rated")) and number else "1")
    (versions,) = crowd_tables(open_study(database, pilots))
    told = {row.name: row.value for row in versions.rows}
    assert told == {
        f"version {study.version}": "3 stories; all raters say 1: 100.0%; all agree: 100.0%",
        f"version {later.version}": "1 stories; all raters say 1: 0.0%; all agree: 0.0%",
    }
