"""What stands on SmolLM2 or MiniLM says so: models by their signatures, tables below their figures, cards in a paragraph."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from scenarist.bench import spec
from scenarist.pages.numbers import figure_remarks
from scenarist.registry import find, make
from scenarist.registry import names as registered
from scenarist.signature import PRETRAINED, pretrained

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "src/scenarist/models"
SOURCES = {
    "smollm2": ("scenarist.networks.llama", "scenarist.networks.pretrained", "scenarist.networks.document_network"),
    "minilm": (
        "scenarist.learning.library.meaning",
        "scenarist.learning.library.alignment",
        "scenarist.networks.segment_readers",
    ),
}
"""Modules that bring a network of others, by its name."""
ALONE = ("word-places",)
"""Models that share a file with one that stands on such a network, and do not themselves."""
PAGE = "docs/reference/contamination.md"


def imported(path: Path) -> set[str]:
    """The modules that a file names in its imports, those inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def trained_on(name: str) -> tuple[str, ...]:
    """What a registered model names, of its class, or of itself where that depends on its settings."""
    found = getattr(find("model", name), "trained_on", ())
    if isinstance(found, property):
        found = make("model", name).trained_on
    return tuple(found)


def own_files() -> list[tuple[str, Path]]:
    """Registered models (no addresses) with their files."""
    return [
        (name, ROOT / "src" / (find("model", name).__module__.replace(".", "/") + ".py"))
        for name in registered("model")
        if not name.endswith(":") and name not in ALONE
    ]


@pytest.mark.parametrize(("name", "path"), own_files(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_model_says_what_stands_below_it(name: str, path: Path) -> None:
    direct = imported(path)
    for network, modules in SOURCES.items():
        if direct & set(modules):
            assert set(trained_on(name)) & set(PRETRAINED), (
                f"{name} imports {sorted(direct & set(modules))}: trained_on lacks {network}"
            )


def test_a_signature_says_it() -> None:
    assert pretrained("f1|model:deep-detector|train:mcscript+smollm2+minilm|seed:1") == [
        "SmolLM2-135M",
        "all-MiniLM-L6-v2",
    ]
    assert pretrained("f1|model:detector|train:mcscript|seed:1") == []
    assert pretrained("f1|model:tiny@server|train:none|canary:1f|seed:1") == ["candidate"]


def test_a_table_says_it_below_its_figures() -> None:
    figure = {"value": 1.0, "low": None, "high": None, "n": 3}
    rows = [
        {"model": "deep", "scores": {"f1/x": {**figure, "signature": "f1|model:deep|train:mcscript+minilm|seed:1"}}},
        {"model": "light", "scores": {"f1/x": {**figure, "signature": "f1|model:light|train:mcscript|seed:1"}}},
    ]
    (line,) = figure_remarks(rows)
    assert line.startswith("Contamination: all-MiniLM-L6-v2 stands below deep.") and "light" not in line
    assert figure_remarks(rows[1:]) == []


@pytest.mark.parametrize("path", sorted((ROOT / "results").glob("*.json")), ids=lambda path: path.stem)
def test_results_say_it_on_the_page_of_tables(path: Path) -> None:
    """docs/reference/tables.md has the line under each table of ours that stands on such a network."""
    form = json.loads(path.read_text("utf-8"))
    below = {
        name
        for row in form["rows"] if row["role"] != "published"
        for figure in row["scores"].values() if figure.get("signature")
        for name in pretrained(figure["signature"])
    }  # fmt: skip
    if form["table"] not in spec.names():
        pytest.skip("no table of this name")
    text = (ROOT / "docs/reference/tables.md").read_text("utf-8")
    section = text.partition(f"#### `scenarist bench {form['table']}`")[2].partition("\n#### ")[0]
    if section and "results/" in section:
        for name in below:
            assert f"Contamination: {name}" in section, form["table"]


CARDS = sorted(
    path
    for place in ("release", "src/scenarist/resources")
    for path in (ROOT / place).rglob("*.md")
    if path.name.lower() in ("card.md", "readme.md")
)


@pytest.mark.parametrize("path", CARDS, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}")
def test_a_card_that_names_such_a_network_says_what_it_may_have_read(path: Path) -> None:
    text = path.read_text("utf-8")
    if any(name in text for name in ("SmolLM2", "MiniLM")):
        assert "**Contamination**" in text and PAGE in text


def test_the_page_names_both() -> None:
    text = (ROOT / PAGE).read_text("utf-8")
    assert all(name in text for name in PRETRAINED.values())


def test_the_readers_card_says_what_it_counted_of_novels_that_are_tested_on() -> None:
    """LitBank's dev and test novels: not labelled, but among those whose words were counted."""
    text = (ROOT / "src/scenarist/resources/reader/CARD.md").read_text("utf-8")
    (line,) = (
        line for line in text.splitlines() if line.startswith("Novels whose excerpt is in LitBank's dev or test part")
    )
    assert "not trained on" in line and "all 100 novels" in line
