"""What `make test-wheels` tries: README's own commands, with the Pythons that are here."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from benchmarks import wheels, wheels_readme
from scenarist.cli.main import VERBS

ROOT = Path(__file__).parents[1]


def test_every_command_of_readme_is_tried_and_every_placeholder_filled() -> None:
    commands = wheels_readme.readme_commands((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(commands) > 15
    for command in (*commands, *wheels_readme.BEYOND):
        words = wheels_readme.filled(command)
        assert words[0] == "scenarist" and (words[1] in VERBS or words[1] == "nonsense"), command
        assert not any(re.fullmatch("[A-Z]{3,}", word) for word in words), words
    for verb in (
        "read",
        "events",
        "detect",
        "show",
        "fill",
        "learn",
        "order",
        "align",
        "explain",
        "exam",
        "score",
        "bench",
        "corpus",
        "doctor",
        "get",
    ):
        assert any(
            command.startswith(f"scenarist {verb} ") or command == f"scenarist {verb}" for command in commands
        ), verb


@pytest.mark.parametrize(
    ("command", "extra", "code", "said", "expected"),
    [
        ("scenarist read story.txt --html story.html", "base", 3, "pip install x", "failed"),
        ("scenarist order FILE", "base", 3, "Install it with: pip install 'scenarist[lm]'", "missing"),
        ("scenarist order FILE", "base", 3, "torch is not here", "failed"),  # no line to type
        ("scenarist order FILE", "lm", 3, "Install it with: pip install 'scenarist[lm]'", "failed"),
        ("scenarist order FILE", "base", 1, "", "failed"),
        ("scenarist order FILE", "web", 0, "Traceback (most recent call last)", "failed"),
        ("scenarist detect story.txt --model deep-detector", "base", 3, "pip install 'scenarist[deep]'", "missing"),
        ("scenarist detect story.txt --model deep-detector", "deep", 3, "pip install 'scenarist[deep]'", "failed"),
        ("scenarist corpus check", "base", 3, "Set SCENARIST_DATA", "missing"),
    ],
)  # fmt: skip
def test_what_a_command_came_to(command: str, extra: str, code: int, said: str, expected: str) -> None:
    assert wheels_readme.verdict(command, extra, code, said) == expected


def test_a_python_is_found_and_started() -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert wheels.find_python(version)
    assert not wheels.find_python("3.99")


def test_extras_that_bring_torch_are_known() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {name for name in extras if name not in wheels.LEFT_OUT and wheels.needs_torch(extras[name])} == {
        "neural", "lm", "stories", "deep",
    }  # fmt: skip
    assert set(wheels_readme.SERVES) - {"base"} <= set(extras)


def test_every_extra_serves_a_line_of_the_package() -> None:
    """What `doctor` says an extra installs is what pyproject installs, and the package imports it somewhere."""
    from scenarist.verbs.doctor import EXTRAS

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(extras) - {"all", "docs", "dev", "mutants"}
    together = extras["all"][0].partition("[")[2].rstrip("]").split(",")
    assert sorted(together) == sorted(set(EXTRAS) - {"gamma"})  # its solver is under the GPL, so it comes only by name
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "src" / "scenarist").rglob("*.py"))
    for extra, (modules, _) in EXTRAS.items():
        imported = [name for name in modules if re.search(rf"^\s*(import|from) {name}\b", text, re.M)]
        assert imported or extra == "rows", extra  # its package holds files alone
