"""What reads single segments: each is asked about once, and the few that the teller is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scenarist.networks import segment_readers
from scenarist.networks.segment_readers import UNTRIED, SegmentReaders, spread

LINES = ["She filled the tub.", "She washed her hair."]


class Model:
    """Says the same of every segment, and remembers what it was asked."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.found, self.asked = np.array(scores), []

    def scores(self, texts: Sequence[str], names: Sequence[str] = ()) -> np.ndarray:
        self.asked.append(list(names))
        return self.found[: len(names)] if names else self.found


def test_what_was_not_kept_lies_below_the_rest_and_none_is_left_out() -> None:
    found = spread(np.array([3, 1]), np.array([0.0, 2.0]), 5)
    assert np.exp(found).sum() == pytest.approx(1)
    assert found[3] - found[1] == pytest.approx(2.0)
    assert found[2] == found[4] == pytest.approx(found[1] - UNTRIED)
    assert found[0] < -50


def test_the_namer_is_asked_once_and_knows_nothing_of_scenarios_a_user_added(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model([0.0, 1.0, 0.0, 4.0])
    monkeypatch.setattr(segment_readers, "namer", lambda name: model)
    readers = SegmentReaders("namer-1", {})
    for _ in range(2):
        scores = readers.names(LINES, 5)
        assert scores.argmax() == 3
        assert scores[4] < scores[1]
    assert len(model.asked) == 1


def test_the_teller_is_asked_once_of_the_likeliest_only(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model([0.0, 3.0])
    monkeypatch.setattr(segment_readers, "teller", lambda name: model)
    names = ["None", "taking a bath", "taking a shower", "baking a cake"]
    tellers = SegmentReaders("", {"teller-1": 1.0})
    for _ in range(2):
        scores = tellers.tells(LINES, np.array([-np.inf, 0.0, -1.0, -30.0]), names)
        assert model.asked == [["taking a bath", "taking a shower"]]
        assert scores.argmax() == 2
    assert tellers.tells(LINES[:1], np.array([-np.inf, 0.0, -20.0, -30.0]), names).argmax() == 1
    assert len(model.asked) == 1


def test_each_teller_counts_by_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"teller-1": Model([0.0, 3.0]), "titler-1": Model([2.0, 0.0])}
    monkeypatch.setattr(segment_readers, "teller", models.__getitem__)
    names, before = ["None", "taking a bath", "taking a shower"], np.array([-np.inf, 0.0, -1.0])
    for shares, best in (((0.5, 0.5), 2), ((0.6, 0.4), 2), ((0.2, 0.8), 1)):
        scores = SegmentReaders("", dict(zip(models, shares, strict=True))).tells(LINES, before, names)
        assert scores.argmax() == best
    assert scores[1] - scores[2] == pytest.approx(0.8 * 2 - 0.2 * 3)


class Pieces:
    """A tokenizer that remembers what it was asked to cut: a word a piece."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode_batch(self, texts: Sequence[str], add_special_tokens: bool) -> list[SimpleNamespace]:
        self.asked += texts
        return [SimpleNamespace(ids=[3 + len(word) % 9 for word in text.split()]) for text in texts]


@pytest.mark.parametrize(("titles", "name"), [(False, " taking a bath:"), (True, " taking a bath")])
def test_a_teller_reads_under_a_heading_and_a_titler_guesses_the_name(
    titles: bool, name: str, make_llama: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from scenarist.networks.adapters import Lora, Setup
    from scenarist.networks.checkpoint import Checkpoint, grow

    llama, tokenizer = make_llama(words=200), Pieces()
    monkeypatch.setattr(segment_readers, "encoder_base", lambda kind: (llama, tokenizer))
    state = grow(Lora.fresh(llama, 2, setup=Setup(2.0)).packed()) | {"sharp": torch.zeros(())}
    reader = segment_readers.SegmentLanguageModel(Checkpoint("teller", {"titles": titles, "factor": 2.0}, {}, state))
    scores = reader.scores(LINES, ["taking a bath", "washing hair"])
    assert scores.shape == (2,) and (scores < 0).all() and scores[0] != scores[1]
    assert tokenizer.asked == [*(f" {line}" for line in LINES), name, name.replace("taking a bath", "washing hair")]
