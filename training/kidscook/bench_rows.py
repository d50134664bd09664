"""Some rows of a table on a machine that has torch but no terminal libraries: `scenarist bench` without its face.

    python -m training.kidscook.bench_rows kidscook word-head,pretrained-transducer --split dev

Predictions go to the store of SCENARIST_HOME. `--merge STORE ...` puts stores of other machines into this one, so that
`scenarist bench` here shows their rows without asking again (a run is named by what exactly was run).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from scenarist.store.results import Results


def merge(stores: list[Path]) -> None:
    """Put the predictions of other machines into the store of this one."""
    with Results() as store:
        for path in stores:
            with Results(path) as other:
                for number, what in other.runs().items():
                    predictions, run = other.predictions(number), store.run(what)
                    with store.hold(run):
                        store.forget(run)
                        store.add(run, predictions.values())
                    print(f"{path}: {len(predictions)} predictions of {str(what)[:120]}")


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
