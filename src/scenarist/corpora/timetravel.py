"""TimeTravel (Qin et al. 2019) -> Rewriting: a story, a counterfactual second sentence, and the ending as people edited it for that.

The file is the CSV that goes round with the 1,871 evaluation stories' columns: premise, initial and counterfactual second sentence,
original and edited ending. The file at hand is dev.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats.table import rows
from scenarist.noun import Noun

COLUMNS = ("story_id", "premise", "initial", "counterfactual", "original_ending", "edited_ending")


class Rewriting(Noun, frozen=True):
    """A story and its counterfactual."""

    id: str
    story: str
    """The story; several counterfactuals may share it."""
    premise: str
    initial: str
    counterfactual: str
    original: str
    edited: str
    source: str = ""


class TimeTravel(Loader[Rewriting]):
    """Counterfactual stories."""

    name = "timetravel"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"dev": ("dev.csv",), "test": ("test.csv",)}

    def __init__(self, split: str = "dev", path: str | Path | None = None) -> None:
        super().__init__(split, path)

    def read(self, path: Path) -> Iterator[Rewriting]:
        counts: Counter[str] = Counter()
        for row in rows(path, COLUMNS):
            id, premise, initial, counterfactual, original, edited = (row[column].strip() for column in COLUMNS)
            texts = (premise, initial, counterfactual, original, edited)
            if not all(texts):
                empty = COLUMNS[1 + texts.index("")]
                raise BadInput(f"{row.where}: column {empty!r} is empty")
            if not id:
                raise BadInput(f"{row.where}: column 'story_id' is empty")
            counts[id] += 1
            yield Rewriting(f"{id}/{counts[id]}", id, premise, initial, counterfactual, original, edited, self.source)
