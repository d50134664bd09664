"""The mutation tool on a small file: where faults are planted, what is no fault, and which tests are asked."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "benchmarks/mutants.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


SOURCE = '''"""A file."""


def larger(a: int | None, b: int = 3) -> int | None:
    """The larger one."""
    if a > b:
        return a
    return b
'''


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "small.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path / "small.py"


def test_faults_are_planted_in_code_and_not_in_annotations(tool, path: Path) -> None:
    faults = [
        text for operator, occurrence, _, _ in tool.places(path) if (text := tool.changed(path, operator, occurrence))
    ]
    lines = {tool.first_difference(SOURCE, text) for text in faults}
    assert (6, "if a < b:") in lines and (6, "if a >= b:") in lines and (6, "if not a > b:") in lines
    assert {number for number, _ in lines} == {4, 6}
    assert {text for number, text in lines if number == 4} == {"def larger(a: int | None, b: int = 2) -> int | None:", "def larger(a: int | None, b: int = 4) -> int | None:"}  # fmt: skip


def test_tests_of_the_line_are_asked_then_those_of_the_function(
    tool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "ROOT", path.parent)
    known = {
        "slow": {"seconds": 9.0, "lines": {"small.py": [6, 7]}}, "quick": {"seconds": 1.0, "lines": {"small.py": [6, 8]}},
        "import": {"seconds": 0.1, "lines": {"small.py": [4]}}, "other": {"seconds": 0.1, "lines": {"large.py": [6]}},
    }  # fmt: skip
    assert tool.tests_for(tool.Mutant("small.py", "x", 0, 6, ""), known) == ["quick", "slow"]
    assert tool.tests_for(tool.Mutant("small.py", "x", 0, 7, ""), known) == ["slow"]
    assert tool.tests_for(tool.Mutant("small.py", "x", 0, 4, ""), known) == ["import", "quick", "slow"]
    assert tool.tests_for(tool.Mutant("small.py", "x", 0, 1, ""), known) == ["import", "quick", "slow"]


def test_a_fault_keeps_its_key_when_lines_move(tool) -> None:
    assert tool.Mutant("a.py", "op", 0, 6, "if a < b:").key == tool.Mutant("a.py", "op", 2, 60, "if a < b:").key
    assert tool.Mutant("a.py", "op", 0, 6, "if a < b:").key != tool.Mutant("b.py", "op", 0, 6, "if a < b:").key
