"""Row as run <-> recorded predictions: what a recorded row is answered from, and what `--record` writes.

A row of a table that says ``recorded = "COMMAND"`` is answered from `results/predictions` unless the run is live; the command makes its
answers anew.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from scenarist.bench.sheet import Sheet
from scenarist.bench.sit import best_guesses, content
from scenarist.bench.solver import Solver
from scenarist.bench.spec import Row
from scenarist.contracts import Metric
from scenarist.errors import BadInput
from scenarist.question import Item, Prediction
from scenarist.store.predictions import (
    MOST,
    Header,
    Recorded,
    Section,
    file_of,
    question_hash,
    read_sections,
    shorten_prediction,
    write_sections,
)


def records_of(row: Row, table: str) -> list[Section]:
    """What was recorded of a row."""
    path = file_of(table, row.name) if row.recorded else None
    return read_sections(path) if path else []


def check_record(sheet: Sheet, only: Sequence[str], limit: int | None) -> None:
    """Leave the rows that can be recorded, or say what is wrong."""
    if limit is not None:
        raise BadInput("--record keeps the answers to all items; leave out --limit.")
    for done in sheet.rows:
        if done.row.name in only and not done.row.recorded:
            raise BadInput(
                f"row {done.row.name} of table {sheet.table.name} is not a recorded one. "
                'Write recorded = "COMMAND" into the table, the command that makes its answers anew.'
            )
    sheet.rows = [done for done in sheet.rows if done.row.recorded]
    if not sheet.rows:
        raise BadInput(f"table {sheet.table.name} has no recorded row.")
    if file_of(sheet.table.name, "row") is None:
        raise BadInput("There is no checkout to record in. Say where: SCENARIST_PREDICTIONS=FOLDER")


def machine() -> str:
    """The machine in words: its graphics card where torch sees one, else its processor."""
    try:
        import torch

        if torch.cuda.is_available():
            return str(torch.cuda.get_device_name())
    except ModuleNotFoundError:
        pass
    return f"{platform.system()} {platform.machine()}, no graphics card"


def header_of(solver: Solver, table: str, split: str, data: str) -> Header:
    """What is said of answers that are recorded now."""
    reads = getattr(solver.model, "reads", None)
    weights = {path.name: content(path)[:16] for path in reads()} if callable(reads) else {}
    row = solver.row
    return Header(
        table=table, row=row.name, condition=solver.condition.name, split=split, seed=solver.seed, model=row.model,
        settings=solver.settings, train=solver.train, exam=solver.exam.name, data=data, command=row.recorded, where=machine(),
        when=datetime.now(UTC).date().isoformat(), weights=weights,
    )  # fmt: skip


def recorded(item: Item, prediction: Prediction, metrics: Sequence[Metric]) -> Recorded:
    """An answer as it is recorded: ten guesses where these metrics give the same marks, else all of them."""
    short = shorten_prediction(best_guesses(prediction, MOST))
    if any(metric.mark(item, short) != metric.mark(item, prediction) for metric in metrics):
        short = shorten_prediction(prediction)
    return Recorded(question_hash(item.question), short)


def section_of(
    header: Header, items: Sequence[Item], predictions: Mapping[str, Prediction], metrics: Sequence[Metric]
) -> Section:
    """The answers of a run, to be recorded."""
    answers = {item.id: recorded(item, predictions[item.id], metrics) for item in items}
    return Section(msgspec.structs.replace(header, items=len(answers)), answers)


def write_records(sheet: Sheet) -> list[Path]:
    """Write what a run is to record; the files."""
    paths: dict[Path, list[Section]] = {}
    for done in sheet.rows:
        path = file_of(sheet.table.name, done.row.name)
        if path is not None and done.sections:
            paths.setdefault(path, []).extend(done.sections)
    for path, sections in paths.items():
        write_sections(path, sections)
    return list(paths)
