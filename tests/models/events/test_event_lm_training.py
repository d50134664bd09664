"""What torch trains and what numpy ranks with are one network: trained for a moment, exported, read back, compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarist.models.events.log_bilinear import EventLm, window
from scenarist.question import EventGap
from scenarist.story import Link

torch = pytest.importorskip("torch")
training = pytest.importorskip("training.eventlm.train")

TYPES = ["say:nsubj", "flee:nsubj", "arrest:dobj", "charge:dobj", "flee:dobj"]
VERBS = ["<unk>", "say", "flee", "arrest", "charge"]
DEPS = ["<unk>", "nsubj", "dobj"]


def arrays() -> dict[str, np.ndarray]:
    """What `prepare.py` writes, for a language of five events and one more that is only read."""
    rng = np.random.default_rng(1)
    start = np.cumsum([0, 2, 3, 5, 2, 30])
    flat = rng.integers(0, 5, start[-1]).astype(np.int32)

    def text(words: list[str]) -> np.ndarray:
        return np.frombuffer("\n".join(words).encode(), np.uint8)

    found = {
        "types": text(TYPES), "verbs": text(VERBS), "deps": text(DEPS), "counts": np.array([9, 7, 5, 4, 1]),
        "verb_of": np.array([1, 2, 3, 4, 2, 4]), "dep_of": np.array([1, 1, 2, 2, 2, 1]),
        "verb_vectors": rng.normal(size=(5, 7)).astype(np.float16), "chains.flat": flat, "chains.start": start,
        "once.flat": np.array([1, 2, 3], np.int32), "once.start": np.array([0, 3]), "more.flat": np.array([5, 1], np.int32), "more.start": np.array([0, 2]),
    }  # fmt: skip
    for preset, bucket in (("lm-cloze", 11), ("narrative-cloze", 25)):
        x = np.full((2, 24), -1)
        x[:, 0] = 1
        found |= {
            f"dev.{preset}.x": x,
            f"dev.{preset}.p": np.full((2, 24), bucket),
            f"dev.{preset}.k": np.array([2, -1]),
        }
    return found


@pytest.mark.parametrize("settings", [{"vectors": 0}, {"layers": 2, "heads": 2}, {"more": 0.5}, {"plain": True}])
def test_the_twin_in_numpy_gives_the_same_scores(tmp_path: Path, settings: dict[str, object]) -> None:
    whole = arrays()
    words = training.Vocabulary(whole)
    recipe = training.Recipe(width=8, epochs=3, rate=0.05, **settings)
    net = training.train(words, whole, recipe, seed=3, size=8)
    training.export(net, words, tmp_path / "twin.npz")
    model = EventLm(weights=tmp_path / "twin.npz")
    ids = {name: at for at, name in enumerate([*TYPES, "charge:nsubj"])}
    for gap in (0, 1, 2, None):
        question = EventGap((Link("arrest", "dobj"), Link("charge", "nsubj"), Link("say", "nsubj")), gap)
        links, buckets, known = window(question)
        x, p = np.full((1, 24), -1), np.zeros((1, 24), np.int64)
        x[0, :3], p[0, :3] = [ids[str(link)] for link in links], buckets
        theirs = training.mean_logp([net], torch.tensor(x), torch.tensor(p), 0 if known else 1)[0].numpy()
        # tables are kept in 8 bits, blocks in 16: alike to a few hundredths, and the ranking the same where it is clear
        np.testing.assert_allclose(model.raw(question), theirs, atol=0.06)
        assert model.raw(question).argmax() == theirs.argmax() or np.sort(theirs)[-1] - np.sort(theirs)[-2] < 0.06


def test_examples_are_the_chain_around_each_event() -> None:
    data = training.examples(np.array([3, 1, 2], np.int32), np.array([0, 3]), True, 10, "cpu")
    assert data["k"].tolist() == [3, 1, 2]
    assert data["x"][:, :3].tolist() == [[1, 2, -1], [3, 2, -1], [3, 1, -1]]
    assert data["p"][:, :2].tolist() == [[13, 14], [11, 13], [10, 11]]
    untold = training.examples(np.array([3, 1, 2], np.int32), np.array([0, 3]), False, 10, "cpu")
    assert untold["w"].tolist() == [0.5, 0.5, 0.5] and set(untold["p"][:, :2].flatten().tolist()) == {25}


def test_a_long_chain_is_cut_around_the_gap_as_in_the_exam() -> None:
    flat = np.arange(40, dtype=np.int32)
    data = training.examples(flat, np.array([0, 40]), True, 100, "cpu")
    for gap in (0, 5, 20, 39):
        links = tuple(Link(f"v{at}", "nsubj") for at in range(40) if at != gap)
        kept, buckets, _ = window(EventGap(links, gap))
        assert [f"v{at}" for at in data["x"][gap].tolist()] == [link.predicate for link in kept]
        assert data["p"][gap].tolist() == buckets.tolist()
