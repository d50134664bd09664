"""Writing, rating, ordering, choosing and reviewing with a real browser: keyboard alone, 360 px, dark; axe finds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.review.queue import approve_clean
from scenarist.lab.roster import open_study
from scenarist.lab.study import load_study
from scenarist.lab.web.admin import new_admin_token
from scenarist.lab.web.app import make_app
from scenarist.question import Parts, Permutation
from tests.lab.conftest import serve_in_thread
from tests.lab.test_browser import look, press_agree, screen, tab_to
from tests.lab.test_story_cloze import endings_for, participant
from tests.lab.test_writing import OTHER, STORY, send, without_qualification, writer

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
pytestmark = pytest.mark.browser
__all__ = ["screen"]
PATIENCE = 120_000
"""Milliseconds: a machine that does other things, too, is slow and right."""


def press_send(page: Any) -> None:
    tab_to(page, "#send", 60)
    page.keyboard.press("Enter")


def begin(page: Any, url: str, name: str, kind: str) -> None:
    """From the link to the first trial, with the pages before it looked at."""
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/study/{name}/")
    look(page, f"{name}-consent")
    press_agree(page)
    page.wait_for_selector("main[data-kind=notice]")
    look(page, f"{name}-instructions")
    press_send(page)
    page.wait_for_selector(f"main[data-kind={kind}]")


def test_a_story_is_judged_and_written_by_keyboard(screen: Any, database: Database) -> None:
    page = screen
    study = load_study("write-story")
    right = [step.right[0] for step in study.steps if step.phase == "qualification"]
    for url in serve_in_thread(make_app(database, [study])):
        begin(page, url, "write-story", "judge")
        for number, verdict in enumerate(right):
            page.wait_for_function(f"document.getElementById('page').action.endsWith('/{number + 1}')")
            if not number:
                look(page, "write-story-qualification")
            tab_to(page, "input[type=radio]")
            page.keyboard.press("Space")
            if verdict == "1":
                page.keyboard.press("ArrowDown")
            press_send(page)
        page.wait_for_selector("main[data-kind=write-story]")
        page.keyboard.type("Bread")  # the first box has the focus, Enter goes to the next one
        for sentence in (*STORY[:4], "Olga said nothing and was only so very glad that she danced for half the night."):
            page.keyboard.press("Enter")
            page.keyboard.type(sentence)
        page.wait_for_function("document.getElementById('hint').textContent.includes('at most 70')")
        look(page, "write-story-hint")
        press_send(page)
        page.wait_for_selector("#problem")
        look(page, "write-story-refused")
        tab_to(page, "#t4")
        page.keyboard.press("Control+A")
        page.keyboard.type(STORY[4])
        page.wait_for_function("document.getElementById('hint').className === 'good'")
        look(page, "write-story")
        press_send(page)
        page.wait_for_function("document.getElementById('page').action.endsWith('/7')")
        page.goto(f"{url}/study/write-story/guidelines")
        look(page, "write-story-guidelines")
    (given,) = given_answers(database, "write-story")
    assert given.answer.answer == Parts(STORY) and given.answer.get("title") == "Bread"


def collect(database: Database) -> None:
    """Two stories with endings."""
    person = writer(database)
    send(person)
    send(person, OTHER, "A key")
    approve_clean(open_study(database, without_qualification("write-story")))
    person = participant(database, "write-endings")
    while person.page.kind == "write-endings":
        person.answer(text=endings_for(person.page.marked("context")))


def test_endings_ratings_orders_and_choices_by_keyboard(screen: Any, database: Database) -> None:
    page = screen
    collect(database)
    names = ("write-endings", "rate-story", "rate-pilot", "unshuffle", "choose-ending")
    for url in serve_in_thread(make_app(database, [without_qualification(name) for name in names])):
        begin(page, url, "write-endings", "write-endings")
        page.keyboard.type("They all were glad.")
        page.keyboard.press("Enter")
        page.keyboard.type("they all were glad")
        page.wait_for_function("document.getElementById('hint').textContent.includes('the same')")
        press_send(page)
        page.wait_for_selector("#problem")
        look(page, "write-endings-refused")
        tab_to(page, "#t1")
        page.keyboard.press("Control+A")
        page.keyboard.type("They all were very sad.")
        page.wait_for_function("document.getElementById('hint').className === 'good'")
        look(page, "write-endings")
        press_send(page)
        page.wait_for_function("document.getElementById('page').action.endsWith('/2')")
        for name in ("rate-story", "rate-pilot", "choose-ending"):
            kind = "choose-ending" if name == "choose-ending" else "rate"
            begin(page, url, name, kind)
            tab_to(page, "input[type=radio]")
            page.keyboard.press("Space")
            page.keyboard.press("ArrowDown")
            look(page, name)
            press_send(page)
            page.wait_for_function(
                "!document.getElementById('page') || document.getElementById('page').action.endsWith('/2')"
            )
        begin(page, url, "unshuffle", "order")
        wanted = STORY if page.locator("[data-text=sentence]").first.inner_text() in STORY else OTHER
        for place, sentence in enumerate(wanted):
            for _ in range(5):
                shown = page.locator("[data-text=sentence]").all_inner_texts()
                row = shown.index(sentence)
                if row == place:
                    break
                tab_to(page, f"li:nth-child({row + 1}) select", 60)
                page.keyboard.press("Alt+ArrowUp")
        look(page, "unshuffle")
        assert page.locator("[data-text=sentence]").all_inner_texts() == list(wanted)
        press_send(page)
        page.wait_for_function("document.getElementById('page').action.endsWith('/2')")
    (given,) = given_answers(database, "unshuffle")
    item = open_study(database, without_qualification("unshuffle")).item(given.condition, given.item)
    assert item is not None and isinstance(given.answer.answer, Permutation) and given.answer.answer == item.key


def test_without_scripts_places_are_chosen_in_lists(browser: Any, database: Database) -> None:
    collect(database)
    context = browser.new_context(viewport={"width": 360, "height": 720}, java_script_enabled=False)
    for url in serve_in_thread(make_app(database, [without_qualification("unshuffle")])):
        page = context.new_page()
        page.goto(f"{url}/study/unshuffle/")
        page.click("button[value=agree]")
        page.click("#send")
        sentences = page.locator("[data-text=sentence]").all_inner_texts()
        wanted = STORY if sentences[0] in STORY else OTHER
        for row, sentence in enumerate(sentences):
            page.select_option(f"#p{row}", str(wanted.index(sentence) + 1))
        page.click("#send")
    context.close()
    (given,) = given_answers(database, "unshuffle")
    item = open_study(database, without_qualification("unshuffle")).item(given.condition, given.item)
    assert item is not None and given.answer.answer == item.key


def test_the_reviewer_works_by_keyboard(screen: Any, database: Database) -> None:
    page = screen
    page.set_default_timeout(PATIENCE)
    person = writer(database)
    send(person, STORY[:4])
    send(person)
    send(person, (*STORY[:4], "Olga was very glad."), "Again")
    token = new_admin_token(database)
    for url in serve_in_thread(make_app(database, [without_qualification("write-story")])):
        page.goto(f"{url}/admin/login")
        tab_to(page, "input[type=password]")
        page.keyboard.type(token)
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=overview]")
        page.goto(f"{url}/admin/study/write-story/")
        look(page, "admin-write-story")
        page.goto(f"{url}/admin/study/write-story/queue")
        look(page, "queue")
        tab_to(page, "section textarea")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("#problem")
        look(page, "queue-refused")
        tab_to(page, "section textarea")
        page.keyboard.type("Tell another story: this one is told already.")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("document.body.textContent.includes('1 of them waiting')")
    person.open("/go")
    assert "Tell another story" in person.reply.text
