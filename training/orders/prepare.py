"""Corpora -> the records that `training.orders.train` learns from: `python -m training.orders.prepare > orders.json`.

proScript's train part, its dev part to be examined on, and, for the warm-up, DeScript's train lists and 3,000 train stories of ROCStories,
each in one line with its goal at the end.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from scenarist.registry import make
from scenarist.script import Script

STORIES = 3000
LEAST, MOST = 3, 16
"""Steps of a list that is taken."""


def record(script: Script) -> dict[str, Any]:
    """A crowd-written script."""
    number = {event.id: index for index, event in enumerate(script.events)}
    edges = [(number[first], number[second]) for first, second, _ in script.order]
    return {"scenario": script.scenario, "steps": [event.phrases[0] for event in script.events], "edges": edges}


def line(goal: str, steps: Sequence[str], end: str) -> dict[str, Any]:
    """Steps of which only their line is known."""
    return {"scenario": goal, "steps": [*steps, end], "edges": [(place, place + 1) for place in range(len(steps))]}


def main() -> None:
    data = {
        split: [record(script) for script in make("corpus", "proscript", split=split)] for split in ("train", "dev")
    }
    lists = [
        (story.scenario, [story.of(span) for span in story.sentences])
        for story in make("corpus", "descript", split="train")
    ]
    data["descript"] = [line(goal, steps, goal) for goal, steps in lists if LEAST <= len(steps) <= MOST]
    stories = [
        (story.title or "a story", [story.of(span) for span in story.sentences])
        for story in make("corpus", "rocstories", split="train")
    ]
    data["roc"] = [line(title, steps, "the end") for title, steps in stories if len(steps) == 5][:STORIES]
    json.dump(data, sys.stdout)


if __name__ == "__main__":
    main()
