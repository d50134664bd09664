"""Odd text is cleaned in place; other languages are said to be so."""

from __future__ import annotations

import pytest

from scenarist.formats.plain import clean, not_english


def test_odd_text_is_cleaned_in_place_and_noted() -> None:
    kept, read, notes = clean("Ann\0ran \ud83d home")
    assert len(kept) == len(read) == 14
    assert read == "Ann ran   home"
    assert kept == "Ann\0ran \ufffd home"
    assert dict(notes)["cleaned"].startswith("2 ")
    assert clean("Ann ran.")[2] == ()


@pytest.mark.parametrize(
    "text",
    [
        "Il gatto dormiva sul tappeto mentre la pioggia cadeva sopra i tetti della vecchia casa.",
        "Собака бежала по улице и громко лаяла",
        "猫がマットの上に座っていた",
        "Le chien a mangé le pain que ma mère avait acheté hier soir chez le boulanger du village.",
    ],
)
def test_other_languages_are_said_to_be_so(text: str) -> None:
    assert not_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Ann ran.", "i don 't know what he 's doing but i was at home and then we went to the store",
        "THE DOG RAN TO THE HOUSE AND THEN IT ATE ALL OF THE FOOD THAT WAS IN IT",
        "First, crack the eggs into a bowl. Then whisk them with a fork until they are smooth.", "😀 😀 😀", "1 2 3 4",
    ],
)  # fmt: skip
def test_english_is_not_taken_for_something_else(text: str) -> None:
    assert not not_english(text)
