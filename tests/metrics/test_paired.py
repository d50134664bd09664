"""Marks of two questions that belong together: the margin of a key, both right, and the difference of differences."""

from __future__ import annotations

import pytest

from scenarist.metrics.paired import margin
from scenarist.question import Choice, Guess, Item, Prediction

ITEM = Item("i", Choice(("Ann woke.",), ("a", "b")), "0")


def said(*guesses: Guess) -> Prediction:
    return Prediction("i", guesses)


def test_the_margin_is_the_key_less_the_best_other() -> None:
    assert margin(ITEM, said(Guess("0", -1.0), Guess("1", -3.0))) == pytest.approx(2.0)
    assert margin(ITEM, said(Guess("1", -0.5), Guess("0", -3.0))) == pytest.approx(-2.5)
    assert margin(ITEM, said(Guess("0", -4.0))) == pytest.approx(1.0)  # nothing else was guessed: one, as for a ranking
    assert margin(ITEM, said(Guess("1", -0.5))) == -1.0  # the key was not guessed


def test_of_a_ranking_it_is_one_or_minus_one_and_without_an_answer_nothing() -> None:
    assert margin(ITEM, said(Guess("0"), Guess("1"))) == 1.0 and margin(ITEM, said(Guess("1"), Guess("0"))) == -1.0
    assert margin(ITEM, said()) is None and margin(ITEM, None) is None
