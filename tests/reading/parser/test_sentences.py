"""Sentence ends: quotations, abbreviations, and sentences that never end."""

from __future__ import annotations

import pytest

from scenarist.reading.parser.parse import parser
from scenarist.reading.parser.sentences import LONGEST, directed


def cut(text: str) -> list[str]:
    story = next(iter(parser()([text]))).story
    return [story.of(one) for one in story.sentences]


@pytest.mark.parametrize(
    "parts",
    [
        ["Dr. Lee arrived at 5 p.m. on Monday.", "She was tired."],
        ['"Stop!" cried the guard.', "Tom looked up."],
        ['"I am nobody," he said.', "The guard frowned."],
        ["Was it you?", "No!", "It was 3.5 miles away."],
        ["i woke up .", "then i went to work ."],
    ],
)
def test_plain_prose(parts: list[str]) -> None:
    assert cut(" ".join(parts)) == parts


def test_blank_lines_and_lists_part_sentences() -> None:
    assert cut("The end\n\nHe left\n- milk\n- bread") == ["The end", "He left", "- milk", "- bread"]


def test_wrapped_lines_do_not() -> None:
    assert cut("The old man\nwalked to the\nharbor.") == ["The old man\nwalked to the\nharbor."]


def test_marks_open_and_close_by_turns_where_spaces_tell_nothing() -> None:
    assert directed(['"', "Go", '"', "he", "said"]) == ["“", "Go", "”", "he", "said"]


def test_no_sentence_is_too_long() -> None:
    found = parser().splitter(["and", "then"] * 500)
    assert max(last - first for first, last in found) <= LONGEST
    assert found[0][0] == 0
    assert found[-1][1] == 1000
    assert all(a[1] == b[0] for a, b in zip(found, found[1:], strict=False))
