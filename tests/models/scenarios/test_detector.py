"""The light detector: what it makes of scores (a network written by hand), and the carried weights on stories of ours."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput
from scenarist.models.scenarios.detector import Detector
from scenarist.models.scenarios.phrase_network import STRETCH, PhraseNetwork, carried
from scenarist.question import Choice, Segments, Where
from scenarist.store.home import resource
from scenarist.story import Story
from tests.models.hand_made import write

CAKE = ["We put the flour and the butter in.", "Then the cake was in the oven.", "The oven and the cake."]
FISH = ["We had a hook and a boat.", "The fish in the lake.", "Then we put it in the boat, the fish."]
TEA = ["I put the kettle to boil.", "The tea in the cup.", "Then the tea and the cup."]
STATE = ["The minister and the tax.", "The parliament and the vote.", "The tax, the minister, the vote."]


@pytest.fixture
def detector(tmp_path: Path) -> Detector:
    return Detector(str(write(tmp_path / "network")))


def told(detector: Detector, *parts: list[str]) -> list[tuple[int, int, str]]:
    """Segments as sentence numbers and first label."""
    story = Story.from_sentences("s", [line for part in parts for line in part])
    starts, stops = [one.start for one in story.sentences], [one.stop for one in story.sentences]
    return [(starts.index(s.start), stops.index(s.stop) + 1, s.names[0]) for s in detector.segments(story)]


def test_segments_are_where_their_words_are(detector: Detector) -> None:
    assert told(detector, CAKE, FISH) == [(0, 3, "baking a cake"), (3, 6, "going fishing")]


def test_other_text_is_not_covered(detector: Detector) -> None:
    assert told(detector, CAKE, STATE, FISH) == [(0, 3, "baking a cake"), (6, 9, "going fishing")]
    assert told(detector, STATE) == []


def test_a_scenario_inside_another_nests(detector: Detector) -> None:
    assert told(detector, CAKE, TEA, CAKE) == [(0, 9, "baking a cake"), (3, 6, "making tea")]


def test_a_short_separator_is_part_of_the_segment(detector: Detector) -> None:
    assert told(detector, CAKE, STATE[:1] * 1, CAKE)[0][:2] == (0, 7)


def test_a_long_separator_leaves_two_parts_of_one_group(detector: Detector) -> None:
    assert told(detector, CAKE, STATE, CAKE) == [(0, 3, "baking a cake"), (6, 9, "baking a cake")]
    story = Story.from_sentences("s", [*CAKE, *STATE, *CAKE])
    one, two = detector.segments(story)
    assert one.group == two.group != ""


def test_the_words_that_decided_come_as_they_stand_in_the_text(detector: Detector) -> None:
    (segment,) = detector.segments(Story.from_sentences("s", CAKE))
    assert {"flour", "oven", "cake"} <= set(segment.why)
    assert 0.5 < segment.labels[0].weight <= 1


def test_answers_where_questions_only(detector: Detector) -> None:
    story = Story.from_sentences("s", CAKE)
    found = detector.answer(Where(story)).best
    assert isinstance(found, Segments)
    assert detector.answer(Where(story, whole=True)).best == "baking a cake"
    with pytest.raises(BadInput):
        detector.answer(Choice(("a",), ("b", "c")))


def test_text_without_sentence_marks_is_cut_by_rule(detector: Detector) -> None:
    assert detector.segments(Story("s", " ".join(CAKE)))[0].names[0] == "baking a cake"


def test_long_texts_run_in_stretches_as_in_one_piece(tmp_path: Path) -> None:
    network = PhraseNetwork(write(tmp_path / "network"))
    draw = np.random.default_rng(3)
    network.gates = {
        side: tuple(draw.normal(0, 0.4, one.shape).astype(np.float32) for one in gates)  # type: ignore[misc]
        for side, gates in network.gates.items()
    }
    vectors = draw.normal(0, 1, (3 * STRETCH + 7, network.width)).astype(np.float32)
    whole = np.concatenate(
        [network.run("forward", vectors[None])[0], network.run("backward", vectors[None])[0]], axis=1
    )
    assert np.abs(network.hide(vectors) - whole).max() < 1e-3


def test_weights_of_another_schema_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "network")
    (folder / "card.json").write_text('{"schema": 99, "labels": []}')
    with pytest.raises(BadInput, match="schema"):
        Detector(str(folder))


RESTAURANT = (
    "On Friday my sister and I walked into the little Italian restaurant near the station. A waiter showed us to a table by the window "
    "and handed us two menus. I ordered the mushroom risotto and she asked for a pizza. When the food came it was hot and we ate "
    "slowly. At the end we asked for the bill, paid and left a tip for the waiter."
)
DENTIST = (
    "The next morning I drove to the dentist because my tooth hurt. The receptionist asked me to sit in the waiting room. Then the "
    "dentist told me to open my mouth and looked at my teeth with a small mirror. She gave me an injection, drilled out the cavity "
    "and put in a filling. I rinsed my mouth and made another appointment."
)
PLAIN_TEXT = (
    "The committee published its third report on river pollution. Several members disagreed with the figures. The minister promised "
    "that a new law would be drafted before winter."
)


def test_the_carried_weights_are_small() -> None:
    folder = resource("detector")
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 12 * 1024 * 1024
    assert "None" in carried().labels
    assert len(carried().labels) == 201


def test_two_scenarios_of_our_own() -> None:
    story = Story("s", f"{RESTAURANT} {DENTIST}")
    found = Detector().segments(story)
    assert [one.names[0] for one in found] == ["eating in a restaurant", "going to the dentist"]
    assert abs(found[0].stop - len(RESTAURANT)) < 90
    assert any("waiter" in word or "menu" in word for word in found[0].why)


def test_text_without_any_scenario() -> None:
    assert Detector().segments(Story("s", PLAIN_TEXT)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Hello",
        "...",
        "42",
        "we",
        "吾輩は猫である。名前はまだ無い。",
        "Я пошёл в магазин и купил хлеб. Потом я пошёл домой.",
    ],
)
def test_short_and_foreign_texts_claim_nothing(text: str) -> None:
    assert Detector().segments(Story("s", text)) == ()


def test_german_claims_nothing() -> None:
    text = "Gestern gingen wir ins Kino und sahen einen langen Film. Danach kauften wir uns noch ein Eis und fuhren mit dem Bus nach Hause."
    assert Detector().segments(Story("s", text)) == ()


def test_the_same_text_gives_the_same_segments() -> None:
    story = Story("s", f"{RESTAURANT} {PLAIN_TEXT} {DENTIST}")
    assert Detector().segments(story) == Detector().segments(story)


@pytest.mark.slow
def test_a_hundred_thousand_sentences() -> None:
    text = f"{RESTAURANT} {DENTIST} {PLAIN_TEXT} "
    story = Story("long", text * 7143)
    begin = time.perf_counter()
    found = Detector().segments(story)
    assert len(found) > 7000
    assert time.perf_counter() - begin < 300
