"""DeScript (Wanzare et al. 2016) -> Story: an event sequence description (ESD), one event description a sentence.

The second collection (40 scenarios) is the corpus; ``phase`` "pilot" gives the pilot study, "all" both. Two extra files with
misspelled names hold ESDs of the pilot study once more under ``source="2"``: they are merged into their scenario, and in "all"
they are not given twice. ``gold()`` gives the experts' paraphrase sets, ``alignments()`` the crowd's links. There is no
validation file: dev is cut by the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora import search_path as finding
from scenarist.corpora.loader import Loader, members
from scenarist.corpora.mcscript import needed
from scenarist.errors import BadInput
from scenarist.formats.markup import elements
from scenarist.formats.table import rows
from scenarist.noun import Noun
from scenarist.story import Story

MISSPELLED = {"fyling in an airplane": "flying in an airplane", "washing ones hair": "washing one's hair"}
PHASES = {"second": ("second_esd",), "pilot": ("pilot_esd",), "all": ("pilot_esd", "second_esd")}


class Description(Noun, frozen=True):
    """One event description: which ESD it stands in, and where."""

    esd: str
    """Id of the Story it is a sentence of."""
    slot: int
    """Position in the ESD, from 1."""
    text: str = ""


class ParaphraseSet(Noun, frozen=True):
    """Event descriptions that say the same, by the experts' annotation."""

    scenario: str
    event: str
    """Name of the script event; ``UnrelEv``, ``RelNScrEv`` and ``other_*`` are none."""
    items: tuple[Description, ...]


class StepLink(Noun, frozen=True):
    """A worker's link from one event description to a place in another ESD of the same scenario."""

    scenario: str
    worker: str
    left: Description
    esd: str
    """The ESD linked to."""
    slot: int | None = None
    """The description linked to; None where the worker chose a place between two, or none."""
    between: tuple[int, int] | None = None
    """(slot before, slot after); 0 before the first one."""
    gold: int | None = None
    """The experts' choice, where they made one."""
    phase: str = ""


class DeScript(Loader[Story]):
    """Event sequence descriptions."""

    name = "descript"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"train": ("esds",)}

    def __init__(self, split: str = "train", phase: str = "second", path: str | Path | None = None) -> None:
        super().__init__(split, path)
        if phase not in PHASES:
            raise BadInput(f"descript: phase must be one of {', '.join(PHASES)}, not {phase!r}")
        self.phase = phase

    def settings(self) -> Mapping[str, object]:
        return {} if self.phase == "second" else {"phase": self.phase}

    def read(self, path: Path) -> Iterator[Story]:
        for folder in PHASES[self.phase]:
            for file in members(path / folder, lambda name: name.endswith(".xml")):
                scenario = scenario_of(file.name)
                extra = scenario != file.name.rsplit(".", 2)[0]
                if extra and self.phase == "all" and folder == "second_esd":
                    continue
                for script in elements(file, "script"):
                    source = "1" if extra else needed(script, "source", file)
                    story = Story.from_sentences(
                        esd_id(scenario, source, needed(script, "id", file)),
                        [needed(item, "original", file).strip() for item in script.iter("item")],
                        joint="\n",
                        source=self.source,
                        scenario=scenario,
                        genre="esd",
                    )
                    if self.keeps(story.text):
                        yield story


def scenario_of(file: str) -> str:
    """The scenario a file is about.

    >>> scenario_of("washing ones hair.new.xml"), scenario_of("baking a cake.csv.xml")
    ("washing one's hair", 'baking a cake')
    """
    name = file.rsplit(".", 2)[0]
    return MISSPELLED.get(name, name)


def esd_id(scenario: str, source: str, script: str) -> str:
    """The id of an ESD: scenario, collection (1 pilot, 2 second), number."""
    return f"{scenario}/{source}/{script}"


def gold() -> Iterator[ParaphraseSet]:
    """The experts' paraphrase sets: 10 scenarios, 50 ESDs each, in two parts."""
    folder = finding.require("descript", "gold_paraphrase_sets")
    for part in ("first_gold_annotation", "second_gold_annotation"):
        for file in members(folder / part, lambda name: name.endswith(".xml")):
            scenario = scenario_of(file.name)
            for label in elements(file, "label"):
                items = tuple(
                    Description(
                        esd_id(scenario, needed(item, "source", file), needed(item, "script", file)),
                        int(needed(item, "slot", file)),
                        needed(item, "original", file).strip(),
                    )
                    for item in label.iter("item")
                )
                yield ParaphraseSet(scenario, needed(label, "event", file), items)


def alignments() -> Iterator[StepLink]:
    """The crowd's links of the three stages; the pilot stage links ESDs of the pilot collection."""
    folder = finding.require("descript", "alignments")
    for stage, source in (("pilot", "1"), ("phase1", "2"), ("phase2", "2")):
        path = folder / f"linkingResult_{stage}.csv"
        for row in rows(path):  # phase 2's header names its first column after a scenario
            cells = list(row.values.values())
            scenario = scenario_of(cells[0])
            left = Description(esd_id(scenario, source, cells[2]), whole(cells[4], row.where))
            esd = esd_id(scenario, source, cells[3])
            slot, between = pilot_place(cells, row.where) if stage == "pilot" else place(cells[5], row.where)
            gold_cell = cells[9] if stage == "pilot" else cells[6]
            golden = int(gold_cell) if gold_cell.strip().isdecimal() else None
            yield StepLink(scenario, cells[1], left, esd, slot, between, golden, stage)


def whole(cell: str, where: str) -> int:
    """A cell that must hold a slot."""
    if not cell.strip().isdecimal():
        raise BadInput(f"{where}: expected the number of a slot, got {cell!r}")
    return int(cell)


def pilot_place(cells: list[str], where: str) -> tuple[int | None, tuple[int, int] | None]:
    """The place in the pilot's columns: rhs_item, or before_item and after_item."""
    if cells[5].strip():
        return whole(cells[5], where), None
    if cells[6].strip() or cells[7].strip():
        before, after = (int(cell) if cell.strip().isdecimal() else 0 for cell in cells[6:8])
        return None, (before, after)
    return None, None


def place(cell: str, where: str) -> tuple[int | None, tuple[int, int] | None]:
    """The place in the later columns: ``7``, ``between_1_2``, ``before_1`` or ``noLinkingPossible``."""
    cell = cell.strip()
    if cell.isdecimal():
        return int(cell), None
    if cell.startswith("between_"):
        before, after = cell.removeprefix("between_").split("_")
        return None, (whole(before, where), whole(after, where))
    if cell.startswith("before_"):
        return None, (0, whole(cell.removeprefix("before_"), where))
    return None, None
