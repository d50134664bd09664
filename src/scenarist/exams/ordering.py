"""Story -> Item: put shuffled sentences back (Mostafazadeh et al. 2016, section 3.3, the shuffling experiment).

Each story is shuffled once by ``seed`` and its id, uniformly (the told order itself may come up). The same questions serve
models and people.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

from scenarist.errors import BadInput
from scenarist.question import Item, Order, Permutation
from scenarist.story import Story


class OrderingExam:
    """Which came first?"""

    name = "ordering"
    metrics = ("perfect_order", "near_order", "kendall_tau", "place1", "place2", "place3", "place4", "place5")

    def __init__(self, seed: int = 13, least: int = 2, most: int = 8) -> None:
        if not 2 <= least <= most:
            raise BadInput(f"ordering: expected 2 <= least <= most, got least={least}, most={most}.")
        self.seed, self.least, self.most = seed, least, most

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {"shuffle": self.seed, "least": self.least, "most": self.most}

    def set(self, stories: Iterable[Story]) -> Iterator[Item]:
        """One item a story of ``least`` to ``most`` sentences; stories with the same sentence twice have no one order."""
        for story in stories:
            told = [story.of(sentence) for sentence in story.sentences]
            if not self.least <= len(told) <= self.most or len(set(told)) < len(told):
                continue
            shuffled = list(range(len(told)))
            random.Random(f"{self.seed}/{story.id}").shuffle(shuffled)
            key = sorted(range(len(told)), key=lambda shown: shuffled[shown])
            yield Item(story.id, Order(tuple(told[at] for at in shuffled)), Permutation(tuple(key)), group=story.id)
