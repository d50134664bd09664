"""HOUSE, *One product*, 5: no function or constructor of the package takes more than eight parameters; settings that belong together are a type.

The command line is left out: there a parameter is an option.
"""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "scenarist"
MOST = 8
ALLOWED = {
    "verbs/learn.py:learn": "a front door: the options of its command, by name",
    "verbs/learn.py:learn_scripts": "a front door: the options of `learn --scripts`, by name",
    "verbs/fill.py:fill": "a front door: three questions under one verb, told apart by overloads",
    "verbs/run_table.py:run_table": "a front door: the options of its command, by name",
}


def long_lists() -> dict[str, int]:
    """``file:function`` -> how many parameters it takes, where there are more than eight."""
    found: dict[str, int] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith("cli/"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                    given = [*part.args.posonlyargs, *part.args.args, *part.args.kwonlyargs]
                    count = sum(argument.arg not in ("self", "cls") for argument in given)
                    owner = f"{node.name}.{part.name}" if isinstance(node, ast.ClassDef) else part.name
                    if count > MOST:
                        found[f"{name}:{owner}"] = count
    return found


def test_at_most_eight_parameters() -> None:
    assert {name: count for name, count in long_lists().items() if name not in ALLOWED} == {}


def test_no_exception_outlives_its_function() -> None:
    assert set(ALLOWED) == set(long_lists())
