"""Some rows of a table run anew -> a file of `results/`, in which the other rows stay as they were.

    scenarist bench kidscook --split dev --only lstm-lm,seq2seq --json | python -m training.keep_rows results/kidscook-dev.json

Rows and paired tests of the models that came are replaced; rows stand in the order of the table. Rows carry their own signatures; the one
above them is that of the last run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scenarist.bench.spec import load
from scenarist.store.home import write_whole


def together(old: dict[str, Any], new: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """Both results as one; where both have a row, the new one."""
    if (old["table"], old["split"]) != (new["table"], new["split"]):
        raise SystemExit(f"expected rows of {old['table']} on {old['split']}, got {new['table']} on {new['split']}")
    came = {row["model"] for row in new["rows"]}
    rows = [row for row in old["rows"] if row["model"] not in came] + new["rows"]
    names = dict.fromkeys([*order, *(row["model"] for row in new["rows"]), *(row["model"] for row in old["rows"])])
    place = {name: at for at, name in enumerate(names)}
    rows.sort(key=lambda row: place[row["model"]])
    tests = [test for test in old.get("tests", []) if test["row"] not in came] + new.get("tests", [])
    return {**new, "rows": rows, **({"tests": tests} if tests else {})}


def main() -> None:
    path = Path(sys.argv[1])
    new = json.load(sys.stdin)
    if path.is_file():
        order = [row.label or row.model for row in load(new["table"]).row]
        new = together(json.loads(path.read_text(encoding="utf-8")), new, order)
    write_whole(path, [(json.dumps(new, indent=1, ensure_ascii=False) + "\n").encode()])
    print(f"{path}: {', '.join(row['model'] for row in new['rows'])}")


if __name__ == "__main__":
    main()
