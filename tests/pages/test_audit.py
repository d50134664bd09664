"""The page of the bias audit, as text and clicked through in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scenarist.pages.audit import audit_page


def cell(value: float, **more: Any) -> dict[str, Any]:
    return {"value": value, "low": value - 0.02, "high": value + 0.02, "n": 9, "signature": "accuracy|a<b", **more}


SHEET = {
    "rows": [
        {
            "model": "ending-only",
            "role": "baseline",
            "scores": {"accuracy/2016": cell(0.7), "accuracy/2018": cell(0.6)},
        },
        {"model": "labelled", "role": "ours", "scores": {"accuracy/2016": cell(0.9, seeds={"1": 0.89, "2": 0.91})}},
    ],
    "tests": [
        {
            "row": "labelled",
            "reference": "ending-only",
            "column": "accuracy/2016",
            "difference": 0.2,
            "low": 0.17,
            "high": 0.23,
            "p_holm": 0.001,
        }
    ],
    "signature": "x|<y>",
}


def test_the_headline_is_the_gain() -> None:
    text = audit_page(SHEET)
    assert "+20.0 points (+17.0 to +23.0, p = 0.001) over ending-only" in text
    assert "x|&lt;y&gt;" in text
    assert "accuracy|a&lt;b" in text
    assert "a<b" not in text


def test_no_rows_no_gains() -> None:
    assert "Gain over ending-only" in audit_page({"rows": [], "signature": ""})


@pytest.mark.browser
def test_a_row_opens_and_closes(browser_page: Any, tmp_path: Path) -> None:
    path = tmp_path / "audit.html"
    path.write_text(audit_page(SHEET))
    browser_page.goto(path.as_uri())
    more = browser_page.locator("#more-1")
    assert not more.is_visible()
    row = browser_page.get_by_role("button", name="labelled")
    row.click()
    assert more.is_visible()
    assert "seed 2: 91.0" in more.inner_text()
    assert "+20.0 points" in more.inner_text()
    assert row.get_attribute("aria-expanded") == "true"
    row.press("Enter")
    assert not more.is_visible()
    bars = browser_page.locator(".ours .track i")
    half = browser_page.locator(".baseline .track i").first
    assert bars.bounding_box()["width"] > 1.8 * half.bounding_box()["width"]
    browser_page.set_viewport_size({"width": 380, "height": 800})
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= 380
