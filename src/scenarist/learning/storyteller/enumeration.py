"""The same questions by brute force: every set of events, every order, every choice of the teller. For small scripts, and to check the
rest.

Nothing of inference.py is used, nor its assumption that chances multiply: the literal listener's chance of a story is a sum over worlds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from scenarist.errors import BadInput
from scenarist.learning.storyteller.prior import StoryPrior
from scenarist.learning.storyteller.teller import Teller

MOST_EVENTS = 9
"""Events of a script that is enumerated, at most."""
World = tuple[int, ...]


def check_small(prior: StoryPrior) -> None:
    """Refuse a script that would take too long."""
    if len(prior) > MOST_EVENTS:
        raise BadInput(
            f"{prior.scenario}: {len(prior)} events are too many to enumerate (at most {MOST_EVENTS}); inference.py takes more."
        )


def sets_of(prior: StoryPrior) -> list[tuple[frozenset[int], float]]:
    """Every set of events that can happen together, with its chance."""
    check_small(prior)
    choices = [
        [(None, 1.0 - sum(way.chance for way in group)), *((way.event, way.chance) for way in group)]
        for group in prior.groups
    ]
    return [
        (frozenset(event for event, _ in picks if event is not None), math.prod(chance for _, chance in picks))
        for picks in itertools.product(*choices)
    ]


def orders_of(prior: StoryPrior) -> Iterator[World]:
    """Every order of all events that the script allows."""
    check_small(prior)

    def go_on(order: World, done: int) -> Iterator[World]:
        if len(order) == len(prior):
            yield order
        for event in range(len(prior)):
            if not done >> event & 1 and not prior.before[event] & ~done:
                yield from go_on((*order, event), done | 1 << event)

    return go_on((), 0)


def tells(
    mentioned: Sequence[int],
    happened: frozenset[int],
    teller: Teller,
    worlds: Sequence[tuple[frozenset[int], float]],
) -> float:
    """P(told | what happened): softmax over all choices of so many events, by the literal listener's chance of what happened."""
    size = min(teller.budget, len(happened))
    if len(mentioned) != size or not set(mentioned) <= happened:
        return 0.0

    def utility(choice: frozenset[int]) -> float:
        heard = sum(chance for world, chance in worlds if choice <= world)
        own = next(chance for world, chance in worlds if world == happened)
        return math.exp(teller.rationality * (math.log(own) - math.log(heard)))

    choices = [frozenset(choice) for choice in itertools.combinations(sorted(happened), size)]
    return utility(frozenset(mentioned)) / sum(utility(choice) for choice in choices)


def hear_all(prior: StoryPrior, mentioned: Sequence[int], teller: Teller | None = None) -> dict[int, float]:
    """The chance that each event happened, given a story: literal without a teller."""
    worlds = sets_of(prior)
    joint = dict.fromkeys(range(len(prior)), 0.0)
    total = 0.0
    for world, chance in worlds:
        if not set(mentioned) <= world:
            continue
        weight = chance * (tells(mentioned, world, teller, worlds) if teller is not None else 1.0)
        total += weight
        for event in world:
            joint[event] += weight
    return {event: value / total for event, value in joint.items()}


def missing_all(prior: StoryPrior, shown: Sequence[int], teller: Teller | None = None) -> dict[int, float]:
    """Which event was told and taken out."""
    worlds = sets_of(prior)
    raw: dict[int, float] = {}
    for event in range(len(prior)):
        if event in shown:
            continue
        story = [*shown, event]
        widened = Teller(teller.rationality, max(teller.budget, len(story))) if teller is not None else None
        raw[event] = sum(
            chance * (tells(story, world, widened, worlds) if widened is not None else 1.0)
            for world, chance in worlds
            if set(story) <= world
        )
    total = sum(raw.values())
    return {event: value / total for event, value in raw.items() if value > 0}


def places_all(prior: StoryPrior, mentioned: Sequence[int]) -> dict[int, tuple[float, ...]]:
    """In which gap of the told events each other one stands, over all orders that keep the told order."""
    counts = {event: [0] * (len(mentioned) + 1) for event in range(len(prior)) if event not in mentioned}
    total = 0
    for order in orders_of(prior):
        if [event for event in order if event in mentioned] != list(mentioned):
            continue
        total += 1
        gap = 0
        for event in order:
            if event in mentioned:
                gap += 1
            else:
                counts[event][gap] += 1
    return {event: tuple(number / total for number in numbers) for event, numbers in counts.items()}
