"""How the deep reader of gaps is fed: every sentence taken out once, batches of one length, halves that share no story."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

gaps = pytest.importorskip("training.knowledge.gaps")
student = pytest.importorskip("training.knowledge.student")


def encode(text: str) -> list[int]:
    return [10 + len(word) for word in text.split()]


def row(name: str, *sentences: str, verbs: list[str]) -> dict[str, Any]:
    return {
        "id": name,
        "corpus": "mcscript",
        "split": "train",
        "scenario": "taking a bath",
        "sentences": list(sentences),
        "verbs": verbs,
    }


def test_each_sentence_with_a_known_verb_is_a_gap() -> None:
    rows = [row("s1", "I sat", "I drank all tea", "it was", "I left", verbs=["sit", "drink", "", "leave"])]
    words = gaps.vocabulary([*rows, *rows], 2)
    found = list(gaps.tasks(rows, words, encode, 0.0, 1))
    assert [one.id for one in found] == ["s1.0", "s1.1", "s1.3"]
    drink = found[1]
    assert words.verbs[drink.key] == "drink"
    assert drink.text.tolist() == [*encode("I drank all tea"), gaps.PRECEDES]
    assert not any(piece == 15 for piece in drink.ids.tolist())  # *drank* is gone


def test_a_batch_tells_the_missing_sentence_behind_the_gap() -> None:
    some = [gaps.Task("a", "mcscript", np.array([0, 5, 3], np.uint16), 1, np.array([7, 8], np.uint16)),
            gaps.Task("b", "rocstories", np.array([0, 3], np.uint16), 0, np.array([9], np.uint16))]  # fmt: skip
    made = gaps.Batch.of(some, 0, True, np.random.default_rng(0))
    assert made.tokens.tolist() == [[0, 5, 3, 7, 8], [0, 3, 9, gaps.GAP, gaps.GAP]]
    assert made.gap.tolist() == [2, 1]
    told = {(row, place): piece for row, place, piece in made.told.T.tolist()}
    assert told == {(0, 2): 7, (0, 3): 8, (1, 1): 9}
    assert made.weight.tolist() == [1.0, 0.5]
    bare = gaps.Batch.of(some, 0, False, np.random.default_rng(0))
    assert bare.tokens.shape == (2, 3) and bare.told.shape == (3, 0)


def test_told_labels_may_not_be_said() -> None:
    one = gaps.Task("a", "inscript-labels", np.array([0, 3], np.uint16), 2, np.zeros(0, np.uint16), (0, 2))
    made = gaps.Batch.of([one], 4, False, np.random.default_rng(0))
    assert made.mask is not None
    assert (made.mask[0] == 0).tolist() == [True, False, True, False]


def test_batches_hold_everything_once_and_stay_small() -> None:
    some = [gaps.Task(str(n), "mcscript", np.zeros(2 + n % 7, np.uint16), 0, np.zeros(1, np.uint16)) for n in range(50)]
    made = gaps.batches(some, 40, 3)
    assert sorted(one.id for batch in made for one in batch) == sorted(one.id for one in some)
    assert all(len(batch) * max(len(one.ids) + len(one.text) for one in batch) <= 40 for batch in made)


def test_halves_share_no_story() -> None:
    names = [f"story-{n}" for n in range(40)]
    halves = [{name for name in names if gaps.left_out({"id": f"{name}.3"}, (part, 2))} for part in (0, 1)]
    assert halves[0] | halves[1] == set(names)
    assert not halves[0] & halves[1]
    assert not gaps.left_out({"id": names[0]}, None)


def test_several_teachers_are_averaged(tmp_path) -> None:
    words = np.array(["eat", "pay", "go", "sit"])
    for name, first, second in (("a", 0.8, 0.2), ("b", 0.4, 0.6)):
        top, logp = np.array([[0, 1]], np.uint16), np.log(np.array([[first, second]], np.float16))
        np.savez(tmp_path / f"{name}.npz", id=np.array(["s.1"]), top=top, logp=logp, words=words)
    ids, known, top, logp = student.answers([tmp_path / "a.npz", tmp_path / "b.npz"], 2)
    assert list(ids) == ["s.1"] and list(known) == list(words)
    found = dict(zip(top[0].tolist(), np.exp(logp[0].astype(float)).tolist(), strict=True))
    assert found == pytest.approx({0: 0.6, 1: 0.4}, abs=2e-3)
