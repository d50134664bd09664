"""Marking by two people, adjudicating what they left open, what each of them sees of it, and gold in three formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scenarist.cli.main import run
from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.kinds import page_kind
from scenarist.lab.kinds.base import FormFields, NotAccepted
from scenarist.lab.paper import paper
from scenarist.lab.review.crowd import crowd_tables
from scenarist.lab.roster import open_study
from scenarist.lab.study import parse_study
from scenarist.lab.web.app import make_app
from scenarist.question import Segments, Where
from scenarist.registry import make
from scenarist.story import Story
from tests.lab.conftest import Visitor

TEXT = "We mixed flour and eggs. The cake went into the oven. It rained outside. Then I ran a bath. I lay in the warm water."
CAKE, BATH, FOOD = "baking a cake", "taking a bath", "cooking pasta"


def where(text: str = TEXT) -> Where:
    question = page_kind("mark-scenarios").prepare(Where(Story("day", text)))
    assert isinstance(question, Where)
    return question


def marks(*lines: tuple[str, str], nothing: bool = False) -> FormFields:
    pairs = [pair for place, label in lines for pair in (("where", place), ("label", label))]
    return FormFields([*pairs, *([("nothing", "yes")] if nothing else [])])


def spans(question: Where, *lines: tuple[str, str]) -> list[tuple[str, tuple[str, ...], str]]:
    given = page_kind("mark-scenarios").read(marks(*lines), question, {})
    assert isinstance(given.answer, Segments)
    text = question.story.text
    return [(text[mark.start : mark.stop], mark.names, mark.group) for mark in given.answer.segments]


def test_segments_nest_overlap_have_parts_and_several_labels() -> None:
    question = where()
    marked = spans(question, ("1-3", CAKE), ("2", FOOD), ("2:1-2", CAKE), ("3-4, 5", BATH), ("1-3", FOOD))
    assert [text for text, _, _ in marked] == [
        "We mixed flour and eggs. The cake went into the oven. It rained outside.",
        "The cake went into the oven.",
        "The cake",
        "It rained outside. Then I ran a bath.",
        "I lay in the warm water.",
        "We mixed flour and eggs. The cake went into the oven. It rained outside.",
    ]
    assert marked[3][2] == marked[4][2] != "" and {group for _, _, group in marked[:3]} == {""}
    assert spans(question, ("1", "Baking A Cake")) == spans(question, ("1", CAKE)), "typed in any case"


def test_none_is_a_label_and_where_none_fits_the_nearest_related_one_may_be_taken() -> None:
    """Guideline 6 of Appendix A."""
    kind, question = page_kind("mark-scenarios"), where()
    assert spans(question, ("3", "None"))[0][:2] == ("It rained outside.", ())
    given = kind.read(marks(("3", "none"), nothing=True), question, {})
    assert given.get("nothing") == "yes"
    assert [line["label"] for line in kind.value(given, question)["lines"]] == ["None"]
    assert kind.read(marks(nothing=True), question, {}).answer == Segments(())
    with pytest.raises(NotAccepted, match=r"rain is not a scenario of the list.*nearest related one, or None"):
        kind.read(marks(("3", "rain")), question, {})


@pytest.mark.parametrize(
    ("lines", "nothing", "said"),
    [
        ((), False, "mark at least one segment, or say below"),
        ((("1", CAKE),), True, "take back one of the two"),
        ((("", CAKE),), False, "which sentences"),
        ((("0-2", CAKE),), False, "has the sentences 1 to 5"),
        ((("4-2", CAKE),), False, "has the sentences 1 to 5"),
        ((("1:3-99", CAKE),), False, "sentence 1 has the words 1 to 6"),
        ((("the first", CAKE),), False, "is not understood"),
        ((("1" + ", 2" * 20, CAKE),), False, "at most 20"),
        (tuple((f"1:{n % 5 + 1}-6", f"{n}") for n in range(301)), False, "at most 300"),
    ],
)
def test_what_cannot_be_marked_is_met_with_what_to_do(lines: Any, nothing: bool, said: str) -> None:
    with pytest.raises(NotAccepted, match=said):
        page_kind("mark-scenarios").read(marks(*lines, nothing=nothing), where(), {})


def annotate(app: Any, *lines: tuple[str, str]) -> Visitor:
    """Somebody who marks the one text."""
    person = Visitor(app, "mark-scenarios")
    person.agree()
    person.answer()
    person.answer(where=["1"], label=[CAKE])
    person.open(person.page.link("next") or "")
    person.answer(where=[place for place, _ in lines], label=[label for _, label in lines])
    assert person.page.kind == "end", person.reply.text
    return person


def test_two_annotators_an_adjudicator_and_gold(database: Database, tmp_path: Path, bundled: Any) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "day.txt").write_text(TEXT)
    text = bundled("mark-scenarios").text.replace('corpus = "toy"', f'corpus = "texts:{tmp_path}/texts"')
    app = make_app(database, [parse_study(text.replace("pool = 4", "pool = 2"))])
    ann = annotate(app, ("1, 3", CAKE), ("4", BATH), ("5", BATH))
    bob = annotate(app, ("1, 3", CAKE), ("2", FOOD), ("4", FOOD))
    ann.open("/decided")
    assert "Nothing yet" in ann.reply.text
    judge = Visitor(make_app(database, [bundled("adjudicate")]), "adjudicate")
    judge.agree()
    decisions = judge.page.marked("decision")
    assert len(decisions) == 3 and "2 of 6 annotations agreed" in judge.reply.text
    assert "annotator A" in judge.reply.text and all(
        given.session not in judge.reply.text for given in given_answers(database, "mark-scenarios")
    )
    judge.answer(d0="0")
    assert judge.reply.status_code == 422 and "Decision 2 is open" in judge.reply.text
    places = {
        name: next(n for n, line in enumerate(decisions) if name in line)
        for name in ("cake went", "ran a bath", "lay in")
    }
    alone = {f"d{places['cake went']}": "none", f"d{places['lay in']}": "0"}
    judge.answer(**alone, **{f"d{places['ran a bath']}": ["0", "1"]})
    assert judge.page.kind == "end"
    seen = {}
    for name, person in (("ann", ann), ("bob", bob)):
        person.open("/decided")
        seen[name] = person.page.marked("outcome")
        assert person.page.link("prev") == "/study/mark-scenarios/go"
    assert sum("it is gold" in line for line in seen["ann"]) == 1 and not any(
        "not taken" in line for line in seen["ann"]
    )
    assert sum("not taken" in line for line in seen["bob"]) == 1
    opened = open_study(database, bundled("adjudicate"))
    (told,) = crowd_tables(opened)
    assert [(row.value, row.published) for row in told.rows] == [("1", ""), ("6", ""), ("33.3%", "69 %"), ("3", "")]
    assert "share merged automatically | 33.3%" in paper(opened)
    url = database.url.removeprefix("sqlite:///")
    assert run(["lab", "export", "adjudicate", "--db", url, "-o", str(tmp_path / "gold"), "--quiet"]) == 0
    for corpus in ("webanno:{}/webanno", "brat:{}/brat", "jsonl:{}/gold.jsonl"):
        (story,) = make("corpus", corpus.format(tmp_path / "gold"))
        marked = {(story.text[mark.start : mark.stop], name) for mark in story.segments for name in mark.names}
        assert marked == {
            ("We mixed flour and eggs.", CAKE), ("It rained outside.", CAKE), ("I lay in the warm water.", BATH),
            ("Then I ran a bath.", BATH), ("Then I ran a bath.", FOOD),
        }, corpus  # fmt: skip
        assert len({mark.group for mark in story.segments if CAKE in mark.names}) == 1, "the parts keep together"
