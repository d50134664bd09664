"""Corpora -> one line a story, for machines that have torch and not our reader: `python -m training.knowledge.rows -o FILE`.

A line holds the sentences as our reader cuts them, and of each its main verb with particle (the key of exam `untold`, form
`mcscript`) and its content words. Train splits, and MCScript dev to measure on. The file is an intermediate one: it holds
sentences, so it is never committed.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scenarist.exams.removal import without_event
from scenarist.learning.tellings import is_script, telling
from scenarist.models.untold.deep import gap_text
from scenarist.registry import make
from scenarist.story import Story
from training.knowledge.reading import canonical, held_out, marks, read

SOURCES = (
    ("mcscript", "dev"),
    ("mcscript", "train"),
    ("inscript", "train"),
    ("descript", "train"),
    ("rocstories", "train"),
)


def row(story: Story, corpus: str, split: str) -> dict[str, Any]:
    """A read story as plain lists."""
    told = telling(story)
    return {
        "id": story.id, "corpus": corpus, "split": split, "scenario": story.scenario,
        "sentences": [" ".join(story.text[s.start : s.stop].split()) for s in story.sentences],
        "verbs": [step.verb for step in told.steps], "words": [" ".join(step.words) for step in told.steps],
    }  # fmt: skip


def label_rows(split: str) -> Iterator[dict[str, Any]]:
    """InScript with its gold labels: each script event of a story taken out in turn (exam `untold`, form `inscript`)."""
    for story in make("corpus", "inscript", split=split):
        if split == "train" and marks(story.text) & held_out():
            continue
        scenario = canonical(story.scenario)
        for number, label in enumerate(sorted({event.label for event in story.events if is_script(event.label)})):
            left, place, event = without_event(story, label)
            gap = gap_text(left, scenario, place, event)
            told = sorted({one.label for one in left.events if is_script(one.label)})
            yield {
                "id": f"{story.id}.{number}", "corpus": "inscript-labels", "split": split, "scenario": scenario,
                "before": gap.before, "after": gap.after, "key": label, "told": told,
            }  # fmt: skip


def write(
    path: Path, jobs: int, limit: int | None, log: Callable[[str], None], seen: Callable[[Story, str, str], None]
) -> None:
    """Read all corpora and write their rows; ``seen`` is shown each story as it is read."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for corpus, split in SOURCES:
            number = 0
            settings = {"cased": True} if corpus == "rocstories" else {}
            for story in read(corpus, split, jobs, limit, **settings):
                file.write(json.dumps(row(story, corpus, split), ensure_ascii=False) + "\n")
                seen(story, corpus, split)
                number += 1
            log(f"{corpus} {split}: {number} stories")
        for split in ("train", "dev"):
            for line in label_rows(split):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("-o", "--out", type=Path, required=True)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--limit", type=int, default=None, help="stories a corpus, for a try")
    args = options.parse_args()
    write(args.out, args.jobs, args.limit, print, lambda story, corpus, split: None)


if __name__ == "__main__":
    main()
