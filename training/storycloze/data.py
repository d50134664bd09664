"""data.npz of `prepare` -> stories, made endings and cloze items as token ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

BOS, MARK, EOS, BACK = 0, 1, 2, 3
"""As in scenarist.models.endings.story_network: a story begins with BOS, MARK stands before an ending, EOS behind it, BACK before a story told after its ending."""
LONGEST = 110
"""Tokens of a story; the few longer ones are left out of training."""
Ids = np.ndarray


def ragged(file: Any, name: str) -> list[Ids]:
    """Lists of ids from one flat array and its lengths."""
    ends = np.cumsum(file[name + "_n"].astype(np.int64))
    return np.split(file[name].astype(np.int64), ends[:-1])


class Data:
    """Everything that is trained on; nothing of a test file, and of the dev part of ROCStories nothing but what is held out."""

    def __init__(self, folder: Path, tiny: bool = False) -> None:
        file = np.load(folder / "data.npz")
        sentences = ragged(file, "roc")
        self.stories = [sentences[at : at + 5] for at in range(0, len(sentences), 5)]
        near = ragged(file, "near")
        self.near = [near[at : at + 2] for at in range(0, len(near), 2)]
        self.flipped = ragged(file, "flip")
        texts = ragged(file, "sc")
        self.items = [texts[at : at + 6] for at in range(0, len(texts), 6)]
        self.answer, self.year = file["sc_answer"].astype(int), file["sc_year"].astype(int)
        self.fold, self.ids = file["sc_fold"].astype(int), file["sc_id"]
        held_out, cased = file["dev"], file["cased"]
        whole = np.array([all(map(len, story)) and sum(map(len, story)) <= LONGEST for story in self.stories])
        self.train = np.flatnonzero(~held_out & whole)
        self.held_out = np.flatnonzero(held_out & whole)
        self.order_at, self.order_shuffled = file["order_at"], file["order_shuffled"].astype(int)
        """The questions of the exam `ordering` (seed 13, cased dev stories): number of the story, and how it is shuffled."""
        self.lengths = np.array([sum(map(len, story)) for story in self.stories])
        if tiny:
            pick = np.r_[0:8, len(self.items) - 8 : len(self.items)]
            self.items = [self.items[at] for at in pick]
            self.answer, self.year, self.ids = self.answer[pick], self.year[pick], self.ids[pick]
            self.fold = np.arange(len(pick)) % 10
            self.train, self.held_out = self.train[:24], self.held_out[:8]
            self.order_at, self.order_shuffled = self.order_at[:6], self.order_shuffled[:6]
        assert cased[self.order_at].all()

    def accuracy(self, scores: np.ndarray) -> dict[int, list[float]]:
        """[G, items, 2] -> year -> accuracy of every group; a tie counts half."""
        right = np.take_along_axis(scores, self.answer[None, :, None], 2)[..., 0]
        wrong = np.take_along_axis(scores, 1 - self.answer[None, :, None], 2)[..., 0]
        marks = (right > wrong) + 0.5 * (right == wrong)
        return {
            year: [round(float(value), 4) for value in marks[:, self.year == year].mean(1)] for year in (2016, 2018)
        }


def cat(*parts: Any) -> Ids:
    """Ids and arrays of ids, one after the other."""
    return np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.int64)) for part in parts])


def pad(rows: list[Ids], fill: int = 0, multiple: int = 8) -> np.ndarray:
    """Rows of one length, right-padded."""
    longest = -(-max(map(len, rows)) // multiple) * multiple
    out = np.full((len(rows), longest), fill, dtype=np.int64)
    for at, row in enumerate(rows):
        out[at, : len(row)] = row
    return out


def batches(items: np.ndarray, size: int, seed: int, lengths: np.ndarray, chunk: int = 40) -> list[np.ndarray]:
    """One epoch of batches of similar length. Their order depends on ``seed // 1000`` alone, so that groups keep step in length."""
    order = np.random.default_rng(seed).permutation(items)
    out: list[np.ndarray] = []
    for at in range(0, len(order), size * chunk):
        part = order[at : at + size * chunk]
        part = part[np.argsort(lengths[part], kind="stable")]
        out += [part[b : b + size] for b in range(0, len(part), size)]
    turn = np.random.default_rng(seed // 1000).permutation(len(out))
    mixed = [out[at] for at in turn]
    return [batch for batch in mixed if len(batch) == size] or mixed


def group_batches(groups: list[np.ndarray], size: int, epoch: int, lengths: np.ndarray) -> list[list[np.ndarray]]:
    """Every group its own shuffle and the same number of batches: a step takes one batch of each."""
    per = [batches(group, size, (epoch + 1) * 1000 + at, lengths) for at, group in enumerate(groups)]
    return [[batch[at] for batch in per] for at in range(min(map(len, per)))]
