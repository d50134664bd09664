"""Tables of the bench + docs/reference/papers.toml + results/ -> docs/reference/tables.md: every table and figure of the five papers, the
command that makes ours, ours beside the paper's, what differs and what is missing.

    python -m training.tables_page           # writes it; tests/docs compare

Which table repeats what is read from its own ``paper`` field, so a new table appears by itself; figures come from `results/`.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from scenarist.bench.spec import Table, load, names
from scenarist.pages.numbers import contamination_remarks

ROOT = Path(__file__).parents[1]
SOURCE, PAGE = ROOT / "docs/reference/papers.toml", ROOT / "docs/reference/tables.md"
MOST = 6
"""Columns of a table that are shown."""
SUFFIX = re.compile(r"-(published|paper)$")
LABEL = re.compile(
    r"\b(Table|Figure|Appendix|section)s? ((?:[A-Z]|\d+(?:\.\d+)*)(?:(?:, | and | to )(?:[A-Z]\b|\d+(?:\.\d+)*))*)"
)


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """A table or figure of a paper."""

    label: str
    what: str
    tables: list[str] = []
    """Tables of ours, beside those whose ``paper`` names it."""
    commands: list[str] = []
    missing: str = ""


class Paper(msgspec.Struct, forbid_unknown_fields=True):
    """A paper; ``match`` finds it in a table's ``paper`` field."""

    name: str
    match: str
    title: str
    part: list[Part]


def papers() -> list[Paper]:
    """The five papers."""
    return msgspec.convert(tomllib.loads(SOURCE.read_text("utf-8"))["paper"], list[Paper])


def labels(text: str) -> list[str]:
    """The tables, figures and sections that a text names, one by one.

    >>> labels("Wanzare (2019), Tables 2 and 3, Figure 1")
    ['Table 2', 'Table 3', 'Figure 1']
    """
    found = []
    for kind, numbers in LABEL.findall(text):
        parts = re.split(r", | and | to ", numbers)
        if " to " in numbers and all(part.isdigit() for part in parts):
            parts = [str(number) for number in range(int(parts[0]), int(parts[-1]) + 1)]
        found += [f"{kind} {part}" for part in parts]
    return found


def of_paper(table: Table, paper: Paper) -> str:
    """What a table's ``paper`` field says of this paper; empty where it is another's."""
    parts = table.paper.split("; ")
    for number, part in enumerate(parts):
        if re.search(paper.match, part):
            more = itertools.takewhile(lambda text: LABEL.match(text), parts[number + 1 :])  # "Tables 4, 7; Figure 2"
            return "; ".join([part, *more])
    return ""


def repeats(table: Table, paper: Paper) -> list[str]:
    """The parts of a paper that a table repeats."""
    return labels(of_paper(table, paper))


def results(table: Table) -> list[dict[str, Any]]:
    """The results of a table that are in the repository."""
    forms = []
    for path in sorted((ROOT / "results").glob("*.json")):
        form = json.loads(path.read_text("utf-8"))
        if form.get("table") == table.name:
            forms.append({**form, "file": path.name})
    return forms


def printed(table: Table, column: str, figure: dict[str, Any] | None) -> str:
    """A figure with its interval, as the table prints it."""
    if figure is None:
        return ""
    numbers = table.numbers()
    text = numbers.text(figure["value"], column)
    if figure.get("low") is not None:
        text += f" ({numbers.text(figure['low'], column)} to {numbers.text(figure['high'], column)})"
    return text + (f", only {figure['groups']} sources" if figure.get("few") else "")


def beside(table: Table, forms: Sequence[dict[str, Any]]) -> list[str]:
    """The published rows with ours: the row of the same name, and the best of ours in each column."""
    rows = [row for form in forms for row in form["rows"]]
    published = {row["model"]: row for row in rows if row["role"] == "published" and row["scores"]}
    others = [row for row in rows if row["role"] != "published"]
    # a published figure of the test part stands beside ours of dev, under a name that says so
    columns = list(dict.fromkeys(column for row in published.values() for column in row["scores"]))[:MOST]
    if not columns:
        columns = list(dict.fromkeys(column for row in others for column in row["scores"]))[:MOST]
    for column in list(
        columns
    ):  # what ours has of the same metric, where the paper's column is of a corpus that is not at hand
        metric = column.partition("/")[0] + "/"
        if not any(column in row["scores"] for row in others):
            near = (name for row in others for name in row["scores"] if name.startswith(metric))
            columns += [name for name in itertools.islice(near, 1) if name not in columns]
    chosen: dict[str, dict[str, Any]] = {}
    for name, row in published.items():
        plain = name.removesuffix(" (paper)")
        chosen[f"{plain} (paper)"] = row
        for other in others:
            same = other["model"] in (SUFFIX.sub("", name), name) or (
                plain != name and other["model"].startswith(f"{plain} (")
            )
            if same and set(columns) & set(other["scores"]):
                chosen[f"{other['model']} (here)"] = joined(chosen.get(f"{other['model']} (here)"), other)
    for column in columns:
        able = [row for row in others if row["role"] == "ours" and column in row["scores"]]
        if able and table.kind == "exam":
            best = max(able, key=lambda row: sign_of(column) * row["scores"][column]["value"])
            chosen[f"{best['model']} (here)"] = joined(chosen.get(f"{best['model']} (here)"), best)
    if not any(name.endswith("(here)") for name in chosen):
        for row in others[:MOST]:
            chosen[f"{row['model']} (here)"] = row
    if not chosen:
        return []
    lines = ["| | " + " | ".join(f"`{column}`" for column in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, row in chosen.items():
        mark = " *" if row.get("recorded") else ""
        cells = (printed(table, column, row["scores"].get(column)) for column in columns)
        lines.append(f"| {name}{mark} | " + " | ".join(cells) + " |")
    return lines


def joined(first: dict[str, Any] | None, second: dict[str, Any]) -> dict[str, Any]:
    """Two rows of one name, each for some columns, as one."""
    return second if first is None else {**first, "scores": {**second["scores"], **first["scores"]}}


def sign_of(column: str) -> int:
    """1 where more is better in this column."""
    from scenarist.errors import BadInput
    from scenarist.registry import make

    try:
        return 1 if make("metric", column.partition("/")[0]).higher else -1
    except BadInput:
        return 1


def table_lines(name: str) -> list[str]:
    """One table of ours: its command, its figures beside the paper's, what differs."""
    table = load(name)
    forms = results(table)
    lines = ["", f"#### `scenarist bench {name}`", "", f"{table.title}.", ""]
    figures = beside(table, forms)
    if figures:
        files = ", ".join(f"`results/{form['file']}`" for form in forms)
        lines += [*figures, "", f"From {files}, split {forms[0]['split']}."]
        if any(row.get("recorded") for form in forms for row in form["rows"]):
            lines[-1] += " `*`: recorded answers, replayed."
        for remark in contamination_remarks([row for form in forms for row in form["rows"]]):
            lines += ["", remark]
    else:
        lines.append("No figures are kept in `results/`: run the command.")
    notes = [table.note, *(f"`{row.name}`: {row.note}" for row in table.row if row.note and row.role == "published")]
    if any(notes):
        lines += ["", "What differs: " + " ".join(" ".join(note.split()) for note in notes if note)]
    return lines


def page() -> str:
    """The whole page."""
    every = names()
    lines = [
        "# Tables and figures of the five papers",
        "",
        "Generated by `python -m training.tables_page` from the tables of the bench, `docs/reference/papers.toml` and `results/`; a test compares it. *(here)* are our rows: those of a published row's name, and",
        "the best of ours in each column. *(paper)* is what is printed there. A column that ends in `-test` is of the paper's test part, where ours are of dev. Intervals are of 95 %, sources drawn.",
        "",
    ]
    shown: set[str] = set()
    for paper in papers():
        lines += [
            f"## {paper.name}: {paper.title}",
            "",
            "| in the paper | what | made here by | missing |",
            "|---|---|---|---|",
        ]
        told: list[str] = []
        for part in paper.part:
            tables = [name for name in every if part.label in repeats(load(name), paper)] + part.tables
            commands = [
                *(f"`scenarist bench {name}`" for name in tables),
                *(f"`{command}`" for command in part.commands),
            ]
            nothing = "" if commands else "no command"
            lines.append(f"| {part.label} | {part.what} | {', '.join(commands) or nothing} | {part.missing} |")
            told += tables
        further = [name for name in every if of_paper(load(name), paper) and name not in told]
        if further:
            lines += ["", f"Also of this paper: {', '.join(f'`scenarist bench {name}`' for name in further)}."]
        for name in dict.fromkeys([*told, *further]):
            if name not in shown:
                lines += table_lines(name)
                shown.add(name)
        lines.append("")
    rest = [name for name in every if name not in shown]
    lines += ["## Tables of other papers, and our own", ""]
    lines += ["| table | what | after |", "|---|---|---|"]
    lines += [f"| `scenarist bench {name}` | {load(name).title} | {load(name).paper} |" for name in rest]
    for name in rest:
        if results(load(name)):
            lines += table_lines(name)
    return "\n".join(clean(lines)) + "\n"


def clean(lines: Iterable[str]) -> list[str]:
    """Lines without spaces at their ends, never two empty ones together."""
    out: list[str] = []
    for line in lines:
        if line.strip() or (out and out[-1]):
            out.append(line.rstrip())
    return out


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
