"""Does a table run live on a test file within an hour of two quiet cores? `python benchmarks/test_split.py TABLE... [--items 6] [--only ROW,...]`.

Test files are made of train stories under their official names in a folder of this run's own (never on the search path of anybody
else): MCScript 600 stories, InScript 90, KidsCook 1,007 pairs, Story Cloze 1,871 stories whose wrong ending is another story's. Each row
is asked live under each of its conditions, in one thread: of a few items twice (the first time says what it costs to begin), then of
three times as many; the difference is the time of an item. Printed is processor time (user and system, so that what else the machine does counts for
nothing) and what follows for all items. `--make DIR` only makes the files, for `scenarist bench TABLE --split test`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import tempfile
import time
from itertools import islice
from pathlib import Path

TABLES = ("wanzare2019", "segmentation", "kidscook", "untold", "storycloze2016")
HOUR = 3600.0


def make_files(folder: Path) -> None:
    """Test files of train stories, under the names that the loaders look for."""
    from scenarist.corpora.search_path import require
    from scenarist.formats.lines import lines
    from scenarist.registry import make

    stories = list(islice(make("corpus", "mcscript", split="train"), 0, None, 4))[:600]
    write_lines(
        folder / "mcscript" / "test.jsonl", [json.dumps({"scenario": s.scenario, "text": s.text}) for s in stories]
    )
    for path in sorted(require("inscript", "train").iterdir()):
        if ".tsv" in path.name:
            text = "\n".join(line.text for line in lines(path))
            end = "<end_of_story>"
            parts = [part for part in text.split(end) if part.strip()][:9]
            write_lines(folder / "inscript" / "test" / f"{path.name.split('.tsv')[0]}.tsv", [end.join(parts) + end])
    pairs = [line.text for line in islice(lines(require("kidscook", "train.template.tsv")), 1007)]
    write_lines(folder / "kidscook" / "tests.template.tsv", pairs)
    told = [s for s in islice(make("corpus", "rocstories", split="train"), 4000) if len(s.sentences) == 5][:1871]
    rows = []
    for number, story in enumerate(told):
        *context, right = (story.of(sentence) for sentence in story.sentences)
        other = told[(number + 700) % len(told)]
        wrong = other.of(other.sentences[-1])
        first = number % 2
        rows.append([story.id, *context, *((wrong, right) if first else (right, wrong)), first + 1])
    path = folder / "storycloze" / "cloze_test_test__spring2016.csv"
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        head = [f"InputSentence{n}" for n in range(1, 5)] + ["RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2"]
        csv.writer(file).writerows([["InputStoryid", *head, "AnswerRightEnding"], *rows])


def write_lines(path: Path, rows: list[str]) -> None:
    """A file of lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def seconds_of(table: str, row: str, condition: str, limit: int) -> tuple[float, int, str]:
    """Processor time of a row under one condition with an empty store; how many items it was asked; what went wrong."""
    import msgspec

    from scenarist.bench.run_table import Ways, run_table
    from scenarist.bench.spec import load
    from scenarist.store.results import Results

    spec = load(table)
    spec.condition = [msgspec.structs.replace(part) for part in spec.condition if part.name == condition]
    before = time.process_time()
    with tempfile.TemporaryDirectory() as folder, Results(Path(folder) / "results.sqlite") as store:
        sheet = run_table(spec, store, Ways(split="test", limit=limit), [row])
    spent = time.process_time() - before
    done = sheet.rows[0]
    return spent, len(sheet.items[condition]), done.problem


def whole_size(table: str, condition: str) -> int:
    """All items of a condition on the test split."""
    from scenarist.bench.run_table import Ways, plan_of
    from scenarist.bench.spec import load

    part = next(part for part in load(table).condition if part.name == condition)
    return len(plan_of(part, Ways(split="test")).items)


def measure(table: str, items: int, only: list[str]) -> float:
    """All rows of a table; prints a line each and gives the hours' sum in seconds."""
    from scenarist.bench.spec import load

    spec = load(table)
    total = 0.0
    sizes: dict[str, int] = {}
    for row in spec.row:
        if row.role == "published" or (only and row.name not in only):
            continue
        if not row.runs_on("test"):
            print(f"{table}\t{row.name}\t(not run on test)", flush=True)
            continue
        for condition in spec.condition:
            if row.only and condition.name not in row.only:
                continue
            size = sizes.setdefault(condition.name, 0) or whole_size(table, condition.name)
            sizes[condition.name] = size
            few, asked_few, problem = seconds_of(table, row.name, condition.name, items)
            if problem:
                print(f"{table}\t{row.name}\t{condition.name}\t{problem[:120]}", flush=True)
                continue
            again, _, _ = seconds_of(table, row.name, condition.name, items)
            more, asked_more, _ = seconds_of(table, row.name, condition.name, 3 * items)
            each = max(0.0, more - again) / max(1, asked_more - asked_few)
            whole = few + (size - asked_few) * each
            total += whole
            print(
                f"{table}\t{row.name}\t{condition.name}\t{each:.3f} s an item\t{size} items\t{whole:.0f} s", flush=True
            )
    return total


def main() -> None:
    """Make the files, measure, say whether it is an hour."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[])
    parser.add_argument("--items", type=int, default=6)
    parser.add_argument("--only", default="")
    parser.add_argument("--make", type=Path)
    given = parser.parse_args()
    data = os.environ["SCENARIST_DATA"]
    if given.make:
        make_files(given.make)
        print(f"SCENARIST_DATA={given.make}{os.pathsep}{data}")
        return
    folder = Path(tempfile.mkdtemp())
    try:
        make_files(folder)
        os.environ["SCENARIST_DATA"] = f"{folder}{os.pathsep}{data}"
        for table in given.tables or TABLES:
            total = measure(table, given.items, [name for name in given.only.split(",") if name])
            print(
                f"{table}\tall rows\t{total:.0f} s of one core\t{'within' if total <= HOUR else 'over'} the hour",
                flush=True,
            )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
