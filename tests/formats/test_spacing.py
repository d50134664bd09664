from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.formats.spacing import Page


def written(words: str) -> str:
    page = Page()
    for word in words.split():
        page.put(word)
    return page.text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("I do n't know , Ann 's dog ( Rex ) ran .", "I don't know, Ann's dog (Rex) ran."),
        ('She said : " Go away ! " and left .', 'She said: "Go away!" and left.'),
        ("It cost $ 5 , 20 % off .", "It cost $5, 20% off."),
        ("“ Yes , ” he said ...", "“Yes,” he said..."),
        ("an eye - tracking study and / or two", "an eye-tracking study and/or two"),
        ("we are gon na go , you can not .", "we are gonna go, you cannot."),
        ("from 1 – 0 to here – now", "from 1–0 to here – now"),
        ("the boys ' hats and ' the end '", "the boys' hats and 'the end'"),
        ("well -- maybe", "well -- maybe"),
    ],
)
def test_ordinary_english(words: str, text: str) -> None:
    assert written(words) == text


@given(
    st.lists(
        st.sampled_from(
            ["a", "Bob", "'", '"', "(", ")", "-", "n't", "'s", ".", "–", "🙂", "_", "’", "5", "$", "na", "gon"]
        ),
        max_size=30,
    )
)
def test_offsets_are_exact_whatever_the_words(words: list[str]) -> None:
    page = Page()
    spans = [page.put(word) for word in words]
    assert [page.text[start:stop] for start, stop in spans] == words
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
