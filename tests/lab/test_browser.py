"""A newcomer with a real browser: keyboard alone, 360 px, twice the size, dark; axe finds nothing. Pictures go to $LAB_PICTURES where it is set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scenarist.lab.answered import given_answers
from scenarist.lab.database.engine import Database
from scenarist.lab.study import parse_study
from scenarist.lab.web.app import make_app
from scenarist.question import Segments
from tests.lab.conftest import Visitor, serve_in_thread

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
pytestmark = pytest.mark.browser
PHONE = {"width": 360, "height": 720}
DESKTOP = {"width": 1200, "height": 860}


def picture(page: Any, name: str) -> None:
    if folder := os.environ.get("LAB_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def axe(page: Any) -> None:
    """No violation of WCAG 2.2 A and AA that axe can see. Our own policy forbids foreign scripts, so axe runs with it lifted."""
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
    found = [
        (v["id"], v["help"], [node["html"][:160] for node in v["nodes"]][:3]) for v in results.response["violations"]
    ]
    assert found == [], found


def fits(page: Any) -> None:
    """Nothing sticks out sideways."""
    wide = page.evaluate("""() => [...document.querySelectorAll("body *")].filter(element => !element.closest(".scroll") &&
      element.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(element => element.outerHTML.slice(0, 120))""")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1"), (
        page.url,
        wide,
    )


@pytest.fixture(params=["phone", "desktop-dark"])
def screen(request: Any, browser: Any) -> Iterator[Any]:
    phone = request.param == "phone"
    context = browser.new_context(
        viewport=PHONE if phone else DESKTOP,
        color_scheme="light" if phone else "dark",
        bypass_csp=True,
        device_scale_factor=1,
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.name = request.param  # type: ignore[attr-defined]
    yield page
    context.close()
    assert problems == []


def look(page: Any, name: str) -> None:
    fits(page)
    axe(page)
    picture(page, f"{name}-{page.name}")


def tab_to(page: Any, selector: str, most: int = 40) -> None:
    """Press Tab until something has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab on {page.url}")


def press_agree(page: Any) -> None:
    tab_to(page, "button[value=agree]")
    page.keyboard.press("Enter")


def test_fill_gap_by_keyboard(screen: Any, database: Database, bundled: Callable[[str], Any]) -> None:
    text = bundled("fill-gap").text.replace("documents = 17", "documents = 3").replace("number = 17", "number = 2")
    for url in serve_in_thread(make_app(database, [parse_study(text)])):
        page = screen
        page.goto(f"{url}/study/fill-gap/")
        look(page, "fill-gap-consent")
        press_agree(page)
        page.wait_for_selector("main[data-kind=notice]")
        look(page, "fill-gap-instructions")
        tab_to(page, "#send")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=fill-gap]")
        page.keyboard.type("a sandwich")  # the box has the focus
        page.wait_for_function("document.getElementById('hint').textContent.includes('verb')")
        look(page, "fill-gap-hint")
        page.keyboard.press("Enter")
        page.wait_for_selector("#problem")
        look(page, "fill-gap-refused")
        tab_to(page, "#answer")
        page.keyboard.press("Control+A")
        page.keyboard.type("She ate a sandwich.")
        page.wait_for_function("document.getElementById('hint').className === 'good'")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=feedback]")
        look(page, "fill-gap-feedback")
        tab_to(page, "a[rel=next]")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=choose]")
        tab_to(page, "input[type=radio]")
        page.keyboard.press("ArrowDown")
        look(page, "fill-gap-check")
        tab_to(page, "#send")
        page.keyboard.press("Enter")
        for number in range(2):
            page.wait_for_function(f"document.getElementById('page').action.endsWith('/{number + 3}')")
            if not number:
                look(page, "fill-gap-trial")
            page.keyboard.type("He went home early.")
            page.keyboard.press("Enter")
        page.wait_for_selector("textarea[rows='4']")
        tab_to(page, "#send")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=end]")
        look(page, "fill-gap-end")
        page.goto(f"{url}/study/fill-gap/leave")
        look(page, "leave")
    given = list(given_answers(database, "fill-gap"))
    assert [answer.answer.answer for answer in given] == ["He went home early."] * 2
    assert all(answer.flags["typed"] >= 15 and "seconds" in answer.flags for answer in given)


MARKING = """
name = "marking"
title = "Everyday activities in stories"
kind = "mark-scenarios"
consent = "You mark activities."
guidelines = "**Mark** every stretch."
[source]
make = "stories"
corpus = "toy"
limit = 2
[draw]
a_family = 0
[[steps]]
kind = "trials"
"""


def test_marking_by_keyboard_without_a_selection(screen: Any, database: Database) -> None:
    for url in serve_in_thread(make_app(database, [parse_study(MARKING)])):
        page = screen
        page.goto(f"{url}/study/marking/")
        press_agree(page)
        page.wait_for_selector("ol.sentences.live")
        page.keyboard.press("j")
        page.keyboard.press("s")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("e")
        page.keyboard.type("baking a cake")
        page.keyboard.press("Enter")
        page.keyboard.press("s")
        page.keyboard.press("e")
        page.keyboard.type("baking a cake")
        page.keyboard.press("Escape")
        for _ in range(4):
            page.keyboard.press("k")
        page.keyboard.press("p")
        page.keyboard.press("?")
        page.wait_for_selector("dialog[open]")
        picture(page, f"mark-keys-{page.name}")
        page.keyboard.press("Escape")
        look(page, "mark-scenarios")
        assert (
            page.locator("#sentences mark").count() == 4
            and page.locator("#sentences li").last.locator("mark").count() == 0
        )
        tab_to(page, "#send", 80)
        page.keyboard.press("Enter")
        page.wait_for_function("document.getElementById('page').action.endsWith('/1')")
        page.goto(f"{url}/study/marking/page/0")
        assert page.locator(".line").first.locator("input").first.input_value() == "2-4"
        page.goto(f"{url}/study/marking/guidelines")
        look(page, "guidelines")
    (given,) = given_answers(database, "marking")
    assert isinstance(given.answer.answer, Segments)
    spans = given.answer.answer.segments
    assert len(spans) == 3 and sum(bool(segment.group) for segment in spans) == 2


def test_three_hundred_sentences_with_two_hundred_marks_stay_quick(
    browser_page: Any, database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "long.txt").write_text(" ".join(f"Ida baked cake number {number} and ate it." for number in range(300)))
    study = parse_study(MARKING.replace('"toy"', f'"texts:{folder}"'))
    for url in serve_in_thread(make_app(database, [study])):
        page = browser_page
        page.goto(f"{url}/study/marking/")
        page.click("button[value=agree]")
        page.wait_for_selector("ol.sentences.live")
        assert page.locator("#sentences li").count() == 300
        milliseconds = page.evaluate("""() => {
          const press = key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          const batches = [];
          for (let batch = 0; batch < 4; batch++) {
            const begun = performance.now();
            for (let number = 0; number < 50; number++) {
              press("j"); press("s"); press("e");
              const label = document.activeElement; label.value = "baking a cake"; label.blur();
            }
            batches.push((performance.now() - begun) / 50);
          }
          return batches;
        }""")
        assert page.locator("#sentences .tag").count() == page.locator("#sentences mark").count() == 200
        assert min(milliseconds) < 100, f"{milliseconds} ms a mark"
        page.click("#send")
        page.wait_for_selector("main[data-kind=end]")
    (given,) = given_answers(database, "marking")
    assert isinstance(given.answer.answer, Segments) and len(given.answer.answer.segments) == 200


def answered(database: Database, bundled: Callable[[str], Any]) -> None:
    """Two people marked two texts, two filled the gaps of two stories."""
    marking = (
        bundled("mark-scenarios")
        .text.replace('corpus = "toy"', 'corpus = "toy"\nlimit = 2')
        .replace("pool = 4", "pool = 2")
    )
    gaps = bundled("fill-gap").text.replace("documents = 17", "documents = 2").replace("number = 17", "number = 2")
    gaps = gaps.replace("[draw]", "[source.settings]\nper = 1\n\n[draw]").replace(
        'conditions = ["full", "caveman", "verb-subject"]', 'conditions = ["full"]'
    )
    app = make_app(database, [parse_study(marking), parse_study(gaps)])
    for study in ("mark-scenarios", "fill-gap"):
        for seed in range(3):
            person = Visitor(app, study)
            person.agree()
            person.finish(seed)


def test_adjudicating_and_glossing_pages(screen: Any, database: Database, bundled: Callable[[str], Any]) -> None:
    answered(database, bundled)
    app = make_app(database, [bundled("adjudicate"), bundled("gloss")])
    for url in serve_in_thread(app):
        page = screen
        for name in ("adjudicate", "gloss"):
            page.goto(f"{url}/study/{name}/")
            press_agree(page)
            page.wait_for_selector("#page")
            look(page, name)
        tab_to(page, "input[name=gloss]")
        page.keyboard.press("Enter")
        page.keyboard.press("Control+D")
        boxes = page.locator("input[name=gloss]")
        assert boxes.nth(0).input_value() == boxes.nth(1).input_value()
        tab_to(page, "#send", 80)
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=end], form[action$='/page/1']")


def test_the_admin_page(screen: Any, database: Database, bundled: Callable[[str], Any]) -> None:
    from scenarist.lab.web.admin import new_admin_token

    for url in serve_in_thread(make_app(database, [bundled("fill-gap")])):
        page = screen
        page.goto(f"{url}/admin/login")
        look(page, "admin-login")
        tab_to(page, "#password")
        page.keyboard.type(new_admin_token(database))
        page.keyboard.press("Enter")
        page.wait_for_selector("main[data-kind=overview]")
        look(page, "admin-overview")
        page.click("td a")
        look(page, "admin-study")
        page.goto(f"{url}/")
        look(page, "front")


def test_twice_the_size_and_no_script(browser: Any, database: Database, small: Any) -> None:
    """1280 x 960 at 200 %: half as many pixels of CSS."""
    context = browser.new_context(
        viewport={"width": 640, "height": 480}, device_scale_factor=2, java_script_enabled=False
    )
    page = context.new_page()
    for url in serve_in_thread(make_app(database, [small])):
        page.goto(f"{url}/study/small/")
        fits(page)
        page.click("button[value=agree]")
        fits(page)
        page.click("#send")
        for _ in range(3):
            fits(page)
            page.fill("#answer", "She went home.")
            page.click("#send")
        fits(page)
        assert page.locator("p.code").count() == 1
    context.close()


def test_a_double_click_and_two_tabs(browser: Any, database: Database, small: Any) -> None:
    context = browser.new_context()
    page, other = context.new_page(), context.new_page()
    for url in serve_in_thread(make_app(database, [small])):
        page.goto(f"{url}/study/small/")
        page.click("button[value=agree]")
        page.click("#send")
        other.goto(f"{url}/study/small/page/1")
        page.fill("#answer", "She went home.")
        page.dblclick("#send")
        page.wait_for_url("**/page/2")
        other.fill("#answer", "He slept late.")
        other.click("#send")
        other.wait_for_url("**/page/2")
        page.go_back()
        assert page.input_value("#answer") == "He slept late."
    texts = [given.answer.answer for given in given_answers(database, "small", revisions=True)]
    assert texts == ["She went home.", "He slept late."]
    context.close()
