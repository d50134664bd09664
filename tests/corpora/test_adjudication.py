"""Merging and adjudication: Wanzare et al. (2019), section 3.3, on texts of our own with the paper's constellations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.corpora.adjudication import ALONE, DIFFERENT, annotations_of, decide, joined, merge, outcomes, write_gold
from scenarist.errors import BadInput
from scenarist.registry import make
from scenarist.story import Label, Segment, Story

GARDEN = "The beans in the tub came up. We saw their first buds today. It rained all month, which does the beds good. We put in some leeks. We dug up the first carrots."
GROW, WORK = "growing vegetables", "working in the garden"


def story(*marks: tuple[str, str, str], text: str = GARDEN, groups: dict[int, str] | None = None) -> Story:
    """A text with (person, label, marked words) triples."""
    segments = tuple(
        Segment(
            text.index(words), text.index(words) + len(words), (Label(label),), (groups or {}).get(number, ""), person
        )
        for number, (person, label, words) in enumerate(marks)
    )
    return Story("s", text, segments=segments)


def texts(merged: Story) -> list[tuple[str, tuple[str, ...]]]:
    return [(merged.of(segment), segment.names) for segment in merged.segments]


def test_example_3_3_the_longest_chain():
    """One person marks the whole passage, the other two stretches of it: the whole passage is gold."""
    first, last = "The beans in the tub came up.", "We put in some leeks. We dug up the first carrots."
    merged = merge(story(("ann", GROW, GARDEN), ("bob", GROW, first), ("bob", GROW, last)))
    assert texts(merged.story) == [(GARDEN, (GROW,))]
    assert (merged.annotations, merged.merged, merged.decisions) == (3, 3, ())


def test_identical_and_overlapping_segments_are_merged():
    both = merge(story(("ann", GROW, GARDEN[:60]), ("bob", GROW, GARDEN[30:90])))
    assert texts(both.story) == [(GARDEN[:90], (GROW,))]
    same = merge(story(("ann", GROW, GARDEN[:60]), ("bob", GROW, GARDEN[:60])))
    assert texts(same.story) == [(GARDEN[:60], (GROW,))]


def test_adjacent_segments_are_merged_by_a_switch_only():
    """Guideline 4: what is adjacent is one segment; the paper's rule of merging does not say so."""
    marks = story(("ann", GROW, "The beans in the tub came up."), ("bob", GROW, "We saw their first buds today."))
    assert len(merge(marks).decisions) == 2
    merged = merge(marks, adjacent=True)
    assert texts(merged.story) == [("The beans in the tub came up. We saw their first buds today.", (GROW,))]
    assert merged.decisions == ()


def test_example_a_11_two_related_scenarios_on_one_passage():
    marks = story(("ann", GROW, GARDEN), ("ann", WORK, GARDEN), ("bob", WORK, GARDEN), ("bob", GROW, GARDEN))
    merged = merge(marks)
    assert texts(merged.story) == [(GARDEN, (GROW, WORK))]
    assert merged.merged == 4


def test_example_a_12_a_nested_scenario_stays_nested():
    nested = "We put in some leeks."
    merged = merge(story(("ann", WORK, GARDEN), ("bob", WORK, GARDEN), ("ann", GROW, nested), ("bob", GROW, nested)))
    assert texts(merged.story) == [(GARDEN, (WORK,)), (nested, (GROW,))]


def test_a_separator_that_both_leave_out_stays_out():
    """Example A.8: a long separator between two parts; the parts keep together."""
    first, last = "The beans in the tub came up. We saw their first buds today.", "We put in some leeks."
    marks = story(
        ("ann", GROW, first), ("ann", GROW, last), ("bob", GROW, first), ("bob", GROW, last),
        groups={0: "a", 1: "a", 2: "b", 3: "b"},
    )  # fmt: skip
    merged = merge(marks)
    assert texts(merged.story) == [(first, (GROW,)), (last, (GROW,))]
    assert len({segment.group for segment in merged.story.segments}) == 1
    assert merged.merged == 2


def test_what_one_person_marked_is_accepted_or_discarded():
    marks = story(("ann", GROW, GARDEN[:60]), ("bob", GROW, GARDEN[:60]), ("bob", WORK, GARDEN[100:]))
    merged = merge(marks)
    (decision,) = merged.decisions
    assert (decision.kind, [offer.people for offer in decision.offers]) == (ALONE, [("bob",)])
    assert [segment.names for segment in decide(merged, {decision.id: [0]}).segments] == [(GROW,), (WORK,)]
    assert [segment.names for segment in decide(merged, {decision.id: []}).segments] == [(GROW,)]
    assert merged.merged == 2


def test_where_two_differ_one_label_the_other_or_both():
    merged = merge(story(("ann", GROW, GARDEN), ("bob", WORK, GARDEN)))
    (decision,) = merged.decisions
    assert decision.kind == DIFFERENT
    kept = {taken: {name for one in decide(merged, {decision.id: taken}).segments for name in one.names} for taken in [(0,), (1,), (0, 1)]}  # fmt: skip
    assert kept == {(0,): {GROW}, (1,): {WORK}, (0, 1): {GROW, WORK}}
    with pytest.raises(BadInput, match="take one of them, the other, or both"):
        decide(merged, {decision.id: ()})
    with pytest.raises(BadInput, match="there is no offer 2; expected 0 to 1"):
        decide(merged, {decision.id: (2,)})
    with pytest.raises(BadInput, match="is not decided yet"):
        decide(merged, {})


def test_a_label_beside_an_agreed_one_is_a_decision_of_its_own():
    """Ann says both, Bob one of them: the shared label is merged, the other is Ann's alone."""
    merged = merge(story(("ann", GROW, GARDEN), ("ann", WORK, GARDEN), ("bob", GROW, GARDEN)))
    assert texts(merged.story) == [(GARDEN, (GROW,))]
    assert [decision.kind for decision in merged.decisions] == [ALONE]
    assert (merged.annotations, merged.merged) == (3, 2)


def test_none_says_nothing():
    merged = merge(story(("ann", "None", GARDEN), ("bob", "none", GARDEN)))
    assert (merged.annotations, merged.story.segments, merged.decisions) == (0, (), ())


def test_each_annotator_sees_what_was_decided():
    marks = story(("ann", GROW, GARDEN[:60]), ("bob", GROW, GARDEN[20:60]), ("bob", WORK, GARDEN[100:]))
    merged = merge(marks)
    taken = {decision.id: () for decision in merged.decisions}
    assert [(one.label, one.became) for one in outcomes(marks, merged, taken, "bob")] == [
        (GROW, "merged"),
        (WORK, "discarded"),
    ]
    assert [one.became for one in outcomes(marks, merged, taken, "ann")] == ["merged"]


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 40), st.integers(1, 20)), max_size=9
    )
)
def test_merging_loses_no_annotation_and_does_not_depend_on_order(marks):
    segments = [Segment(start, start + size, (Label(label),), by=person) for person, label, start, size in marks]
    text = "x" * 70
    merged = merge(Story("s", text, segments=tuple(segments)))
    again = merge(Story("s", text, segments=tuple(reversed(segments))))
    assert (merged.story.segments, merged.merged, merged.decisions) == (
        again.story.segments,
        again.merged,
        again.decisions,
    )
    offered = [offer for decision in merged.decisions for offer in decision.offers]
    for annotation in annotations_of(segments):
        gold = any(
            label == annotation.label
            and segment.start <= annotation.spans[0][0]
            and annotation.spans[-1][1] <= segment.stop
            for segment in merged.story.segments
            for label in segment.names
        )
        assert gold or any(
            offer.label == annotation.label and set(annotation.people) <= set(offer.people) for offer in offered
        )
    assert joined(joined(annotations_of(segments))) == joined(annotations_of(segments))


def test_gold_goes_out_and_comes_back_in_three_formats(tmp_path: Path):
    first, last = "The beans in the tub came up.", "We put in some leeks."
    marks = story(("ann", GROW, first), ("ann", GROW, last), ("bob", GROW, first), ("bob", GROW, last), groups={0: "a", 1: "a", 2: "b", 3: "b"})  # fmt: skip
    gold = merge(marks).story
    write_gold(tmp_path, [gold], ("webanno", "brat", "jsonl"))
    for corpus in ("webanno:{}/webanno", "brat:{}/brat", "jsonl:{}/gold.jsonl"):
        (back,) = make("corpus", corpus.format(tmp_path))
        assert texts(back) == texts(gold), corpus
        assert len({segment.group for segment in back.segments}) == 1
