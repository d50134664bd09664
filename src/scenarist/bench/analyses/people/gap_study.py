"""A study of gaps on any corpus -> the same table as Bennett's, from stored answers: `bench gap-study --answers DIR`.

The paper's future direction: the same study on simple, focused stories. The exam is `gaps` on any corpus (`scenarist exam gaps
rocstories`), once for each condition, people answer it in the lab (study `fill-gap`) or anywhere, and this table counts: recovery,
agreement under the three readings, the effect of the full text, every person as a row, how sharp agreement is with n answers, and how far
conditions' whole distributions are apart."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

from scenarist import __version__
from scenarist.bench.analyses.people.answers import (
    READINGS,
    GapAnswer,
    agreeing,
    cells_of,
    check_answers,
    figure_of,
    gap_answers,
    share_right,
)  # fmt: skip
from scenarist.bench.analyses.people.distributions import compare_people
from scenarist.bench.analyses.people.power import resolution
from scenarist.bench.analyses.people.regression import condition_effect
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.errors import BadInput, Missing
from scenarist.signature import content_hash, sign


def table(split: str = "dev", seed: int = 13, limit: int | None = None, answers: str = "") -> Analysis:  # noqa: ARG001
    """The table `gap-study`; ``answers``: a folder with an exam `gaps` a condition, and people's predictions."""
    if not answers:
        raise BadInput(
            "gap-study counts people's answers: give their folder, e.g. scenarist bench gap-study --answers study"
        )
    given: list[GapAnswer] = []
    remarks: list[str] = []
    parts = [part for part in read_study_files(Path(answers)) if part.card.exam == "gaps"]
    if not parts:
        raise BadInput(
            f"{answers}: none of its exams is of the kind gaps. Make one with: scenarist exam gaps rocstories -o {answers}/full"
        )
    for part in parts:
        remarks += [f"{part.folder.name}: {remark}" for remark in part.remarks]
        given += gap_answers(
            part.items, (prediction for predictions in part.people.values() for prediction in predictions)
        )
    conditions = list(dict.fromkeys(str(dict(part.card.settings).get("condition", "full")) for part in parts))
    checked = check_answers(given, conditions)
    rows = study_rows(checked.answers, conditions, seed)
    more: dict[str, Any] = {
        "remarks": [*remarks, *checked.remarks],
        "resolution": [entry._asdict() for entry in resolution(checked.answers, seed=seed)],
    }
    more["distributions"] = condition_gaps(checked.answers, conditions)
    data = f"{Path(answers).name}#{content_hash(repr(answer).encode() for answer in checked.answers)}"
    return Analysis(
        rows,
        sign("gap-study", {"exam": "gaps", "data": data, "agreement": "one-minus", "seed": seed, "v": __version__}),
        more,
    )


def measures(answers: list[GapAnswer], unit: str, seed: int) -> dict[str, Figure]:
    """Recovery and agreement over tasks or cells, as far as they can be had."""
    scores = {"recovery/automatic": figure_of(cells_of(answers, share_right, unit), True, seed)}
    for reading in READINGS:
        cells = cells_of(answers, agreeing("automatic", reading), unit)
        if cells:
            name = "agreement/automatic" if reading == "one-minus" else f"agreement/{reading}"
            scores[name] = figure_of(cells, False, seed)
    return scores


def study_rows(answers: list[GapAnswer], conditions: list[str], seed: int) -> list[FigureRow]:
    """Everybody, each condition, each person."""
    everybody = FigureRow("people", "human", measures(answers, "cell", seed))
    if len({answer.condition for answer in answers}) > 1:
        try:
            cells = cells_of(answers, share_right)
            one = conditions[0] if "full" not in conditions else "full"
            effect = condition_effect(cells, one)
            everybody.scores[f"effect/{one}"] = effect.figure
            everybody.more["effects"] = {f"effect/{one}": effect.form()}
        except (Missing, BadInput) as error:
            everybody.more["problem"] = str(error)
    rows = [everybody]
    for condition in conditions:
        part = [answer for answer in answers if answer.condition == condition]
        if part and len(conditions) > 1:
            rows.append(FigureRow(f"people-{condition}", "human", measures(part, "cell", seed)))
    for person in sorted({answer.person for answer in answers}):
        part = [answer for answer in answers if answer.person == person]
        rows.append(
            FigureRow(
                person, "human", {"recovery/automatic": figure_of(cells_of(part, share_right, "answer"), True, seed)}
            )
        )
    return rows


def condition_gaps(answers: list[GapAnswer], conditions: list[str]) -> list[dict[str, Any]]:
    """Each pair of conditions: how far the whole distributions of answers are apart. Tasks are those of the same id."""
    gaps = []
    for first, second in combinations(conditions, 2):
        halves = [[answer for answer in answers if answer.condition == name] for name in (first, second)]
        try:
            gap = compare_people(halves[0], halves[1])
        except BadInput:
            continue
        gaps.append({"first": first, "second": second, **gap.divergence.form(), "p": gap.p, "by_chance": gap.by_chance})
    return gaps
