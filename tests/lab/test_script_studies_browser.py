"""The pages of the studies on scripts, words and core events, by keyboard alone, on 360 px and dark on a desktop; axe finds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.kinds.link import core_chain
from scenarist.lab.review.crowd import crowd_tables
from scenarist.lab.roster import open_study
from scenarist.lab.study import load_study, parse_study
from scenarist.lab.web.app import make_app
from scenarist.question import Groups, Parts
from tests.lab.conftest import Visitor, serve_in_thread
from tests.lab.test_browser import look, press_agree, screen, tab_to

__all__ = ["screen"]
pytestmark = pytest.mark.browser


def begin(page: Any, url: str, name: str, kind: str) -> None:
    """From the link to the example to try."""
    page.goto(f"{url}/study/{name}/")
    look(page, f"{name}-consent")
    press_agree(page)
    page.wait_for_selector("main[data-kind=notice]")
    look(page, f"{name}-instructions")
    tab_to(page, "#send")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"main[data-kind={kind}]")


def past_feedback(page: Any, name: str) -> None:
    """What is said to the example, and on to the first trial."""
    page.wait_for_selector("main[data-kind=feedback]")
    look(page, f"{name}-feedback")
    tab_to(page, "a[rel=next]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#page")


def send(page: Any, number: int) -> None:
    """Save, and wait for what comes after this page."""
    tab_to(page, "#send", 120)
    page.keyboard.press("Enter")
    page.wait_for_function(f"!document.getElementById('page')?.action.endsWith('/{number}')")


def short(name: str, number: int = 1) -> str:
    """A study with so many trials a person."""
    text = load_study(name).text
    assert "\nnumber = " in text
    before, _, after = text.partition("\nnumber = ")
    return f"{before}\nnumber = {number}\n{after.partition(chr(10))[2]}"


def test_steps_by_keyboard(screen: Any, database: Database) -> None:
    text = short("explain-to-a-child").replace('"drain the pasta",', '"drain the pasta | https://example.org/clip",')
    first = text.index('"drain the pasta')
    text = (
        text[: text.index("\n", text.index("texts = [")) + 1]
        + text[first : text.index(",", first) + 1]
        + "\n]\n"
        + text[text.index("\n[source.settings]") :]
    )
    for url in serve_in_thread(make_app(database, [parse_study(text)])):
        page = screen
        begin(page, url, "explain-to-a-child", "steps")
        page.keyboard.type("Get a slice of bread.")  # the first box has the focus
        page.keyboard.press("Enter")
        page.keyboard.type("Get a slice of bread.")
        send(page, 99)
        page.wait_for_selector("#problem")
        look(page, "explain-to-a-child-refused")
        tab_to(page, "#t1")
        page.keyboard.press("Control+A")
        page.keyboard.type("Spread butter on it with a knife.")
        send(page, 1)
        past_feedback(page, "explain-to-a-child")
        assert page.locator("a[href='https://example.org/clip']").count() == 1
        look(page, "explain-to-a-child-trial")
        for step in ("Put the strainer into the sink.", "Ask a grown-up to pour the pasta into it.", "Shake it."):
            page.keyboard.type(step)
            page.keyboard.press("Enter")
        send(page, 2)
        page.wait_for_selector("main[data-kind=end]")
        look(page, "explain-to-a-child-end")
    (given,) = given_answers(database, "explain-to-a-child")
    assert isinstance(given.answer.answer, Parts) and len(given.answer.answer.texts) == 3


def test_ticking_by_keyboard(screen: Any, database: Database) -> None:
    for url in serve_in_thread(make_app(database, [parse_study(short("mark-unrelated"))])):
        page = screen
        begin(page, url, "mark-unrelated", "tick")
        tab_to(page, "#send")
        page.keyboard.press("Enter")
        page.wait_for_selector("#problem")
        look(page, "mark-unrelated-refused")
        tab_to(page, "input[name=answer][value='2']")
        page.keyboard.press("Space")
        send(page, 1)
        past_feedback(page, "mark-unrelated")
        look(page, "mark-unrelated-trial")
        tab_to(page, "input[name=answer][value='1']")
        page.keyboard.press("Space")
        send(page, 2)
        page.wait_for_selector("main[data-kind=end]")
    (given,) = given_answers(database, "mark-unrelated")
    assert isinstance(given.answer.answer, Groups) and given.answer.answer.names[1] == "unrelated"


def test_a_word_by_keyboard(screen: Any, database: Database) -> None:
    for url in serve_in_thread(make_app(database, [parse_study(short("fill-word"))])):
        page = screen
        begin(page, url, "fill-word", "word")
        page.keyboard.type("left hand")  # the box has the focus
        page.keyboard.press("Enter")
        page.wait_for_selector("#problem")
        look(page, "fill-word-refused")
        tab_to(page, "#answer")
        page.keyboard.press("Control+A")
        page.keyboard.type("hand")
        page.keyboard.press("Enter")
        past_feedback(page, "fill-word")
        look(page, "fill-word-trial")
        tab_to(page, "#answer")
        page.keyboard.type("bowl")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=end]")
    assert [given.answer.answer for given in given_answers(database, "fill-word")] == ["bowl"]


def test_core_events_by_keyboard(screen: Any, database: Database) -> None:
    for url in serve_in_thread(make_app(database, [parse_study(short("core-events"))])):
        page = screen
        begin(page, url, "core-events", "link")
        look(page, "core-events-example")
        tab_to(page, "input[name=entity]")
        page.keyboard.press("ArrowDown")  # another entity: its own parts are filled in
        page.keyboard.press("ArrowUp")
        send(page, 1)
        past_feedback(page, "core-events")
        look(page, "core-events-trial")
        boxes = page.locator("select[data-roles]")
        tab_to(page, f"#{boxes.first.get_attribute('id')}")
        page.keyboard.press("ArrowDown")
        tab_to(page, "input[name=where]", 80)
        page.keyboard.type("1")
        send(page, 99)
        page.wait_for_selector("#problem")
        look(page, "core-events-refused")
        tab_to(page, "input[name=where]", 80)
        page.keyboard.press("Control+A")
        page.keyboard.press("Delete")
        send(page, 2)
        page.wait_for_selector("main[data-kind=end]")
    (given,) = given_answers(database, "core-events")
    assert len(core_chain(given.answer).links) >= 3


def test_relations_and_ratings_by_keyboard(screen: Any, database: Database) -> None:
    studies = [parse_study(short(name)) for name in ("mark-relations", "rate-habit")]
    for url in serve_in_thread(make_app(database, studies)):
        page = screen
        for name, kind in (("mark-relations", "relate"), ("rate-habit", "rate")):
            begin(page, url, name, kind)
            look(page, f"{name}-trial")
            tab_to(page, "input[type=radio]")
            page.keyboard.press("Space")
            send(page, 1)
            page.wait_for_selector("main[data-kind=end]")
    assert [given.answer.answer for given in given_answers(database, "mark-relations")] == ["before"]
    assert [given.answer.answer for given in given_answers(database, "rate-habit")] == ["1"]


def gaps_filled(database: Database) -> None:
    """Three people filled the gaps of four stories, so that there are guesses to rate."""
    text = load_study("fill-gap").text.replace("documents = 17", "documents = 4").replace("number = 17", "number = 4")
    text = text.replace('conditions = ["full", "caveman", "verb-subject"]', 'conditions = ["full"]')
    app = make_app(database, [parse_study(text)])
    for seed in range(3):
        person = Visitor(app, "fill-gap")
        person.agree()
        person.finish(seed)


def test_guesses_by_keyboard(screen: Any, database: Database) -> None:
    gaps_filled(database)
    study = parse_study(short("rate-guesses", 2))
    for url in serve_in_thread(make_app(database, [study])):
        page = screen
        begin(page, url, "rate-guesses", "rate")
        assert "…" in page.locator("[data-text=context]").all_inner_texts()
        look(page, "rate-guesses-trial")
        send(page, 99)
        page.wait_for_selector("#problem")
        look(page, "rate-guesses-refused")
        for number in (1, 2):
            assert "mixture" not in page.content() and "by:" not in page.content()
            tab_to(page, "input[type=radio]")
            page.keyboard.press("Space")
            page.keyboard.press("ArrowDown")
            send(page, number)
        page.wait_for_selector("main[data-kind=end]")
        look(page, "rate-guesses-end")
    assert [given.answer.answer for given in given_answers(database, "rate-guesses")] == ["2", "2"]
    (table,) = crowd_tables(open_study(database, study))
    assert table.rows and all("mean 2.00" in row.value for row in table.rows)


def test_a_script_by_keyboard(screen: Any, database: Database) -> None:
    for url in serve_in_thread(make_app(database, [parse_study(short("tell-script"))])):
        page = screen
        begin(page, url, "tell-script", "steps")
        for number in (1, 2):
            for step in ("get the things", "open the box", "take it out", "use it"):
                page.keyboard.type(step)
                page.keyboard.press("Enter")
            if number == 1:
                send(page, 99)
                page.wait_for_selector("#problem")
                look(page, "tell-script-refused")
                tab_to(page, "#t4")
            page.keyboard.type("put it away")
            send(page, number)
            if number == 1:
                past_feedback(page, "tell-script")
                look(page, "tell-script-trial")
        page.wait_for_selector("main[data-kind=end]")
    (given,) = given_answers(database, "tell-script")
    assert isinstance(given.answer.answer, Parts) and len(given.answer.answer.texts) == 5
