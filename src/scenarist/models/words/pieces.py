"""Words -> pieces of a pretrained tokenizer, with the places from which each word is predicted.

A text is written ``<start> abstract => concrete``. Each word is cut by itself, with a space before it, so that a word's
pieces never depend on its neighbours. Before each blank stands a mark that says how many words are missing (the exam
gives that number; the paper does too); marks are ids beyond the tokenizer's own, with vectors learned in fine-tuning.
The state of the mark predicts the blank's first word, the last piece of a word predicts the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from scenarist.models.words.batches import PairRow
from scenarist.networks.llama import Llama
from scenarist.networks.prefix_cache import Memory, read_on

LONGEST = 6
"""Blanks of this many words and more share a mark."""


class WordPieces:
    """Cuts words into pieces and remembers them."""

    def __init__(self, tokenizer: Any, size: int, start: int = 0, joint: str = "=>") -> None:
        self.tokenizer, self.size, self.start, self.joint = tokenizer, size, start, joint
        self._known: dict[str, list[int]] = {}

    def __call__(self, word: str) -> list[int]:
        """The pieces of a word, a space before it."""
        if word not in self._known:
            encoded = self.tokenizer.encode(" " + word)
            self._known[word] = list(getattr(encoded, "ids", encoded))
        return self._known[word]

    def mark(self, words: int) -> int:
        """The id of the mark before a blank of so many words."""
        return self.size + min(words, LONGEST) - 1


class PieceRow(NamedTuple):
    """Piece ids of a text and, for each concrete word and the place after the last one, the piece that predicts it."""

    ids: list[int]
    heads: list[int]
    positions: list[int]
    """The start and the last piece of each abstract word: what an alignment can point to."""


def piece_row(row: PairRow, pieces: WordPieces, marks: bool = True, abstract: bool = True) -> PieceRow:
    """A row in pieces; without ``abstract`` only the concrete side is written (``<start> => concrete``)."""
    ids, positions = [pieces.start], [0]
    if abstract:
        for word in row.abstract:
            ids += pieces(word)
            positions.append(len(ids) - 1)
    ids += pieces(pieces.joint)
    if row.template and abstract:
        for word in (*row.template, pieces.joint):
            ids += pieces(word)
    words = row.fed or row.concrete
    begins = {start: stop - start for start, stop in row.blanks} if marks else {}
    heads = []
    for place in range(len(row.concrete) + 1):
        if place in begins:
            ids.append(pieces.mark(begins[place]))
        heads.append(len(ids) - 1)
        if place < len(row.concrete):
            ids += pieces(words[place])
    return PieceRow(ids, heads, positions)


class PieceBatch(NamedTuple):
    """Padded pieces (B, t), and for each row the pieces that predict its words (B, n + 1) and its positions (B, m)."""

    ids: Tensor
    heads: Tensor
    positions: Tensor


def piece_batch(rows: Sequence[PieceRow], device: str) -> PieceBatch:
    """Rows side by side, padded on the right (causal attention never looks there)."""

    def wide(lists: list[list[int]]) -> Tensor:
        width = max(len(row) for row in lists)
        return torch.tensor([row + [0] * (width - len(row)) for row in lists]).to(device, non_blocking=True)

    return PieceBatch(
        wide([row.ids for row in rows]), wide([row.heads for row in rows]), wide([row.positions for row in rows])
    )


class Marked(torch.nn.Module):  # type: ignore[misc]
    """A llama read as states, with its adapters and with vectors for the marks: piece ids (B, t) -> states (B, t, h)."""

    remember: int = 0
    """How many pieces to remember the states of, outside training; a text that goes on from one of them is read from there."""

    def __init__(self, llama: Llama, like: int, adapter: torch.nn.Module | None = None) -> None:
        """``like``: the piece whose vector the marks start from."""
        super().__init__()
        self.llama, self.adapter = llama, adapter
        table = llama.embedding
        self.size = table.shape[0]
        noise = 0.1 * table.std() * torch.randn(LONGEST, table.shape[1], device=table.device)
        self.marks = torch.nn.Parameter(table[like].float().clone() + noise.float())
        self.memory: Memory | None = None

    def vectors(self, ids: Tensor) -> Tensor:
        """Piece ids -> input vectors, marks included."""
        marked = ids >= self.size
        vectors = torch.nn.functional.embedding(ids.masked_fill(marked, 0), self.llama.embedding)
        return torch.where(marked[..., None], self.marks[(ids - self.size).clamp(min=0)], vectors)

    def forward(self, ids: Tensor) -> Tensor:
        return self.llama.states(self.vectors(ids), adapter=self.adapter)

    def fold(self, half: bool = False) -> None:
        """For reading only: the adapters into the matrices, in bfloat16 where ``half``."""
        llama = self.llama.folded(self.adapter) if self.adapter is not None else self.llama
        self.llama, self.adapter = llama.to(llama.device, torch.bfloat16 if half else None), None

    def going_on(self, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """States of texts, (t, h) each, read on from their longest remembered beginnings; adapters are folded in before."""
        if self.memory is None or self.memory.most != self.remember:
            self.memory = Memory(self.remember)
        states: list[Tensor] = read_on(self.llama, self.memory, texts, self.vectors)
        return states
