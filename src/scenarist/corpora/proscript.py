"""proScript (Sakaguchi et al. 2021) -> Script: event types, a partial order with weight 1, durations in minutes.

The events are numbered as in the file. ``NONE``, the file's mark of the beginning, is left out with its edges. The last
event is the goal and repeats the scenario; ``goal=False`` leaves it out too. The order holds the given edges, not their
transitive closure. Dev is cut by the rule, the text being the scenario, so that one scenario is never in two splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import msgspec

from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats.lines import lines
from scenarist.noun import from_json
from scenarist.script import EventType, Script


class ProScriptLine(msgspec.Struct):
    """A line of the release."""

    scenario: str
    events: dict[str, str]
    gold_edges_for_prediction: tuple[str, ...]
    minutes: float | None = None
    events_minutes: dict[str, float] = {}


class ProScript(Loader[Script]):
    """Crowd-written scripts as partial orders."""

    name = "proscript"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "train": ("train.jsonl",),
        "dev": ("dev.jsonl",),
        "test": ("test.jsonl",),
    }

    def __init__(self, split: str = "train", goal: bool = True, path: str | Path | None = None) -> None:
        super().__init__(split, path)
        self.goal = goal

    def settings(self) -> Mapping[str, object]:
        return {} if self.goal else {"goal": False}

    def read(self, path: Path) -> Iterator[Script]:
        for line in lines(path):
            if not line.text.strip():
                continue
            where = f"{path}, line {line.number}"
            record = from_json(line.text, ProScriptLine, where)
            if self.keeps(record.scenario):
                yield self.script(record, where, f"{self.source}:{line.number}")

    def script(self, record: ProScriptLine, where: str, evidence: str) -> Script:
        """A record as a script."""
        goal = max(record.events, key=int, default="")
        dropped = {id for id, text in record.events.items() if text == "NONE"} | ({goal} if not self.goal else set())
        order = []
        for edge in record.gold_edges_for_prediction:
            earlier, arrow, later = edge.partition("->")
            if not arrow or earlier not in record.events or later not in record.events:
                raise BadInput(f"{where}: expected an edge such as '0->3' between known events, got {edge!r}")
            if not {earlier, later} & dropped:
                order.append((earlier, later, 1.0))
        events = tuple(
            EventType(id, (text.strip(),), tellers=1) for id, text in record.events.items() if id not in dropped
        )
        durations = tuple((id, minutes(number)) for id, number in record.events_minutes.items() if id not in dropped)
        if record.minutes is not None and self.goal:
            durations += ((goal, minutes(record.minutes)),)
        return Script(record.scenario, 1, events, tuple(order), evidence=evidence, durations=durations)


def minutes(number: float) -> str:
    """A duration as text.

    >>> minutes(45.0), minutes(0.5)
    ('45 min', '0.5 min')
    """
    return f"{number:g} min"
