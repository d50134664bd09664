"""The events page: self-contained, inert, complete without a script, and alive in a real browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from scenarist.pages.events import chain_fragment, events_page
from scenarist.reading.chains import chains
from scenarist.reading.foreign.conllu import ConlluReader
from scenarist.story import Entity, Event, Mention, Role, Sentence, Story, Token

HAND = Path(__file__).parents[1] / "reading" / "fixtures" / "hand.conllu"
VOID = {"meta", "br", "line", "circle", "rect", "path"}


class Balance(HTMLParser):
    """Every element that opens closes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open, tag
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return list(ConlluReader(coreference=False)([HAND.read_text("utf-8")]))


def test_the_page_is_whole_and_loads_nothing(stories: list[Story]) -> None:
    html = events_page(stories, "Six stories")
    parser = Balance()
    parser.feed(html)
    assert parser.open == []
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", html)
    for story in stories:
        assert f">{story.id}</h2>" in html
    assert html == events_page(stories, "Six stories")


def test_the_text_is_all_there(stories: list[Story]) -> None:
    html = events_page(stories[:1])
    words = re.search(r'<article class="words">(.*?)</article>', html, re.S)
    assert words is not None
    assert re.sub(r"<[^>]+>", "", words[1]) == stories[0].text


def test_hostile_text_stays_text() -> None:
    text = "</script><img src=x onerror=alert(1)> ran."
    story = Story(
        "<b>", text, tokens=(Token(0, 37, "<i>", "NOUN", "NN", "", 1, "nsubj"), Token(38, 41, "run", "VERB", "VBD", "", -1, "root")),
        sentences=(Sentence(0, 42, 0, 2),), entities=(Entity("e<1>", (Mention(0, 37, 0, 1, 0),), name="<x>"),),
        events=(Event("run", (Role("subj", "e<1>", "<i>", 0),), 1, 38, 41),),
    )  # fmt: skip
    html = events_page([story], "<script>")
    assert "<img" not in html
    assert html.count("</script>") == 2
    parser = Balance()
    parser.feed(html)


def test_crossing_mentions_do_not_break_the_markup(stories: list[Story]) -> None:
    import msgspec

    entities = (
        Entity("a", (Mention(0, 10), Mention(5, 15)), name="A"), Entity("b", (Mention(3, 12), Mention(0, 1)), name="B")
    )  # fmt: skip
    events = tuple(Event("x", (Role("subj", id),), 1, 4, 8) for id in ("a", "b", "a", "b"))
    story = msgspec.structs.replace(stories[0], entities=entities, events=events)
    parser = Balance()
    parser.feed(events_page([story]))
    assert parser.open == []


def test_nothing_read_is_a_page_too() -> None:
    assert "0 events" in events_page([Story("s", "")])
    assert "0 events" in events_page([Story("s", "Ann ran.", notes=(("language", "this does not look like English"),))])
    assert "does not look like English" in events_page(
        [Story("s", "x", notes=(("language", "this does not look like English"),))]
    )


def test_a_chain_shows_itself_in_a_notebook(stories: list[Story]) -> None:
    chain = next(one for one in chains(stories[0]) if one.entity == "e7")
    html = chain._repr_html_() if hasattr(chain, "_repr_html_") else chain_fragment(chain)
    assert html.count("<li>") == 4
    assert "slip away" in html
    assert "Mia" in stories[0]._repr_html_()


@pytest.mark.browser
def test_keyboard_and_hover_show_the_parse(stories: list[Story], tmp_path: Path, browser_page: Any) -> None:
    path = tmp_path / "page.html"
    path.write_text(events_page(stories), encoding="utf-8")
    page = browser_page
    page.set_viewport_size({"width": 390, "height": 800})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(path.as_uri())
    assert page.locator("#parse").is_hidden()
    page.focus('.words [data-s="0"][data-ev="7"]')
    assert "nsubj" in page.locator("#parse").inner_text()
    assert "denied" in page.locator("#parse").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.ev") == "8"
    page.keyboard.press("Enter")
    assert page.locator(".words .pin").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#parse").is_hidden()
    page.keyboard.press("2")
    assert page.locator('.chain h3 button[aria-pressed="true"]').inner_text() == "Tom"
    assert page.evaluate(
        "document.documentElement.scrollWidth <= window.innerWidth"
    )  # no sideways scrolling on a phone
    assert problems == []
