"""The studies on scripts, words, core events, relations, habits and guesses: walked through, bad input, and the corpora that come of them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from scenarist.cli.main import run
from scenarist.corpora.descript import DeScript
from scenarist.corpora.kidscook import KidsCook
from scenarist.errors import BadInput
from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.export import columns, table
from scenarist.lab.kinds import page_kind
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted
from scenarist.lab.kinds.link import core_chain
from scenarist.lab.paper import paper
from scenarist.lab.review.crowd import crowd_tables
from scenarist.lab.roster import open_study
from scenarist.lab.study import load_study, parse_study
from scenarist.lab.web.app import make_app
from scenarist.lab.yields.write import collect_corpus
from scenarist.question import Compose, Group, Groups, Parts, Rate, Read, Reading, Relate, WordGap
from tests.lab.conftest import Visitor, go_on

STUDIES = (
    "explain-to-a-child",
    "tell-script",
    "mark-unrelated",
    "fill-word",
    "core-events",
    "mark-relations",
    "rate-habit",
)


def walk(database: Database, name: str, people: int, text: str = "") -> list[Visitor]:
    """Some people who finish a study."""
    study = parse_study(text or load_study(name).text)
    app = make_app(database, [study])
    visitors = [Visitor(app, study.name) for _ in range(people)]
    for number, visitor in enumerate(visitors):
        visitor.agree()
        assert visitor.finish(number).marked("code"), name
    return visitors


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_finished_and_each_answer_is_a_row_with_its_columns(name: str, database: Database) -> None:
    study = load_study(name)
    (visitor,) = walk(database, name, 1)
    opened = open_study(database, study)
    rows = list(csv.DictReader(io.StringIO(b"".join(table(opened)).decode())))
    own = set(page_kind(study.kind).outputs)
    answered = [row for row in rows if row["phase"] == "trial" and row["last"] == "yes"]
    assert answered and own <= set(columns(opened)) and set(rows[0]) == set(columns(opened))
    assert all(any(row[column] for column in own) for row in answered)
    first = answered[0]
    visitor.open(f"/page/{int(first['page']) - 1}")
    assert visitor.page.kind == "end", "who has finished sees the end"


def test_words_of_people_are_scored_as_a_models_are(database: Database, tmp_path: Path) -> None:
    walk(database, "fill-word", 2)
    url = database.url.removeprefix("sqlite:///")
    assert run(["lab", "export", "fill-word", "--db", url, "-o", str(tmp_path / "out"), "--quiet"]) == 0
    part = tmp_path / "out" / "all"
    assert run(["score", str(part), str(part / "answers.jsonl"), "--quiet"]) == 0


def fields(**values: Any) -> FormFields:
    return FormFields(
        [(name, text) for name, value in values.items() for text in (value if isinstance(value, list) else [value])]
    )


EXPLAIN = Compose("Explain to a child how to: dice the onion", ("dice the onion",), 5, 160)
SENTENCES = Group(("Ida mixed flour.", "It rained.", "She baked the cake."), ("baking a cake",))
BLANK = WordGap(("peel", "it"), ("hold", "it", "in", "your"), 2)


@pytest.mark.parametrize(
    ("kind", "question", "sent", "settings", "message"),
    [
        ("steps", EXPLAIN, {"text": ["Dice the onion."]}, {"least": 2}, "1 of at least 2"),
        (
            "steps",
            EXPLAIN,
            {"text": ["dice the onion", "onion, dice"]},
            {"least": 2, "new_words": 1},
            "say no more than the instruction",
        ),
        ("steps", EXPLAIN, {"text": ["Get a knife.", "Get a knife."]}, {"least": 2}, "twice"),
        ("steps", EXPLAIN, {"text": ["Get a knife.", "", "Cut it."]}, {"least": 2}, "empty"),
        ("steps", EXPLAIN, {"text": ["Get a knife.", "..."]}, {"least": 2}, "is no step"),
        ("steps", EXPLAIN, {"text": ["x" * 161, "Cut it."]}, {"least": 2}, "at most 160"),
        ("tick", SENTENCES, {}, {}, "Nothing is ticked"),
        ("tick", SENTENCES, {"answer": ["1"], "all": "yes"}, {}, "take back one of the two"),
        ("tick", SENTENCES, {"answer": ["0", "1", "2"]}, {}, "every sentence"),
        ("tick", SENTENCES, {"answer": ["7"]}, {}, "not there"),
        ("word", BLANK, {"answer": " "}, {}, "write a word"),
        ("word", BLANK, {"answer": "left hand"}, {}, "one word only"),
        ("word", BLANK, {"answer": "🙂"}, {}, "is not a word"),
        ("word", BLANK, {"answer": "x" * 5000}, {}, "at most 40"),
    ],
)
def test_what_is_no_answer_is_met_with_what_to_do(
    kind: str, question: Any, sent: Any, settings: Any, message: str
) -> None:
    with pytest.raises(NotAccepted, match=message):
        page_kind(kind).read(fields(**sent), question, settings)


def test_answers_are_read_as_they_are_meant() -> None:
    assert page_kind("word").read(fields(answer=" Left. "), BLANK, {}) == LabAnswer("left")
    assert page_kind("tick").read(fields(answer=["1"]), SENTENCES, {}).answer == Groups(
        ("related", "unrelated", "related")
    )
    given = page_kind("steps").read(
        fields(text=["Get a  knife.", "Cut strips, then cubes.", "", "", ""]), EXPLAIN, {"least": 2}
    )
    assert given.answer == Parts(("Get a knife.", "Cut strips, then cubes."))
    for kind, question, answer in (
        ("tick", SENTENCES, LabAnswer(Groups(("related", "unrelated", "related")))),
        ("steps", EXPLAIN, given),
    ):
        shown = page_kind(kind).value(answer, question)
        assert shown, "an earlier answer is shown again"
    with pytest.raises(NotAccepted, match="for something else"):
        page_kind("steps").compare(given, [given], fields())


STORY = "Ida wanted a cake. She mixed flour and eggs. Her brother said hello. She baked the batter. The cake was eaten by her brother."


def core_form(**changes: Any) -> tuple[Read, dict[str, Any]]:
    """The form of a story as its page proposes it, with changes."""
    question = Read(STORY)
    shown = page_kind("link").show(question, {})
    preset, values = shown["preset"], {"entity": shown["entities"][0][0]}
    for _, rows in shown["sentences"]:
        values |= {row["name"]: preset({}, row) for row in rows}
    return question, values | changes


def test_the_proposal_is_mended_and_gives_the_chain() -> None:
    kind = page_kind("link")
    question, values = core_form()
    given = kind.read(fields(**values), question, {})
    assert isinstance(given.answer, Reading)
    events = str(kind.columns(given, question)["events"]).split()
    assert "mix:subj" in events and "bake:subj" in events and not any(event.startswith("say") for event in events)
    mixed = next(
        name
        for name, role in values.items()
        if name != "entity" and role == "subj" and "mix:subj" in taken(question, name, values)
    )
    less = kind.read(fields(**{**values, mixed: ""}), question, {"least": 1})
    assert "mix:subj" not in kind.columns(less, question)["events"] and "mix:subj" in less.get("taken_away")
    more = kind.read(fields(**values, where="5", verb="cake", part="obj"), question, {})
    assert "cake:obj" in kind.columns(more, question)["events"] and more.get("added") == "cake:obj"
    for answer in (given, less, more):
        again = kind.value(answer, question)
        sent = {name: value for name, value in again.items() if name != "lines"}
        lines = again["lines"]
        sent |= {
            "where": [line[0] for line in lines],
            "verb": [line[1] for line in lines],
            "part": [line[2] for line in lines],
        }
        assert core_chain(kind.read(fields(**sent), question, {"least": 1})).links == core_chain(answer).links


def taken(question: Read, name: str, values: dict[str, Any]) -> str:
    """What is gone when a field is emptied."""
    return page_kind("link").read(fields(**{**values, name: ""}), question, {"least": 1}).get("taken_away")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entity": "nobody"}, "whose story"),
        ({"where": "9", "verb": "ate", "part": "subj"}, "which sentence"),
        ({"where": "2", "verb": "sang", "part": "subj"}, "has no word 'sang'"),
        ({"where": "2", "verb": "mixed", "part": "subj"}, "chosen above already"),
        ({"where": "2", "verb": " ", "part": "subj"}, "Sentence 2: which verb"),
        ({"where": "2", "verb": "flour", "part": "boss"}, "choose one of the parts"),
    ],
)
def test_a_chain_that_cannot_be_is_met_with_what_to_do(changes: dict[str, str], message: str) -> None:
    question, values = core_form(**changes)
    with pytest.raises(NotAccepted, match=message):
        page_kind("link").read(fields(**values), question, {})


def test_too_few_core_events_are_sent_back() -> None:
    question, values = core_form()
    few = {name: "" if name != "entity" else value for name, value in values.items()}
    with pytest.raises(NotAccepted, match="needs at least 3"):
        page_kind("link").read(fields(**few), question, {})


def test_a_relation_is_asked_of_two_marked_events(database: Database) -> None:
    opened = open_study(database, load_study("mark-relations"))
    item = next(iter(opened.items.values()))
    assert isinstance(item.question, Relate)
    shown = page_kind("relate").show(item.question, {})
    letters = [piece["letter"] for pieces in shown["sentences"] for piece in pieces if piece["letter"]]
    assert letters == ["A", "B"] and [relation for relation, _ in shown["relations"]] == list(item.question.relations)
    with pytest.raises(NotAccepted, match="how A stands to B"):
        page_kind("relate").read(fields(answer="cousin"), item.question, {})


def test_a_stranger_stands_among_the_sentences_and_is_the_key(database: Database) -> None:
    opened = open_study(database, load_study("mark-unrelated"))
    keys = [item.key for item in opened.items.values()]
    assert keys and all(
        isinstance(key, Groups) and key.names.count("unrelated") == 1 and key.names[0] == "related" for key in keys
    )


def test_guesses_are_rated_blind(database: Database, tmp_path: Path) -> None:
    walk(database, "fill-gap", 4)
    (visitor,) = walk(database, "rate-guesses", 1)
    opened = open_study(database, load_study("rate-guesses"))
    by = {tag for item in opened.items.values() for tag in item.tags}
    assert by == {"by:people", "by:mixture"}
    assert all(isinstance(item.question, Rate) and "…" in item.question.context for item in opened.items.values())
    assert "mixture" not in visitor.reply.text and "by:" not in visitor.reply.text
    document = visitor.client.get("/study/rate-guesses/data").text
    assert "mixture" not in document
    (told,) = crowd_tables(opened)
    assert {row.name for row in told.rows} <= {"people", "mixture"}
    assert sum(int(row.value.split()[2]) for row in told.rows) == len(list(given_answers(database, "rate-guesses")))
    assert "Whose guesses are likely" in paper(opened)
    url = database.url.removeprefix("sqlite:///")
    assert run(["lab", "export", "rate-guesses", "--db", url, "-o", str(tmp_path / "out"), "--quiet"]) == 0
    items = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()]
    assert {tag for item in items for tag in item["tags"]} == by
    with pytest.raises(BadInput, match="Run that study first"):
        open_study(
            database, parse_study(load_study("rate-guesses").text.replace('study = "fill-gap"', 'study = "gloss"'))
        )


def test_captions_lead_to_their_clip_and_pay_is_told(database: Database) -> None:
    text = load_study("explain-to-a-child").text
    start, stop = text.index("texts = ["), text.index("[source.settings]")
    mine = text[:start] + 'texts = ["drain the pasta | https://example.org/clip"]\n\n' + text[stop:]
    visitor = Visitor(make_app(database, [parse_study(mine)]), "explain-to-a-child")
    visitor.open("/")
    assert "You are paid 3.75 dollars" in visitor.reply.text
    visitor.agree()
    visitor.answer()
    visitor.answer(text=["Get a knife.", "Take some butter.", "Spread it on the bread."])
    visitor.open(visitor.page.link("next") or "")
    assert 'href="https://example.org/clip"' in visitor.reply.text and "noopener" in visitor.reply.text
    with pytest.raises(BadInput, match="https://"):
        open_study(
            database,
            parse_study(mine.replace("https://example.org/clip", "javascript:alert(1)")),
        )


def test_explained_captions_become_kidscook_files(database: Database, tmp_path: Path, monkeypatch: Any) -> None:
    walk(database, "explain-to-a-child", 15)
    card = collect_corpus(database.url, "explain-to-a-child", tmp_path / "kids")
    counts = dict(card.counts)
    go_on(card, tmp_path / "then", monkeypatch)
    assert counts["pairs"] == 75 and counts["captions"] == 25 and counts["pairs with blanks"] > 40
    approved = (tmp_path / "kids/kidscook/approved.5.txt").read_text().split()
    pairs = list(KidsCook("train", path=tmp_path / "kids/kidscook/train.template.tsv"))
    assert pairs and all(pair.blanks for pair in pairs)
    for pair in pairs:
        for start, stop in pair.blanks:
            assert set(pair.concrete[start:stop]) <= set(approved) - set(pair.abstract)
    valid = tmp_path / "kids/kidscook/valid.template.tsv"
    if valid.exists():
        assert not {pair.abstract for pair in pairs} & {pair.abstract for pair in KidsCook("dev", path=valid)}
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path / "kids"))
    assert run(["exam", "wordcloze", "kidscook", "--split", "train", "-o", str(tmp_path / "exam"), "--quiet"]) == 0
    assert (tmp_path / "exam/questions.jsonl").read_text().count("\n") >= sum(len(pair.blanks) for pair in pairs)


def test_told_scripts_become_descript_files_and_are_learned_from(
    database: Database, tmp_path: Path, monkeypatch: Any
) -> None:
    walk(database, "tell-script", 25)
    card = collect_corpus(database.url, "tell-script", tmp_path / "esds")
    counts = dict(card.counts)
    repeated = dict(card.left_out).get("lists that repeat an earlier one", 0)
    assert (
        counts["descriptions"] == 100 - repeated
        and repeated < 10
        and counts["activities"] == 10
        and counts["tellers"] == 25
    )
    stories = list(DeScript("train", path=tmp_path / "esds/descript/esds"))
    assert len(stories) == 100 - repeated and {story.scenario for story in stories} >= {
        "baking a cake",
        "taking a bath",
    }
    go_on(card, tmp_path / "then", monkeypatch)
    assert list((tmp_path / "then" / "my-scripts").rglob("*.json*"))


def test_shared_core_events_become_tests_that_the_exam_reads(
    database: Database, tmp_path: Path, monkeypatch: Any
) -> None:
    walk(database, "core-events", 6)
    card = collect_corpus(database.url, "core-events", tmp_path / "core")
    counts = dict(card.counts)
    go_on(card, tmp_path / "then", monkeypatch)
    assert counts["people"] == 6 and counts["texts"] == 18 and counts["tests"] > 50
    line = [
        "exam",
        "eventcloze",
        "toy",
        "--set",
        f"tests={tmp_path}/core/tests.txt",
        "--set",
        "items=0",
        "-o",
        str(tmp_path / "exam"),
        "--quiet",
    ]
    assert run(line) == 0
    assert (tmp_path / "exam/questions.jsonl").read_text().count("\n") == counts["tests"]
    keys = [json.loads(text) for text in (tmp_path / "exam/keys.jsonl").read_text().splitlines()]
    told = list(given_answers(database, "core-events"))
    chains = {str(link) for given in told for link in core_chain(given.answer).links}
    assert {key["key"] for key in keys} <= chains
