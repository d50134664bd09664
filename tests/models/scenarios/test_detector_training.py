"""The chain that detectors are trained with: its sum and gradient, what it holds likely, and batches of documents."""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.neural

import numpy as np  # noqa: E402

from scenarist.networks.document_network import STYLES, Pieces  # noqa: E402
from training.detector import crf  # noqa: E402
from training.detector.documents import Document, Store, alone, loose  # noqa: E402
from training.detector.feeding import TOP, Taught, grouped, laid  # noqa: E402
from training.detector.namers import runs, segments_found  # noqa: E402
from training.detector.shelf import exchanged, written  # noqa: E402
from training.detector.tellers import alike  # noqa: E402


def chain(seed: int = 1) -> tuple[torch.Tensor, ...]:
    draw = torch.Generator().manual_seed(seed)
    emission = torch.randn(3, 5, 4, generator=draw, dtype=torch.double)
    switch = torch.randn(3, 5, generator=draw, dtype=torch.double)
    enter = torch.log_softmax(torch.randn(4, generator=draw, dtype=torch.double), 0)
    mask = torch.arange(5)[None] < torch.tensor([5, 3, 1])[:, None]
    return emission, switch, enter, mask


def test_the_sum_and_its_gradient_are_those_of_the_plain_loop() -> None:
    *parts, mask = chain()
    weights = torch.tensor([0.5, 2.0, 1.0], dtype=torch.double)
    found = []
    for way in (crf.log_sum, lambda *given: torch.logsumexp(crf.forward(*given)[:, -1], 1)):
        leaves = [part.clone().requires_grad_() for part in parts]
        total = way(*leaves, mask)
        found.append((total, *torch.autograd.grad((total * weights).sum(), leaves)))
    for ours, theirs in zip(*found, strict=True):
        assert torch.allclose(ours, theirs)


def test_beliefs_are_those_of_all_labellings_counted_out() -> None:
    emission, switch, enter, mask = (one[:1] if one.ndim > 1 else one for one in chain(2))
    found = crf.beliefs(emission, switch, enter, mask)
    labels, changes, total = torch.zeros(5, 4, dtype=torch.double), torch.zeros(5, dtype=torch.double), 0.0
    for path in itertools.product(range(4), repeat=5):
        chance = crf.gold(emission, switch, enter, mask, torch.tensor([path])).exp().item()
        total += chance
        for at, label in enumerate(path):
            labels[at, label] += chance
            changes[at] += chance * (at > 0 and label != path[at - 1])
    assert torch.allclose(found.labels[0], labels / total)
    assert torch.allclose(found.changes[0], changes / total)
    assert np.log(total) == pytest.approx(crf.log_sum(emission, switch, enter, mask).item())


def test_a_teacher_that_is_sure_teaches_like_a_label() -> None:
    emission, switch, enter, mask = chain(3)
    labels = torch.tensor([[0, 0, 2, 2, 1], [3, 1, 1, 0, 0], [2, 0, 0, 0, 0]])
    changes = torch.nn.functional.pad((labels[:, 1:] != labels[:, :-1]).double(), (1, 0))
    sure = torch.ones(3, 5, 1, dtype=torch.double)
    expected = crf.expected_score(emission, switch, enter, mask, labels[:, :, None], sure, changes)
    assert torch.allclose(expected, crf.gold(emission, switch, enter, mask, labels))


def test_documents_of_like_length_come_together() -> None:
    pieces = Pieces([[7] * size for size in (1, 9, 2, 8)])
    documents = [Document([0], [1]), Document([1, 3], [2, 2]), Document([2], [0]), Document([3], [3])]
    groups = grouped(documents, pieces, budget=12)
    assert sorted(at for group in groups for at in group) == [0, 1, 2, 3]
    assert [0, 2] in groups
    taught = [Taught(one, np.zeros((len(one.sentences), TOP)), np.ones((len(one.sentences), TOP)) / TOP, np.zeros(len(one.sentences))) for one in documents]  # fmt: skip
    batch = laid(documents, pieces, STYLES["minilm"], taught)
    assert batch.mask.tolist() == [[True, False], [True, True], [True, False], [True, False]]
    assert batch.labels[batch.mask].tolist() == [1, 2, 2, 0, 3]
    assert [int((batch.owner == at).sum()) for at in range(5)] == [
        2,
        10,
        9,
        3,
        9,
    ]  # pieces and the mark that ends a sentence
    assert batch.chances is not None
    assert float(batch.chances.sum()) == pytest.approx(5)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two scenarios, other text, and a story without a label."""
    rows = [
        ("told", "train", "taking a bath", ["The tub was full.", "She washed.", "The towel was warm."]),
        ("told", "train", "baking a cake", ["He mixed the flour.", "The oven was hot.", "The cake rose."]),
        ("none", "train", "", ["The law passed.", "Nobody spoke."]),
        ("free", "train", "", ["Tom ran.", "He fell.", "It hurt.", "He cried.", "Mum came."]),
    ]
    with gzip.open(tmp_path / "sentences.jsonl.gz", "wt") as stream:
        for kind, split, label, lines in rows:
            source = {"source": "ewt"} if kind == "none" else {}
            stream.write(
                json.dumps({"kind": kind, "split": split, "label": label, "sentences": lines, **source}) + "\n"
            )
    found = Store(tmp_path / "sentences.jsonl.gz")
    for kind in ("told-inscript-train", "listed-train", "weak-train"):
        found.texts[kind] = found.texts["told-train"]
    for kind in ("none-short-fiction-train", "none-gum-train"):
        found.texts[kind] = found.texts["none-ewt-train"]
    return found


def test_a_namer_learns_from_documents_of_one_label(store: Store) -> None:
    rng = random.Random(3)
    for _ in range(50):
        one = alone(store, rng)
        assert len(set(one.labels)) == 1
        assert len(one.labels) == len(one.sentences) > 0
    (story,) = loose(store, 10)
    assert 3 <= len(story.sentences) == len(story.labels) <= 5
    assert set(story.labels) == {-1}


def test_scenarios_with_like_words_stand_beside_one_another(store: Store) -> None:
    near = alike(store, 1)
    one, two = store.labels.index("taking a bath"), store.labels.index("baking a cake")
    assert near[one] == [two]
    assert near[two] == [one]


def test_segments_that_readers_found_and_the_true_ones_are_named_once(tmp_path: Path) -> None:
    assert runs([4, 4, 0]) == [(0, 2, 4), (2, 3, 0)]
    size, rows = 10, 4
    labels = np.tile(np.arange(size, dtype=np.uint8), (rows, 1))
    labels[:2] = np.roll(labels[:2], -3, axis=1)  # the first two tell 3, the others 5
    labels[2:] = np.roll(labels[2:], -5, axis=1)
    below = np.tile(np.arange(size, dtype=np.uint8) * 60 // 3, (rows, 1))
    arrays = {
        "d/labels": labels,
        "d/below": below,
        "d/switch": np.zeros(rows, np.float16),
        "enter": np.full(size, -1.0),
    }
    np.savez(tmp_path / "r-scores.npz", **arrays)
    found = segments_found({"d": [Document([7, 8, 9, 6], [3, 3, 3, 5])]}, [tmp_path / "r-scores.npz"])
    named = {tuple(one.sentences) for one, _ in found}
    assert named == {(7, 8), (9, 6), (7, 8, 9), (6,), (7, 8, 9, 6)}  # the last: the border is weak, so both as one
    assert {tuple(one.sentences): likely[0] for one, likely in found}[(7, 8)] == 3


def test_a_story_told_in_two_corpora_is_recognised() -> None:
    prepare = pytest.importorskip("training.detector.prepare")
    one = prepare.letters(
        ["I went to the store to buy some milk.", "Then I walked home in the pouring rain.", "It was late."]
    )
    two = prepare.letters(
        [
            "i went to the store to buy some milk .",
            "Then I walked home, in the pouring rain",
            "We ate a good deal of soup.",
        ]
    )
    assert prepare.same(one, two)
    assert not prepare.same(one, prepare.letters(["It was late.", "I went to the store to buy some milk."]))


def test_those_beside_one_another_exchange_what_they_hold_likely(tmp_path: Path) -> None:
    documents = [Document([0, 1], [1, 1]), Document([2], [2])]

    def said(label: int, change: float) -> dict[str, np.ndarray]:
        tops = np.tile(np.arange(12, dtype=np.uint8), (3, 1))
        return {"tops": tops, "chances": (tops == label).astype(np.float16), "changes": np.full(3, change, np.float16)}

    options = argparse.Namespace(out=tmp_path, name="one", beside="one,two")
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "two.part.npz").touch()  # being written: not there yet
    alone_said = exchanged(options, documents, 12, said(3, 0.0), patience=0.0)
    assert [float(one.chances[0][one.labels[0] == 3][0]) for one in alone_said] == [1.0, 1.0]
    written(tmp_path / "pool", "two", said(5, 1.0))
    both = exchanged(options, documents, 12, said(3, 0.0), patience=0.0)
    assert [len(one.chances) for one in both] == [2, 1]
    for one in both:
        assert {
            int(label): float(chance) for label, chance in zip(one.labels[0], one.chances[0], strict=True) if chance
        } == {3: 0.5, 5: 0.5}
        assert float(one.changes[0]) == 0.5
