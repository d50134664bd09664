"""KidsCook (Bisk et al. 2019, section 3) -> Pair: an abstract instruction and its concrete telling with blanks.

Reads the released ``*.template.tsv``: abstract, concrete, tags, where 0 marks a blanked token; a blank is a maximal run
of zeros. Three concrete texts share an abstract, so that results are to be grouped by abstract. The corpus brings its word lists
(`contracts.WordLists`); the side files are found by the functions below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from scenarist.corpora import search_path as finding
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats import jsonl
from scenarist.formats.lines import lines
from scenarist.story import Pair


class Steps(msgspec.Struct):
    """A line of ``*.pairs.jsonl``: the concrete text in steps, rare words as ``#UNK#``."""

    abstract: str
    steps: tuple[str, ...]


class KidsCook(Loader[Pair]):
    """Abstract and concrete instructions."""

    name = "kidscook"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "train": ("train.template.tsv",),
        "dev": ("valid.template.tsv",),
        "test": ("tests.template.tsv",),
    }

    def read(self, path: Path) -> Iterator[Pair]:
        for line in lines(path):
            if not line.text.strip():
                continue
            where = f"{path}, line {line.number}"
            fields = line.text.split("\t")
            if len(fields) != 3:
                raise BadInput(
                    f"{where}: expected abstract, concrete and tags joined by tabs, got {len(fields)} columns"
                )
            abstract, concrete, tags = (field.split() for field in fields)
            if len(tags) != len(concrete) or not set(tags) <= {"0", "1"}:
                raise BadInput(f"{where}: expected {len(concrete)} tags 0 or 1, one a concrete token, got {len(tags)}")
            id = f"kidscook-{self.split}-{line.number:05d}"
            yield Pair(id, tuple(abstract), tuple(concrete), blanks(tags), self.source)

    def vocabulary(self) -> tuple[str, ...]:
        """The words of the paper's vocabulary."""
        return vocabulary()

    def whitelist(self) -> tuple[str, ...]:
        """The words that may be blanked."""
        return whitelist()

    def vectors(self) -> npt.NDArray[np.float32]:
        """The frozen GloVe rows, (2005, 100)."""
        vectors: npt.NDArray[np.float32] = np.load(vectors_file())
        return vectors


def blanks(tags: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Maximal runs of "0" as token ranges.

    >>> blanks("1 0 0 1 0".split())
    ((1, 3), (4, 5))
    """
    runs: list[tuple[int, int]] = []
    at = 0
    for tag, group in groupby(tags):
        size = len(list(group))
        if tag == "0":
            runs.append((at, at + size))
        at += size
    return tuple(runs)


def steps(split: str = "train") -> Iterator[Steps]:
    """The pairs in steps (``*.pairs.jsonl``), all rows: those without a blank are not among the templates."""
    stem = {"train": "train", "dev": "valid", "test": "tests"}[split]
    yield from jsonl.read(finding.require("kidscook", f"{stem}.pairs.jsonl"), Steps)


def whitelist() -> tuple[str, ...]:
    """The words that may be blanked (``approved.5.txt``), in file order."""
    path = finding.require("kidscook", "approved.5.txt")
    return tuple(line.text.strip() for line in lines(path) if line.text.strip())


def vocabulary() -> tuple[str, ...]:
    """The 2,005 words of the paper's vocabulary (``vocab.txt``), in the order of the vectors' rows."""
    return tuple(line.text for line in lines(finding.require("kidscook", "vocab.txt")))


def vectors_file() -> Path:
    """The frozen GloVe rows (``infer_glove.npy``, 2005 x 100)."""
    return finding.require("kidscook", "infer_glove.npy")
