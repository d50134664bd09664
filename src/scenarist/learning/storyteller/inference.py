"""A told story -> what else happened, and where: exact inference by dynamic programmes (enumeration beside it: enumeration.py).

*What*: the listener's chance of a set of events is its prior where it holds all that was told, times (for the rational listener) one over
the teller's sum over choices. That sum depends only on how many events of each weight happened, so one pass over the groups of events
carries the distribution of these numbers, and a pass back gives the chance of every event. *Where*: orders of all events are counted by a
pass over the down-sets of the partial order that keep the told events in the told order. A script of 30 events takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.storyteller.prior import StoryPrior, StoryWay
from scenarist.learning.storyteller.teller import Teller

Array = npt.NDArray[Any]
MOST_SETS = 400_000
"""Down-sets of an order that are counted at most."""


class Heard(NamedTuple):
    """What a listener makes of a story: unnormalised chances that an event happened too, and that of the story itself."""

    joint: tuple[float, ...]
    """P(told, and the event happened); of a told event that of the story."""
    evidence: float
    """P(told)."""

    @property
    def chances(self) -> tuple[float, ...]:
        """The chance that each event happened."""
        return tuple(value / self.evidence for value in self.joint)


def hear(prior: StoryPrior, mentioned: Sequence[int], teller: Teller | None = None) -> Heard:
    """What a listener makes of a story: the literal one without a ``teller``, the rational one who knows it.

    The weights of what was told are left out of the evidence (they are the same in every world): `evidence` multiplies them in again.
    """
    fixed = fixed_groups(prior, mentioned)
    free = [group for number, group in enumerate(prior.groups) if number not in fixed]
    base = float(np.prod([prior.chances[event] for event in mentioned])) if mentioned else 1.0
    weights = teller.checked().weights(prior) if teller is not None else [1.0] * len(prior)
    levels = sorted({round(weights[way.event], 12) for group in free for way in group})
    level = {event: levels.index(round(weights[event], 12)) for group in free for event, _ in group}
    shape = tuple(
        1 + sum(any(level[way.event] == number for way in group) for group in free) for number in range(len(levels))
    )
    after = [choice_factor(levels, shape, [weights[event] for event in mentioned], len(mentioned), teller)]
    for group in reversed(free):  # what is still to come, for each number of events of each weight so far
        after.append(add_group(after[-1], group, level, back=True))
    after.reverse()
    before: Array = np.zeros(shape)
    before[(0,) * len(levels)] = 1.0
    joint = [0.0] * len(prior)
    for number, group in enumerate(free):
        for way in group:
            joint[way.event] = (
                base * way.chance * float((before * shifted(after[number + 1], level[way.event], back=True)).sum())
            )
        before = add_group(before, group, level)
    evidence = base * float((before * after[-1]).sum()) if free else base * float(after[0])
    for event in mentioned:
        joint[event] = evidence
    return Heard(tuple(joint), evidence)


def fixed_groups(prior: StoryPrior, mentioned: Sequence[int]) -> set[int]:
    """The groups that a story decides."""
    groups = [prior.group_of[event] for event in mentioned]
    if len(set(groups)) < len(groups):
        raise BadInput(
            f"a story of {prior.scenario!r} tells two ways of which only one happens, or an event twice: "
            f"{', '.join(prior.names[event] for event in mentioned)}."
        )
    return set(groups)


def choice_factor(
    levels: Sequence[float], shape: tuple[int, ...], mentioned: Sequence[float], size: int, teller: Teller | None
) -> Array:
    """One over the sum of the teller's choices, for each number of events of each weight that happened untold."""
    if teller is None:
        return np.ones(shape)
    degree = min(teller.budget, size) if size < teller.budget else teller.budget
    sums = np.zeros((*shape, degree + 1))
    sums[(*(0,) * len(shape), 0)] = 1.0
    polynomial = np.zeros(degree + 1)
    polynomial[0] = 1.0
    for weight in mentioned:
        polynomial[1:] += weight * polynomial[:-1].copy()
    whole = np.broadcast_to(polynomial, (*shape, degree + 1)).copy()
    for axis, weight in enumerate(levels):
        part = np.array(
            [[comb(count, power) * weight**power for power in range(degree + 1)] for count in range(shape[axis])]
        )
        part = part.reshape(*(shape[axis] if other == axis else 1 for other in range(len(shape))), degree + 1)
        product = np.zeros_like(whole)
        for power in range(degree + 1):
            product[..., power:] += part[..., power : power + 1] * whole[..., : degree + 1 - power]
        whole = product
    if size < teller.budget:  # a story shorter than the budget tells all that happened
        factor = np.zeros(shape)
        factor[(0,) * len(shape)] = 1.0 / whole[(*(0,) * len(shape), degree)]
        return factor
    last = whole[..., degree]
    return np.divide(1.0, last, out=np.zeros_like(last), where=last > 0)


def shifted(table: Array, axis: int, back: bool = False) -> Array:
    """A table with one more event of a weight; ``back``: what it would give there."""
    moved = np.zeros_like(table)
    ahead, behind = [slice(None)] * table.ndim, [slice(None)] * table.ndim
    ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
    if back:
        moved[tuple(behind)] = table[tuple(ahead)]
    else:
        moved[tuple(ahead)] = table[tuple(behind)]
    return moved


def add_group(table: Array, group: Sequence[StoryWay], level: dict[int, int], back: bool = False) -> Array:
    """The table with one group more: one of its events happens, or none."""
    total = table * (1.0 - sum(way.chance for way in group))
    for way in group:
        total = total + way.chance * shifted(table, level[way.event], back)
    return total


def guess_missing(prior: StoryPrior, shown: Sequence[int], teller: Teller | None = None) -> dict[int, float]:
    """Which event was told and then taken out of the story: the narrative cloze, for one missing event.

    The literal listener goes by the prior; the rational one asks which event such a teller would have told beside these.
    """
    if teller is None:
        chances = hear(prior, shown).joint
        weights = [1.0] * len(prior)
    else:
        widened = Teller(teller.rationality, max(teller.budget, len(shown) + 1))
        weights = teller.weights(prior)
        chances = tuple(
            hear(prior, [*shown, event], widened).evidence
            if prior.group_of[event] not in fixed_groups(prior, shown)
            else 0.0
            for event in range(len(prior))
        )
    raw = {
        event: chances[event] * weights[event]
        for event in range(len(prior))
        if prior.group_of[event] not in fixed_groups(prior, shown)
    }
    total = sum(raw.values())
    return {event: value / total for event, value in raw.items()}


def evidence(prior: StoryPrior, mentioned: Sequence[int], teller: Teller) -> float:
    """The chance that this teller tells this story (in whatever order)."""
    weights = teller.weights(prior)
    return hear(prior, mentioned, teller).evidence * float(np.prod([weights[event] for event in mentioned]))


def unusual(
    prior: StoryPrior, mentioned: Sequence[int], event: int, teller: Teller, belief: float = 0.1, rare: float = 0.3
) -> float:
    """The chance that a told event is unusual for this person, who does it with chance ``rare`` where others do it as the script says.

    ``belief`` is the chance of that before the story. Mentioning what goes without saying makes a listener who takes the teller for
    rational infer that it was unusual (Kravtchenko and Demberg 2022); a literal listener infers the contrary."""
    if event not in mentioned:
        raise BadInput(f"{prior.names[event]!r} is not told; what its telling says can only be asked of a told event.")
    usual, odd = evidence(prior, mentioned, teller), evidence(prior.with_chance(event, rare), mentioned, teller)
    return belief * odd / (belief * odd + (1 - belief) * usual)


# Where


def down_sets(prior: StoryPrior, mentioned: Sequence[int]) -> list[int]:
    """All sets of events that can be over at some time, told events in the told order, smaller sets first."""
    place = {event: number for number, event in enumerate(mentioned)}
    layer, sets = {0}, [0]
    for _ in range(len(prior)):
        following = set()
        for known in layer:
            over = sum(known >> event & 1 for event in mentioned)
            for event in range(len(prior)):
                free = not known >> event & 1 and not prior.before[event] & ~known
                if free and (event not in place or place[event] == over):
                    following.add(known | 1 << event)
        layer = following
        sets += sorted(layer)
        if len(sets) > MOST_SETS:
            raise BadInput(
                f"{prior.scenario}: its order leaves more than {MOST_SETS} sets of events that may be over; places cannot be counted."
            )
    return sets


def places(prior: StoryPrior, mentioned: Sequence[int]) -> dict[int, tuple[float, ...]]:
    """For each event that is not told: the chance of each gap (before the first told event, ..., behind the last), if it happens."""
    sets = down_sets(prior, mentioned)
    index = {known: number for number, known in enumerate(sets)}
    forward, backward = [0.0] * len(sets), [0.0] * len(sets)
    forward[0] = 1.0
    edges: list[tuple[int, int, int]] = []
    for number, known in enumerate(sets):
        for event in range(len(prior)):
            following = index.get(known | 1 << event) if not known >> event & 1 else None
            if following is not None and not prior.before[event] & ~known:
                edges.append((number, event, following))
                forward[following] += forward[number]
    if not index.get((1 << len(prior)) - 1):
        raise BadInput(
            f"{prior.scenario}: this order of events cannot happen: {[prior.names[event] for event in mentioned]}."
        )
    backward[index[(1 << len(prior)) - 1]] = 1.0
    for number, _, following in reversed(edges):
        backward[number] += backward[following]
    total = backward[0]
    gaps = {event: [0.0] * (len(mentioned) + 1) for event in range(len(prior)) if event not in mentioned}
    for number, event, following in edges:
        if event in gaps:
            gap = sum(sets[number] >> other & 1 for other in mentioned)
            gaps[event][gap] += forward[number] * backward[following] / total
    return {event: tuple(values) for event, values in gaps.items()}
