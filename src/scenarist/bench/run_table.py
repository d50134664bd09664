"""Solver x Exam -> Table: runs one table and gives its rows with intervals, paired tests and signatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import msgspec

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench.people_rows import take_people, with_people
from scenarist.bench.records import check_record, header_of, records_of, section_of
from scenarist.bench.sheet import Analysis, Cell, Done, FigureRow, Sheet, Tested, figure_row
from scenarist.bench.significance import compare, holm
from scenarist.bench.sit import Answers, data_hash, items_of, make_exam, part_of, sit
from scenarist.bench.solver import Solver, corpus_of, seeds_of, settings_of, takes
from scenarist.bench.spec import Condition, Row, Source, Table
from scenarist.contracts import Exam, Metric, Model
from scenarist.errors import BadInput, Missing
from scenarist.question import Item, Mark
from scenarist.registry import load, make, suggest
from scenarist.signature import parse, short_name, sign
from scenarist.store.predictions import MOST
from scenarist.store.results import Results

Progress: TypeAlias = Callable[[str, int, int], None]
"""How a run shows where it is (row, done, known); the command line draws it."""


class Plan(NamedTuple):
    """A condition of a table, set as an exam."""

    condition: Condition
    exam: Exam
    items: list[Item]
    metrics: list[Metric]
    fields: dict[str, object]
    """What stands in the signature of every number of the condition."""


class Ways(NamedTuple):
    """How a table is run."""

    split: str = "dev"
    limit: int | None = None
    seed: int | None = None
    refresh: bool = False
    live: bool = False
    """Ask the models of recorded rows, too."""
    record: bool = False
    """Keep the answers of recorded rows, to be written to `results/predictions`."""
    given: tuple[tuple[str, str], ...] = ()
    """What an analysis is handed beside: ``corpus``, ``annotations``, ``answers``."""


USUAL = Ways()


def run_table(
    table: Table, store: Results, ways: Ways = USUAL, only: Sequence[str] = (), progress: Progress | None = None
) -> Sheet:
    """Run a table, or the part of it that is not recorded or stored yet."""
    split, seed = ways.split, ways.seed
    given = dict(ways.given)
    if table.kind != "analysis" and given.keys() - {"answers"}:
        raise BadInput(f"the table {table.name} takes no --{min(given.keys() - {'answers'})}.")
    if table.kind != "analysis" and given:
        table = with_people(table)
    if table.kind == "analysis":
        return analysis(table, split, seed if seed is not None else table.seeds[0], ways.limit, only, given)
    known = [row.name for row in table.row]
    for name in only:
        if name not in known:
            raise suggest(name, known, f"row of table {table.name}")
    chosen = [row for row in table.row if (row.name in only if only else row.runs_on(split))]
    sheet = Sheet(table, split, [Done(row) for row in chosen])
    if ways.record:
        check_record(sheet, only, ways.limit)
    if not (ways.live or ways.record):
        for done in sheet.rows:
            done.records = records_of(done.row, table.name) if done.row.recorded else []
    plans: list[Plan] = []
    lost: dict[str, list[str]] = {}
    for condition in table.condition:
        try:
            plan = plan_of(condition, ways)
        except Missing as error:
            lost.setdefault(str(error), []).append(condition.name)
            continue
        sheet.items[condition.name] = plan.items
        plans.append(plan)
    for done in sheet.rows:
        row, models = done.row, dict[bytes, Model]()
        if row.role != "published" and not row.runs_on(split):
            done.problem = f"it is run on {', '.join(row.splits)} alone."
            continue
        for plan in plans:
            if (row.role == "published" and not row.answers) or (row.only and plan.condition.name not in row.only):
                continue
            try:
                if row.role == "human" and given:
                    take_people(done, plan.condition.name, plan.items, plan.metrics, plan.fields, given["answers"])
                elif row.answers:
                    take_answers(done, plan)
                else:
                    run_row(done, table, plan, store, ways, models, progress)
            except Missing as error:
                done.problem = str(error)
    sheet.remarks = [f"not set: {', '.join(names)}. {why}" for why, names in lost.items()]
    if not plans:
        raise Missing(next(iter(lost)))
    sheet.tests = [*gains(sheet), *paired(sheet)]
    exams = {condition.exam for condition in table.condition}
    what = {
        "exam": sorted(exams),
        "data": [plan.fields["data"] for plan in plans],
        "split": split,
        "seed": seed if seed is not None else table.seeds,
        "v": __version__,
    }
    sheet.signature = sign(table.name, what)
    return sheet


def plan_of(condition: Condition, ways: Ways) -> Plan:
    """The exam of a condition with its items."""
    exam = make_exam(condition.exam, condition.settings)
    settings = {**condition.corpus_settings, **(condition.test if ways.split == "test" else {})}
    corpus = corpus_of(Source(condition.corpus), ways.split, settings)
    items = items_of(exam, corpus, ways.limit)
    fields: dict[str, object] = {
        "exam": exam.name, **settings_of(corpus), **exam.settings(), "data": f"{short_name(condition.corpus)}#{data_hash(items)}",
        "split": ways.split, **({"limit": ways.limit} if ways.limit else {}),
    }  # fmt: skip
    return Plan(condition, exam, items, [make("metric", name) for name in condition.metrics], fields)


def run_row(
    done: Done,
    table: Table,
    plan: Plan,
    store: Results,
    ways: Ways,
    models: dict[bytes, Model],
    progress: Progress | None,
) -> None:
    """One row under one condition, all its seeds; ``models``: those of the row that have learned already."""
    row, condition, metrics = done.row, plan.condition, plan.metrics
    seeds = seeds_of(row, table, ways.seed, ways.split)
    items = part_of(plan.items, row.test_items) if ways.split == "test" else plan.items
    solvers = [Solver(row, condition, plan.exam, seed) for seed in seeds]
    marks: dict[str, list[tuple[Mark, ...]]] = {metric.name: [] for metric in metrics}
    missing, replayed, whole = 0, 0, 0
    by_whom: list[dict[str, object]] = []
    left_out: dict[int, Missing] = {}
    for solver in solvers:
        label = f"{row.name} ({condition.name}{f', seed {solver.seed}' if len(seeds) > 1 else ''})"
        tick = partial(progress, label) if progress else None
        wait = partial(progress, f"{label} waits for another process", 0, len(items)) if progress else None
        section = solver.recorded(done.records, ways.split)
        answers = Answers(
            partial(solver.fitted_once, models), store, partial(solver.what, plan.fields), section, ways.refresh,
            max(MOST, *(getattr(metric, "guesses", 0) for metric in metrics)), wait,
        )  # fmt: skip
        try:
            asked, predictions = sit(answers, plan.exam, items, tick)
        except Missing as error:
            if len(seeds) == 1 or section:
                raise
            left_out[solver.seed] = error
            continue
        replayed, whole = replayed + answers.replayed, whole + len(asked)
        by_whom.append(solver.signed(section if answers.replayed else None))
        if condition.name not in done.predictions:
            done.predictions[condition.name] = predictions
            missing = sum(item.id not in predictions for item in asked)
            if unread := Counter(one.note for one in predictions.values() if one.note in ("refused", "unparsed")):
                done.unread[condition.name] = {**dict(unread), "n": len(asked)}
        if ways.record:
            header = header_of(solver, table.name, ways.split, str(plan.fields["data"]))
            done.sections.append(section_of(header, asked, predictions, metrics))
        for metric in metrics:
            marks[metric.name].append(scoring.marks_of(metric, asked, predictions))
    if len(left_out) == len(seeds):
        raise next(iter(left_out.values()))
    if left_out:
        numbers = ", ".join(map(str, left_out))
        done.left_out = f"seed{'s' * (len(left_out) > 1)} {numbers}: {next(iter(left_out.values()))}"
        solvers = [solver for solver in solvers if solver.seed not in left_out]
        seeds = [solver.seed for solver in solvers]
    if len(items) < len(plan.items):
        without = f"{len(plan.items) - len(items):,} of the {len(plan.items):,} items of {condition.name}"
        done.left_out = "; ".join(filter(None, (done.left_out, without)))
    done.recorded = done.recorded or replayed > 0
    held = solvers[-1].held
    signed = {
        **plan.fields, **row.signed, **by_whom[0], "seed": list(seeds),
        **({"asked": len(items)} if len(items) < len(plan.items) else {}),
        **({"held": list(dict.fromkeys(f"{part.corpus}:{part.split}" for part in held))} if held else {}),
        **({"weights": weights} if (weights := list(dict.fromkeys(str(who["weights"]) for who in by_whom if "weights" in who))) else {}),
        **({"with": with_} if (with_ := row_settings(row)) else {}),
        **(dict(solvers[-1].model.fields()) if replayed < whole and hasattr(solvers[-1].model, "fields") else {}),
        **({"made": "recorded" if replayed == whole else "recorded+live"} if replayed else {}),
    }  # fmt: skip
    for metric in metrics:
        runs = marks[metric.name]
        score = scoring.score_marks(metric, scoring.mean_marks(runs), signed, missing=missing)
        values = (
            {seed: scoring.total(metric, run) for seed, run in zip(seeds, runs, strict=True)} if len(seeds) > 1 else {}
        )
        done.cells[f"{metric.name}/{condition.name}"] = Cell(score, values)


def row_settings(row: Row) -> dict[str, object]:
    """The settings of a row as its signature says them, ``{seed}`` unfilled."""
    return {key: value for key, value in row.settings.items() if key != "weights"}


def take_answers(done: Done, plan: Plan) -> None:
    """A published row whose answers item by item are at hand: marked as ours are, so that it can be compared with them."""
    answer_to = load(done.row.answers)(done.row.model)
    answers = {item.id: answer for item in plan.items if (answer := answer_to(item)) is not None}
    if not answers:
        raise Missing("what it answered is not on the search path.")
    done.predictions[plan.condition.name] = answers
    fields = {**plan.fields, **done.row.signed, "model": done.row.model, "train": "none", "made": "published"}
    for metric in plan.metrics:
        found = scoring.marks_of(metric, plan.items, answers)
        score = scoring.score_marks(metric, found, fields, missing=len(plan.items) - len(answers))
        done.cells[f"{metric.name}/{plan.condition.name}"] = Cell(score)


def paired(sheet: Sheet) -> list[Tested]:
    """Each of our rows against its reference row, column by column, corrected for several comparisons."""
    tests: list[Tested] = []
    for condition in sheet.table.condition:
        for name in condition.metrics:
            column, metric = f"{name}/{condition.name}", make("metric", name)
            rows = [done for done in sheet.rows if column in done.cells]
            against = [(done, reference(sheet.table, done, rows, column, metric)) for done in rows]
            pairs = [
                (done, other)
                for done, other in against
                if other is not None and other is not done and done.cells[column].score.groups > 1
            ]  # one source alone shows no difference that holds for others
            found = [
                compare(metric, *common_marks(a.cells[column].score.marks, b.cells[column].score.marks), seed=13)
                for a, b in pairs
            ]
            corrected = holm([one.p for one in found]) if found else []
            tests += [
                Tested(column, a.row.name, b.row.name, one, float(p))
                for (a, b), one, p in zip(pairs, found, corrected, strict=True)
            ]
    return tests


def common_marks(first: Sequence[Mark], second: Sequence[Mark]) -> tuple[Sequence[Mark], Sequence[Mark]]:
    """The marks of two rows on the items that both were asked: a row may sit a part of them on the test split."""
    shared = {mark.item for mark in first} & {mark.item for mark in second}
    if len(shared) == len(first) == len(second):
        return first, second
    return [mark for mark in first if mark.item in shared], [mark for mark in second if mark.item in shared]


def gains(sheet: Sheet) -> list[Tested]:
    """What each row gains over the best that is had without the premise: its own figure where it is hidden, and the rows of the audit."""
    tests: list[Tested] = []
    audits = [done for done in sheet.rows if done.row.audit]
    for condition in sheet.table.condition:
        for name in condition.metrics:
            column, metric = f"{name}/{condition.name}", make("metric", name)
            way = 1 if metric.higher else -1
            floor = [(done.row.name, done.cells[column].score) for done in audits if column in done.cells]
            compared = []
            for done in sheet.rows:
                if done.row.role == "published" or done.row.audit or column not in done.cells:
                    continue
                own = done.cells.get(f"{name}/{condition.blind}")
                blind = [*floor, *([(f"itself in {condition.blind}", own.score)] if own else [])]
                if blind:
                    said, score = max(blind, key=lambda pair: way * pair[1].value)
                    marks = common_marks(done.cells[column].score.marks, score.marks)
                    compared.append((done, said, compare(metric, *marks, seed=13)))
            corrected = holm([test.p for _, _, test in compared]) if compared else []
            tests += [
                Tested(column, done.row.name, said, test, float(p), gain=True)
                for (done, said, test), p in zip(compared, corrected, strict=True)
            ]
    return tests


def reference(table: Table, done: Done, rows: Sequence[Done], column: str, metric: Metric) -> Done | None:
    """The row that a row is compared with: the one it names, the one its table names, or the best baseline."""
    for name in filter(None, (done.row.reference, table.reference)):
        for other in sorted(rows, key=lambda done: done.row.name != name):  # a row of that name, else one of that model
            if name in (other.row.model, other.row.label):
                return other
    floor = [one for one in rows if one.row.role == "baseline"]
    way = 1 if metric.higher else -1
    return max(floor, key=lambda one: way * one.cells[column].score.value, default=None)


def analysis(
    table: Table, split: str, seed: int, limit: int | None, only: Sequence[str], given: Mapping[str, str] | None = None
) -> Sheet:
    """A table that is no grid of solvers and exams: its function gives the rows, only some where it can; the published ones stand above."""
    function: Callable[..., Analysis] = load(table.run)
    chosen: dict[str, Any] = {"only": only} if takes(function, "only") else {}
    for name, value in (given or {}).items():
        if not takes(function, name):
            raise BadInput(f"the table {table.name} takes no --{name}.")
        chosen[name] = value
    found = function(split=split, seed=seed, limit=limit, **chosen)
    ours = {row.model for row in found.rows}
    published = [published_row(row, split, ours) for row in table.row if row.role == "published"]
    found.rows = [*published, *map(partial(signed, found.signature), found.rows)]
    if only:
        known = [name for row in found.rows for name in names_of(row)]
        for name in only:
            if name not in known:
                raise suggest(name, list(dict.fromkeys(known)), f"row of table {table.name}")
        found.rows = [row for row in found.rows if set(only).intersection(names_of(row))]
    return Sheet(table, split, [], signature=found.signature, analysis=found)


def published_row(row: Row, split: str, ours: Collection[str]) -> FigureRow:
    """A published row beside the rows of an analysis, with the model that it is of."""
    name = f"{row.name}-published" if row.name in ours else row.name
    return msgspec.structs.replace(figure_row(Done(row), split, name), who={"model": row.model})


def names_of(row: FigureRow) -> list[str]:
    """What a row of an analysis may be asked for by: its own name, and its model's, whose rows then are all shown."""
    return [row.model, *([str(row.who["model"])] if "model" in row.who else [])]


def signed(signature: str, row: FigureRow) -> FigureRow:
    """A row of an analysis whose figures all have a signature: that of the table with the row, where the analysis gave none of its own."""
    _, fields = parse(signature)
    own = {key: value for key, value in fields.items() if key != "v"}
    who = row.who if row.who.get("model") == row.model else {**row.who, "row": row.model}
    scores = {
        column: figure
        if figure.signature or row.role == "published"
        else msgspec.structs.replace(figure, signature=sign(column, {**own, **who, "v": fields.get("v", __version__)}))
        for column, figure in row.scores.items()
    }
    return msgspec.structs.replace(row, scores=scores)
