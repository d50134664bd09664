"""How many people and tasks does a study of gaps need? Simulation: made-up answers under a true effect, analysed as the real ones are.

A person is in one condition and answers so many of the tasks; the chance to recover the event is a base rate plus the effect in one
condition, shifted by the person's and the task's own ease (normal, on the scale of chances, cut to 0.005 to 0.995). The test is the one
of the paper: the contrast of that condition against the others over cells (a task in a condition), by least squares; power is the share
of simulated studies in which it is found at ``alpha``, with Wilson's interval. Defaults are what Bennett's data show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scenarist import __version__
from scenarist.bench.analyses.people.answers import GapAnswer, TaskCell, agreeing, cells_of, share_right
from scenarist.bench.bootstrap import wilson
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.errors import BadInput
from scenarist.signature import sign

PEOPLE = (12, 24, 48, 96, 192)
SIMULATIONS = 400


class StudyDesign(NamedTuple):
    """A study as it is planned."""

    people: int
    tasks: int = 46
    answers: int = 17
    """Tasks that a person answers."""
    conditions: int = 3
    base: float = 0.04
    effect: float = 0.13
    """How much likelier recovery is in the one condition."""
    person_sd: float = 0.02
    task_sd: float = 0.08

    def checked(self) -> StudyDesign:
        """Itself, if it can be simulated."""
        if self.conditions < 2 or self.people < self.conditions:
            raise BadInput(
                f"power: expected two or more conditions and a person in each, got {self.people} people and {self.conditions} conditions."
            )
        if self.tasks < 2 or not 1 <= self.answers <= self.tasks:
            raise BadInput(
                f"power: expected two or more tasks, and 1 to {self.tasks} answers a person, got {self.answers}."
            )
        if not 0 < self.base < 1 or not -1 < self.effect < 1 or self.person_sd < 0 or self.task_sd < 0:
            raise BadInput(
                "power: base lies between 0 and 1, effect between -1 and 1, standard deviations are not negative."
            )
        return self


class PowerPoint(NamedTuple):
    """The power of a design."""

    design: StudyDesign
    power: float
    low: float
    high: float
    simulations: int

    @property
    def figure(self) -> Figure:
        """As a figure of a table."""
        return Figure(self.power, self.low, self.high, self.simulations)


class Resolution(NamedTuple):
    """How sharply a measure is known with so many answers a task."""

    answers: int
    value: float
    error: float
    """Standard error over draws of people."""
    tasks: int


def simulate_cells(design: StudyDesign, rng: np.random.Generator) -> tuple[Any, Any]:
    """Means of cells and whether each is in the one condition; cells that nobody answered are left out."""
    condition = np.arange(design.people) % design.conditions
    person = rng.normal(0.0, design.person_sd, design.people)
    task = rng.normal(0.0, design.task_sd, design.tasks)
    seen = rng.random((design.people, design.tasks)).argsort(axis=1)[:, : design.answers]  # people x answers
    chance = design.base + design.effect * (condition == 0)[:, None] + person[:, None] + task[seen]
    hit = rng.random(seen.shape) < np.clip(chance, 0.005, 0.995)
    right, asked = np.zeros((design.tasks, design.conditions)), np.zeros((design.tasks, design.conditions))
    cell = (seen, np.broadcast_to(condition[:, None], seen.shape))
    np.add.at(right, cell, hit)
    np.add.at(asked, cell, 1)
    there = asked > 0
    return (right[there] / asked[there]), np.broadcast_to(np.arange(design.conditions) == 0, there.shape)[there]


def is_found(values: Any, inside: Any, conditions: int, alpha: float) -> bool:
    """Does the contrast of one condition against the mean of all others differ from 0? Two-sided t test of a regression on it.

    The other contrasts are orthogonal and only take their degrees of freedom here.
    """
    from scipy import stats

    first, rest = values[inside], values[~inside]
    df = len(values) - conditions
    if len(first) < 2 or len(rest) < 2 or df < 1:
        return False
    spread = ((first - first.mean()) ** 2).sum() + ((rest - rest.mean()) ** 2).sum()
    if spread == 0:
        return bool(first.mean() != rest.mean())
    error = np.sqrt(spread / df * (1 / len(first) + 1 / len(rest)))
    return bool(2 * stats.t.sf(abs(first.mean() - rest.mean()) / error, df) < alpha)


def power_of(design: StudyDesign, simulations: int = SIMULATIONS, alpha: float = 0.05, seed: int = 13) -> PowerPoint:
    """The power of a design, with Wilson's interval."""
    design = design.checked()
    if simulations < 1 or not 0 < alpha < 1:
        raise BadInput(f"power: expected one simulation or more and 0 < alpha < 1, got {simulations} and {alpha}.")
    rng = np.random.default_rng(seed)
    share = (
        sum(is_found(*simulate_cells(design, rng), design.conditions, alpha) for _ in range(simulations)) / simulations
    )
    low, high = wilson(share, simulations)
    return PowerPoint(design, share, low, high, simulations)


def people_needed(
    wanted: float, design: StudyDesign, most: int = 3000, simulations: int = SIMULATIONS, seed: int = 13
) -> PowerPoint | None:
    """The smallest number of people whose power is what is wanted; None where ``most`` are too few.

    Single estimates are noisy, so a curve is laid through several: power is close to Phi(a + b sqrt(people)). Its crossing is simulated.
    """
    from scipy import stats

    crossing = None
    low, high = max(design.conditions, 4), most
    for _ in range(2):  # once over everything, once around the crossing
        sizes = sorted({round(size) for size in np.geomspace(low, high, 9)})
        shares = [power_of(design._replace(people=size), simulations, seed=seed + size).power for size in sizes]
        inside = [(size, share) for size, share in zip(sizes, shares, strict=True) if 0.02 < share < 0.98]
        if len(inside) < 3:  # the curve is a step: the first size that reaches it
            crossing = next((float(size) for size, share in zip(sizes, shares, strict=True) if share >= wanted), None)
        else:
            roots = np.sqrt([size for size, _ in inside])
            b, a = np.polyfit(roots, stats.norm.ppf([share for _, share in inside]), 1)
            crossing = float(((stats.norm.ppf(wanted) - a) / b) ** 2) if b > 0 else None
        if crossing is None or crossing > most:
            return None
        low, high = max(design.conditions, int(crossing / 2)), min(most, int(crossing * 2) + 3)
    people = max(design.conditions, int(np.ceil(crossing or most)))
    while (
        point := power_of(design._replace(people=people), 2 * simulations, seed=seed)
    ).power < wanted and people < most:
        people = min(most, people + max(1, people // 20))
    return point


def resolution(
    answers: Sequence[GapAnswer], sizes: Sequence[int] = (2, 3, 5, 8, 12), draws: int = 200, seed: int = 13
) -> list[Resolution]:
    """Agreement from so many answers a task: its mean and its standard error when people are drawn anew, tasks with fewer left out."""
    rng = np.random.default_rng(seed)
    by_task: dict[str, list[GapAnswer]] = {}
    for answer in answers:
        by_task.setdefault(answer.task, []).append(answer)
    resolutions = []
    for size in sizes:
        parts = [part for part in by_task.values() if len(part) >= size]
        if size < 2 or not parts:
            continue
        means = []
        for _ in range(draws):
            drawn = [part[number] for part in parts for number in rng.choice(len(part), size, replace=False)]
            means.append(float(np.mean([cell.value for cell in cells_of(drawn, agreeing(), "task")])))
        resolutions.append(Resolution(size, float(np.mean(means)), float(np.std(means, ddof=1)), len(parts)))
    return resolutions


def table(split: str = "dev", seed: int = 13, limit: int | None = None) -> Analysis:  # noqa: ARG001
    """The table `power`: the power of Bennett's design by people, for the effect found and for half of it; ``limit``: simulations."""
    simulations = limit or SIMULATIONS
    rows = []
    for people in PEOPLE:
        scores = {
            f"power/{name}": power_of(StudyDesign(people, effect=effect), simulations, seed=seed).figure
            for name, effect in (("as-found", 0.13), ("half", 0.065), ("none", 0.0))
        }
        rows.append(FigureRow(f"{people}-people", "ours", scores, {"people": people}))
    remarks = []
    for name, effect in (("as found", 0.13), ("half", 0.065)):
        point = people_needed(0.8, StudyDesign(24, effect=effect), simulations=simulations, seed=seed)
        needed = f"{point.design.people} people (power {point.power:.2f})" if point else "more than 3,000 people"
        remarks.append(f"80 % power for the effect {name}: {needed}.")
    fields = {
        "exam": "gaps",
        "design": StudyDesign(0)._asdict(),
        "simulations": simulations,
        "seed": seed,
        "v": __version__,
    }
    return Analysis(rows, sign("power", fields), {"remarks": remarks})


def recovery_cells(answers: Sequence[GapAnswer]) -> list[TaskCell]:
    """Cells of recovery, for a design's base and spread."""
    return cells_of(answers, share_right)


def design_of(answers: Sequence[GapAnswer], one: str) -> StudyDesign:
    """The design that a study had, with what it found: a start for planning the next one."""
    cells = recovery_cells(answers)
    inside = [cell.value for cell in cells if cell.condition == one]
    others = [cell.value for cell in cells if cell.condition != one]
    if not inside or not others:
        raise BadInput(f"a design needs answers in {one!r} and in another condition.")
    people = {answer.person for answer in answers}
    tasks = {answer.task for answer in answers}
    base = max(0.005, float(np.mean(others)))
    conditions = len({answer.condition for answer in answers})
    return StudyDesign(
        len(people),
        len(tasks),
        max(1, round(len(answers) / len(people))),
        conditions,
        base,
        float(np.mean(inside)) - base,
    )
