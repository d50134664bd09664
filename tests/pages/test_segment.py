"""The page of segments: inert, complete, and with bands side by side where segments nest."""

from __future__ import annotations

from scenarist.pages.segment import body, lanes, marked, segment_page
from scenarist.story import Label, Segment, Story, replace

STORY = replace(
    Story.from_sentences("day", ["We baked <b>bread</b>.", "The kettle boiled.", "It rained & poured."]),
    segments=(
        Segment(0, 41, (Label("baking a cake", 0.9), Label("making breakfast", 0.3)), why=("baked",)),
        Segment(23, 41, (Label("making tea", 0.8),), why=("kettle ... boiled",)),
    ),
)


def test_text_is_inert_and_whole() -> None:
    page = segment_page([STORY])
    assert "<b>bread" not in page
    assert "&lt;b&gt;bread" in page
    assert "rained &amp; poured" in page
    assert "http://" not in page
    assert "https://" not in page


def test_labels_weights_and_words_stand_in_the_margin() -> None:
    page = body(STORY)
    for part in (
        "baking a cake",
        "90%",
        "also: making breakfast 30%",
        "making tea",
        "<mark>baked</mark>",
        "<mark>kettle</mark>",
    ):
        assert part in page


def test_nested_segments_get_bands_of_their_own() -> None:
    assert lanes(STORY.segments) == [0, 1]
    assert body(STORY).count('class="lane on') == 3


def test_a_story_without_segments_is_a_page_too() -> None:
    assert "0 segments" in body(replace(STORY, segments=()))
    assert marked("a < b", ()) == "a &lt; b"
