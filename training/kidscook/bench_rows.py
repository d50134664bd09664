"""Some rows of a table on a machine that has torch but no terminal libraries: `scenarist bench` without its face.

    python -m training.kidscook.bench_rows kidscook word-head,pretrained-transducer --split dev

Predictions go to the store of SCENARIST_HOME. `--merge STORE ...` puts stores of other machines into this one, so that
`scenarist bench` here shows their rows without asking again (a run is named by what exactly was run).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import time
from pathlib import Path

from scenarist.store.results import Results


def merge(stores: list[Path]) -> None:
    with Results() as mine:
        for path in stores:
            with sqlite3.connect(path) as other:
                for number, what in other.execute("SELECT id, what FROM run").fetchall():
                    run = mine.run(json.loads(what))
                    rows = other.execute("SELECT item, json FROM prediction WHERE run = ?", (number,)).fetchall()
                    with mine.batch():
                        mine._base.executemany(
                            "INSERT OR REPLACE INTO prediction VALUES (?, ?, ?)", ((run, *row) for row in rows)
                        )
                    print(f"{path}: {len(rows)} predictions of {what[:120]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="?", default="")
    parser.add_argument("rows", nargs="?", default="")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, help="one seed instead of the table's own")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--merge", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    if given.merge:
        return merge(given.merge)
    from scenarist.verbs.run_table import run_table

    began = time.monotonic()
    sheet = run_table(given.table, given.split, [one for one in given.rows.split(",") if one], given.limit, given.seed)
    form = sheet.json()
    for row in form["rows"]:
        if row["role"] == "ours":
            print(
                row["model"],
                {name: round(one["value"], 4) for name, one in row["scores"].items()},
                row.get("problem", ""),
                flush=True,
            )
    print(f"{given.table} {given.rows}: {time.monotonic() - began:.0f} s", flush=True)
    if given.json:
        given.json.write_text(json.dumps(form, indent=1))


if __name__ == "__main__":
    main()
