"""Results -> the pictures of docs/why/gaps.md: `python -m training.figures` draws them from results/teller.json and results/bennett-dev.json.

A test compares the committed files with what the results give.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scenarist.pages.people import bar_picture, rank_picture
from scenarist.pages.teller import claim_picture, standalone

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"


class Drawing(NamedTuple):
    """A picture and the file it belongs to."""

    path: Path
    svg: str


def drawings() -> Iterator[Drawing]:
    """All pictures whose results are there."""
    teller, bennett = (ROOT / "results" / name for name in ("teller.json", "bennett-dev.json"))
    if teller.is_file():
        form = json.loads(teller.read_text("utf-8"))
        yield Drawing(FOLDER / "storyteller.svg", standalone(claim_picture(form)))
    if bennett.is_file():
        figures = json.loads(bennett.read_text("utf-8"))["figures"]
        yield Drawing(
            FOLDER / "bennett-2.svg", standalone(bar_picture(figures["performance"], "performance by condition"))
        )
        yield Drawing(FOLDER / "bennett-3.svg", standalone(bar_picture(figures["agreement"], "agreement by condition")))
        ranks = figures["ranks"]["pmi-2017"]
        yield Drawing(
            FOLDER / "bennett-4.svg", standalone(rank_picture(ranks["points"], ranks["line"], "rank by agreement"))
        )


def main() -> None:
    """Write them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for drawing in drawings():
        drawing.path.write_text(drawing.svg, encoding="utf-8")


if __name__ == "__main__":
    main()
