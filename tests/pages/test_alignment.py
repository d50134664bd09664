"""The alignment page: colours tie both sides, pointing at a word lights up its stretch, markup is escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scenarist.pages.alignment import figure, page, text
from scenarist.story import Alignment, Pair

PAIR = Pair(
    "drain",
    tuple("drain <the> pasta .".split()),
    tuple("put a colander in the sink & pour the pasta into it .".split()),
    ((2, 3), (5, 6)),
)
SHOWN = Alignment(PAIR, (0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 3), "by hand")


def test_every_stretch_has_the_colour_of_its_word() -> None:
    html = figure(SHOWN)
    assert html.count('class="seg"') == 3
    assert "&lt;the&gt;" in html and "<the>" not in html and "&amp;" in html
    assert html.count("<b>") == 2  # the blanks
    assert 'data-at="1" class=none' in html  # an abstract word that tells nothing


def test_the_terminal_shows_the_word_beside_its_stretch() -> None:
    lines = text(SHOWN).splitlines()
    assert [line.split("|")[0].strip() for line in lines] == ["drain", "pasta", "."]


@pytest.mark.browser
def test_pointing_at_a_word_lights_up_its_stretch(browser_page: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(page([SHOWN], "Drain the pasta", "by hand"), encoding="utf-8")
    browser_page.goto(path.as_uri())
    seg = browser_page.locator(".seg[data-at='2']")
    other = browser_page.locator(".seg[data-at='0']")
    browser_page.locator(".abs [data-at='2']").hover()
    assert seg.evaluate("one => getComputedStyle(one).opacity") == "1"
    assert float(other.evaluate("one => getComputedStyle(one).opacity")) < 0.5
    assert browser_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
