"""GLUCOSE (Mostafazadeh et al. 2020), the expert-made file -> Explained: a sentence of a story, its causes and effects in ten dimensions.

Sentences of the story and the answers of a cell are joined by ``****``; ``escaped`` means that there is none. An answer is written
*cause >Causes/Enables> effect*; kept is the side that is not the sentence itself. Dimensions 1 to 5 are causes (an event, a motive, a
place, a possession, another state), 6 to 10 the effects of the same kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Ids, Loader
from scenarist.errors import BadInput
from scenarist.formats.table import TableRow, rows
from scenarist.noun import Noun

JOINT, NONE = "****", "escaped"
ARROW = re.compile(r"\s*>[^<>]*>\s*")
DIMENSIONS = tuple(range(1, 11))


class Statement(Noun, frozen=True):
    """A cause or an effect that an expert wrote."""

    dimension: int
    text: str
    """The cause (dimensions 1 to 5) or the effect (6 to 10)."""


class Explained(Noun, frozen=True):
    """A sentence of a story with what led to it and what it led to."""

    id: str
    sentences: tuple[str, ...]
    place: int
    """Which sentence."""
    statements: tuple[Statement, ...]
    source: str = ""

    @property
    def story(self) -> str:
        """The story, which several sentences may share."""
        return " ".join(self.sentences)


class Glucose(Loader[Explained]):
    """Implicit causes and effects."""

    name = "glucose"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"dev": ("dev.csv",), "test": ("test.csv",)}

    def __init__(self, split: str = "dev", path: str | Path | None = None) -> None:
        super().__init__(split, path)

    def read(self, path: Path) -> Iterator[Explained]:
        ids = Ids()
        columns = [f"{dimension}_specificNL" for dimension in DIMENSIONS]
        for row in rows(path, ("unique_id", "story", "selected_sentence", *columns)):
            sentences = tuple(" ".join(text.split()) for text in row["story"].split(JOINT) if text.strip())
            selected = " ".join(row["selected_sentence"].split())
            if selected not in sentences:
                raise BadInput(f"{row.where}: column 'selected_sentence' is no sentence of the story")
            statements = tuple(
                statement
                for dimension in DIMENSIONS
                for statement in statements_of(row, f"{dimension}_specificNL", dimension)
            )
            yield Explained(
                ids.distinct(row["unique_id"].strip(), row),
                sentences,
                sentences.index(selected),
                statements,
                self.source,
            )


def statements_of(row: TableRow, column: str, dimension: int) -> Iterator[Statement]:
    """The statements of a cell."""
    for text in row[column].split(JOINT):
        if text.strip().lower() in ("", NONE):
            continue
        sides = ARROW.split(" ".join(text.split()))
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise BadInput(f"{row.where}: column {column!r} must hold 'cause >Causes> effect', not {text!r}")
        yield Statement(dimension, sides[0 if dimension <= 5 else 1].strip())
