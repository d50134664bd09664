"""A corpus is made by name where an examiner stands, never by a candidate, an exam or a network: the linter does not see the registry."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scenarist

ROOMS = ("bench", "verbs", "lab", "conformance", "corpora")
SOURCE = Path(scenarist.__file__).parent


def corpus_makers(text: str) -> list[int]:
    """Lines that make, find or look up a corpus by name.

    >>> corpus_makers('make("corpus", name)\\nfind("model", "pmi")\\nregistry.make(room="corpus", name="toy")')
    [1, 3]
    """
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            room = (
                node.args[0] if node.args else next((word.value for word in node.keywords if word.arg == "room"), None)
            )
            if name in ("make", "find") and isinstance(room, ast.Constant) and room.value == "corpus":
                lines.append(node.lineno)
    return sorted(lines)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_corpus_is_made_by_name_in_the_examiner_s_rooms_only(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    lines = corpus_makers(path.read_text(encoding="utf-8"))
    assert room in ROOMS or not lines, f"{path}, lines {lines}: let bench or a verb make the corpus and hand it over"


def test_the_examiners_do_make_corpora() -> None:
    """So that the test above looks at something."""
    assert any(corpus_makers(path.read_text(encoding="utf-8")) for path in (SOURCE / "bench").rglob("*.py"))
