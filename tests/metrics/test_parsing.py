"""Parsing metrics on hand-made parses: each metric is wrong where, and only where, the parse is."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.metrics import parsing
from scenarist.question import Guess, Item, Prediction, Read, Reading
from scenarist.story import Sentence, Story, Token, replace

ALL = (parsing.TokenF1, parsing.SentenceF1, parsing.Upos, parsing.Lemma, parsing.Uas, parsing.Las, parsing.CoreF1)


def story() -> Story:
    """Mia saw him. He ran."""
    rows = [
        ("Mia", "Mia", "PROPN", 1, "nsubj"), ("saw", "see", "VERB", -1, "root"), ("him", "he", "PRON", 1, "obj"), (".", ".", "PUNCT", 1, "punct"),
        ("He", "he", "PRON", 5, "nsubj"), ("ran", "run", "VERB", -1, "root"), (".", ".", "PUNCT", 5, "punct"),
    ]  # fmt: skip
    made = Story.from_words("s", [[row[0] for row in rows[:4]], [row[0] for row in rows[4:]]])
    tokens = tuple(
        Token(token.start, token.stop, lemma, pos, "", "", head, dep)
        for token, (_, lemma, pos, head, dep) in zip(made.tokens, rows, strict=True)
    )
    return replace(made, tokens=tokens)


def value(metric: parsing.Parsing, key: Story, answer: Story | None) -> float:
    prediction = Prediction("i", (Guess(Reading(answer)),)) if answer is not None else None
    counts = metric.mark(Item("i", Read(key.text), Reading(key)), prediction)
    return float(metric.combine({name: np.array(one) for name, one in counts.items()}))


def changed(place: int, **fields: object) -> Story:
    import msgspec

    base = story()
    tokens = list(base.tokens)
    tokens[place] = msgspec.structs.replace(tokens[place], **fields)
    return replace(base, tokens=tuple(tokens))


@pytest.mark.parametrize("kind", ALL)
def test_key_is_perfect_and_nothing_is_zero(kind: type[parsing.Parsing]) -> None:
    assert value(kind(), story(), story()) == 1.0
    assert value(kind(), story(), None) == 0.0


def test_one_wrong_label() -> None:
    answer = changed(2, dep="nsubj")  # him as a subject
    assert value(parsing.Uas(), story(), answer) == 1.0
    assert value(parsing.Las(), story(), answer) == pytest.approx(6 / 7)
    assert value(parsing.CoreF1(), story(), answer) == pytest.approx(2 * 2 / 6)


def test_subtypes_do_not_count_in_las_nor_in_core() -> None:
    answer = changed(0, dep="nsubj:pass")
    assert value(parsing.Las(), story(), answer) == 1.0
    assert value(parsing.CoreF1(), story(), answer) == 1.0


def test_verb_must_be_tagged_verb() -> None:
    answer = changed(5, pos="NOUN")  # its subject is no core argument any more: 2 guessed, 3 gold
    assert value(parsing.CoreF1(), story(), answer) == pytest.approx(2 * 2 / 5)
    assert value(parsing.Upos(), story(), answer) == pytest.approx(6 / 7)


def test_wrong_cut_costs_the_word_and_its_dependents() -> None:
    key = story()
    tokens = list(key.tokens)
    # "him ." read as one word
    joined = Token(tokens[2].start, tokens[3].stop, "he", "PRON", "", "", 1, "obj")
    shift = [
        Token(t.start, t.stop, t.lemma, t.pos, "", "", t.head - 1 if t.head > 3 else t.head, t.dep) for t in tokens[4:]
    ]
    answer = replace(
        key,
        tokens=(*tokens[:2], joined, *shift),
        sentences=(Sentence(0, joined.stop, 0, 3), Sentence(shift[0].start, shift[-1].stop, 3, 6)),
    )
    assert value(parsing.TokenF1(), key, answer) == pytest.approx(2 * 5 / 13)
    assert value(parsing.CoreF1(), key, answer) == pytest.approx(2 * 2 / 6)
    assert value(parsing.SentenceF1(), key, answer) == 1.0  # both still end where they should
