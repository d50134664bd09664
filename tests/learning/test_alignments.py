"""Phrase tables, alignment shapes and their pages."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.learning.alignments import PhraseTable, by_threshold, links, read_hand, shape, tabulate
from scenarist.pages import alignment as page
from scenarist.pages import pair as pair_page
from scenarist.store.home import resource
from scenarist.story import Alignment, Pair

WORDS = {"grater", "grate", "pan", "heat", "whisk", "hold"}
CHEESE = Pair("c", tuple("add parmesan".split()), tuple("hold a grater . grate some parmesan in".split()), ((2, 3),))
EGGS = Pair("e", tuple("fry eggs".split()), tuple("heat the pan and whisk eggs".split()), ((2, 3), (4, 5)))


def alignments() -> list[Alignment]:
    return [Alignment(CHEESE, (1,) * 8)] * 4 + [Alignment(EGGS, (0, 0, 0, -1, 1, 1))] * 4


def test_links_are_phrases_with_an_admissible_word_and_without_the_word_itself() -> None:
    found = {(link.word, " ".join(link.phrase)) for link in links(alignments()[0], WORDS)}
    assert found == {("parmesan", "hold"), ("parmesan", "hold a grater"), ("parmesan", "grater"), ("parmesan", "grate")}
    assert not list(links(Alignment(CHEESE, (-1,) * 8), WORDS))


def test_pmi_by_hand_and_both_directions() -> None:
    table = tabulate(alignments(), WORDS, least=3, discount=False)
    best = table.concrete("parmesan")
    assert {entry.phrase for entry in best} == {"hold", "hold a grater", "grater", "grate"}
    total, word, phrase = 4 * (4 + 3 + 1), 16, 4  # links; of parmesan; of each phrase
    assert best[0].pmi == pytest.approx(math.log(4 * total / (word * phrase)), abs=1e-4)
    assert [entry.word for entry in table.abstract("grater")] == ["parmesan"]
    assert [entry.word for entry in table.abstract("whisk")] == ["eggs"]
    assert (best[0].phrase, best[0].found[0]) == ("grate", ("c", 4))  # ties stand in the order of the alphabet
    assert table.concrete("nothing") == []


def test_discount_puts_rare_pairs_lower() -> None:
    plain = tabulate(alignments(), WORDS, discount=False).concrete("eggs")[0]
    low = tabulate(alignments(), WORDS).concrete("eggs")[0]
    assert 0 < low.pmi < plain.pmi


def test_tables_round_trip(tmp_path: Path) -> None:
    table = tabulate(alignments(), WORDS, by="test")
    table.save(tmp_path / "t.jsonl")
    again = PhraseTable.load(tmp_path / "t.jsonl")
    assert again.entries == table.entries and again.by == "test"
    with pytest.raises(Missing):
        PhraseTable.load(tmp_path / "none.jsonl")
    (tmp_path / "old.jsonl").write_text('{"schema": 0}\n')
    with pytest.raises(BadInput, match="schema"):
        PhraseTable.load(tmp_path / "old.jsonl")


def test_attention_needs_a_threshold_and_may_link_twice_or_never() -> None:
    weights = [[0.2, 0.8], [0.2, 0.8], [0.5, 0.5], [0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [1.0, 0.0], [0.3, 0.7]]
    low = {(link.word, " ".join(link.phrase)) for link in by_threshold(CHEESE, weights, WORDS, least=0.5)}
    assert ("add", "grater") in low and ("parmesan", "hold a grater") in low
    high = {(link.word, " ".join(link.phrase)) for link in by_threshold(CHEESE, weights, WORDS, least=0.75)}
    assert high == {("parmesan", "hold")}


def test_shape_by_hand() -> None:
    found = shape(alignments(), {"e": {0: [0], 4: [0], 5: [1]}})
    assert found.span == pytest.approx((8 + 6) / (1 + 3))
    assert found.degenerate == 0.5
    assert found.used == pytest.approx((0.5 + 1.0) / 2)
    assert found.agreement == pytest.approx(2 / 3)
    assert found.linked == 12


def test_alignments_are_checked() -> None:
    with pytest.raises(ValueError, match="links for"):
        Alignment(CHEESE, (1, 1))
    with pytest.raises(ValueError, match="outside"):
        Alignment(CHEESE, (2,) * 8)


def test_pages_escape_and_show_both_sides() -> None:
    odd = Pair("x", ("<b>", "egg"), ("a", "pan", "<i>"), ((1, 2),))
    html = page.page([Alignment(odd, (0, 1, -1))], "t")
    assert "&lt;b&gt;" in html and "<i>egg</i>" in html and "&lt;i&gt;" in html
    assert "http" not in html.replace("http-equiv", "")
    assert "<b>pan</b>" in pair_page.fragment(odd)
    card = pair_page.filled_card(odd, {1: "pot"}, ["bad"])
    assert '<b class="bad">pot</b>' in card and "<b>pan</b>" in card
    assert "<b>pan</b>" in odd._repr_html_()


@pytest.mark.data
def test_the_hand_alignment_points_into_the_dev_pairs() -> None:
    from scenarist.corpora.kidscook import KidsCook

    hand = read_hand(resource("alignments/hand-kidscook-dev.json"))
    pairs = {pair.id: pair for pair in KidsCook(split="dev")}
    assert sum(len(one) for one in hand.values()) == 214
    for name, found in hand.items():
        assert max(found) < len(pairs[name].concrete)
        assert max(max(good) for good in found.values()) < len(pairs[name].abstract)
