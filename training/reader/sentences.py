"""Blocks -> `resources/reader/sentences.npz`, the window network of `scenarist.reading.parser.sentences` (torch)."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from torch import nn

from scenarist.reading.parser.sentences import SHAPES, SIDE, WORDS, Splitter, directed, hashed
from training.reader.augment import augment
from training.reader.treebank import Block


def windows(blocks: list[Block], random: Random | None) -> tuple[np.ndarray, np.ndarray]:
    """-> rows [n, 2 * SIDE + 1, 2], begins a sentence [n]; the first word of a block is no question."""
    rows, truth = [], []
    for block in blocks:
        shown = augment(block, random) if random else block
        words = [word.form for sentence in shown.sentences for word in sentence]
        starts = [not place for sentence in shown.sentences for place in range(len(sentence))]
        padded = np.zeros((len(words) + 2 * SIDE, 2), dtype=np.int64)
        spaces = [word.space for sentence in shown.sentences for word in sentence]
        if random and random.random() < 0.15:  # as in tokenised text
            spaces = [True] * len(words)
        padded[SIDE : SIDE + len(words)] = [hashed(word) for word in directed(words, spaces)]
        places = np.arange(1, len(words))[:, None] + np.arange(2 * SIDE + 1)
        rows.append(padded[places])
        truth.append(np.array(starts[1:], dtype=np.float32))
    return np.concatenate(rows), np.concatenate(truth)


def join(blocks: list[Block], random: Random) -> list[Block]:
    """Some paragraphs run on, as in text that lost its line ends."""
    out: list[Block] = []
    for block in blocks:
        if out and out[-1].name == block.name and out[-1].size < 300 and random.random() < 0.3:
            out[-1] = Block(block.name, out[-1].sentences + block.sentences)
        else:
            out.append(block)
    return out


class Window(nn.Module):
    def __init__(self, word: int = 12, shape: int = 6, hidden: int = 48) -> None:
        super().__init__()
        self.word, self.shape = nn.Embedding(WORDS, word), nn.Embedding(SHAPES, shape)
        self.first, self.out = nn.Linear((2 * SIDE + 1) * (word + shape), hidden), nn.Linear(hidden, 1)
        self.drop = nn.Dropout(0.2)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        x = torch.cat([self.word(rows[..., 0]), self.shape(rows[..., 1])], -1).flatten(1)
        return self.out(self.drop(torch.relu(self.first(self.drop(x)))))[:, 0]


def train(blocks: list[Block], out: Path, seed: int = 1, epochs: int = 8, log: Any = print) -> None:
    torch.manual_seed(seed)
    random = Random(seed)
    net = Window()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(epochs):
        rows, truth = windows(join(blocks, random), random)
        order = np.random.default_rng(seed + epoch).permutation(len(rows))
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (1 - epoch / epochs)
        total = 0.0
        for base in range(0, len(order), 2048):
            part = order[base : base + 2048]
            loss = nn.functional.binary_cross_entropy_with_logits(
                net(torch.from_numpy(rows[part])), torch.from_numpy(truth[part])
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach())
        log("sentences: epoch", epoch + 1, round(total, 2))
    arrays = {
        "word": net.word.weight,
        "shape": net.shape.weight,
        "first": net.first.weight.T,
        "first_bias": net.first.bias,
        "out": net.out.weight.T,
        "out_bias": net.out.bias,
    }
    np.savez_compressed(out, **{name: value.detach().numpy().astype("float16") for name, value in arrays.items()})


def measure(splitter: Splitter, blocks: list[Block]) -> float:
    """F1 of sentences (both ends right) on given tokens."""
    right = guessed = gold = 0
    for block in blocks:
        words = [word.form for sentence in block.sentences for word in sentence]
        found = set(splitter(words, [word.space for sentence in block.sentences for word in sentence]))
        ends = np.cumsum([0] + [len(sentence) for sentence in block.sentences]).tolist()
        true = set(itertools.pairwise(ends))
        right, guessed, gold = right + len(found & true), guessed + len(found), gold + len(true)
    return 2 * right / (guessed + gold)
