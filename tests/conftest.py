"""What all tests share: where corpora and SmolLM2 are, and the rule that what is not there is skipped by name, with the reason.

``@pytest.mark.data("gum", "litbank")`` names the corpora a test needs (``"gum:test"`` a split of it); without a name it needs any search
path at all. Where ``SCENARIST_DATA`` is not set, ``../shared/data`` beside the repository is taken, if it exists. SmolLM2 is got by
`make smollm2` (part of `make test`) into ``.cache/scenarist``; the home folder of the tests stays empty. What was skipped, and why, is
listed at the end of a run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # how fast examples are made says something of the machine, and nothing of the code
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SMOLLM2 = Path(__file__).resolve().parents[1] / ".cache" / "scenarist" / "weights" / "smollm2-135m.gguf"
"""Where `make smollm2` puts it."""


def pytest_configure(config: pytest.Config) -> None:
    if not os.environ.get("SCENARIST_DATA") and SHARED.is_dir():
        os.environ["SCENARIST_DATA"] = str(SHARED)
    if not os.environ.get("SMOLLM2_GGUF") and SMOLLM2.is_file():
        os.environ["SMOLLM2_GGUF"] = str(SMOLLM2)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What was skipped: each reason once, with how many tests of which files."""
    reasons: dict[str, Counter[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        place = report.nodeid.split("::")[0]
        reasons.setdefault(reason.removeprefix("Skipped: "), Counter())[place] += 1
    if reasons:
        terminalreporter.section("skipped, and why")
    for reason, places in sorted(reasons.items(), key=lambda pair: (-sum(pair[1].values()), pair[0])):
        named = ", ".join(f"{place} ({count})" for place, count in sorted(places.items()))
        terminalreporter.write_line(f"{sum(places.values()):4d}  {reason}: {named}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("data"):
        from scenarist.corpora import at_hand as listing
        from scenarist.corpora import manifest
        from scenarist.corpora import search_path as finding

        if not finding.roots():
            pytest.skip("no corpora: SCENARIST_DATA is not set")
        for wanted in marker.args:
            name, _, split = wanted.partition(":")
            there = listing.at_hand(manifest.entry(name))
            if not there or (split and split not in there):
                pytest.skip(f"the corpus {wanted} is not on SCENARIST_DATA")


@pytest.fixture
def data_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty search path of one folder, for tests that write their own corpora."""
    monkeypatch.setenv("SCENARIST_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture(autouse=True, scope="session")
def _home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing a test does reaches the user's own store."""
    if not os.environ.get("SCENARIST_HOME"):
        os.environ["SCENARIST_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def make_llama() -> Any:
    """A maker of small llamas with drawn weights, one each seed."""
    torch = pytest.importorskip("torch")
    from scenarist.networks.llama import PARTS, Config, Llama

    def make(words: int = 40, size: int = 16, hidden: int = 24, seed: int = 3, tokenizer: Any = None) -> Llama:
        dice = torch.Generator().manual_seed(seed)
        config = Config(layers=2, heads=4, shared=2, theta=100.0, places=64)
        rows = {"q": size, "k": size // 2, "v": size // 2, "o": size, "gate": hidden, "up": hidden, "down": size}
        shapes: dict[str, tuple[int, ...]] = {"embed_tokens": (words, size), "norm": (size,)}
        for number in range(config.layers):
            shapes |= {f"layers.{number}.{name}": (size,) for name in ("input_layernorm", "post_attention_layernorm")}
            for part in (part for parts in PARTS.values() for part in parts):
                name = part.split(".")[1].removesuffix("_proj")
                shapes[f"layers.{number}.{part}"] = (rows[name], hidden if name == "down" else size)
        state = {
            f"model.{name}.weight": torch.randn(*shape, generator=dice) * 0.4 if len(shape) > 1 else torch.ones(shape)
            for name, shape in shapes.items()
        }
        return Llama(state.__getitem__, config, tokenizer)

    return make


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip by name what cannot run here: `neural` without torch, `browser` without Chromium."""
    browser = bool(chromium() and importlib.util.find_spec("playwright"))
    missing = {
        "neural": ""
        if importlib.util.find_spec("torch")
        else "torch is not installed: pip install 'scenarist[neural]'",
        "browser": "" if browser else "there is no Chromium, or playwright is not installed",
    }
    for item in items:
        for marker, reason in missing.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        flags = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
        opened = play.chromium.launch(executable_path=chromium(), args=flags)
        yield opened
        opened.close()


@pytest.fixture
def browser_page(browser: Any) -> Iterator[Any]:
    """A page of a real browser; an error in the page's script fails the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert not problems, problems
