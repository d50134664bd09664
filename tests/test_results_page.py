"""results/README.md names each file of results/ and how it is made anew; what it calls older is skipped by the tests of results, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenarist.bench import spec
from tests.bench.test_rows_told_apart import OLDER
from tests.test_readme_figures import LISTED

RESULTS = Path(__file__).parents[1] / "results"
PAGE = (RESULTS / "README.md").read_text("utf-8")
LINES = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| `")]


def named(cell: str) -> list[str]:
    return re.findall(r"`([\w.-]+)`", cell)


def test_each_file_stands_in_the_list_once() -> None:
    files = [name for line in LINES for name in named(line[0])]
    there = {path.name for path in RESULTS.iterdir() if path.is_file() and path.name != "README.md"}
    assert sorted(files) == sorted(set(files)) and set(files) <= there
    quoted = {f"{source.split()[0]}.json" for entry in LISTED for source in entry["from"]}
    assert quoted <= set(files)  # what README quotes
    if set(files) != there:
        pytest.skip(f"results that results/README.md does not name yet: {', '.join(sorted(there - set(files)))}")


def test_older_ones_are_called_older_and_no_others() -> None:
    older = {Path(name).stem for line in LINES if line[2].startswith("older") for name in named(line[0])}
    assert older == OLDER


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0][:40])
def test_the_command_is_a_table_of_the_bench_or_a_target(line: list[str]) -> None:
    (command,) = re.findall(r"`((?:scenarist bench|make|python) [^`]+)`", line[1])[:1]
    words = command.split()
    if words[0] == "python":
        assert (RESULTS.parent / words[1]).is_file()
    elif words[0] == "make":
        assert f"\n{words[1]}:" in (RESULTS.parent / "Makefile").read_text("utf-8")
    elif words[2].endswith(".toml"):
        assert (RESULTS.parent / words[2].replace("TABLE", Path(named(line[0])[0]).stem.removesuffix("-dev"))).is_file()
    else:
        assert words[2] in spec.names()
    if "--only" in words:
        rows = {row.name for row in spec.load(words[2]).row}
        assert set(words[words.index("--only") + 1].split(",")) <= rows
