"""Word cloze: what a solver is shown, oracle and greedy, clean and as published."""

from __future__ import annotations

import pytest

from scenarist.errors import BadInput
from scenarist.exams.wordcloze import WordCloze, WordClozeInfill
from scenarist.question import Item, WordGap
from scenarist.registry import make
from scenarist.story import Pair
from scenarist.verbs.exam import exam

PAIR = Pair(
    "p1",
    tuple("warm the soup .".split()),
    tuple("find a deep pot . pour the soup into the pot and stir slowly .".split()),
    ((2, 4), (10, 11), (12, 14)),
)


def gap(item: Item) -> WordGap:
    assert isinstance(item.question, WordGap)
    return item.question


def test_oracle_asks_every_word_with_the_key_filled_in() -> None:
    items = list(WordCloze().set([PAIR]))
    assert [item.key for item in items] == ["deep", "pot", "pot", "stir", "slowly"]
    assert [item.id for item in items] == ["p1:0.0", "p1:0.1", "p1:1.0", "p1:2.0", "p1:2.1"]
    second = gap(items[1])
    assert second.prefix == ("find", "a", "deep")
    assert (second.left, second.blank, second.blanks) == (1, 2, ())
    last = gap(items[4])
    assert last.prefix == PAIR.concrete[:13]
    assert (last.left, last.blank, last.blanks) == (1, 12, ((2, 4), (10, 11)))
    assert not any(gap(item).suffix for item in items)


def test_greedy_carries_the_solvers_words() -> None:
    exam = WordCloze(mode="greedy")
    (item,) = exam.set([PAIR])
    seen = []
    at: Item | None = item
    for word in ("small", "pan", "bowl", "mix", "well"):
        assert at is not None
        seen.append(gap(at).prefix)
        at = exam.follow(at, word)
    assert at is None
    assert seen[1] == ("find", "a", "small")
    assert seen[3] == tuple("find a small pan . pour the soup into the bowl and".split())
    assert seen[4][-1] == "mix"


def test_as_published_drops_the_last_word_of_each_blank_and_what_is_far_out() -> None:
    exam = WordCloze(preset="as-published")
    items = list(exam.set([PAIR]))
    assert gap(items[2]).prefix == tuple("find a deep . pour the soup into the".split())
    assert gap(items[2]).blanks == ((2, 3),)
    assert gap(items[4]).prefix == tuple("find a deep . pour the soup into the and stir".split())
    far = Pair("p2", ("go",), ("x",) * 50 + ("pot",), ((50, 51),))
    assert list(exam.set([far])) == []
    assert len(list(WordCloze().set([far]))) == 1


def test_as_published_greedy_remembers_what_is_fed() -> None:
    exam = WordCloze(preset="as-published", mode="greedy")
    (at,) = exam.set([PAIR])
    for word in ("small", "pan", "bowl"):
        following = exam.follow(at, word)
        assert following is not None
        at = following
    assert gap(at).prefix == tuple("find a small . pour the soup into the and".split())


def test_infill_shows_the_rest_with_blanks_hidden() -> None:
    items = list(WordClozeInfill().set([PAIR]))
    assert gap(items[2]).suffix == ("and", "____", "____", ".")


def test_no_question_differs_when_only_its_key_changes() -> None:
    other = Pair("p1", PAIR.abstract, (*PAIR.concrete[:13], "gently", "."), PAIR.blanks)
    ours, theirs = list(WordCloze().set([PAIR]))[-1], list(WordCloze().set([other]))[-1]
    assert ours.key != theirs.key
    assert ours.question == theirs.question


def test_tellings_of_one_abstract_share_a_group_and_no_others_do() -> None:
    twin = Pair("p9", PAIR.abstract, ("use", "a", "spoon"), ((2, 3),))
    other = Pair("p4", ("heat", "the", "soup", "."), PAIR.concrete, PAIR.blanks)
    pairs = [PAIR, twin, other]
    groups = [{item.group for item in WordCloze().set([pair])} for pair in pairs]
    assert all(len(found) == 1 for found in groups)
    assert groups[0] == groups[1] and groups[0] != groups[2]
    assert {item.group for item in WordCloze().set(pairs)} == groups[0] | groups[
        2
    ]  # two sources for the bootstrap, not one, not three
    (greedy,) = {item.group for item in WordCloze(mode="greedy").set([other])}
    assert greedy in groups[2]


@pytest.mark.parametrize("settings", [{"preset": "cleen"}, {"mode": "beam"}, {"feed": "none"}])
def test_wrong_settings_are_named(settings: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        make("exam", "wordcloze", **settings)


def test_an_empty_abstract_is_named() -> None:
    with pytest.raises(BadInput, match="p3"):
        list(WordCloze().set([Pair("p3", (), ("use", "a", "spoon"), ((2, 3),))]))


def test_match_finds_the_words_of_a_blank_in_whatever_order_they_were_asked() -> None:
    from scenarist.metrics.accuracy import Match
    from scenarist.question import Guess, Prediction

    items = list(WordCloze().set([PAIR]))
    waves = [items[0], items[2], items[3], items[1], items[4]]
    said = [Prediction(item.id, (Guess(item.key if item.id != "p1:2.1" else "well"),)) for item in waves]
    marks = Match().mark_all(waves, said)
    assert [mark["right"] for mark in marks] == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert sum(mark["n"] for mark in marks) == 3


def test_set_on_the_toy_corpus_it_asks_for_its_pairs() -> None:
    items, _ = exam("wordcloze", "toy", split="dev")
    assert isinstance(items[0].question, WordGap)
