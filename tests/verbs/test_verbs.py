"""The Python face: every verb and noun is where it is looked for, importing is light, README's snippets are typed and run."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scenarist
from scenarist.cli.main import VERBS
from scenarist.errors import BadInput
from scenarist.registry import index

ROOT = Path(__file__).parents[2]
PYTHON = re.compile(r"```python\n(.*?)```", re.S)
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
]
SNIPPETS = {
    f"{page.stem}-{number}": code
    for page in PAGES
    for number, code in enumerate(PYTHON.findall(page.read_text("utf-8")))
}  # fmt: skip


def test_every_verb_of_the_command_line_is_a_function() -> None:
    names = {"bench": "run_table", "lab": "simulate_study"}
    pages = {"serve"}  # the room `web`: the other verbs behind pages, no noun of its own
    assert [verb for verb in VERBS if names.get(verb, verb) not in index("verb") and verb not in pages] == []
    for name in index("verb"):
        assert inspect.isfunction(getattr(scenarist, name)), name


def test_all_and_dir_show_verbs_and_nouns() -> None:
    nouns = [noun for module in scenarist.NOUNS.values() for noun in module]
    assert set(scenarist.__all__) == {"__version__", *index("verb"), *nouns}
    assert set(scenarist.__all__) <= set(dir(scenarist))
    for noun in nouns:
        assert inspect.isclass(getattr(scenarist, noun)), noun
    with pytest.raises(AttributeError, match="no attribute 'raed'"):
        _ = scenarist.raed


def test_the_stub_names_what_there_is() -> None:
    stub = (ROOT / "src" / "scenarist" / "__init__.pyi").read_text("utf-8")
    given = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as \2$", stub, re.M)}
    targets = {name: target.partition(":")[0] for name, target in index("verb").items()}
    targets |= {noun: module for module, nouns in scenarist.NOUNS.items() for noun in nouns}
    assert given == targets


def test_a_verb_says_what_it_gives_and_prints_nothing() -> None:
    for name, target in index("verb").items():
        module, _, function = target.partition(":")
        verb = getattr(scenarist, name)
        assert function == name
        assert verb.__doc__, name
        assert inspect.signature(verb).return_annotation not in (inspect.Signature.empty, "None", "Any"), name
        assert not re.search(r"\bprint\(", inspect.getsource(sys.modules[module])), module


ABOVE_PAGES = {"cli", "web", "lab", "verbs", "conformance", "bench"}


def rooms_of_names(module: Path) -> dict[str, str]:
    """The names of a module, those for type checkers among them, with the room each is defined in."""
    rooms: dict[str, str] = {}
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scenarist."):
            rooms |= {alias.asname or alias.name: str(node.module).split(".")[1] for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            rooms[node.name] = "verbs"
    return rooms


@pytest.mark.parametrize("name", [name for name in index("verb") if name not in ("run_table", "tables")])
def test_what_a_verb_gives_is_a_noun_below_pages(name: str) -> None:
    """So that a page can draw it. A table is the bench's own, knows how its numbers are printed, and reaches pages as plain values."""
    rooms = rooms_of_names(ROOT / "src" / f"{index('verb')[name].partition(':')[0].replace('.', '/')}.py")
    given = str(inspect.signature(getattr(scenarist, name)).return_annotation)
    above = {noun for noun in re.findall(r"\w+", given) if rooms.get(noun) in ABOVE_PAGES}
    assert not above, f"{name} gives {given}"


def run_code(code: str, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=False)


def test_importing_loads_nothing_heavy() -> None:
    done = run_code("import sys, scenarist; dir(scenarist); print(*sorted(sys.modules))")
    modules = set(done.stdout.split())
    assert not {"numpy", "msgspec", "spacy", "torch", "typer", "rich"} & modules, done.stderr
    assert {name for name in modules if name.startswith("scenarist.")} == set()


REFUSE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "scipy", "pandas", "pyarrow", "sklearn", "duckdb", "ibis", "transformers", "gensim", "pyspark"}:
            raise ModuleNotFoundError(f"{name} is not part of the base install", name=name)
sys.meta_path.insert(0, Refuse())
from scenarist import *
try:
    explain("drain the pasta")
    explain("drain the pasta", size="large")
except Missing as error:
    print(error)
"""


def test_every_verb_is_there_without_extras() -> None:
    done = run_code(REFUSE)
    assert done.returncode == 0, done.stderr
    assert "pip install 'scenarist[lm]'" in done.stdout


WRONG = """import scenarist
scenarist.read(3)
scenarist.raed("Ann ran.")
scenarist.detect("Ann ran.").segmnts
scenarist.fill("arrest:obj ?").endings
"""


def test_snippets_pass_mypy_strict(tmp_path: Path) -> None:
    """README's and the documentation's snippets are typed; that wrong calls are found shows that the names are not Any."""
    pytest.importorskip("mypy", reason="needs the extra 'dev'")
    assert any(name.startswith("README") for name in SNIPPETS)
    for name, code in SNIPPETS.items():
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(code, "utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        "--ignore-missing-imports",
    ]
    command += [
        "--cache-dir",
        str(ROOT / ".mypy_cache" / "snippets"),
        "--no-error-summary",
        "--hide-error-context",
        ".",
    ]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert re.findall(r"^(\S+?:\d+): error", done.stdout, re.M) == [f"wrong.py:{line}" for line in (2, 3, 4, 5)], (
        done.stdout
    )


def test_snippets_of_readme_and_python_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for name in ("README-0", "python-0"):
        exec(compile(SNIPPETS[name], name, "exec"), {})
    out = capsys.readouterr().out
    assert "In “baking a cake”" in out, "README's first example shows the cake"
    assert "['baking a cake']" in out


def test_every_verb_is_on_the_python_page() -> None:
    page = (ROOT / "docs" / "how-to" / "python.md").read_text("utf-8")
    assert [name for name in index("verb") if f"`{name}`" not in page] == []


def test_read_takes_a_text_or_a_file(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "a-hot-bath.txt").read_text("utf-8")
    path = tmp_path / "a-hot-bath.txt"
    path.write_text(text, "utf-8")
    by_path = scenarist.read(path)
    assert (by_path.story.id, by_path.story.title) == ("a-hot-bath", "A hot bath")
    assert by_path == scenarist.read(text, title="A hot bath", id="a-hot-bath")
    assert scenarist.read("a-hot-bath.txt").story.text == "a-hot-bath.txt", "a string is a text, never a file"
    assert [one.story.id for one in scenarist.read_all(tmp_path)] == ["a-hot-bath"]


def test_detect_and_events_take_a_text_or_a_file(tmp_path: Path) -> None:
    text = "I turned on the water and got into the tub. I washed my hair with shampoo and dried off with a towel."
    path = tmp_path / "bath.txt"
    path.write_text(text + "\n", "utf-8")
    story = scenarist.detect(text)
    assert story.segments[0].names[0] in ("taking a bath", "washing ones hair", "taking a shower")
    assert scenarist.detect(path).segments == story.segments
    assert (scenarist.detect(path).id, story.id) == ("bath", "story")
    assert [one.id for one in scenarist.detect_all(tmp_path)] == ["bath"]
    assert scenarist.events(path).id == "bath"
    assert scenarist.events(path).events == scenarist.events(text).events
    assert [one.id for one in scenarist.events_all(tmp_path)] == ["bath"]


def test_what_is_empty_or_missing_is_said(tmp_path: Path) -> None:
    assert "empty" in scenarist.read("").remarks[0]
    with pytest.raises(BadInput, match="expected a text, got an empty one"):
        scenarist.detect("")
    assert scenarist.events("").tokens == ()
    for verb in (scenarist.read, scenarist.detect, scenarist.events):
        with pytest.raises(BadInput, match=f"no such file or folder. Type: scenarist {verb.__name__} FILE"):
            verb(tmp_path / "none.txt")


def test_a_folder_is_read_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Ann ran home. She slept.")
    read = scenarist.read_folder(tmp_path / "in", tmp_path / "out")
    assert (read.interpretations, read.file) == (1, tmp_path / "out" / "accounts.jsonl")
    assert scenarist.read_folder(tmp_path / "in", tmp_path / "out").interpretations == 1
