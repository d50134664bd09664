"""docs/footguns.md is true: every block in it runs."""

import doctest
from pathlib import Path

import pytest


def test_the_page_runs():
    for package in ("segeval", "nltk", "sklearn", "scipy"):
        pytest.importorskip(package)
    page = Path(__file__).parents[2] / "docs" / "footguns.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted > 20
    assert found.failed == 0
