"""What the in-domain networks share: embedded words, an encoder, a decoder, and a way from states to words.

Bisk et al. (2019), section 3 and appendix A.1: one-layer LSTMs over frozen word vectors. ``loss`` is what training
minimises, per word; ``logits`` answers queries (row, place, blank's first place), all places of a text from one pass.

LSTM language model of the concrete text: it never sees the abstract (Bisk et al. 2019, Table 4, first row).

Sequence to sequence without attention (Sutskever et al. 2014; Bisk et al. 2019, Table 4, second row).

The encoder's last state is the decoder's first state (``feed="state"``). With ``feed="emission"`` it is shown to the
word layer at every step instead and the decoder starts from zero, as in a transducer that has made all its shifts first.

Sequence to sequence with global attention (Luong et al. 2015; Bisk et al. 2019, Table 4, ``+Att``).

Score "general": decoder state x matrix x encoder state; the mean encoder state and the decoder state make the word. The
context is not fed back into the decoder, so that a whole text is one pass. The weights are kept for the table of
alignments by threshold, which shows what hard alignment buys.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from scenarist.errors import BadInput
from scenarist.models.words.batches import Batch, Vocabulary


class Shape(NamedTuple):
    """Sizes of a network; the defaults are those of the paper's code."""

    hidden: int = 128
    dropout: float = 0.5
    frozen: bool = True
    width: int = 100
    """Size of the word vectors where none are given."""
    dropped: str = "all"
    """Where dropout falls: ``all`` is word vectors, states and the hidden layer of the words; ``words`` that layer only."""
    both: bool = False
    """The abstract is read in both directions."""
    layer: str = "tanh"
    """The hidden layer of the words: ``tanh``, as wide as the states; ``relu``, as wide as the word vectors (the paper's code)."""


class Layer(NamedTuple):
    """A hidden layer: how wide, how much of it is dropped, and what bends it."""

    width: int
    dropout: float
    bend: str = "tanh"


LAYERS = {"tanh": torch.tanh, "relu": torch.relu}


class WordNetwork(nn.Module):  # type: ignore[misc]
    """Base: the word vectors and the decoder over the concrete words."""

    def __init__(self, vocabulary: Vocabulary, shape: Shape, vectors: Tensor | None = None) -> None:
        super().__init__()
        if shape.dropped not in ("all", "words"):
            raise BadInput(f"dropout falls on 'all' or on 'words', not on {shape.dropped!r}")
        if shape.layer not in LAYERS:
            raise BadInput(f"the hidden layer of the words is {' or '.join(LAYERS)}, not {shape.layer!r}")
        self.vocabulary, self.shape = vocabulary, shape
        if vectors is None:
            self.embed = nn.Embedding(len(vocabulary), shape.width)
        else:
            self.embed = nn.Embedding.from_pretrained(vectors.clone().float(), freeze=shape.frozen)
        self.drop = nn.Dropout(shape.dropout if shape.dropped == "all" else 0.0)
        self.decoder = nn.LSTM(self.embed.embedding_dim, shape.hidden, batch_first=True)

    @property
    def layer(self) -> Layer:
        """The hidden layer of the words."""
        width = self.shape.hidden if self.shape.layer == "tanh" else self.embed.embedding_dim
        return Layer(width, self.shape.dropout, self.shape.layer)

    def read_abstract(self) -> None:
        """Add the encoder."""
        self.encoder = nn.LSTM(
            self.embed.embedding_dim, self.shape.hidden, batch_first=True, bidirectional=self.shape.both
        )
        if self.shape.both:
            self.join = nn.Linear(2 * self.shape.hidden, self.shape.hidden)

    def encode(self, batch: Batch) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """States of the abstract (B, m, h) and the last one of each row as a decoder's first state (1, B, h)."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.drop(self.embed(batch.abstract)), batch.lengths, batch_first=True, enforce_sorted=False
        )
        out, (state, cell) = self.encoder(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
        if self.shape.both:
            states, state, cell = self.join(states), state.mean(0, keepdim=True), cell.mean(0, keepdim=True)
        return self.drop(states), (state, cell)

    def decode(self, batch: Batch, first: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """States of the concrete text, (B, n + 1, h): state t has read the words before t."""
        states, _ = self.decoder(self.drop(self.embed(batch.inputs(self.vocabulary.start))), first)
        out: Tensor = self.drop(states)
        return out

    def states(self, batch: Batch) -> Tensor:
        """What the words are predicted from, (B, n + 1, h); each plain model says how."""
        raise NotImplementedError

    def words(self, states: Tensor) -> Tensor:
        """States -> logits over the vocabulary."""
        raise NotImplementedError

    def loss(self, batch: Batch, hard: bool = False) -> Tensor:
        """Mean -ln P per word, ``</S>`` included. ``hard`` is for models with alignments."""
        told = batch.targets(self.vocabulary.end)[0].flatten().index_select(0, batch.told)
        loss: Tensor = nn.functional.cross_entropy(
            self.words(self.states(batch).flatten(0, 1).index_select(0, batch.told)), told
        )
        return loss

    def logits(self, batch: Batch, rows: Tensor, places: Tensor, starts: Tensor) -> Tensor:
        """Logits of the word at ``places`` of ``rows`` given the words before it, (Q, V); ``starts``: where its blank began."""
        return self.words(self.states(batch)[rows, places])


class Words(nn.Module):  # type: ignore[misc]
    """A hidden layer and the softmax layer: (..., size) -> (..., V)."""

    def __init__(self, size: int, layer: Layer, words: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, layer.width)
        self.drop = nn.Dropout(layer.dropout)
        self.bend = LAYERS[layer.bend]
        self.out = nn.Linear(layer.width, words)

    def forward(self, states: Tensor) -> Tensor:
        out: Tensor = self.out(self.drop(self.bend(self.hidden(states))))
        return out


class LstmLm(WordNetwork):
    """p(word | words before it)."""

    def __init__(self, vocabulary: Vocabulary, shape: Shape | None = None, vectors: Tensor | None = None) -> None:
        shape = shape or Shape()
        super().__init__(vocabulary, shape, vectors)
        self.head = Words(shape.hidden, self.layer, len(vocabulary))

    def states(self, batch: Batch) -> Tensor:
        return self.decode(batch)

    def words(self, states: Tensor) -> Tensor:
        out: Tensor = self.head(states)
        return out


class Seq2seq(WordNetwork):
    """p(word | abstract as one vector, words before it)."""

    def __init__(
        self, vocabulary: Vocabulary, shape: Shape | None = None, vectors: Tensor | None = None, feed: str = "state"
    ) -> None:
        if feed not in ("state", "emission"):
            raise BadInput(f"seq2seq: expected feed='state' or 'emission', got {feed!r}")
        shape = shape or Shape()
        super().__init__(vocabulary, shape, vectors)
        self.feed = feed
        self.read_abstract()
        size = shape.hidden if feed == "state" else 2 * shape.hidden
        self.head = Words(size, self.layer, len(vocabulary))

    def states(self, batch: Batch) -> Tensor:
        states, last = self.encode(batch)
        if self.feed == "state":
            return self.decode(batch, last)
        decoded = self.decode(batch)  # (B, n + 1, h)
        rows = torch.arange(len(states), device=states.device)
        end = states[rows, batch.positions - 1]  # (B, h)
        return torch.cat([end[:, None].expand(-1, decoded.shape[1], -1), decoded], -1)

    def words(self, states: Tensor) -> Tensor:
        out: Tensor = self.head(states)
        return out


class Attention(WordNetwork):
    """p(word | a mean of the abstract's states weighted anew at each word, words before it)."""

    def __init__(self, vocabulary: Vocabulary, shape: Shape | None = None, vectors: Tensor | None = None) -> None:
        shape = shape or Shape()
        super().__init__(vocabulary, shape, vectors)
        self.read_abstract()
        self.score = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.head = Words(2 * shape.hidden, self.layer, len(vocabulary))

    def weights(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Attention (B, n + 1, m), encoder states and decoder states."""
        states, last = self.encode(batch)
        decoded = self.decode(batch, last)
        scores = self.score(decoded) @ states.transpose(1, 2)  # (B, n + 1, m)
        beyond = torch.arange(states.shape[1], device=states.device) >= batch.positions[:, None]
        return scores.masked_fill(beyond[:, None], -torch.inf).softmax(-1), states, decoded

    def states(self, batch: Batch) -> Tensor:
        weights, states, decoded = self.weights(batch)
        return torch.cat([weights @ states, decoded], -1)

    def words(self, states: Tensor) -> Tensor:
        out: Tensor = self.head(states)
        return out
