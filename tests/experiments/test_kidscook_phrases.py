"""Links judged against a hand alignment: precision counts links, recall counts words."""

from __future__ import annotations

import pytest

from experiments.kidscook.phrases import against, cells, soft
from scenarist.learning.alignments import WordPhrase
from scenarist.story import Pair

PAIR = Pair("p", ("grate", "cheese"), ("take", "a", "grater"), ())


def test_precision_and_recall_of_links() -> None:
    hand = {"p": {0: {0}, 2: {0, 1}}, "unseen": {0: {0}}}
    found = {"p": {0: {0, 1}, 2: set()}}
    assert against(found, hand) == (pytest.approx(0.5), pytest.approx(0.5), 2)
    assert against({}, hand) == (None, None, 0)


def test_a_threshold_links_a_word_to_several_or_none() -> None:
    weights = [[0.5, 0.5], [0.9, 0.1], [0.05, 0.05]]
    assert soft(PAIR, weights, 0.4) == {0: {0, 1}, 1: {0}, 2: set()}


def test_rows_seen_too_seldom_are_left_out() -> None:
    links = [WordPhrase("cheese", ("grater",), "p", 2)] * 4 + [WordPhrase("cheese", ("a", "bowl"), "p", 0)]
    found = cells(links, {"p": {}}, {})
    assert found["count_rows/table"].value == 1.0
    assert found["phrases/table"].value == 0.0
    assert "precision/hand" not in found
