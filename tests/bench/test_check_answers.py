"""Answers to each kind of question that are possible, and answers that are not, with what is said of them."""

from __future__ import annotations

import pytest

from scenarist.bench.check_answers import wrong_answer
from scenarist.question import (
    Answer,
    AnyQuestion,
    Choice,
    EventGap,
    Group,
    Groups,
    Order,
    Permutation,
    Rate,
    Relate,
    Segments,
    SentenceGap,
    Unsaid,
    Where,
    WordGap,
)
from scenarist.story import Event, Label, Link, Segment, Story

STORY = Story.from_sentences("s", ["Ann woke.", "She ran the tap."])
EVENTS = Story("e", "Ann woke and rose.", events=(Event("wake"), Event("rise")))
LINKS = (Link("wake", "subj"), Link("rise", "subj"))
END = len(STORY.text)


def piece(stop: int) -> Segments:
    return Segments((Segment(0, stop, (Label("taking a bath"),)),))


POSSIBLE: list[tuple[Answer, AnyQuestion]] = [
    ("1", Choice(("Ann woke.",), ("a", "b"))),
    (Permutation((1, 0)), Order(("a", "b"))),
    (piece(END), Where(STORY)),
    (Segments(()), Where(STORY)),
    ("taking a bath", Where(STORY, whole=True)),
    ("rise:subj", EventGap(LINKS[:1], 1, LINKS)),
    ("anything:obj", EventGap(LINKS, 1)),
    ("rise", Unsaid(STORY, choices=("rise", "wash"))),
    ("dry", Unsaid(STORY)),
    ("1", Rate("It was cold.", "Likely?", low=1, high=5)),
    ("5", Rate("It was cold.", "Likely?", low=1, high=5)),
    ("2.5", Rate("It was cold.", "Likely?", low=1, high=5)),
    (Groups(("a", "a")), Group(("x", "y"))),
    ("tap", WordGap(("wash",), ("turn", "the"))),
    ("rose", SentenceGap(("Ann woke.",), 1)),
    ("before", Relate(EVENTS, 0, 1)),
]
IMPOSSIBLE: list[tuple[Answer, AnyQuestion, str]] = [
    ("2", Choice(("Ann woke.",), ("a", "b")), "an index from 0 to 1"),
    ("-1", Choice(("Ann woke.",), ("a", "b")), "an index from 0 to 1"),
    ("a", Choice(("Ann woke.",), ("a", "b")), "an index from 0 to 1"),
    (Permutation((0,)), Choice(("Ann woke.",), ("a", "b")), "an index from 0 to 1"),
    (Permutation((0, 2, 1)), Order(("a", "b")), "an order of 2 sentences, got 3"),
    ("0", Order(("a", "b")), '"is": "order"'),
    (piece(END + 1), Where(STORY), f"a segment ends at {END + 1}, the text at {END}"),
    ("taking a bath", Where(STORY), '"is": "segments"'),
    (piece(END), Where(STORY, whole=True), "the name of a scenario"),
    ("sit:subj", EventGap(LINKS[:1], 1, LINKS), "one of wake:subj, rise:subj"),
    (" ", EventGap(LINKS, 1), "an event or a word"),
    ("dry", Unsaid(STORY, choices=("rise", "wash")), "one of rise, wash"),
    ("", Unsaid(STORY), "an event or a word"),
    ("0.9", Rate("It was cold.", "Likely?", low=1, high=5), "a number from 1 to 5"),
    ("5.1", Rate("It was cold.", "Likely?", low=1, high=5), "a number from 1 to 5"),
    ("warm", Rate("It was cold.", "Likely?", low=1, high=5), "a number from 1 to 5"),
    (Permutation((0,)), Rate("It was cold.", "Likely?", low=1, high=5), "a number from 1 to 5"),
    (Groups(("a",)), Group(("x", "y")), "the names of 2 groups"),
    ("a", Group(("x", "y")), "the names of 2 groups"),
    (Permutation((0,)), WordGap(("wash",), ("turn", "the")), "an event or a word"),
    ("", SentenceGap(("Ann woke.",), 1), "an event or a word"),
    ("during", Relate(EVENTS, 0, 1), "one of before, after"),
]


@pytest.mark.parametrize(("answer", "question"), POSSIBLE, ids=lambda value: type(value).__name__)
def test_a_possible_answer_is_taken(answer: Answer, question: AnyQuestion) -> None:
    assert wrong_answer(answer, question) == ""


@pytest.mark.parametrize(
    ("answer", "question", "said"),
    IMPOSSIBLE,
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_impossible_answer_is_named(answer: Answer, question: AnyQuestion, said: str) -> None:
    assert said in wrong_answer(answer, question)
