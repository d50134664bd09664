"""Wrong endings made from right ones."""

from __future__ import annotations

import random

import pytest

from scenarist.errors import BadInput
from scenarist.learning.wrong_endings import KINDS, OPPOSITE, Negatives, flip, negate

TALES = [
    ["Ann lost her key.", "She looked in the garden.", "It was dark.", "She sat down.", "Ann was sad about it."],
    [
        "Bob lost his key.",
        "He looked in the garden.",
        "It was cold.",
        "He sat down.",
        "Bob was happy when he found it.",
    ],
    ["Cem baked bread.", "He read the recipe.", "The oven was hot.", "He waited.", "Cem shared his bread with Ann."],
    ["I went to the sea.", "I took my dog.", "It was warm.", "We swam.", "I slept well that night."],
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_ending_is_another_one_and_the_same_twice(kind):
    maker = Negatives(seed=3).fit(TALES)
    for story in TALES:
        made = maker.make(story, kind)
        if made is not None:
            assert made.text != story[-1]
            assert made == Negatives(seed=3).fit(TALES).make(story, kind)


def test_nearest_wears_our_names_and_pronouns():
    maker = Negatives(seed=3).fit(TALES)
    made = maker.make(TALES[0], "nearest")
    assert made is not None
    assert made.text == "Ann was happy when she found it."


def test_backward_is_of_the_same_story():
    assert Negatives().fit(TALES).make(TALES[2], "backward").text in TALES[2][:-1]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("She never ate it.", "She always ate it."),
        ("He did not go.", None),
        ("They were not late.", "They were late."),
        ("Ann sang.", "Ann did not sing."),
    ],
)
def test_negate(text, other):
    assert negate(text) == other


def test_flip_there_and_back():
    for word, others in OPPOSITE.items():
        assert all(word in OPPOSITE[other] for other in others)
    assert flip("Everyone was happy.", random.Random(2)) != "Everyone was happy."
    assert flip("Zzz.") is None


def test_refusals():
    with pytest.raises(BadInput, match="two or more"):
        Negatives().fit(TALES[:1])
    maker = Negatives().fit(TALES)
    with pytest.raises(BadInput, match="kind"):
        maker.make(TALES[0], "silly")
    with pytest.raises(BadInput, match="empty"):
        maker.make(["", "x."], "random")


@pytest.mark.parametrize("kind", KINDS)
def test_borrowed_endings_need_stories(kind):
    if kind in ("random", "nearest"):
        with pytest.raises(BadInput, match="call fit"):
            Negatives().make(TALES[0], kind)
    else:
        Negatives().make(TALES[0], kind)
