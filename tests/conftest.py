"""What tests share: corpora where they are at hand, a real browser where there is one, a home of their own."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

if not os.environ.get("SCENARIST_DATA") and (ROOT.parent / "shared" / "data").is_dir():
    os.environ["SCENARIST_DATA"] = str(ROOT.parent / "shared" / "data")


@pytest.fixture(autouse=True, scope="session")
def home(tmp_path_factory):
    """Nothing a test does reaches the user's own store."""
    if not os.environ.get("SCENARIST_HOME"):
        os.environ["SCENARIST_HOME"] = str(tmp_path_factory.mktemp("home"))


def pytest_collection_modifyitems(items):
    """Skip by name what cannot run here: `data` without corpora, `neural` without torch, `browser` without Chromium."""
    import importlib.util

    missing = {
        "data": None if os.environ.get("SCENARIST_DATA") else "no corpora: set SCENARIST_DATA",
        "neural": None if importlib.util.find_spec("torch") else "torch is not installed: pip install 'scenarist[neural]'",
        "browser": None if chromium() and importlib.util.find_spec("playwright") else "no Chromium or no playwright",
    }
    for item in items:
        for marker, reason in missing.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        flags = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
        opened = play.chromium.launch(executable_path=chromium(), args=flags)
        yield opened
        opened.close()


@pytest.fixture
def browser_page(browser):
    """A page of a real browser; an error in the page's script fails the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert not problems, problems
