"""Endings, ratings, orders and choices: bad answers, the filter, a built Story Cloze set that exams, models and people sit."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from scenarist.bench.people_rows import MAJORITY, PEOPLE
from scenarist.corpora.storycloze import ANSWER
from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers
from scenarist.lab.collected import written_stories
from scenarist.lab.database.engine import Database
from scenarist.lab.database.tables import refusals
from scenarist.lab.review.crowd import crowd_tables
from scenarist.lab.review.queue import approve_clean, review_queue
from scenarist.lab.review.verdicts import APPROVED, REJECTED, review
from scenarist.lab.roster import open_study
from scenarist.lab.web.app import make_app
from scenarist.lab.yields.storycloze import FILTERS
from scenarist.lab.yields.write import collect_corpus
from scenarist.question import Permutation
from scenarist.registry import make
from scenarist.verbs.exam import exam
from scenarist.verbs.run_table import run_table
from tests.lab.conftest import Visitor, go_on
from tests.lab.test_writing import OTHER, STORY, send, without_qualification, writer

ENDINGS = ("Olga was glad to bake more.", "Olga never wanted to see bread again.")


def complaints(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(select(refusals.c.complaint).order_by(refusals.c.number)).scalars())


def participant(database: Database, name: str, id: str = "p1") -> Visitor:
    """Somebody in a study, at its first trial."""
    person = Visitor(make_app(database, [without_qualification(name)]), name)
    person.agree(f"?id={id}")
    person.answer()
    return person


@pytest.fixture
def written(database: Database) -> Database:
    """Two approved stories."""
    person = writer(database)
    send(person)
    send(person, OTHER, "A key")
    assert approve_clean(open_study(database, without_qualification("write-story"))) == (2, 0)
    return database


def endings_for(context: list[str]) -> tuple[str, str]:
    """A right and a wrong ending to one of the two stories."""
    return ENDINGS if "Olga" in context[0] else ("Jan hugged his sister.", "Jan bought a boat.")


@pytest.fixture
def cases(written: Database) -> Database:
    """Both with endings."""
    person = participant(written, "write-endings")
    while person.page.kind == "write-endings":
        person.answer(text=endings_for(person.page.marked("context")))
        assert person.reply.status_code == 200, complaints(written)
    return written


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("Olga was glad.", "olga was glad"), "Both endings are the same"),
        (("Olga was glad.", ""), "Wrong ending is empty"),
        (("Dogs bark.", "Olga left."), "right ending is about nobody of the story"),
        (("Olga was glad.", "They ate all of it."), "wrong ending stands in the story already"),
    ],
)
def test_endings_that_are_none_are_sent_back(written: Database, texts: tuple[str, str], said: str) -> None:
    person = participant(written, "write-endings")
    while "Olga" not in person.page.marked("context")[0]:
        person.answer(text=endings_for(person.page.marked("context")))
    person.answer(text=texts)
    assert person.reply.status_code == 422
    assert said in complaints(written)[-1]
    queue = review_queue(open_study(written, without_qualification("write-endings")))
    assert said in queue.refused[0].complaint


def test_an_order_with_a_sentence_twice_is_sent_back(written: Database) -> None:
    person = participant(written, "unshuffle")
    assert person.page.kind == "order"
    person.answer(place=["1", "1", "2", "3", "4"])
    assert person.reply.status_code == 422
    assert "Place 1 was given twice and place 5 to no sentence" in complaints(written)[-1]
    person.answer(place=["1", "", "2", "3", "4"])
    assert "1 of 5 sentences has no place yet" in complaints(written)[-1]
    assert len(review_queue(open_study(written, without_qualification("unshuffle"))).refused) == 2
    sentences = person.page.marked("sentence")
    story = STORY if sentences[0] in STORY else OTHER
    person.answer(place=[str(story.index(sentence) + 1) for sentence in sentences])
    (given,) = given_answers(written, "unshuffle")
    assert isinstance(given.answer.answer, Permutation)
    assert [sentences[row] for row in given.answer.answer.order] == list(story)


RATING = """
name = "rating"
title = "Rating"
kind = "rate"
[source]
make = "pilots"
study = "write-story"
[draw]
a_family = 0
[[steps]]
kind = "trials"
"""


def test_one_step_for_everything_is_asked_about_and_the_reviewer_may_leave_the_rater_out(database: Database) -> None:
    from scenarist.lab.review.verdicts import counted_answers, review_person
    from scenarist.lab.study import parse_study

    for number in range(3):
        person = writer(database, f"w{number}")
        for story in range(5):
            send(person, (*STORY[:4], f"Olga baked {number * 5 + story + 2} loaves."))
    study = parse_study(RATING)
    rater = Visitor(make_app(database, [study]), "rating")
    rater.agree()
    for _ in range(9):
        rater.answer(answer="1")
        assert rater.reply.status_code == 200
    rater.answer(answer="1")
    assert rater.reply.status_code == 422 and "You gave the same answer to all 9 texts" in rater.reply.text
    rater.answer(answer="1", sure="yes")
    assert rater.reply.status_code == 200
    (row,) = review_queue(open_study(database, study)).people
    assert row.flags == ("Always says 1 (10 of 10 answers).",)
    assert len(list(counted_answers(database, "rating"))) == 10
    review_person(database, row.session, "left out", "Says 1 to everything.")
    assert list(counted_answers(database, "rating")) == []


def rate(database: Database, steps: Callable[[str], str], people: int = 3) -> None:
    """Raters who see one ending of a case each; so many that every ending has ``people`` ratings."""
    for number in range(2 * people):
        rater = participant(database, "rate-story", f"r{number}")
        while rater.page.kind == "rate":
            rater.answer(answer=steps(rater.page.marked("rated")[-1]))


WRONG = ("Olga never wanted to see bread again.", "Jan bought a boat.")


def test_the_filter_writes_a_set_that_exam_and_models_and_people_sit(
    cases: Database, tmp_path: Path, monkeypatch: Any
) -> None:
    rate(cases, lambda ending: "0" if ending in WRONG else "1")
    db, out = cases.url.removeprefix("sqlite:///"), tmp_path / "cloze"
    card = collect_corpus(db, "build-storycloze", out)
    counts = dict(card.counts)
    assert (counts["cases written"], counts["cases that pass"], counts["validation"], counts["test"]) == (2, 2, 1, 1)
    told = {
        row.name: (row.value, row.published)
        for name in ("write-endings", "rate-story")
        for table in crowd_tables(open_study(cases, without_qualification(name)))
        for row in table.rows
    }
    assert told["# submitted cases"] == ("2", "13,500") and told["# cases written"] == ("2", "13,500")
    assert told["# with 3 ratings of each ending"][0] == "2" and told["# that pass 'paper'"] == ("2", "3,744")
    assert counts["stories taken out as sources"] == 2 and not (out / "ROCStories_spring2016.csv").exists()
    paper = exam("storycloze", f"storycloze:{out}", "all")
    assert len(paper.items) == 2
    for item in paper.items:
        assert item.question.choices[int(item.key)] not in WRONG
    person = Visitor(make_app(cases, [choosing(out)]), "choose-ending")
    person.agree("?id=c1")
    person.answer()
    while person.page.kind == "choose-ending":
        person.answer(answer=str([ending in WRONG for ending in person.page.marked("choice")].index(False)))
    people = tmp_path / "people"
    go_on(collect_corpus(db, "choose-ending", people), tmp_path / "after people", monkeypatch)
    go_on(card, tmp_path / "after the set", monkeypatch)
    sheet = run_table(
        "storycloze2016", corpus=f"storycloze:{out}", answers=str(people), only=["n-gram-overlap", PEOPLE, MAJORITY]
    )  # fmt: skip
    rows: Mapping[str, Any] = {row["model"]: row for row in sheet.json()["rows"] if row["role"] != "published"}
    assert rows[PEOPLE]["role"] == "human" and rows[PEOPLE]["scores"]["accuracy/unlabelled"]["value"] == 1.0
    assert rows[MAJORITY]["scores"]["accuracy/unlabelled"]["n"] == 2
    assert "accuracy/unlabelled" in rows["n-gram-overlap"]["scores"]


def choosing(folder: Path) -> Any:
    from scenarist.lab.study import load_study

    return load_study("choose-ending", f"storycloze:{folder}")


def test_a_case_on_which_one_rater_differs_is_left_out_and_its_story_stays(cases: Database, tmp_path: Path) -> None:
    rate(cases, lambda ending: "-1" if ending == WRONG[1] else "0" if ending in WRONG else "1")
    db = cases.url.removeprefix("sqlite:///")
    card = collect_corpus(db, "rate-story", tmp_path / "cloze")
    assert dict(card.counts)["cases that pass"] == 1
    assert dict(card.left_out)["cases that do not pass the filter 'paper'"] == 1
    (story,) = make("corpus", f"rocstories:{tmp_path / 'cloze'}")
    assert story.text.startswith("Jan lost his key.")
    wider = collect_corpus(db, "rate-story", tmp_path / "wider", {"filter": "not-good"})
    assert dict(wider.counts)["cases that pass"] == 2 and ("filter", "not-good") in wider.settings
    with pytest.raises(BadInput, match="no filter 'papers'"):
        collect_corpus(db, "rate-story", tmp_path / "none", {"filter": "papers"})


def test_nobody_rates_both_endings_of_a_case(cases: Database) -> None:
    rate(cases, lambda ending: "1")
    seen: dict[str, list[str]] = {}
    for given in given_answers(cases, "rate-story"):
        seen.setdefault(given.session, []).append(given.item.partition(".")[0])
    assert seen and all(len(set(names)) == len(names) for names in seen.values())


@pytest.mark.parametrize(
    ("right", "wrong", "passing"),
    [
        ([1, 1, 1], [0, 0, 0], {"paper", "not-good", "majority", "apart"}),
        ([1, 1, 1], [0, -1, 0], {"not-good", "majority", "apart"}),
        ([1, 1, 0], [0, 0, 0], {"majority"}),
        ([1, 1, 1], [1, 0, 0], {"majority"}),
        ([0, 0, 0], [-1, -1, -1], {"apart"}),
        ([1, 0, 0], [0, 0, 0], set()),
    ],
)
def test_variants_of_the_filter(right: list[int], wrong: list[int], passing: set[str]) -> None:
    assert {name for name, passes in FILTERS.items() if passes(right, wrong)} == passing


def test_official_file_names_on_the_search_path(tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "storycloze"
    folder.mkdir()
    header = ["InputStoryid", *(f"InputSentence{n}" for n in (1, 2, 3, 4)), *(f"RandomFifthSentenceQuiz{n}" for n in (1, 2)), ANSWER]  # fmt: skip
    with (folder / "cloze_test_val__spring2016.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([header, ["a", *STORY[:4], *ENDINGS, "1"]])
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path))
    assert [story.id for story in make("corpus", "storycloze-2016", split="dev")] == ["a"]
    assert [story.id for story in make("corpus", f"storycloze:{folder}")] == ["a"]
    with pytest.raises(BadInput, match="expected a Story Cloze set"):
        list(make("corpus", f"storycloze:{tmp_path}"))
    with pytest.raises(BadInput, match="expected stories"):
        list(make("corpus", f"rocstories:{tmp_path}"))


def test_one_set_of_the_best_writers_and_one_of_the_others(database: Database) -> None:
    for number, stories in enumerate((4, 3, 1)):
        person = writer(database, f"w{number}")
        for story in range(stories):
            send(
                person,
                (*(STORY, OTHER, STORY)[number][:4], f"There were {number * 5 + story + 2} in the end."),
                f"{number} {story}",
            )
    study = open_study(database, without_qualification("write-story"))
    given = [entry.given for entry in review_queue(study).submissions]
    people = list(dict.fromkeys(answer.session for answer in given))
    for answer in given:
        verdict = (REJECTED, "Not again.") if answer == given[-2] else (APPROVED, "")
        review(database, answer.session, answer.trial, 1, *verdict)
    opened = open_study(database, without_qualification("unshuffle"))
    sets = {name: [item for item in opened.items.values() if item.tags == (name,)] for name in ("good", "random")}
    assert [len(items) for items in sets.values()] == [4, 3], (
        "seven stories are approved: four of one set, the rest of the other"
    )
    texts = {story.id: story.writer for story in written_stories(database, "write-story")}
    assert {texts[item.id.split(".")[1].partition("-")[0]] for item in sets["good"]} == {people[0]}, (
        "no writer with a rejected story"
    )
