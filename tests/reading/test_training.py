"""What the training of the reader sends to a machine with a GPU and gets back, on stories of our own."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.neural
TEXT = "Tom found a wallet. He opened it and saw a card. A woman had lost the wallet. She thanked Tom. " * 4


def test_the_teachers_labels_come_back(tmp_path: Path) -> None:
    exchange = pytest.importorskip("training.reader.exchange")
    raw = [["Ann", "ran", "."], ["She", "fell", "down", "."]]
    exchange.write(tmp_path / "raw.jsonl.gz", ({"w": words} for words in raw))
    labels = {"t": ["NOUN/NN", "VERB/VBD"], "d": ["nsubj", "root"], "e": ["O", "person"], "r": ["E", "O"]}

    def answer(heads: list[int], sure: float) -> dict[str, np.ndarray]:
        size = len(heads)
        ones = {key: np.arange(size) % 2 for key in "tde"}
        return ones | {"h": np.array(heads), "r": np.linspace(0, 1, size), "c": np.full(size, sure)}

    said = [(1, answer([2, 0, 2, 2], 0.99)), (0, answer([2, 0, 2], 0.5))]
    assert exchange.write_silver(tmp_path / "silver.npz", labels, said) == 2
    (row,) = exchange.silver(tmp_path / "raw.jsonl.gz", tmp_path / "silver.npz")  # the doubtful one is left out
    assert row["w"] == raw[1]
    assert row["h"] == [1, 1, 1, 1]
    assert row["t"] == ["NOUN/NN", "VERB/VBD", "NOUN/NN", "VERB/VBD"]
    assert row["r"] == ["O", "O", "E", "E"]


def test_documents_travel_whole(tmp_path: Path) -> None:
    deep = pytest.importorskip("training.reader.deep")
    coreference = pytest.importorskip("training.reader.coreference")
    from scenarist.reading.parser.parse import parser

    read = next(iter(parser()([TEXT])))
    words = [read.story.of(token) for token in read.story.tokens]
    spans = [[(place, place + 1) for place, word in enumerate(words) if word in ("Tom", "He")]]
    doc = coreference.document("own", read.story, read.kinds, spans, parser().vectors, closed=True)
    deep.pack([doc], [doc], tmp_path / "coref.xz")
    (made,), (dev,) = deep.unpack(tmp_path / "coref.xz")
    assert made["words"] == words == dev["words"]
    assert (made["gold"] == doc.gold).all() and (made["gold"] >= 0).sum() == 12
    assert np.allclose(made["own"], doc.own, atol=1e-2)
    assert np.allclose(made["features"], doc.features, atol=0.04)


def test_a_perfect_scorer_scores_a_hundred() -> None:
    coreference = pytest.importorskip("training.reader.coreference")
    from scenarist.reading.parser.parse import parser

    read = next(iter(parser()([TEXT])))
    words = [read.story.of(token) for token in read.story.tokens]
    spans = [[(place, place + 1) for place, word in enumerate(words) if word in ("Tom", "He")]]
    doc = coreference.document("own", read.story, read.kinds, spans, parser().vectors, closed=True)

    def said(doc: object) -> tuple[np.ndarray, np.ndarray]:
        gold = spans_of(doc)
        return np.where(gold, 9.0, -9.0), np.zeros(len(doc.gold))  # type: ignore[attr-defined]

    def spans_of(doc: object) -> np.ndarray:
        gold, mine, its = doc.gold, doc.mine, doc.its  # type: ignore[attr-defined]
        return np.asarray((gold[mine] == gold[its]) & (gold[mine] >= 0))

    assert coreference.score(said, [doc])["conll"] == pytest.approx(1.0)
    assert coreference.score(lambda doc: (0 * said(doc)[0] - 9, said(doc)[1]), [doc])["conll"] < 0.1


def test_windows_overlap_and_keep_every_word_once() -> None:
    deep_net = pytest.importorskip("training.reader.deep_net")
    sizes = np.random.default_rng(1).integers(1, 6, 800).tolist()
    kept: list[int] = []
    for first, last, start, stop in deep_net.windows(sizes, 120, 20):
        assert first <= start < stop <= last
        assert sum(sizes[first:last]) <= 120
        kept += range(start, stop)
    assert kept == list(range(800))


def test_words_of_two_classes_stand_in_each_others_places() -> None:
    augment = pytest.importorskip("training.reader.augment")
    student = pytest.importorskip("training.reader.student")
    import random

    nouns = [{"w": ["the", "row"], "t": ["DET/DT", "NOUN/NN"]}] * 9
    verb = {"w": ["to", "row"], "t": ["PART/TO", "VERB/VB"]}
    plain = {"w": ["to", "see"], "t": ["PART/TO", "VERB/VB"]}
    rows = [*nouns, verb, *[plain] * 9]
    assert augment.noun_or_verb(rows, ["row", "see", "anchor"]) == ["row"]
    assert student.rarely(rows) == [verb]
    made = {tuple(augment.swapped(plain["w"], plain["t"], ["row"], random.Random(seed))) for seed in range(40)}
    assert made == {("to", "see"), ("to", "row")}
    assert augment.swapped(plain["w"], plain["t"], [], random.Random(1)) is plain["w"]


def test_words_are_packed_as_torch_packs_them() -> None:
    torch = pytest.importorskip("torch")
    batches = pytest.importorskip("training.reader.batches")
    lengths = np.array([2, 5, 1, 5, 3])
    mask = np.arange(5) < lengths[:, None]
    order, sizes = batches.packed(mask)
    numbers = torch.arange(mask.size).view(5, 5)
    packed = torch.nn.utils.rnn.pack_padded_sequence(numbers, torch.tensor(lengths), True, False)
    assert sizes.tolist() == packed.batch_sizes.tolist()
    steps = np.split(order, np.cumsum(sizes)[:-1])
    theirs = np.split(packed.data.numpy(), np.cumsum(sizes)[:-1])
    assert [sorted(step) for step in steps] == [sorted(step) for step in theirs]
    assert all((step[: len(after)] + 1 == after).all() for step, after in itertools.pairwise(steps))


def test_a_sentence_is_numbered_anew_for_another_network() -> None:
    pytest.importorskip("torch")
    batches = pytest.importorskip("training.reader.batches")
    network = pytest.importorskip("training.reader.network")
    rows = batches.prepare([{"w": ["Mia", "ran"]}], {key: [] for key in "tde"})
    for known, expected in ((["mia", "ran"], [1, 2]), (["ran"], [0, 1])):
        words = network.Words(known)
        words("before")
        given, _ = batches.tensors(rows, words, None, "cpu")
        assert given.rows[0, :, 0].tolist() == expected


def test_a_build_is_compared_with_what_was_carried() -> None:
    compare = pytest.importorskip("training.reader.compare")

    def counts(right: int) -> dict[str, np.ndarray]:  # four documents of ten things; as many were said
        return {"trees": np.array([[[right + add, 10, right + add, 10]] for add in (-1, 0, 0, 1)], dtype=float)}

    assert float(compare.f1(counts(7)["trees"].sum(0))) == pytest.approx(70)
    head, _, line = compare.table(counts(7), {1: counts(6), 2: counts(8), 3: counts(8)})
    assert "seed 3" in head
    assert line == "| trees | 70.0 | 60.0 | 80.0 | 80.0 | 73.3 | 11.55 | 3.3 to 3.3 | among them |"
    assert compare.table(counts(7), {1: counts(7)})[-1].endswith(" 70.0 | 70.0 |  | 0.0 to 0.0 | the same |")
    assert compare.verdict(74, [70.0, 72.0, 73.0], -3, -1) == "above, within two deviations"
    assert compare.verdict(77, [70.0, 72.0, 73.0], -6, 1) == "above, no more than chance"
    assert compare.verdict(60, [70.0, 72.0, 73.0], 5, 9) == "below"
