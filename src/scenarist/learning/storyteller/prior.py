"""WrittenScript -> StoryPrior: which of its events happen, and in which order (Bennett, Appendix: "scripts" as priors over stories).

Events happen independently of one another, but for ways that exclude each other (``one_of``): of these one happens at most. The chance of
an event is that of its word: ``always``, ``usually``, ``sometimes``; ways share the chance of their group. The order is uniform over the
orders that keep scenes in turn and every event behind those it comes ``after``; what happens is in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.learning.library.evidence import HAPPENS
from scenarist.script import WrittenScript


class StoryWay(NamedTuple):
    """One of the events of a group, and its chance."""

    event: int
    chance: float


class StoryPrior:
    """A prior over what happens, and in which order."""

    def __init__(
        self, scenario: str, names: Sequence[str], groups: Sequence[Sequence[StoryWay]], before: Sequence[int]
    ) -> None:
        """``groups``: of each at most one event happens; ``before``: a bit mask for each event of those that come before it."""
        self.scenario, self.names, self.before = scenario, tuple(names), tuple(before)
        self.groups = tuple(tuple(StoryWay(*way) for way in group) for group in groups)
        events = sorted(way.event for group in self.groups for way in group)
        if events != list(range(len(self.names))):
            raise BadInput(
                f"{scenario}: every event must stand in one group, got events {events} for {len(self.names)} names."
            )
        for group in self.groups:
            total = sum(way.chance for way in group)
            if any(not 0 < way.chance < 1 for way in group) or total >= 1:
                raise BadInput(
                    f"{scenario}: chances must lie between 0 and 1 and sum to less than 1 in a group, got {[way.chance for way in group]}."
                )

    @classmethod
    def of(cls, script: WrittenScript) -> StoryPrior:
        """The prior of a written script."""
        ids = {event.id: number for number, event in enumerate(script.events)}
        scenes = {name: number for number, name in enumerate(script.scenes)}
        groups: dict[str, list[StoryWay]] = {}
        ways: dict[str, int] = {}
        for event in script.events:
            if event.one_of:
                ways[event.one_of] = ways.get(event.one_of, 0) + 1
        before = []
        for number, event in enumerate(script.events):
            chance = HAPPENS[event.happens] / (ways[event.one_of] if event.one_of else 1)
            groups.setdefault(event.one_of or f"#{number}", []).append(StoryWay(number, chance))
            mask = sum(1 << ids[other] for other in set(event.after))
            for other in script.events:
                if scenes[other.scene] < scenes[event.scene] and event.id not in other.after:
                    mask |= 1 << ids[other.id]
            before.append(mask)
        return cls(script.scenario, [event.id for event in script.events], list(groups.values()), acyclic(before))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """The chance of each event."""
        chances = [0.0] * len(self.names)
        for group in self.groups:
            for way in group:
                chances[way.event] = way.chance
        return tuple(chances)

    @cached_property
    def group_of(self) -> tuple[int, ...]:
        """The number of each event's group."""
        numbers = [0] * len(self.names)
        for number, group in enumerate(self.groups):
            for way in group:
                numbers[way.event] = number
        return tuple(numbers)

    def with_chance(self, event: int, chance: float) -> StoryPrior:
        """The same story world, but that one event is more or less usual; other ways of its group share what is left."""
        groups = []
        for group in self.groups:
            if all(way.event != event for way in group):
                groups.append(group)
                continue
            others = sum(way.chance for way in group if way.event != event)
            whole = sum(way.chance for way in group)
            share = max(whole - chance, 1e-6) / others if others else 0.0
            groups.append(
                tuple(StoryWay(way.event, chance if way.event == event else way.chance * share) for way in group)
            )
        return StoryPrior(self.scenario, self.names, groups, self.before)

    def numbers(self, names: Sequence[str]) -> tuple[int, ...]:
        """Names of events as numbers."""
        known = {name: number for number, name in enumerate(self.names)}
        lost = [name for name in names if name not in known]
        if lost:
            raise BadInput(
                f"the script of {self.scenario!r} has no event {lost[0]!r}; it has: {', '.join(self.names)}."
            )
        return tuple(known[name] for name in names)


def acyclic(before: Sequence[int]) -> list[int]:
    """Masks closed under *before*; an order that goes round is an error."""
    closed = list(before)
    for _ in closed:
        for number, mask in enumerate(closed):
            whole = mask
            for other in range(len(closed)):
                if mask >> other & 1:
                    whole |= closed[other]
            closed[number] = whole
    if any(mask >> number & 1 for number, mask in enumerate(closed)):
        raise BadInput("the order of the script goes round: an event comes before itself.")
    return closed
