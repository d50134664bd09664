"""Solver x Exam -> Table: runs one table and gives its rows with intervals, paired tests and signatures."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import NormalDist
from typing import Any, TypeAlias

import msgspec

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench import sit as runner
from scenarist.bench.bootstrap import detectable
from scenarist.bench.significance import compare, holm
from scenarist.bench.sit import read_by
from scenarist.bench.spec import Condition, Held, Row, Source, Table
from scenarist.contracts import Exam, Metric, Model, Tuned
from scenarist.errors import BadInput, Missing
from scenarist.marked import Comparison
from scenarist.question import Item, Mark, Prediction, Score
from scenarist.registry import find, load, make, suggest
from scenarist.signature import sign
from scenarist.store.results import Results


class Cell(msgspec.Struct):
    """One number of a table."""

    score: Score
    seeds: dict[int, float] = {}
    """The value of each seed where there are several."""


class Done(msgspec.Struct):
    """A row as run: its numbers, and for the page its predictions by condition."""

    row: Row
    cells: dict[str, Cell] = {}
    predictions: dict[str, dict[str, Prediction]] = {}
    problem: str = ""
    """Why the row could not be run (a missing extra, a missing file)."""


class Tested(msgspec.Struct):
    """A paired test between a row and the reference row of its column."""

    column: str
    row: str
    reference: str
    comparison: Comparison
    corrected: float
    """p after Holm's correction over the tests of its column."""


class Sheet(msgspec.Struct):
    """A table that was run."""

    table: Table
    split: str
    rows: list[Done]
    items: dict[str, list[Item]] = {}
    tests: list[Tested] = []
    signature: str = ""
    analysis: dict[str, Any] | None = None

    def json(self) -> dict[str, Any]:
        """The promised JSON form (HOUSE.md, *Tables*)."""
        if self.analysis is not None:
            return self.analysis
        rows: list[dict[str, Any]] = []
        for done in self.rows:
            row: dict[str, Any] = {"model": done.row.label or done.row.model, "role": done.row.role, "scores": {}}
            for column, value in done.row.published(self.split).items():
                row["scores"][column] = {"value": value, "low": None, "high": None, "n": None}
            for column, cell in done.cells.items():
                one = cell.score
                row["scores"][column] = {"value": one.value, "low": one.low, "high": one.high, "n": one.n}
                if cell.seeds:
                    row["scores"][column]["seeds"] = {str(seed): value for seed, value in cell.seeds.items()}
                row["scores"][column]["signature"] = one.signature
            if done.problem:
                row["problem"] = done.problem
            rows.append(row)
        tests = [
            {
                "column": test.column, "row": test.row, "reference": test.reference, "test": test.comparison.test,
                "difference": test.comparison.difference, "low": test.comparison.low, "high": test.comparison.high,
                "p": test.comparison.p, "p_holm": test.corrected, "detectable": smallest(test.comparison.low, test.comparison.high),
            }
            for test in self.tests
        ]  # fmt: skip
        return {
            "table": self.table.name,
            "split": self.split,
            "signature": self.signature,
            "rows": rows,
            "tests": tests,
        }

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


Progress: TypeAlias = Callable[[str, int, int], None]
"""How a run shows where it is (row, done, known); the command line draws it."""


def corpus_of(source: Source, split: str, settings: Mapping[str, Any]) -> Iterable[Any]:
    """A corpus by name at a split; ``split`` is passed where the class takes one."""
    made: Iterable[Any] = make("corpus", source.corpus, split=source.split or split, **settings)
    return made


def settings_of(corpus: object) -> Mapping[str, object]:
    """The parameters of a corpus that is made or cut by parameters (stitched documents), for the signature."""
    found = getattr(corpus, "settings", None)
    return dict(found()) if callable(found) else {}


def takes(target: Callable[..., Any], parameter: str) -> bool:
    """Does a class or function name this parameter?"""
    return parameter in inspect.signature(target).parameters


class Again:
    """Several corpora one after the other, re-iterable."""

    def __init__(self, corpora: Sequence[Iterable[Any]]) -> None:
        self.corpora = corpora

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.corpora)


def model_of(row: Row, seed: int) -> Model:
    """The model of a row, made but not fitted."""
    kind = find("model", row.model)
    settings = dict(row.settings)
    if takes(kind, "seed"):
        settings.setdefault("seed", seed)
    model: Model = make("model", row.model, **settings)
    return model


def fitted(model: Model, row: Row, condition: Condition, exam: Exam) -> Model:
    """The model when it has learned from what the row or its condition names."""
    sources = row.train or condition.train
    learns = getattr(model, "learns", "nothing")
    if learns == "nothing" or (not sources and learns != "examples"):
        return model
    if not sources:
        raise BadInput(f"row {row.model}: it learns from {learns}, but the table names no training corpus (`train`).")
    chosen = row.train_settings if row.train or row.train_settings else condition.train_settings
    corpora = [corpus_of(source, "train", chosen) for source in sources]
    if learns == "examples":
        return model.fit(list(itertools.chain.from_iterable(runner.examples_of(exam, corpus) for corpus in corpora)))
    data = corpora[0] if len(corpora) == 1 else Again(corpora)
    parts = [
        corpus_of(Source(held.corpus, held.split), "dev", held.settings) for held in held_of(model, row, condition)
    ]
    if parts and isinstance(model, Tuned):
        return model.fit(data, held=Again(parts))
    return model.fit(data)


def held_of(model: Model, row: Row, condition: Condition) -> list[Held]:
    """What a model stops or tunes on while it learns: what the table names, or the dev part of what it learns from."""
    sources = row.train or condition.train
    if not (sources and isinstance(model, Tuned) and model.held) or model.learns == "nothing":
        return []
    chosen = row.train_settings if row.train or row.train_settings else condition.train_settings
    return condition.held or [Held(source.corpus, settings=chosen) for source in sources]


def seeds_of(row: Row, table: Table, seed: int | None) -> list[int]:
    """The seeds a row is run with: one for a model that takes none."""
    if seed is not None:
        return [seed]
    kind = find("model", row.model)
    seeds = row.seeds or table.seeds
    return list(seeds) if takes(kind, "seed") else list(seeds[:1])


def run_table(
    table: Table,
    store: Results,
    split: str = "dev",
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
) -> Sheet:
    """Run a table, or the part of it that is not stored yet."""
    if table.kind == "analysis":
        return analysis(table, split, seed if seed is not None else table.seeds[0], limit, only)
    known = [row.label or row.model for row in table.row]
    for name in only:
        if name not in known:
            raise suggest(name, known, f"row of table {table.name}")
    sheet = Sheet(table, split, [Done(row) for row in table.row if not only or (row.label or row.model) in only])
    hashes: list[str] = []
    for condition in table.condition:
        exam = runner.make_exam(condition.exam, condition.settings)
        corpus = corpus_of(Source(condition.corpus), split, condition.corpus_settings)
        items = runner.items_of(exam, corpus, limit)
        sheet.items[condition.name] = items
        data = f"{condition.corpus}#{runner.data_hash(items)}"
        hashes.append(data)
        metrics: list[Metric] = [make("metric", name) for name in condition.metrics]
        fields: dict[str, object] = {
            "exam": exam.name, **settings_of(corpus), **exam.settings(), "data": data, "split": split,
            **({"limit": limit} if limit else {}),
        }  # fmt: skip
        for done in sheet.rows:
            row = done.row
            if row.role == "published" or (row.only and condition.name not in row.only):
                continue
            try:
                run_row(
                    done, condition, exam, items, metrics, fields, store, seeds_of(row, table, seed), refresh, progress
                )
            except Missing as error:
                done.problem = str(error)
    sheet.tests = paired(sheet)
    exams = {condition.exam for condition in table.condition}
    what = {
        "exam": sorted(exams),
        "data": hashes,
        "split": split,
        "seed": seed if seed is not None else table.seeds,
        "v": __version__,
    }
    sheet.signature = sign(table.name, what)
    return sheet


def run_row(
    done: Done,
    condition: Condition,
    exam: Exam,
    items: Sequence[Item],
    metrics: Sequence[Metric],
    fields: Mapping[str, object],
    store: Results,
    seeds: Sequence[int],
    refresh: bool,
    progress: Progress | None,
) -> None:
    """One row under one condition, all its seeds."""
    row = done.row
    sources = row.train or condition.train
    marks: dict[str, list[tuple[Mark, ...]]] = {metric.name: [] for metric in metrics}
    missing = 0
    held: list[Held] = []
    for seed in seeds:
        model = model_of(row, seed)
        read = read_by(model)
        held = held_of(model, row, condition)
        what = {
            "model": row.model, "settings": row.settings, "seed": seed, "v": __version__,
            "train": [f"{source.corpus}:{source.split}" for source in sources],
            **({"train_settings": row.train_settings} if row.train_settings else {}),
            **({"held": held} if held else {}),
            **({"reads": read} if read else {}),
            **{key: value for key, value in fields.items() if key != "limit"},
        }  # fmt: skip
        label = f"{row.label or row.model} ({condition.name}{f', seed {seed}' if len(seeds) > 1 else ''})"
        made = partial(fitted, model, row, condition, exam)
        tick = partial(progress, label) if progress else None
        asked, predictions = runner.sit(made, exam, items, store, what, tick, refresh)
        if seed == seeds[0]:
            done.predictions[condition.name] = predictions
            missing = sum(item.id not in predictions for item in asked)
        for metric in metrics:
            marks[metric.name].append(scoring.marks_of(metric, asked, predictions))
    for metric in metrics:
        runs = marks[metric.name]
        signed = {
            **fields, **row.signed, "train": [source.corpus for source in sources] or "none", "seed": list(seeds),
            **({"held": list(dict.fromkeys(f"{part.corpus}:{part.split}" for part in held))} if held else {}),
        }  # fmt: skip
        score = scoring.score_marks(metric, scoring.mean_marks(runs), signed, missing=missing)
        values = (
            {seed: scoring.total(metric, one) for seed, one in zip(seeds, runs, strict=True)} if len(seeds) > 1 else {}
        )
        done.cells[f"{metric.name}/{condition.name}"] = Cell(score, values)


def smallest(low: float, high: float) -> float:
    """The smallest true difference that such a paired test finds four times in five, from the width of its 95 % interval."""
    return detectable((high - low) / (2 * NormalDist().inv_cdf(0.975)))


def paired(sheet: Sheet) -> list[Tested]:
    """Each of our rows against its reference row, column by column, corrected for several comparisons."""
    tests: list[Tested] = []
    for condition in sheet.table.condition:
        for name in condition.metrics:
            column, metric = f"{name}/{condition.name}", make("metric", name)
            rows = [done for done in sheet.rows if column in done.cells]
            against = [(done, reference(sheet.table, done, rows, column, metric)) for done in rows]
            pairs = [(done, other) for done, other in against if other is not None and other is not done]
            found = [
                compare(metric, a.cells[column].score.marks, b.cells[column].score.marks, seed=13) for a, b in pairs
            ]
            corrected = holm([one.p for one in found]) if found else []
            tests += [
                Tested(column, a.row.label or a.row.model, b.row.label or b.row.model, one, float(p))
                for (a, b), one, p in zip(pairs, found, corrected, strict=True)
            ]
    return tests


def reference(table: Table, done: Done, rows: Sequence[Done], column: str, metric: Metric) -> Done | None:
    """The row that a row is compared with: the one it names, the one its table names, or the best baseline."""
    for name in filter(None, (done.row.reference, table.reference)):
        for other in rows:
            if name in (other.row.model, other.row.label):
                return other
    floor = [one for one in rows if one.row.role == "baseline"]
    way = 1 if metric.higher else -1
    return max(floor, key=lambda one: way * one.cells[column].score.value, default=None)


def analysis(table: Table, split: str, seed: int, limit: int | None, only: Sequence[str]) -> Sheet:
    """A table that is no grid of solvers and exams: its function gives the rows in the promised form, only some where it can."""
    function = load(table.run)
    some = {"only": only} if "only" in inspect.signature(function).parameters else {}
    found: dict[str, Any] = function(split=split, seed=seed, limit=limit, **some)
    rows = [row for row in found["rows"] if not only or row["model"] in only]
    published = [
        {"model": row.model, "role": row.role, "scores": {
            column: {"value": value, "low": None, "high": None, "n": None} for column, value in row.published(split).items()}}
        for row in table.row if row.role == "published" and (not only or row.model in only)
    ]  # fmt: skip
    whole = {"table": table.name, "split": split, "signature": found["signature"], "rows": published + rows}
    whole.update({key: value for key, value in found.items() if key not in ("rows", "signature")})
    return Sheet(table, split, [], signature=found["signature"], analysis=whole)
