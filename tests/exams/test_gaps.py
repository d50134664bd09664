"""Gaps in stories: what is shown, what is hidden, and what the key is."""

from __future__ import annotations

import pytest

from scenarist.bench.question_sets import toy
from scenarist.errors import BadInput
from scenarist.exams.gaps import stray_documents
from scenarist.question import Guess, Item, Prediction, SentenceGap
from scenarist.registry import make
from scenarist.story import Story

TEXT = (
    "Mara walked into the bakery. She looked at the cakes for a while. The baker greeted her. She was shown the new menu by a boy. "
    "Mara bought two rolls and a cake. Then she paid the bill at the counter. Mara left the shop. It rained outside."
)


def gaps(condition: str = "full", **switches: object) -> list[Item]:
    return list(make("exam", "gaps", condition=condition, **switches).set([Story("mara", TEXT)]))


def test_the_three_conditions_ask_for_the_same_sentences() -> None:
    by_condition = {way: gaps(way) for way in ("full", "caveman", "verb-subject")}
    ids = {way: [item.id for item in items] for way, items in by_condition.items()}
    assert len(ids["full"]) == 3
    assert ids["full"] == ids["caveman"] == ids["verb-subject"]
    assert {item.question.condition for item in by_condition["caveman"]} == {"caveman"}
    for full, bare in zip(by_condition["full"], by_condition["verb-subject"], strict=True):
        assert full.question.links == bare.question.links
        assert sum(map(len, bare.question.sentences)) < sum(map(len, full.question.sentences))


@pytest.mark.parametrize("way", ["full", "caveman", "verb-subject"])
def test_the_removed_sentence_is_not_shown_and_its_verb_is_the_key(way: str) -> None:
    for item in gaps(way, per=9, chains=9):
        question = item.question
        assert isinstance(question, SentenceGap)
        assert item.original in TEXT and item.original not in question.sentences
        assert item.key and item.key not in item.accept
        assert len(question.sizes) == len(question.sentences) >= 3
        assert 0 <= question.gap <= len(question.sentences)
        assert 0 <= question.link_gap <= len(question.links)


def test_caveman_and_verb_subject_look_as_in_the_paper() -> None:
    shown = {sentence for item in gaps("caveman", per=9) for sentence in item.question.sentences}
    assert "Mara buy rolls." in shown or "She pay bill at counter." in shown
    assert any("shown" in sentence for sentence in shown)  # participles of passives
    bare = {sentence for item in gaps("verb-subject", per=9) for sentence in item.question.sentences}
    assert "She pay." in bare


def test_the_links_leave_out_the_removed_sentence() -> None:
    for item in gaps(per=9):
        assert item.key not in {link.predicate for link in item.question.links}  # no verb of this story is told twice


def test_a_draw_is_uniform_over_documents_and_the_same_twice() -> None:
    stories = toy("train", "stories")
    exam = make("exam", "gaps", documents=5, least=3, off_topic=0)
    items = list(exam.set(stories))
    assert len({item.group for item in items}) == 5
    assert items == list(exam.set(stories))
    other = {item.group for item in make("exam", "gaps", documents=5, least=3, off_topic=0, seed=2).set(stories)}
    assert other != {item.group for item in items}


def test_a_letter_among_stories_is_off_topic() -> None:
    stories = [
        f"We sat down at table {n}. The waiter brought the menu and we ordered soup. The waiter served the soup."
        for n in range(14)
    ]
    letter = "Dear editors, kindly cancel my subscription since invoices keep arriving at a former postal address."
    assert stray_documents([*stories, letter], 3.0) == {14}
    exam = make("exam", "gaps", exclude=["s1"], least=2)
    list(exam.set([Story(f"s{number}", text) for number, text in enumerate([*stories, letter])]))
    assert exam.left_out_ == [("s1", "excluded"), ("s14", "off topic")]


def test_bad_switches_are_named() -> None:
    with pytest.raises(BadInput, match="caveman"):
        make("exam", "gaps", condition="cavemen")
    with pytest.raises(BadInput, match="least"):
        make("exam", "gaps", least=1)


def test_recovery_takes_a_sentence_or_a_verb_and_synonyms() -> None:
    (item, *_) = [one for one in gaps(per=9) if one.key == "buy"]
    metric = make("metric", "recovery")
    for answer, right in [
        ("She purchased a cake.", 1.0),
        ("purchase", 1.0),
        ("buy:subj", 1.0),
        ("She sneezed.", 0.0),
        ("", 0.0),
    ]:
        assert metric.mark(item, Prediction(item.id, (Guess(answer),)))["right"] == right, answer
