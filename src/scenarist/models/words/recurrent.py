"""What the in-domain networks share: embedded words, an encoder, a decoder, and a way from states to words.

Bisk et al. (2019), section 3 and appendix A.1: one-layer LSTMs over frozen word vectors. ``loss`` is what training
minimises, per word; ``logits`` answers queries (row, place, blank's first place), all places of a text from one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from scenarist.models.words.batches import Vocabulary, WordBatch


class NetworkShape(NamedTuple):
    """Sizes of a network; the defaults are those of the paper's code."""

    hidden: int = 128
    dropout: float = 0.5
    """Of word vectors, states and the hidden layer of the words."""
    width: int = 100
    """Size of the word vectors where none are given."""
    both: bool = False
    """The abstract is read in both directions."""


class Layer(NamedTuple):
    """A hidden layer: how wide, how much of it is dropped, and what bends it."""

    width: int
    dropout: float
    bend: Callable[[Tensor], Tensor] = torch.tanh


class WordNetwork(nn.Module):  # type: ignore[misc]
    """Base: the word vectors, frozen where they are given, and the decoder over the concrete words."""

    aligned = False
    """Has the network alignments, so that ``loss`` knows a ``hard`` form?"""

    def __init__(self, vocabulary: Vocabulary, shape: NetworkShape, vectors: Tensor | None = None) -> None:
        super().__init__()
        self.vocabulary, self.shape = vocabulary, shape
        if vectors is None:
            self.embed = nn.Embedding(len(vocabulary), shape.width)
        else:
            self.embed = nn.Embedding.from_pretrained(vectors.clone().float(), freeze=True)
        self.drop = nn.Dropout(shape.dropout)
        self.decoder = nn.LSTM(self.embed.embedding_dim, shape.hidden, batch_first=True)

    def closing(self) -> int:
        """Marks behind a text that are told, too: ``</S>``."""
        return 1

    @property
    def layer(self) -> Layer:
        """The hidden layer of the words."""
        return Layer(self.shape.hidden, self.shape.dropout)

    def set_ratio(self, positions: int, words: int) -> None:
        """Summed lengths of what is learned from; a network with alignments has a use for them."""

    def read_abstract(self) -> None:
        """Add the encoder."""
        self.encoder = nn.LSTM(
            self.embed.embedding_dim, self.shape.hidden, batch_first=True, bidirectional=self.shape.both
        )
        if self.shape.both:
            self.join = nn.Linear(2 * self.shape.hidden, self.shape.hidden)

    def encode(self, batch: WordBatch) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """States of the abstract (B, m, h) and the last one of each row as a decoder's first state (1, B, h)."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(self.embed(batch.abstract)), batch.lengths, batch_first=True, enforce_sorted=False
        )
        out, (state, cell) = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
        if self.shape.both:
            states, state, cell = self.join(states), state.mean(0, keepdim=True), cell.mean(0, keepdim=True)
        return self.drop(states), (state, cell)

    def decode(self, batch: WordBatch, first: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """States of the concrete text, (B, n + 1, h): state t has read the words before t."""
        states, _ = self.decoder(self.drop(self.embed(batch.inputs(self.vocabulary.start))), first)
        out: Tensor = self.drop(states)
        return out

    def states(self, batch: WordBatch) -> Tensor:
        """What the words are predicted from, (B, n + 1, h); each plain model says how."""
        raise NotImplementedError

    def words(self, states: Tensor) -> Tensor:
        """States -> logits over the vocabulary."""
        raise NotImplementedError

    def loss(self, batch: WordBatch, hard: bool = False) -> Tensor:
        """Mean -ln P per word, ``</S>`` included. ``hard`` is for models with alignments."""
        targets = batch.targets(self.vocabulary.end)[0].flatten().index_select(0, batch.told)
        loss: Tensor = nn.functional.cross_entropy(
            self.words(self.states(batch).flatten(0, 1).index_select(0, batch.told)), targets
        )
        return loss

    def logits(self, batch: WordBatch, rows: Tensor, places: Tensor, starts: Tensor) -> Tensor:
        """Logits of the word at ``places`` of ``rows`` given the words before it, (Q, V); ``starts``: where its blank began."""
        return self.words(self.states(batch)[rows, places])


class WordLayer(nn.Module):  # type: ignore[misc]
    """A hidden layer and the softmax layer: (..., size) -> (..., V)."""

    def __init__(self, size: int, layer: Layer, words: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, layer.width)
        self.drop = nn.Dropout(layer.dropout)
        self.bend = layer.bend
        self.out = nn.Linear(layer.width, words)

    def forward(self, states: Tensor) -> Tensor:
        out: Tensor = self.out(self.drop(self.bend(self.hidden(states))))
        return out
