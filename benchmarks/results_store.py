"""How large is the store of results after a table of event cloze, and how large was it when every prediction was a plain row with all its guesses?

    python benchmarks/results_store.py [--items 1000] [--json FILE]

Rows of `chambers2017-single` answer the same items; both stores hold the same predictions. Prints bytes a prediction of each, their ratio,
and what the whole table would take (240,000 predictions). Marks of recall@50 and MRR are compared: the compact store must give the same.
Needs the corpus nyt-chains.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scenarist.bench.marks import marks_of
from scenarist.bench.run_table import Ways, plan_of
from scenarist.bench.sit import Answers, ask, batches, rate, sit
from scenarist.bench.solver import Solver
from scenarist.bench.spec import load
from scenarist.noun import to_json
from scenarist.question import Prediction
from scenarist.store.results import Results

ROWS = ("unigram", "bigram", "pmi", "pmi-cutoff", "mixture")
WHOLE = 240_000


def write_plain(path: Path, run: int, predictions: Sequence[Prediction]) -> None:
    """The first form of the store: a row an item, plain JSON."""
    with sqlite3.connect(path) as base:
        base.execute(
            "CREATE TABLE IF NOT EXISTS prediction (run INTEGER, item TEXT, json BLOB, PRIMARY KEY (run, item)) WITHOUT ROWID"
        )
        rows = ((run, prediction.item, to_json(prediction)) for prediction in predictions)
        base.executemany("INSERT INTO prediction VALUES (?, ?, ?)", rows)
    base.close()


def main() -> None:
    """Fill both stores and weigh them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    table = load("chambers2017-single")
    rows = [row for row in table.row if row.role != "published" and row.name in ROWS]
    plan = plan_of(table.condition[0], Ways(limit=given.items))
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        plain, compact = Path(folder) / "plain.sqlite", Path(folder) / "compact.sqlite"
        with Results(compact) as store:
            for number, row in enumerate(rows):
                solver = Solver(row, plan.condition, plan.exam, 13)
                model = solver.fitted()
                whole = [rated for group in batches(plan.items, 256) for rated in rate(model, group, ask(model, group))]
                write_plain(plain, number, whole)
                sat = sit(Answers(lambda model=model: model, store, {"row": row.name}), plan.exam, plan.items)  # type: ignore[misc]
                by_item = {prediction.item: prediction for prediction in whole}
                for metric in plan.metrics:
                    same = marks_of(metric, plan.items, by_item) == marks_of(metric, plan.items, sat.predictions)
                    if not same:
                        raise SystemExit(f"{row.name}: {metric.name} differs between the two stores.")
                count += len(whole)
        sizes = [path.stat().st_size / count for path in (plain, compact)]
    out = {
        "items": len(plan.items), "rows": [row.name for row in rows], "bytes_plain": round(sizes[0]), "bytes_compact": round(sizes[1]),
        "ratio": round(sizes[0] / sizes[1], 1), "table_plain_mb": round(sizes[0] * WHOLE / 1e6), "table_compact_mb": round(sizes[1] * WHOLE / 1e6),
    }  # fmt: skip
    print(json.dumps(out))
    if given.json:
        given.json.write_text(json.dumps(out, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
