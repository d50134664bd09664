"""Shuffled sentences -> OrderedSentences: story order (Mostafazadeh et al. 2016), by a model that answers an Order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scenarist.answers import OrderedSentences, RankedOrder
from scenarist.errors import BadInput
from scenarist.question import Order, Permutation
from scenarist.registry import make
from scenarist.verbs.inputs import lines_or_sentences, text_of


def order(
    sentences: str | Path | Sequence[str], model: str = "story-order", top: int = 1, encoding: str = "utf-8"
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
        raise BadInput(f"{model} has to learn first; use story-order.")
    guesses = solver.answer(Order(tuple(given))).guesses[:top]
    orders = tuple(
        RankedOrder(guess.answer.order, guess.logp) for guess in guesses if isinstance(guess.answer, Permutation)
    )
    return OrderedSentences(tuple(given), model, orders)
