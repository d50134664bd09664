"""docs/why/numbers.md: the tests that it names for each fault are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs/why/numbers.md").read_text("utf-8"))


def test_each_fault_has_its_test() -> None:
    lines = [line for line in (ROOT / "docs/why/numbers.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    assert len(lines) - 1 == len(NAMED) >= 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_is_there(file: str, name: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert re.search(rf"^def {name}\(" if name else r"^def test_", text, re.M)
