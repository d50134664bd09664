"""results/ over its history -> how many different figures of a row were written down: the least often that dev was looked at for it.

    python benchmarks/dev_looks.py        # each figure of ours that README quotes; needs the whole history (no shallow clone)

Looks that were not written down are not in it. A row counts under the name it has today; a figure counts anew where its first four decimals
changed, for whatever reason: another model, another seed, another way to count.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def git(*command: str) -> str:
    """What git says."""
    return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def versions(path: str) -> list[dict[str, Any]]:
    """All versions of a file that were committed, the oldest first."""
    sheets = []
    for commit in reversed(git("log", "--format=%H", "--", path).split()):
        text = subprocess.run(
            ["git", "show", f"{commit}:{path}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if text.returncode == 0:
            sheets.append(json.loads(text.stdout))
    return sheets


def value_of(sheet: dict[str, Any], model: str, column: str) -> float | None:
    """A row's figure, to four decimals; None where the sheet has none."""
    for row in sheet.get("rows", ()):
        if row["model"] == model and row["role"] != "published" and column in row["scores"]:
            return round(float(row["scores"][column]["value"]), 4)
    return None


def looks(sheets: list[dict[str, Any]], model: str, column: str) -> int:
    """How often the figure changed from one version to the next, the first included.

    >>> sheets = [{"rows": [{"model": "m", "role": "ours", "scores": {"f1": {"value": value}}}]} for value in (0.5, 0.5, 0.6, 0.5)]
    >>> looks(sheets, "m", "f1"), looks(sheets, "n", "f1")
    (3, 0)
    """
    values = [value for sheet in sheets if (value := value_of(sheet, model, column)) is not None]
    return sum(number == 0 or values[number] != values[number - 1] for number in range(len(values)))


def main() -> None:
    figures = tomllib.loads((ROOT / "tests/readme_figures.toml").read_text("utf-8"))["figures"]
    known: dict[str, list[dict[str, Any]]] = {}
    for source in dict.fromkeys(source for figure in figures for source in figure["from"]):
        file, model, column = source.split()
        sheets = known.setdefault(file, versions(f"results/{file}.json"))
        if count := looks(sheets, model, column):
            print(f"{count:3d}  {file} {model} {column}")


if __name__ == "__main__":
    main()
