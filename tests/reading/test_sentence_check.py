"""Sentences and fragments of our own, as people might type them: who is let through."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from scenarist.reading.main_verb import main_verb
from scenarist.reading.sentence_check import NO_SUBJECT, NO_VERB, NO_WORDS, NOT_FINITE, ONLY_A_PART, check_sentence

FIXTURES = Path(__file__).parent / "fixtures"


def lines(name: str) -> list[str]:
    return (FIXTURES / name).read_text("utf-8").splitlines()


def test_sentences_are_accepted() -> None:
    sentences = lines("full-sentences.txt")
    refused = [text for text in sentences if check_sentence(text) is not None]
    assert len(sentences) == 150
    assert len(refused) <= 150 * 0.03, refused


def test_fragments_are_refused() -> None:
    fragments = lines("fragments.txt")
    accepted = [text for text in fragments if check_sentence(text) is None]
    assert len(fragments) == 150
    assert len(accepted) <= 150 * 0.10, accepted


def test_it_is_quick_when_warm() -> None:
    check_sentence("The waiter came.")
    taken = []
    for text in lines("full-sentences.txt")[:40]:
        start = time.perf_counter()
        check_sentence(text)
        taken.append(time.perf_counter() - start)
    assert sorted(taken)[len(taken) // 2] <= 0.03


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_WORDS),
        ("🙂 !!", NO_WORDS),
        ("a cold soup", NO_VERB),
        ("to pay the bill", NOT_FINITE),
        ("because he was late", ONLY_A_PART),
    ],
)
def test_the_message_says_what_is_missing(text: str, message: str) -> None:
    assert check_sentence(text) == message


def test_a_subject_is_asked_for() -> None:
    assert check_sentence("was always late") in (NO_SUBJECT, NOT_FINITE)


def test_a_long_answer_costs_no_more() -> None:
    assert check_sentence("He ran home. " * 90_000) is None


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("She had to leave.", "leave"),
        ("He was a cook.", "be"),
        ("eaten", "eaten"),
        ("The soup was brought by him.", "bring"),
        ("no verb here", ""),
    ],
)
def test_the_main_verb_of_an_answer(text: str, verb: str) -> None:
    assert main_verb(text) == verb
