"""Stitched documents: reproducible, within their parameters, and never mixing splits."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenarist.corpora import stitched as stitching
from scenarist.corpora.stitched import Stitched, blogged, kin
from scenarist.errors import BadInput
from scenarist.inventory import known
from scenarist.noun import to_json
from scenarist.story import Story

SCENARIOS = (
    "baking a cake",
    "going fishing",
    "making tea",
    "taking a bath",
    "cleaning the floor",
    "sewing a button",
    "making coffee",
)


@pytest.fixture
def stories(data_root: Path) -> Iterator[Path]:
    """A small MCScript of our own, and a ROCStories for other text."""
    stitching.told_texts.cache_clear()
    stitching.noise_texts.cache_clear()
    lines = [
        json.dumps(
            {
                "scenario": name,
                "text": " ".join(f"Part {part} of {name} in telling {number} went well." for part in range(9)),
            }
        )
        for name in SCENARIOS
        for number in range(30)
    ]
    (data_root / "mcscript").mkdir()
    (data_root / "mcscript" / "train.jsonl").write_text("\n".join(lines))
    (data_root / "rocstories").mkdir()
    other = [
        json.dumps({"sentences": [f"Weather number {n} came on day {day}." for day in range(5)]}) for n in range(60)
    ]
    (data_root / "rocstories" / "stories.jsonl").write_text("\n".join(other))
    yield data_root
    stitching.told_texts.cache_clear()
    stitching.noise_texts.cache_clear()


def labels(story: Story) -> list[set[str]]:
    """The labels of each sentence."""
    return [{n for s in story.segments if s.start <= one.start < s.stop for n in s.names} for one in story.sentences]


def test_clean_documents_keep_to_their_parameters(stories: Path) -> None:
    made = list(Stitched("train", documents=40))
    assert len(made) == 40
    for story in made:
        assert 2 <= len(story.segments) <= 4
        assert len({s.names for s in story.segments}) == len(story.segments)
        for segment in story.segments:
            inside = sum(segment.start <= one.start < segment.stop for one in story.sentences)
            assert 3 <= inside <= 8
            assert all(
                segment.names[0] in story.of(one)
                for one in story.sentences
                if segment.start <= one.start < segment.stop
            )
        assert all(len(one) == 1 for one in labels(story))


def test_the_same_settings_give_the_same_documents(stories: Path) -> None:
    one = [to_json(story) for story in Stitched("train", documents=5, other=0.3, others=("rocstories",))]
    two = [to_json(story) for story in Stitched("train", documents=5, other=0.3, others=("rocstories",))]
    assert one == two
    assert one != [
        to_json(story) for story in Stitched("train", documents=5, other=0.3, others=("rocstories",), seeds=(14,))
    ]


def test_train_and_dev_never_overlap(stories: Path) -> None:
    train = {story.of(one) for story in Stitched("train", documents=200) for one in story.sentences}
    dev = {story.of(one) for story in Stitched("dev", documents=200) for one in story.sentences}
    assert train
    assert dev
    assert not train & dev


def test_a_third_of_noisy_documents_is_other_text(stories: Path) -> None:
    made = list(Stitched("train", documents=100, other=1 / 3, others=("rocstories",)))
    empty = sum(not one for story in made for one in labels(story))
    share = empty / sum(len(story.sentences) for story in made)
    assert 0.3 < share < 0.42
    assert all(
        "Weather" in story.of(one)
        for story in made
        for one, names in zip(story.sentences, labels(story), strict=True)
        if not names
    )


def test_nested_passages_bear_both_labels(stories: Path) -> None:
    made = list(Stitched("train", documents=60, nested=1.0))
    both = [names for story in made for names in labels(story) if len(names) == 2]
    assert both
    assert all(two in kin(one) for names in both for one, two in [sorted(names)])
    assert any("making tea" in names and "making coffee" in names for names in both)


def test_long_separators_part_a_segment_short_ones_do_not(stories: Path) -> None:
    made = list(Stitched("train", documents=60, separators=1.0, others=("rocstories",)))
    parted = [story for story in made if len({s.group for s in story.segments}) < len(story.segments)]
    assert parted
    for story in parted:
        for one, two in zip(story.segments, story.segments[1:], strict=False):
            if one.group == two.group and one.names == two.names:
                between = [x for x in story.sentences if one.stop <= x.start < two.start]
                assert len(between) > 2
                assert all("Weather" in story.of(x) for x in between)
    joined = [
        n
        for story in made
        for x, n in zip(story.sentences, labels(story), strict=True)
        if n and "Weather" in story.of(x)
    ]
    assert joined


def test_blog_style_loses_capitals_and_apostrophes() -> None:
    said = blogged("I didn’t go. Really.", random.Random(1))
    assert said == said.lower()
    assert "’" not in said
    assert "didnt" in said


def test_settings_stand_in_the_signature(stories: Path) -> None:
    plain = Stitched("dev").settings()
    assert plain["segments"] == "2-4"
    assert plain["documents"] == 400
    assert "other" not in plain
    assert Stitched("dev", other=1 / 3).settings()["other"] == 0.333
    assert Stitched("dev", nested=0.5, related=0.2).settings()["related"] == 0.2


@pytest.mark.parametrize(
    "settings",
    [{"segments": (0, 2)}, {"sentences": (5, 3)}, {"other": 1.0}, {"nested": 2.0}, {"documents": 0}, {"split": "deev"}],
)
def test_impossible_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Stitched(**settings)  # type: ignore[arg-type]


def test_other_text_needs_a_corpus(stories: Path) -> None:
    with pytest.raises(BadInput, match="others"):
        list(Stitched("train", documents=2, other=0.3, others=()))


def test_every_source_of_a_document_is_noted_and_reaches_its_item(stories: Path) -> None:
    """Segments, what is nested in them, and text without a scenario: all that a document was made of."""
    from scenarist.exams.detection import Detection

    corpus = Stitched(
        "train", documents=12, other=0.4, others=("rocstories",), nested=0.5, separators=0.3, lead_ins=0.3
    )
    items = list(Detection(labels="any").set(corpus))
    told = {
        " ".join(line.split()): part.source
        for texts in (stitching.told_texts("mcscript", "train"), stitching.noise_texts("rocstories", "train"))
        for part in texts
        for line in part.sentences
    }
    for item, story in zip(items, corpus, strict=True):
        expected = {told[" ".join(story.of(one).split())] for one in story.sentences}
        assert set(item.groups) == expected
        assert not item.question.story.notes  # type: ignore[union-attr]
    assert any(name.startswith("rocstories:") for item in items for name in item.groups)
    shared = [name for item in items for name in item.groups]
    assert len(set(shared)) < len(shared)


def test_neighbours_are_those_that_real_texts_tell_together(stories: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = {"making tea": {"making coffee": 3}, "making coffee": {"making tea": 3}}
    monkeypatch.setattr(stitching, "told_together", lambda: pairs)
    documents = list(Stitched("train", documents=80, segments=(2, 2), together=1.0))
    beside = [{name for segment in story.segments for name in segment.names} for story in documents]
    first = [(story.segments[0].names[0], names) for story, names in zip(documents, beside, strict=True)]
    drinks = [names for name, names in first if name in pairs]
    assert drinks and all(names == set(pairs) for names in drinks)
    assert Stitched("train", together=1.0).settings()["together"] == 1.0 and "together" not in Stitched().settings()
    with pytest.raises(BadInput, match="together is a chance"):
        Stitched("train", together=2)


def test_the_pairs_that_are_carried_are_of_the_inventory() -> None:
    stitching.told_together.cache_clear()
    pairs = stitching.told_together()
    assert len(pairs) > 100 and all(known(name) for name in pairs)
    assert all(pairs[other][name] == count for name, others in pairs.items() for other, count in others.items())
