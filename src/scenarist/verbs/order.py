"""Shuffled sentences -> OrderedSentences: story order (Mostafazadeh et al. 2016), by a model that answers an Order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from scenarist.answers import OrderedSentences, RankedOrder
from scenarist.errors import BadInput
from scenarist.question import Order, Permutation
from scenarist.registry import make
from scenarist.verbs.inputs import lines_or_sentences, text_of


def order(
    sentences: str | Path | Sequence[str], model: str = "careful-order", top: int = 1, encoding: str = "utf-8"
) -> OrderedSentences:
    """Put sentences into story order: a list of them, a text (one a line, or one paragraph) or a file of it (``Path``)."""
    from scenarist.models.ordering import MOST

    given, name = sentences, "order"
    if isinstance(given, str | Path):
        name, text = text_of(given, "order", "the text", encoding)
        given = lines_or_sentences(text)
    if not 2 <= len(given) <= MOST:
        raise BadInput(f"{name}: expected 2 to {MOST} sentences, one a line, got {len(given)}.")
    solver = make("model", model)
    if solver.learns != "nothing":
        raise BadInput(f"{model} has to learn first; use careful-order.")
    guesses = [guess for guess in solver.answer(Order(tuple(given))).guesses if isinstance(guess.answer, Permutation)]
    orders = tuple(RankedOrder(guess.answer.order, guess.logp) for guess in guesses)
    sure = math.exp(orders[0].logp) if orders and orders[0].logp is not None else None
    return OrderedSentences(tuple(given), model, orders[:top], sure, next_moves(orders))


def next_moves(orders: Sequence[RankedOrder]) -> tuple[int, ...]:
    """Places, from one, at which the two best orders differ, where the second is at least half as likely.

    >>> next_moves([RankedOrder((0, 1, 2), -0.5), RankedOrder((0, 2, 1), -1.0)])
    (2, 3)
    >>> next_moves([RankedOrder((0, 1, 2), -0.1), RankedOrder((0, 2, 1), -3.0)])
    ()
    """
    best, second = (order.logp for order in orders[:2]) if len(orders) > 1 else (None, None)
    if best is None or second is None or second < best - math.log(2):
        return ()
    pairs = zip(orders[0].order, orders[1].order, strict=True)
    return tuple(place for place, (first, other) in enumerate(pairs, 1) if first != other)
