"""What lies at a place that somebody has just reached is *it*, rather than the place; what one does to the place itself is not."""

from __future__ import annotations

import pytest

from scenarist.reading.default import DefaultReader
from scenarist.story import Entity


@pytest.fixture(scope="module")
def reader() -> DefaultReader:
    return DefaultReader()


def last_it(reader: DefaultReader, text: str) -> Entity:
    (story,) = reader([text])
    (found,) = (one for one in story.entities if any(at.stop == len(text) - 1 for at in one.mentions))
    return found


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("The cat slept on the roof. A fireman climbed the roof and fetched it.", "cat"),
        ("The ball rolled under the car. Tom reached under the car and grabbed it.", "ball"),
        ("Her ring was in the drawer. She opened the drawer and took it.", "ring"),
        ("A letter lay on the table. Tom walked to the table and read it.", "letter"),
        ("Sue put the cake in the box. Her brother opened the box and ate it.", "cake"),
        ("The letter lay on the table. She cleaned the table and polished it.", "table"),
        ("Sue put the cake in the box. Her brother opened the box and closed it.", "box"),
        ("The children were in the house. A man entered the house and burned it.", "house"),
        ("Tom saw the door. He opened the door and closed it.", "door"),
    ],
)
def test_it_is_what_is_there(reader: DefaultReader, text: str, meant: str) -> None:
    assert last_it(reader, text).name.split()[-1] == meant


def test_the_link_says_why(reader: DefaultReader) -> None:
    found = last_it(reader, "Her ring was in the drawer. She opened the drawer and took it.")
    assert "it was at the drawer" in found.mentions[-1].why
