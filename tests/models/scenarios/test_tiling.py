"""TextTiling, TopicTiling, topics, perceptrons and the paper's rows, on made-up words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.errors import BadInput
from scenarist.learning.topics import Topics, digamma
from scenarist.models.scenarios.tiling import (
    Even,
    RandomCuts,
    TextTiling,
    coherence,
    depths,
    tile,
    topic_vectors,
    word_vectors,
)
from scenarist.models.scenarios.wanzare2019 import Features, MajorityScenario, SentenceLabels
from scenarist.networks.perceptrons import OneVsAll
from scenarist.question import Segments, Where
from scenarist.story import Story

KITCHEN, LAKE = "oven flour butter cake bowl".split(), "boat fish hook lake rod".split()


def documents(seed: int = 1) -> list[list[str]]:
    draw = np.random.default_rng(seed)
    return [[str(word) for word in draw.choice(KITCHEN if at % 2 else LAKE, 12)] for at in range(60)]


def test_topics_part_what_does_not_meet() -> None:
    topics = Topics(topics=2, passes=8, least=1, most=1.0).fit(documents())
    sides = [{topics.likeliest[word] for word in words} for words in (KITCHEN, LAKE)]
    assert len(sides[0]) == len(sides[1]) == 1
    assert sides[0] != sides[1]
    share = topics.infer(["oven", "cake", "butter", "oven"])
    assert share.max() > 0.8
    assert share.sum() == pytest.approx(1)
    assert topics.infer(["unheard"]).tolist() == [0.5, 0.5]


def test_topics_are_kept_and_read_back(tmp_path: object) -> None:
    from pathlib import Path

    topics = Topics(topics=2, passes=4, least=1, most=1.0).fit(documents())
    path = Path(str(tmp_path)) / "topics.npz"
    topics.save(path)
    assert Topics.load(path).likeliest == topics.likeliest


def test_topics_need_words() -> None:
    with pytest.raises(BadInput):
        Topics(least=5).fit([["one"], ["two"]])


@given(st.floats(0.01, 1e4))
def test_digamma_obeys_its_recurrence(x: float) -> None:
    assert float(digamma(x + 1)) == pytest.approx(float(digamma(x)) + 1 / x, rel=1e-6, abs=1e-6)


def test_tiling_cuts_where_the_words_change() -> None:
    sentences = [KITCHEN[:3], KITCHEN[1:4], KITCHEN[2:], LAKE[:3], LAKE[1:4], LAKE[2:]]
    assert tile(word_vectors(sentences)) == [3]
    likeliest = dict.fromkeys(KITCHEN, 0) | dict.fromkeys(LAKE, 1)
    assert tile(topic_vectors(sentences, likeliest, 2)) == [3]
    assert coherence(topic_vectors(sentences, likeliest, 2)).round(2).tolist() == [1.0, 0.71, 0.0, 0.71, 1.0]


def test_the_threshold_of_the_paper_cuts_every_minimum() -> None:
    scores = np.array([0.9, 0.8, 0.85, 0.1, 0.9])
    found = depths(scores)
    assert (found > 0).sum() == 2
    assert found.mean() - found.std() / 0.1 < 0


def test_mean_and_deviation_are_those_of_the_minima_or_of_all_gaps() -> None:
    """Two minima, one shallow: mu + 1.4 sigma of the minima lies above both, that of all gaps, most of them zero, below the deep one."""
    topics = np.eye(3)
    rows = np.array([topics[0]] * 4 + [0.9 * topics[0] + 0.5 * topics[1]] + [topics[0]] * 4 + [topics[2]] * 4)
    found = depths(coherence(rows))
    minima = found[found > 0]
    assert len(minima) >= 2
    for over, counted in (("minima", minima), ("gaps", found)):
        for x in (-0.7, 0.1):
            threshold = counted.mean() - counted.std() / x
            assert tile(rows, 2, x, over) == [
                gap + 1 for gap, depth in enumerate(found) if depth > 0 and depth >= threshold - 1e-12
            ]
    assert tile(rows, 2, 0.1) == tile(rows, 2, 0.1, "gaps")  # as printed every minimum is cut either way
    assert len(tile(rows, 2, -0.7, "gaps")) > len(tile(rows, 2, -0.7))
    with pytest.raises(BadInput, match="minima, gaps"):
        tile(rows, 2, 0.1, "peaks")


def test_the_whole_vocabulary_is_a_variant() -> None:
    rows = documents()
    assert len(Features(("words",), most=2).fit(rows).place_) > len(Features(("tfidf",), most=2).fit(rows).place_) == 2


def test_one_sentence_has_no_cut() -> None:
    assert tile(word_vectors([KITCHEN])) == []
    assert tile(word_vectors([])) == []


def test_perceptrons_learn_their_labels() -> None:
    rows = documents()
    labels = ["cake" if at % 2 else "fish" for at in range(60)]
    features = Features(("tfidf", "vectors")).fit(rows)
    model = OneVsAll(units=8, rounds=12, batch=16).fit(features(rows), labels)
    chances = model.chances(features([["oven", "flour"], ["rod", "lake"]]))
    assert [model.labels_[at] for at in chances.argmax(axis=1)] == ["cake", "fish"]
    again = OneVsAll(units=8, rounds=12, batch=16).fit(features(rows), labels)
    assert np.array_equal(again.into_, model.into_)


def test_unknown_features_are_refused() -> None:
    with pytest.raises(BadInput, match="tfidf"):
        Features(("tf",))


STORIES = [
    Story(
        f"s{at}",
        " ".join(f"{word.title()} {word} {word}." for word in (KITCHEN if at % 2 else LAKE)),
        scenario="baking a cake" if at % 2 else "going fishing",
    )
    for at in range(40)
]


def test_a_row_of_the_paper_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarist.models.scenarios.wanzare2019.ROUNDS", 12)  # few stories
    model = SentenceLabels(words="stems", threshold=1.0).fit(STORIES)
    found = model.answer(Where(Story.from_sentences("t", ["Oven flour cake.", "Boat hook fish."]))).best
    assert isinstance(found, Segments)
    assert [one.names[0] for one in found.segments] == ["baking a cake", "going fishing"]
    assert model.answer(Where(STORIES[0], whole=True)).best == "going fishing"
    sure = model.pieces(Story.from_sentences("t", ["Oven flour cake."]))[0][3]
    unsure = model.pieces(Story.from_sentences("t", ["Quite other words."]))[0][3]
    assert sure < unsure


def test_majority_counts_sentences() -> None:
    model = MajorityScenario().fit(
        [
            Story("a", "One. Two. Three.", scenario="making tea"),
            Story("b", "One.", scenario="making soup"),
            Story("c", "One.", scenario="making soup"),
        ]
    )
    assert model.label_ == "making tea"


def test_rows_need_stories_with_scenarios() -> None:
    with pytest.raises(BadInput):
        MajorityScenario().fit([])
    with pytest.raises(BadInput):
        SentenceLabels(words="stems", threshold=1.0).fit([Story("a", "One.")])


def test_segmenters_cover_every_sentence() -> None:
    story = Story.from_sentences("s", [f"{word} {word}." for word in (*KITCHEN, *LAKE)])
    for model in (Even(3), RandomCuts(5), TextTiling(words="stems")):
        found = model.answer(Where(story)).best
        assert isinstance(found, Segments)
        assert found.segments[0].start == 0
        assert found.segments[-1].stop == len(story.text)
        assert all(
            one.stop < two.start and one.names != two.names
            for one, two in zip(found.segments, found.segments[1:], strict=False)
        )
        assert model.answer(Where(story)) == model.answer(Where(story))
