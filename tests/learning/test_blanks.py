"""The blank rule and the whitelist rule, by hand and against the released files."""

from __future__ import annotations

import pytest

from scenarist.learning.blanks import blanked, choose, compare, count, whitelist
from scenarist.story import Pair

WORDS = {"knife", "cut", "board", "cutting", "pan", "stir", "spoon"}


def test_longest_runs_first_then_late_in_the_alphabet() -> None:
    text = "cut it on the cutting board with a knife . stir in a pan with a spoon".split()
    assert choose(["chop"], text, WORDS, most=3) == ((4, 6), (10, 11), (16, 17))


def test_every_occurrence_is_blanked_and_abstract_words_never() -> None:
    text = "stir in the pan . stir again . cut".split()
    assert choose(["cut", "it"], text, WORDS) == ((0, 1), (3, 4), (5, 6))


def test_pairs_without_a_candidate_are_left_out() -> None:
    pairs = [Pair("a", ("mix",), ("use", "a", "spoon")), Pair("b", ("mix",), ("mix", "it"))]
    assert [(pair.id, pair.blanks) for pair in blanked(pairs, WORDS)] == [("a", ((2, 3),))]


def test_whitelist_parameters() -> None:
    pair = Pair("p", tuple("fry the egg".split()), tuple("heat a pan and crack the egg and fry 2 minutes".split()))
    counts = count([pair] * 6, distinct=False)
    assert whitelist(counts, mainly=0.9) == ("crack", "heat", "minutes", "pan")
    assert set(whitelist(counts, mainly=0.5)) == {"crack", "egg", "fry", "heat", "minutes", "pan"}
    assert whitelist(counts, least=7) == ()


@pytest.mark.data
def test_released_tags_come_out_again() -> None:
    pytest.importorskip("msgspec")
    from scenarist.corpora.kidscook import KidsCook
    from scenarist.corpora.kidscook import whitelist as released

    words = frozenset(released())
    pairs = list(KidsCook(split="dev"))
    same = sum(choose(pair.abstract, pair.concrete, words) == pair.blanks for pair in pairs)
    assert (same, len(pairs)) == (1006, 1007)


@pytest.mark.data
def test_the_rule_finds_most_of_the_released_list() -> None:
    from scenarist.corpora.kidscook import KidsCook
    from scenarist.corpora.kidscook import whitelist as released

    found = compare(whitelist(list(KidsCook(split="train")) + list(KidsCook(split="dev"))), released())
    assert found.f1 > 0.8


@pytest.mark.data
def test_empty_fields_for_steps_are_the_tokens_that_table_1_has_more() -> None:
    """307,573 and 36,830 printed; 1.65 a text more than the words of the steps."""
    from scenarist.bench.analyses.kidscook_corpus import table

    rows = {row.model: {name: figure.value for name, figure in row.scores.items()} for row in table().rows}
    lost = {}
    for split, printed in {"train": 307573, "dev": 36830}.items():
        row = rows[f"pairs-{split}"]
        assert printed - row["count_tokens/files"] > 1.6 * row["count_sequences/files"]
        lost[split] = printed - row["count_with_empty_steps/files"]
    assert lost == {"train": 50, "dev": 3}
    assert rows["whitelist-rule-fitted"]["f1/released"] > rows["whitelist-rule"]["f1/released"] > 0.79
    assert rows["whitelist-rule"]["count_words/shared"] == 1032
