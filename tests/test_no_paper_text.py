"""No clause of the five papers stands in this repository: eight words in a row are looked for in each tracked text.

The papers are looked for in `papers/` beside the folder of corpora (`SCENARIST_DATA`); without them the test is skipped by name. Titles are
what one cites a paper by, and are no clause; names of scenarios in a row are not either (a label list of the same order).
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
LONG = 8
CITATION = re.compile(r"(?m)^citation = .*$")
"""How a corpus is cited, in the manifest."""
LABELS = (
    "src/scenarist/bench/analyses/passages.toml",
    "results/passages-dev.json",
    "src/scenarist/resources/scenarios.toml",
)
"""Lists of labels: which scenario a passage tells, by its place in the paper's file."""


def papers() -> list[Path]:
    roots = [Path(folder) for folder in os.environ.get("SCENARIST_DATA", "").split(os.pathsep) if folder]
    return sorted(path for root in roots for path in (root.parent / "papers").glob("*.txt"))


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def titles() -> Iterator[list[str]]:
    """Titles of papers, by which they are cited."""
    for paper in tomllib.loads((ROOT / "docs/reference/papers.toml").read_text("utf-8"))["paper"]:
        yield words(paper["title"])


def clauses(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """All runs of eight words, most of them real words, with their place."""
    found = words(text)
    for place in range(len(found) - LONG + 1):
        run = tuple(found[place : place + LONG])
        if sum(len(word) > 1 and word.isalpha() for word in run) >= 6:
            yield place, run


def without_titles(text: str) -> str:
    """A text whose cited titles, with the names and the year before them, break the row of words."""
    flat = " ".join(words(CITATION.sub("", text)))
    for title in titles():
        flat = flat.replace(" ".join(title), " 0 0 0 0 0 0 ")
    return re.sub(r"(?:[a-z]+ ){1,6}(?:19|20)\d\d (?=0 0 0)", " 0 0 0 ", flat)


@pytest.mark.skipif(not papers(), reason="the papers are not beside the corpora (SCENARIST_DATA/../papers)")
def test_no_clause_of_a_paper_is_in_a_tracked_text() -> None:
    known = {
        run for path in papers() for _, run in clauses(re.sub(r"-\n", "", path.read_text("utf-8", errors="replace")))
    }
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    faults = []
    for name in filter(None, tracked.stdout.decode().split("\0")):
        if name in LABELS or not (ROOT / name).is_file():
            continue
        try:
            text = (ROOT / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if any(run in known for _, run in clauses(text)):  # the cheap look first
            faults += [f"{name}: {' '.join(run)}" for _, run in clauses(without_titles(text)) if run in known]
    assert faults == []


def test_a_clause_would_be_found() -> None:
    text = "Everybody knows that the sun rises in the east of town."
    runs = {run for _, run in clauses(text)}
    assert ("everybody", "knows", "that", "the", "sun", "rises", "in", "the") in runs
    assert not list(clauses("1 2 3 4 5 6 7 8 9")) and not list(clauses("seven words are not enough for it"))
