"""Multiple-choice narrative cloze (Granroth-Wilding and Clark 2016; the coherent variant CMCNC) -> Item.

Events are ``subject|predicate|object``; the predicate may be a phrase ("part of"). Blocks: the context, HOLDOUT_SEP, the right
event, NEG_SEP, the wrong ones, DOC_SEP. The choices come in an order that depends on the item alone, not on which of them is
right. The place of the gap is not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha1
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats.lines import lines
from scenarist.question import EventGap, Item
from scenarist.story import Link

PARTS = ("HOLDOUT_SEP", "NEG_SEP", "DOC_SEP")


class MCNC(Loader[Item]):
    """One right event among six."""

    name = "mcnc"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "dev": ("mcnc_dev.txt", "mcnc_dev_final.txt"),
        "test": ("mcnc_test_final.txt", "mcnc_test.txt"),
    }

    def __init__(self, split: str = "dev", path: str | Path | None = None) -> None:
        super().__init__(split, path)

    def read(self, path: Path) -> Iterator[Item]:
        block: list[list[Link]] = [[]]
        made = number = 0
        for number, text in lines(path):
            mark = text.strip()
            if mark == "DOC_SEP":
                made += 1
                yield self.item(block, made, f"{path}, line {number}")
                block = [[]]
            elif mark in PARTS:
                if PARTS.index(mark) != len(block) - 1:
                    raise BadInput(f"{path}, line {number}: expected {PARTS[len(block) - 1]}, got {mark}")
                block.append([])
            elif mark:
                block[-1].append(triple(mark, f"{path}, line {number}"))
        if block != [[]]:
            yield self.item(block, made + 1, f"{path}, line {number}")

    def item(self, block: list[list[Link]], number: int, where: str) -> Item:
        """A block as an item."""
        if len(block) != 3 or not block[0] or len(block[1]) != 1 or not block[2]:
            raise BadInput(f"{where}: expected a context, one held-out event and wrong events; is the file truncated?")
        (context, (right,), wrong) = block
        id = f"{self.name}-{self.split}-{number:05d}"
        choices = sorted({right, *wrong}, key=lambda link: sha1(f"{id}{link}".encode()).digest())
        return Item(id, EventGap(tuple(context), None, tuple(choices)), str(right), id)


class CMCNC(MCNC):
    """The coherent variant."""

    name = "cmcnc"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "dev": ("cmcnc_dev.txt", "cmcnc_dev_final.txt"),
        "test": ("cmcnc_test_final.txt", "cmcnc_test.txt"),
    }


def triple(text: str, where: str) -> Link:
    """``subject|predicate|object`` as a link with two arguments.

    >>> str(triple("band|played on|night", ""))
    'played on(band,night)'
    """
    cells = [cell.strip() for cell in text.split("|")]
    if len(cells) != 3 or not cells[1]:
        raise BadInput(f"{where}: expected subject|predicate|object, got {text!r}")
    return Link(cells[1], "", (cells[0], cells[2]))
