"""A world (what happened) -> the story that is told of it: random and informative tellers (Bennett, Appendix; Goodman and Frank 2016).

A teller mentions ``budget`` of the events that happened (all, where fewer did), in the order they happened. It is softmax-rational with
rationality r: ln P(told | world) = r * ln L0(what happened | told) + const, where L0 is the literal listener, who knows the prior and takes
a story to be true. Under a prior of independent events ln L0 is ln P(world) minus ln P(the told events happen), so each event weighs
``chance ** -r``, and the chance of a choice is the product of its weights over the sum of all products of so many (an elementary symmetric
polynomial of the weights). r = 0 is the random teller. What is said is chosen for what happened; the order carries no choice.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scenarist.errors import BadInput
from scenarist.learning.storyteller.prior import StoryPrior


class Teller(NamedTuple):
    """Who tells: how rational, and how many events may be mentioned."""

    rationality: float = 0.0
    budget: int = 3

    def checked(self) -> Teller:
        """Itself, if it can tell anything."""
        if not 0 <= self.rationality <= 20:
            raise BadInput(f"rationality must lie between 0 (random) and 20, got {self.rationality}.")
        if self.budget < 1:
            raise BadInput(f"budget must be at least 1 event, got {self.budget}.")
        return self

    def weights(self, prior: StoryPrior) -> list[float]:
        """What each event weighs."""
        return [chance**-self.rationality for chance in prior.chances]


class ToldWorld(NamedTuple):
    """What happened in its order, and which of it is told."""

    happened: tuple[int, ...]
    mentioned: tuple[int, ...]

    @property
    def unmentioned(self) -> tuple[int, ...]:
        """What happened and is not told."""
        return tuple(event for event in self.happened if event not in self.mentioned)


def symmetric(weights: Iterable[float], most: int) -> list[float]:
    """Elementary symmetric polynomials of degrees 0 to ``most``.

    >>> symmetric([1.0, 2.0, 3.0], 2)
    [1.0, 6.0, 11.0]
    """
    sums = [1.0] + [0.0] * most
    for weight in weights:
        for degree in range(most, 0, -1):
            sums[degree] += weight * sums[degree - 1]
    return sums


def draw_order(prior: StoryPrior, rng: random.Random) -> list[int]:
    """An order of all events, each step uniform over what may come next: for showing; inference counts all orders alike."""
    done = 0
    order: list[int] = []
    while len(order) < len(prior):
        free = [event for event in range(len(prior)) if not done >> event & 1 and not prior.before[event] & ~done]
        event = rng.choice(free)
        order.append(event)
        done |= 1 << event
    return order


def draw_world(prior: StoryPrior, rng: random.Random) -> tuple[int, ...]:
    """What happens, in its order."""
    happens = set()
    for group in prior.groups:
        left = rng.random()
        for way in group:
            left -= way.chance
            if left < 0:
                happens.add(way.event)
                break
    return tuple(event for event in draw_order(prior, rng) if event in happens)


def draw_told(prior: StoryPrior, teller: Teller, happened: Sequence[int], rng: random.Random) -> ToldWorld:
    """What the teller mentions: so many events, drawn one after the other with the right chances."""
    weights = teller.weights(prior)
    left, mentioned = list(happened), []
    need = min(teller.budget, len(left))
    for position, event in enumerate(left):
        rest = [weights[other] for other in left[position + 1 :]]
        without = symmetric(rest, need)[need]
        within = weights[event] * symmetric(rest, need)[need - 1] if need else 0.0
        if need and rng.random() < within / (within + without):
            mentioned.append(event)
            need -= 1
    return ToldWorld(tuple(happened), tuple(mentioned))
