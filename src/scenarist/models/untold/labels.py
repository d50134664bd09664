"""Unsaid with gold labels -> scores of the script events that may be missing: what all rows know of it, and the learned ranker.

The tables (``learning/label_tables.py``) and the ranker's arrays are carried in ``knowledge/events.npz``, learned from InScript's
train split. An event the story tells is no candidate, for any row.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.label_tables import Hole, LabelTables, compared
from scenarist.learning.tellings import is_script
from scenarist.networks.trees import Trees
from scenarist.question import Unsaid
from scenarist.store.home import resource

Array = npt.NDArray[np.float32]
SCHEMA = 2


class Missing(NamedTuple):
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

    def rank(self, missing: Missing) -> Array:
        """Scores of the candidates: boosted trees over their features, among each other."""
        return self.trees["placed" if missing.hole.placed else "free"].scores(compared(missing.features.T))


@cache
def knowledge() -> LabelKnowledge:
    """What the package carries."""
    with np.load(resource("knowledge/events.npz"), allow_pickle=False) as found:
        return LabelKnowledge(dict(found))


def is_labelled(question: Unsaid) -> bool:
    """Does the question give the labels of told events, one of them missing (and not one sentence)?"""
    return question.event is not None or any(one.startswith("ScrEv_") for one in question.choices)


def missing_of(question: Unsaid, scenario: str) -> Missing:
    """Candidates of a question and their features, in a scenario by name (the one the told labels fit best where it is unknown)."""
    tables = knowledge().tables
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
        return Missing(hole, listed, np.stack(columns, 1))
    able = tables.candidates(hole)
    return Missing(hole, [tables.labels[one] for one in able], features[:, able])
