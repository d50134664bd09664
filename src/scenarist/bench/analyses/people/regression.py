"""Cells of a study -> the effect of a condition, by statsmodels (extra `people`): least squares, and a mixed model as a second reading.

The contrast is that of one condition against the mean of the others, written -1, -1, 2 for three conditions (R's ``contr.helmert`` scaled
so): ``b`` is then a third of the difference, which is what Bennett prints. The other columns are orthogonal to it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scenarist.bench.analyses.people.answers import GapAnswer, TaskCell
from scenarist.bench.sheet import Figure
from scenarist.errors import BadInput, missing_extra


class Effect(NamedTuple):
    """A coefficient with its test."""

    b: float
    low: float
    high: float
    t: float
    df: float
    """Residual degrees of freedom; infinite where the test is a z test."""
    p: float
    n: int
    what: str
    """What was regressed on what."""

    @property
    def figure(self) -> Figure:
        """The coefficient as a figure of a table."""
        return Figure(self.b, self.low, self.high, self.n, p=self.p)

    def form(self) -> dict[str, Any]:
        """For JSON; degrees of freedom are null for a z test."""
        return {**self._asdict(), "df": self.df if np.isfinite(self.df) else None, "said": str(self)}

    def __str__(self) -> str:
        test = f"t({self.df:g})" if np.isfinite(self.df) else "z"
        return f"b = {self.b:.4f} ({self.low:.4f} to {self.high:.4f}), {test} = {self.t:.3f}, p = {self.p:.4f}, n = {self.n}; {self.what}"


def statsmodels() -> Any:
    """The library, or the line that installs it."""
    try:
        import statsmodels.api as library
    except ModuleNotFoundError as error:
        raise missing_extra("statsmodels", "people", "a regression over people's answers") from error
    return library


def contrast(conditions: Sequence[str], one: str) -> dict[str, list[float]]:
    """Orthogonal columns, the first that of one condition against the others.

    >>> contrast(["full", "caveman", "verb-subject"], "full")
    {'full': [2.0, 0.0], 'caveman': [-1.0, 1.0], 'verb-subject': [-1.0, -1.0]}
    """
    others = [name for name in conditions if name != one]
    if one not in conditions or not others:
        raise BadInput(
            f"the effect of {one!r} needs answers in it and in another condition; there are some in: {', '.join(conditions) or 'none'}."
        )
    rows = {one: [float(len(others)), *([0.0] * (len(others) - 1))]}
    for number, name in enumerate(others):
        column = [0.0] * (len(others) - 1)
        for step in range(len(others) - 1):
            column[step] = 1.0 if number == step else -1.0 / (len(others) - 1 - step) if number > step else 0.0
        rows[name] = [-1.0, *column]
    return rows


def condition_effect(cells: Sequence[TaskCell], one: str) -> Effect:
    """The contrast of one condition against the others over cells, by least squares."""
    library = statsmodels()
    conditions = list(dict.fromkeys(cell.condition for cell in cells))
    codes = contrast(conditions, one)
    design = np.array([[1.0, *codes[cell.condition]] for cell in cells])
    if len(cells) <= design.shape[1]:
        raise BadInput(
            f"the effect of {one!r} needs more than {design.shape[1]} cells (a task in a condition), got {len(cells)}."
        )
    fit = library.OLS(np.array([cell.value for cell in cells]), design).fit()
    low, high = fit.conf_int()[1]
    return Effect(
        float(fit.params[1]), float(low), float(high), float(fit.tvalues[1]), float(fit.df_resid), float(fit.pvalues[1]), len(cells),
        f"least squares over {len(cells)} cells, {one} against the others",
    )  # fmt: skip


def mixed_effect(answers: Iterable[GapAnswer], one: str, hand: bool = True) -> Effect:
    """The same contrast over single answers, person and task as random effects (a linear mixed model of right or wrong)."""
    library = statsmodels()
    judged = [answer for answer in answers if not hand or answer.hand_right is not None]
    conditions = list(dict.fromkeys(answer.condition for answer in judged))
    codes = contrast(conditions, one)
    design = np.array([[1.0, *codes[answer.condition]] for answer in judged])
    values = np.array([float(bool(answer.hand_right if hand else answer.right)) for answer in judged])
    people, tasks = (sorted({getattr(answer, field) for answer in judged}) for field in ("person", "task"))
    columns = [
        np.array([[float(getattr(answer, field) == name) for name in names] for answer in judged])
        for field, names in (("person", people), ("task", tasks))
    ]
    names = [[f"person {name}" for name in people], [f"task {name}" for name in tasks]]
    with warnings.catch_warnings():  # a variance at its lower end is a result here, and said by the estimate
        warnings.simplefilter("ignore")
        components = library.regression.mixed_linear_model.VCSpec(
            ["person", "task"], [[names[0]], [names[1]]], [[columns[0]], [columns[1]]]
        )
        model = library.MixedLM(values, design, np.ones(len(judged)), exog_vc=components)
        fit = model.fit(reml=True)
    low, high = fit.conf_int()[1]
    return Effect(
        float(fit.params[1]), float(low), float(high), float(fit.tvalues[1]), float("inf"), float(fit.pvalues[1]), len(judged),
        f"linear mixed model over {len(judged)} answers, random effects of {len(people)} people and {len(tasks)} tasks",
    )  # fmt: skip


def slope(xs: Sequence[float], ys: Sequence[float], what: str) -> Effect:
    """A regression line: how y changes with x."""
    library = statsmodels()
    if len(xs) < 3:
        raise BadInput(f"{what}: a line needs three points or more, got {len(xs)}.")
    fit = library.OLS(np.array(ys, float), library.add_constant(np.array(xs, float))).fit()
    if len(fit.params) < 2:
        raise BadInput(f"{what}: all points have the same x.")
    low, high = fit.conf_int()[1]
    return Effect(
        float(fit.params[1]),
        float(low),
        float(high),
        float(fit.tvalues[1]),
        float(fit.df_resid),
        float(fit.pvalues[1]),
        len(xs),
        what,
    )
