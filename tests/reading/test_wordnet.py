"""The carried WordNet table."""

from __future__ import annotations

from scenarist.reading.wordnet import gloss, happenings, is_verb, match, phrasal, synonyms, table


def test_the_table_is_all_of_wordnet_3_0_verbs() -> None:
    synsets, senses = table()
    assert len(synsets) == 13_767
    assert len(senses) == 11_529
    assert all(0 <= number < len(synsets) for numbers in senses.values() for number in numbers)


def test_every_sense_of_a_lemma_holds_it() -> None:
    synsets, senses = table()
    for lemma, numbers in senses.items():
        assert all(lemma in map(str.lower, synsets[number]) for number in numbers)


def test_synonyms_are_mutual() -> None:
    for verb in ("wait", "order", "pick_up", "tell", "leave"):
        assert verb in synonyms(verb)
        assert all(match(other, verb) for other in synonyms(verb))
    assert match("pick up", "receive")
    assert not match("eat", "sing")


def test_glosses_and_phrases() -> None:
    assert gloss("telephone") == "call"
    assert gloss("zzz") == "zzz"
    assert is_verb("slip_away")
    assert ("sit", "down") in phrasal()
    assert ("go", "home") in phrasal()
    assert len(happenings()) == 13_143
