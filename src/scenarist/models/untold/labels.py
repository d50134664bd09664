"""Unsaid with gold labels -> scores of the script events that may be missing: what all models know of it, and the learned ranker.

The tables (``learning/label_tables.py``) and the ranker's arrays are carried in ``knowledge/events.npz``, learned from InScript's
train split. An event the story tells is no candidate, for any row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.label_tables import Hole, LabelTables, compared
from scenarist.learning.tellings import is_script
from scenarist.networks.layers import log_softmax
from scenarist.networks.trees import Trees
from scenarist.question import Unsaid
from scenarist.store.home import resource

Array = npt.NDArray[np.float32]
SCHEMA = 2
MOST_TOLD = 100
"""Told events of a telling; a longer text is no single one."""


class LabelGap(NamedTuple):
    """A question in terms of the tables: its candidates by name, and their features (f, candidates)."""

    hole: Hole
    names: list[str]
    features: Array


class LabelKnowledge:
    """Tables and rankers of one file."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        if int(arrays["schema"]) != SCHEMA:
            raise BadInput(
                f"events.npz: expected schema {SCHEMA}, found {int(arrays['schema'])}. Train it again with this version."
            )
        self.tables = LabelTables.of(
            [str(one) for one in arrays["labels"]], [str(one) for one in arrays["scenarios"]], arrays
        )
        self.trees = {
            kind: Trees(
                {name.removeprefix(f"{kind}."): value for name, value in arrays.items() if name.startswith(f"{kind}.")}
            )
            for kind in ("placed", "free")
        }

    def rank(self, gap: LabelGap) -> Array:
        """Scores of the candidates: boosted trees over their features, among each other."""
        return self.trees["placed" if gap.hole.placed else "free"].scores(compared(gap.features.T))

    def gap_chances(self, scenario: str, told: Sequence[str]) -> dict[str, Array]:
        """Log-chances of each label that is not told, behind so many of the told events (told + 1): the ranker for all gaps at once.

        ``told``: the labels of the told events in order, empty where one has none."""
        number = self.tables.scenario.get(scenario, -1)
        known = np.array([label in self.tables.label for label in told], bool)
        ids = tuple(self.tables.label[label] for label in told if label in self.tables.label)
        if number < 0 or len(ids) > MOST_TOLD:
            return {}
        holes = [Hole(number, ids[:cut], ids[cut:]) for cut in range(len(ids) + 1)]
        able = self.tables.candidates(holes[0])
        rows = [compared(self.tables.features(hole)[:, able].T) for hole in holes]  # (candidates, f) each
        scores = self.trees["placed"].scores(np.concatenate(rows)).reshape(len(holes), len(able))
        scores = log_softmax(scores)
        behind = np.cumsum([0, *known])  # told events without a label change nothing
        return {self.tables.labels[label]: scores[behind, column] for column, label in enumerate(able)}


@cache
def event_labels(scenario: str) -> Mapping[str, str]:
    """Event types of a carried script that annotators' labels name (ten scenarios): the label by event type."""
    labels: Mapping[str, Mapping[str, str]] = json.loads(
        resource("knowledge/meanings.json").read_text(encoding="utf-8")
    )
    return labels.get(scenario, {})


@cache
def label_knowledge() -> LabelKnowledge:
    """What the package carries."""
    with np.load(resource("knowledge/events.npz"), allow_pickle=False) as arrays:
        return LabelKnowledge(dict(arrays))


def is_labelled(question: Unsaid) -> bool:
    """Does the question give the labels of told events, one of them missing (and not one sentence)?"""
    return question.event is not None or any(one.startswith("ScrEv_") for one in question.choices)


def label_gap(question: Unsaid, scenario: str) -> LabelGap:
    """Candidates of a question and their features, in a scenario by name (the one the told labels fit best where it is unknown)."""
    tables = label_knowledge().tables
    scripted = [(number, event.label) for number, event in enumerate(question.story.events) if is_script(event.label)]
    told = [(number, tables.label[label]) for number, label in scripted if label in tables.label]
    known = tables.scenario.get(scenario, -1)
    if known < 0:
        known = int(np.argmax(tables.tellers[:, [one for _, one in told]].sum(1))) if told else 0
    cut = len(question.story.events) if question.event is None else question.event
    before, after = (tuple(one for number, one in told if (number < cut) == side) for side in (True, False))
    hole = Hole(known, before, after, question.event is not None)
    features = tables.features(hole)
    if question.choices:
        unknown = features.min(1) - 1  # a label no table knows is the least likely
        listed = sorted(question.choices)  # their order in the question says nothing
        columns = [features[:, tables.label[name]] if name in tables.label else unknown for name in listed]
        return LabelGap(hole, listed, np.stack(columns, 1))
    able = tables.candidates(hole)
    return LabelGap(hole, [tables.labels[one] for one in able], features[:, able])
