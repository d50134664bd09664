"""Results of an earlier run -> the same figures under signatures that name the model, its settings, the hash of its weights and its data.

    python -m training.sign_anew results/mcnc-dev.json

Nothing is asked and no figure changes: the items are set again, and a figure keeps its place only where their hash is the one that stood in
its old signature; then the row of the table says what model, settings and weights it is. Published rows get the names of today. A table
whose items share sources is refused: its intervals must be drawn anew, by a run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scenarist.bench.bootstrap import FEW, wilson
from scenarist.bench.records import records_of
from scenarist.bench.run_table import Plan, Ways, plan_of, row_settings
from scenarist.bench.sheet import Done, FigureRow, figure_row
from scenarist.bench.solver import Solver
from scenarist.bench.spec import Row, Table, load
from scenarist.errors import Missing
from scenarist.registry import make
from scenarist.signature import parse, sign
from scenarist.store.home import write_whole


def exam_row(
    table: Table, rows: Sequence[Row], form: dict[str, Any], plans: Mapping[str, Plan], split: str
) -> list[str]:
    """Sign the figures of one row (of several under one name, each for some conditions); what could not be signed."""
    problems = []
    for column, figure in form["scores"].items():
        name, _, condition = column.partition("/")
        plan = plans.get(condition)
        row = next((row for row in rows if not row.only or condition in row.only), rows[0])
        _, old = parse(figure["signature"])
        if plan is None or plan.fields["data"] != old.get("data"):
            problems.append(f"{row.name} {column}: other items than before ({old.get('data')}); run it anew")
            continue
        if any(item.groups for item in plan.items):
            problems.append(f"{row.name} {column}: its items share sources; run it anew")
            continue
        solvers = [Solver(row, plan.condition, plan.exam, seed) for seed in map(int, old["seed"].split("+"))]
        who: list[dict[str, object]] = []
        for solver in solvers:
            try:
                who.append(solver.signed(solver.recorded(records_of(row, table.name), split)))
            except Missing as error:
                problems.append(f"{row.name} {column}: {error}")
        if len(who) < len(solvers):
            continue
        weights = list(dict.fromkeys(str(part["weights"]) for part in who if "weights" in part))
        kept = {key: old[key] for key in ("held", "made") if key in old}
        fields = {
            **plan.fields, **row.signed, **who[0], **({"weights": weights} if weights else {}),
            **({"with": settings} if (settings := row_settings(row)) else {}), **kept, "seed": [solver.seed for solver in solvers],
        }  # fmt: skip
        metric = make("metric", name)
        figure["signature"] = sign(name, {"exam": plan.exam.name, **metric.settings(), **fields, "v": old["v"]})
        figure["groups"] = len({source for item in plan.items for source in item.sources})
        if figure["groups"] < FEW:
            figure["few"] = True
    return problems


def sign_exam(form: dict[str, Any], table: Table) -> list[str]:
    """Sign all figures of a table of solvers and exams."""
    plans: dict[str, Plan] = {}
    problems = []
    for condition in table.condition:
        try:
            plans[condition.name] = plan_of(condition, Ways(form["split"]))
        except Missing as error:
            problems.append(f"{condition.name}: {error}")
    for row in form["rows"]:
        specs = [spec for spec in table.row if (spec.name, spec.role) == (row["model"], row["role"])]
        if row["role"] != "published" and not specs:
            problems.append(f"{row['model']}: no row of the table any more")
        elif row["role"] != "published" and row["scores"]:
            problems += exam_row(table, specs, row, plans, form["split"])
            if specs[0].note:
                row["note"] = specs[0].note
    return problems


def sign_analysis(form: dict[str, Any]) -> list[str]:
    """Sign the figures of an analysis by their row; shares of independent items get Wilson's interval."""
    _, table_fields = parse(form["signature"])
    for row in form["rows"]:
        if row["role"] == "published":
            continue
        for column, figure in row["scores"].items():
            old = parse(figure["signature"])[1] if figure.get("signature") else table_fields
            head = parse(figure["signature"])[0] if figure.get("signature") else column
            figure["signature"] = sign(head, {**old, "row": row["model"]})
            if form["table"] == "storycloze-chains" and figure["low"] is None:
                n = row["scores"]["accuracy/all"]["n"] if column.startswith("share/") else figure["n"]
                figure["low"], figure["high"] = wilson(figure["value"], n)
                figure["n"] = n
    return []


def name_published(form: dict[str, Any], table: Table) -> None:
    """Published rows as the table has them today, with their notes."""
    ours = [row for row in form["rows"] if row["role"] != "published"]
    theirs: list[FigureRow] = [figure_row(Done(row), form["split"]) for row in table.row if row.role == "published"]
    if table.kind == "analysis":
        names = {row["model"] for row in ours}
        theirs = [FigureRow(f"{row.model}-published" if row.model in names else row.model, row.role, row.scores, row.more) for row in theirs]  # fmt: skip
    place = {row.name: at for at, row in enumerate(table.row)}
    rows = [*(row.form() for row in theirs), *ours]
    if table.kind == "exam":
        rows.sort(key=lambda row: place.get(row["model"], len(place)))
    form["rows"] = rows


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        form = json.loads(path.read_text("utf-8"))
        table = load(form["table"])
        problems = sign_exam(form, table) if table.kind == "exam" else sign_analysis(form)
        name_published(form, table)
        if table.note:
            form["note"] = table.note
        write_whole(path, [(json.dumps(form, indent=2, ensure_ascii=False) + "\n").encode()])
        print(f"{path}: {len(problems)} left", *problems[:5], sep="\n  ")


if __name__ == "__main__":
    main()
