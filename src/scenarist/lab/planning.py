"""A planned study -> its power, how many people it needs, and how sharp agreement is (`scenarist lab power`); a pilot gives the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from scenarist.bench.analyses.people.answers import check_answers, gap_answers
from scenarist.bench.analyses.people.power import (
    PowerPoint,
    Resolution,
    StudyDesign,
    design_of,
    people_needed,
    power_of,
    resolution,
)  # fmt: skip
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.errors import BadInput

MOST = 3000
"""People that are tried at most."""


class StudyPlan(NamedTuple):
    """What a design can find."""

    design: StudyDesign
    power: PowerPoint
    wanted: float
    needed: PowerPoint | None
    """The smallest number of people with the power that is wanted; None where MOST are too few."""
    resolution: tuple[Resolution, ...] = ()
    """From a pilot: how sharply agreement is known with so many answers a task."""

    def form(self) -> dict[str, Any]:
        """For JSON."""

        def point_form(point: PowerPoint) -> dict[str, Any]:
            return {"people": point.design.people, "power": point.power, "low": point.low, "high": point.high}

        return {
            "design": self.design._asdict(), "simulations": self.power.simulations, **point_form(self.power), "wanted": self.wanted,
            "needed": point_form(self.needed) if self.needed else None,
            "resolution": [entry._asdict() for entry in self.resolution],
        }  # fmt: skip


def plan_study(
    changes: dict[str, float], wanted: float = 0.8, pilot: str = "", simulations: int = 400, seed: int = 13
) -> StudyPlan:
    """The design of Bennett's study, or of a pilot's exported answers, with ``changes``; its power and what it would need."""
    if not 0 < wanted < 1:
        raise BadInput(f"power: the power that is wanted lies between 0 and 1, got {wanted}.")
    design = StudyDesign(24)
    sharp: tuple[Resolution, ...] = ()
    if pilot:
        parts = [part for part in read_study_files(Path(pilot)) if part.card.exam == "gaps"]
        given = [
            answer
            for part in parts
            for answer in gap_answers(
                part.items, (prediction for answers in part.people.values() for prediction in answers)
            )
        ]
        answers = check_answers(given).answers
        conditions = [answer.condition for answer in answers]
        design = design_of(answers, "full" if "full" in conditions else conditions[0])
        sharp = tuple(resolution(answers, seed=seed))
    wrong = [name for name in changes if name not in StudyDesign._fields]
    if wrong:
        raise BadInput(f"power: there is no {wrong[0]!r} in a design; it has {', '.join(StudyDesign._fields)}.")
    whole = {
        name: int(value) if name in ("people", "tasks", "answers", "conditions") else value
        for name, value in changes.items()
    }
    design = StudyDesign(**(design._asdict() | whole)).checked()
    return StudyPlan(
        design, power_of(design, simulations, seed=seed), wanted,
        people_needed(wanted, design, MOST, simulations, seed), sharp,
    )  # fmt: skip
