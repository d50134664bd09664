"""The exam `detection`: what the solver sees, what the key holds, and annotations that are odd."""

from __future__ import annotations

import pytest

from scenarist.errors import BadInput
from scenarist.exams.detection import Detection, adjudicate
from scenarist.noun import to_json
from scenarist.question import Segments, Where
from scenarist.story import Label, Segment, Story

TEXT = "We mixed the flour. We baked it. It rained."


def story(*segments: Segment, **layers: object) -> Story:
    return Story("s", TEXT, segments=segments, **layers)  # type: ignore[arg-type]


def test_the_question_does_not_show_the_key() -> None:
    one = next(
        Detection().set([story(Segment(0, 32, (Label("baking a cake"),)), title="cake", scenario="baking a cake")])
    )
    two = next(Detection().set([story(Segment(0, 19, (Label("making soup"),)), title="soup", scenario="making soup")]))
    assert to_json(one.question) == to_json(two.question)
    assert one.key != two.key


def test_sentences_are_cut_where_the_corpus_has_none() -> None:
    item = next(Detection().set([story()]))
    assert isinstance(item.question, Where)
    assert len(item.question.story.sentences) == 3
    assert item.key == Segments(())


def test_labels_become_canonical() -> None:
    item = next(Detection().set([story(Segment(0, 5, (Label("going to the beach"), Label("None"))))]))
    assert isinstance(item.key, Segments)
    assert item.key.segments[0].names == ("visiting the beach",)


def test_a_label_outside_the_inventory_is_named_with_suggestions() -> None:
    with pytest.raises(BadInput, match=r"'baking a caek'.*'baking a cake'"):
        list(Detection().set([story(Segment(0, 5, (Label("baking a caek"),)))]))
    item = next(Detection(labels="any").set([story(Segment(0, 5, (Label("baking a caek"),)))]))
    assert isinstance(item.key, Segments)
    assert item.key.segments[0].names == ("baking a caek",)


def test_whole_stories() -> None:
    items = list(Detection(whole=True).set([story(scenario="bath"), story()]))
    assert [item.key for item in items] == ["taking a bath"]
    assert isinstance(items[0].question, Where)
    assert items[0].question.whole


def test_overlapping_annotations_of_two_people_join() -> None:
    cake = (Label("baking a cake"),)
    item = next(
        Detection().set(
            [
                story(
                    Segment(0, 19, cake, by="1"),
                    Segment(10, 32, cake, by="2"),
                    Segment(33, 43, (Label("making tea"),), by="2"),
                )
            ]
        )
    )
    assert isinstance(item.key, Segments)
    assert [(s.start, s.stop, s.names) for s in item.key.segments] == [
        (0, 32, ("baking a cake",)),
        (33, 43, ("making tea",)),
    ]
    strict = next(
        Detection(least=2).set(
            [
                story(
                    Segment(0, 19, cake, by="1"),
                    Segment(10, 32, cake, by="2"),
                    Segment(33, 43, (Label("making tea"),), by="2"),
                )
            ]
        )
    )
    assert isinstance(strict.key, Segments)
    assert len(strict.key.segments) == 1


def test_crossing_annotations_of_different_labels_stay() -> None:
    one, two = Segment(0, 25, (Label("baking a cake"),), by="1"), Segment(20, 43, (Label("making tea"),), by="2")
    assert len(adjudicate((one, two))) == 2


def test_one_person_s_annotation() -> None:
    both = story(Segment(0, 19, (Label("baking a cake"),), by="ann"), Segment(20, 32, (Label("making tea"),), by="bob"))
    item = next(Detection(by="bob").set([both]))
    assert isinstance(item.key, Segments)
    assert item.key.segments[0].names == ("making tea",)
    with pytest.raises(BadInput, match="cem"):
        list(Detection(by="cem").set([both]))


def test_settings_are_checked() -> None:
    with pytest.raises(BadInput):
        Detection(labels="some")
    with pytest.raises(BadInput):
        Detection(least=0)
