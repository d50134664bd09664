"""The pictures of README and docs: `python -m training.pictures` reads examples/a-cake-for-grandma.txt (the demo) and photographs its page.

Needs Chromium and playwright (extra `dev`). A desk and a phone, light.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import scenarist
from scenarist.pages.story import story_page

ROOT = Path(__file__).parents[1]
SIZES = {"read": (1180, 760), "read-phone": (390, 800)}


def main(example: str = "a-cake-for-grandma") -> None:
    """Write docs/pictures/read.png and read-phone.png."""
    from playwright.sync_api import sync_playwright

    text = (ROOT / "examples" / f"{example}.txt").read_text("utf-8")
    title = example.replace("-", " ").capitalize()
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as play:
        path = Path(place) / "page.html"
        path.write_text(story_page(scenarist.read(text, title=title)), encoding="utf-8")
        found = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = play.chromium.launch(executable_path=found, args=["--no-sandbox", "--headless", "--disable-gpu"])
        for name, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=1.5)
            page.goto(path.as_uri())
            if page.locator(".note").count():
                page.locator(".note").nth(page.locator(".note").count() // 2).click()
                page.mouse.move(0, 0)
            page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
            page.wait_for_timeout(200)
            page.screenshot(path=folder / f"{name}.png", full_page=name == "read")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
