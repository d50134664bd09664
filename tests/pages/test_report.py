"""The page of a table in a real browser: a click on a row leads to an item's text; hostile text stays inert."""

import pytest

from scenarist.bench.run_table import run_table
from scenarist.bench.spec import load
from scenarist.cli.bench import sheet_parts
from scenarist.pages.report import score_page, table_page
from scenarist.question import Choice, Guess, Item, Prediction, Score
from scenarist.store.results import Results


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with Results(folder / "r.sqlite") as store:
        sheet = run_table(load("toy"), store, only=["frequency", "bigram"])
    path = folder / "toy.html"
    path.write_text(table_page(sheet_parts(sheet)), encoding="utf-8")
    return path


def test_a_page_needs_no_network(html):
    text = html.read_text(encoding="utf-8")
    assert "http://" not in text and "https://" not in text
    assert "<link" not in text and "src=" not in text


@pytest.mark.browser
def test_a_click_leads_to_the_item(html, browser_page):
    page = browser_page
    page.goto(html.as_uri())
    assert page.locator("tbody tr").count() == 2
    page.locator("button.row").first.click()
    first = page.locator("#items button").first
    assert first.is_visible()
    wrong_or_right = page.locator("#items li").count()
    page.get_by_role("button", name="wrong", exact=True).click()
    assert page.locator("#items li").count() < wrong_or_right
    page.get_by_role("button", name="all", exact=True).click()
    page.locator("#items button").first.click()
    dialog = page.locator("dialog")
    assert dialog.is_visible()
    assert "____" in dialog.inner_text()
    assert "Key:" in dialog.inner_text()


@pytest.mark.browser
def test_a_click_on_a_row_opens_its_items(html, browser_page):
    page = browser_page
    page.goto(html.as_uri())
    assert page.locator("#items button").count() == 0
    for name in ("bigram", "frequency"):
        page.locator("tbody tr", has_text=name).click()
        assert name in page.locator("h2", has_text="items shown").inner_text()
        assert page.locator("#items button").first.is_visible()


@pytest.mark.browser
def test_hostile_text_stays_inert(tmp_path, browser_page):
    bad = "</script><script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    item = Item(bad, Choice((bad,), (bad, "No.")), "0")
    score = Score("accuracy", 1.0, 1.0, 1.0, 1, f"accuracy|model:{bad}")
    path = tmp_path / "bad.html"
    path.write_text(
        score_page(bad, bad, [item], [(bad, [score], {bad: Prediction(bad, (Guess("0"),))})]), encoding="utf-8"
    )
    page = browser_page
    page.goto(path.as_uri())
    page.locator("button.row").first.click()
    page.locator("#items button").first.click()
    assert "hacked" not in page.title().replace(bad, "")
    assert page.locator("img").count() == 0
