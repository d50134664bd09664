"""Five probes of script knowledge -> the table `probes`: models, and people where their answers are at hand, on the same items.

Columns: ``surprise/stated``, ``/omitted``, ``/negated`` in nats (for people: ratings from 1 to 5), ``pairs/goes-without-saying`` the share
of cases whose target surprises less with its cause omitted than negated, ``accuracy`` of the three choices, ``pairs/tellable`` the share of
stories whose unusual event is rated above the usual one (ties count half). One paired test was fixed beforehand: for `script-reader`,
surprise with the cause omitted against negated. All others are shown beside it, corrected by Holm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scenarist import __version__
from scenarist.bench.analyses.people.answers import MeanOf, mean_figure, number_marks
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.bench.marks import marks_of
from scenarist.bench.sheet import Analysis, Figure, FigureRow, smallest
from scenarist.bench.significance import compare, holm
from scenarist.bench.sit import ask, data_hash
from scenarist.contracts import Model
from scenarist.errors import BadInput, Missing
from scenarist.exams.probes import CAUSES
from scenarist.metrics.accuracy import Accuracy
from scenarist.question import Guess, Item, Prediction
from scenarist.registry import make
from scenarist.signature import sign

CHOICES = ("the-or-a", "false-memory", "winograd")
MODELS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "counts": ("baseline", "surprise-counts", {}),
    "smollm2": ("ours", "surprise-lm", {}),
    "smollm2-tuned": ("ours", "surprise-lm", {"tuned": True}),
    "script-reader": ("ours", "surprise-scripts", {}),
}
FIXED = "script-reader"
"""The row of the test that was fixed beforehand."""
Answers = dict[str, dict[str, Prediction]]
"""Part (``stated``, ..., ``tellable``, ``the-or-a``, ...) -> item -> prediction."""
Triple = tuple[str, float, str]


def probe_items(limit: int | None = None) -> dict[str, list[Item]]:
    """The items of all probes by part."""
    parts = {}
    for cause in CAUSES:
        cases = make("corpus", "probes", kind="goes-without-saying")
        parts[cause] = list(make("exam", "goes-without-saying", cause=cause).set(cases))[:limit]
    for kind in ("tellable", *CHOICES):
        items = list(make("exam", kind).set(make("corpus", "probes", kind=kind)))
        parts[kind] = items[: 2 * limit if limit and kind == "tellable" else limit]
    return parts


def surprise_of(prediction: Prediction) -> float:
    """Nats where the solver gives them, else the rating."""
    guess = prediction.guesses[0]
    return -guess.logp if guess.logp is not None else rating_of(prediction)


def rating_of(prediction: Prediction) -> float:
    """A person's step of the scale."""
    try:
        return float(str(prediction.best))
    except ValueError as error:
        where = f"{prediction.item}: expected a number as a rating"
        raise BadInput(f"{where}, got {prediction.best!r} by {prediction.by or 'nobody'}.") from error


def surprises(items: Sequence[Item], answers: Mapping[str, Prediction]) -> dict[str, float]:
    """Item -> surprise, for those that were answered."""
    return {item.id: surprise_of(answers[item.id]) for item in items if item.id in answers and answers[item.id].guesses}


def less(first: float, second: float) -> float:
    """1 where the first is smaller, a half where both are alike."""
    return 0.5 if first == second else float(first < second)


def scores_of(parts: Mapping[str, Sequence[Item]], answers: Answers) -> dict[str, Figure]:
    """The figures of a row."""
    scores: dict[str, Figure] = {}
    known = {cause: surprises(parts[cause], answers.get(cause, {})) for cause in CAUSES}
    for cause, values in known.items():
        if values:
            scores[f"surprise/{cause}"] = mean_figure([(item, value, item) for item, value in values.items()])
    both = [item for item in known["omitted"] if item in known["negated"]]
    if both:
        shares = [(item, less(known["omitted"][item], known["negated"][item]), item) for item in both]
        scores["pairs/goes-without-saying"] = mean_figure(shares, True)
    rated = surprises(parts["tellable"], answers.get("tellable", {}))
    cases = [
        item.group for item in parts["tellable"] if f"{item.group}.usual" in rated and f"{item.group}.unusual" in rated
    ]
    cases = list(dict.fromkeys(cases))
    if cases:
        scores["pairs/tellable"] = mean_figure(
            [(case, less(rated[f"{case}.usual"], rated[f"{case}.unusual"]), case) for case in cases], True
        )
    for kind in CHOICES:
        items = [item for item in parts[kind] if item.id in answers.get(kind, {})]
        if items:
            marks = marks_of(Accuracy(), items, answers[kind])
            scores[f"accuracy/{kind}"] = mean_figure(
                [(mark.item, dict(mark.counts)["right"], mark.item) for mark in marks], True
            )
    return scores


def paired_surprise(parts: Mapping[str, Sequence[Item]], answers: Answers, name: str) -> dict[str, Any] | None:
    """Surprise with the cause omitted minus negated, case by case."""
    omitted, negated = (surprises(parts[cause], answers.get(cause, {})) for cause in ("omitted", "negated"))
    both = [item for item in omitted if item in negated]
    if len(both) < 2:
        return None
    metric = MeanOf()
    first, second = (number_marks([(item, values[item], item) for item in both]) for values in (omitted, negated))
    test = compare(metric, first, second)
    return {
        "column": "surprise/omitted", "row": name, "reference": "surprise/negated", "test": test.test, "difference": test.difference,
        "low": test.low, "high": test.high, "p": test.p, "p_holm": test.p, "detectable": smallest(test.low, test.high),
        "fixed": name == FIXED,
    }  # fmt: skip


def answered(model: Model, parts: Mapping[str, Sequence[Item]]) -> Answers:
    """A model's answers to all parts."""
    return {part: {prediction.item: prediction for prediction in ask(model, items)} for part, items in parts.items()}


def table(  # the cases are the same in every split, and nothing is drawn
    split: str = "dev",  # noqa: ARG001
    seed: int = 13,  # noqa: ARG001
    limit: int | None = None,
    only: Sequence[str] = (),
    answers: str = "",
) -> Analysis:
    """The table `probes`; ``answers``: folders of the probes as exams, with people's predictions; ``limit``: cases of a probe."""
    parts = probe_items(limit)
    rows: list[FigureRow] = []
    tests: list[dict[str, Any] | None] = []
    remarks: list[str] = []
    for name, (role, model_name, settings) in MODELS.items():
        if only and name not in only:
            continue
        try:
            model = make("model", model_name, **settings)
            if model.learns == "stories":
                model = model.fit(make("corpus", "nyt-chains", split="train"))
            given = answered(model, parts)
        except (Missing, BadInput) as error:
            rows.append(FigureRow(name, role, {}, {"problem": str(error)}))
            continue
        rows.append(FigureRow(name, role, scores_of(parts, given)))
        tests.append(paired_surprise(parts, given, name))
    if answers and (not only or set(only) - set(MODELS)):
        people = people_answers(Path(answers), remarks)
        if len(people) > 1:
            everybody = mean_answers(people.values())
            rows.append(
                FigureRow("people", "human", scores_of(parts, everybody) | choice_shares(parts, people.values()))
            )
            tests.append(paired_surprise(parts, everybody, "people"))
        for name, given in people.items():
            rows.append(FigureRow(name, "human", scores_of(parts, given)))
            tests.append(paired_surprise(parts, given, name))
    known = [test for test in tests if test]
    others = [test for test in known if not test["fixed"]]
    for test, corrected in zip(others, holm([test["p"] for test in others]) if others else [], strict=True):
        test["p_holm"] = float(corrected)
    data = [f"{part}#{data_hash(items)}" for part, items in parts.items()]
    more = {"tests": known, "remarks": remarks}
    return Analysis(rows, sign("probes", {"exam": "probes", "data": data, "v": __version__}), more)


def mean_answers(people: Iterable[Answers]) -> Answers:
    """Everybody as one: the mean rating of each item; choices are left to `choice_shares`."""
    ratings: dict[str, dict[str, list[float]]] = {}
    for given in people:
        for part, predictions in given.items():
            if part in CHOICES:
                continue
            for name, prediction in predictions.items():
                ratings.setdefault(part, {}).setdefault(name, []).append(rating_of(prediction))
    return {
        part: {
            name: Prediction(name, (Guess(str(sum(values) / len(values))),), "people")
            for name, values in by_item.items()
        }
        for part, by_item in ratings.items()
    }


def choice_shares(parts: Mapping[str, Sequence[Item]], people: Iterable[Answers]) -> dict[str, Figure]:
    """The share of right choices over all people's answers, cases drawn whole."""
    everybody = list(people)
    scores = {}
    for kind in CHOICES:
        triples = [
            (f"{mark.item} {number}", dict(mark.counts)["right"], mark.item)
            for number, given in enumerate(everybody)
            for mark in marks_of(
                Accuracy(), [item for item in parts[kind] if item.id in given.get(kind, {})], given.get(kind, {})
            )
        ]
        if triples:
            scores[f"accuracy/{kind}"] = mean_figure(triples, True)
    return scores


def people_answers(folder: Path, remarks: list[str]) -> dict[str, Answers]:
    """Person -> her answers by part, from exam folders of the probes."""
    people: dict[str, Answers] = {}
    for part in read_study_files(folder):
        name = dict(part.card.settings).get("cause") or part.card.exam
        remarks += [f"{part.folder.name}: {remark}" for remark in part.remarks]
        for person, predictions in part.people.items():
            people.setdefault(person, {})[str(name)] = {prediction.item: prediction for prediction in predictions}
    return people
