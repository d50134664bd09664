"""WordGap -> Prediction by recurrent networks without alignments: the first three rows of Bisk et al. (2019), Table 4.

``lstm-lm``: a language model of the concrete text, which never sees the abstract. ``seq2seq`` (Sutskever et al. 2014): the
encoder's last state is the decoder's first. ``seq2seq-attention`` (Luong et al. 2015), score "general": decoder state x matrix x
encoder state; the mean encoder state and the decoder state make the word. The context is not fed back into the decoder, so that a
whole text is one pass. The weights are kept for the table of alignments by threshold, which shows what hard alignment buys.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from scenarist.models.words.batches import Vocabulary, WordBatch
from scenarist.models.words.in_domain import InDomain
from scenarist.models.words.recurrent import NetworkShape, WordLayer, WordNetwork
from scenarist.story import Pair


class LstmLm(WordNetwork):
    """p(word | words before it)."""

    def __init__(
        self, vocabulary: Vocabulary, shape: NetworkShape | None = None, vectors: Tensor | None = None
    ) -> None:
        shape = shape or NetworkShape()
        super().__init__(vocabulary, shape, vectors)
        self.head = WordLayer(shape.hidden, self.layer, len(vocabulary))

    def states(self, batch: WordBatch) -> Tensor:
        return self.decode(batch)

    def words(self, states: Tensor) -> Tensor:
        out: Tensor = self.head(states)
        return out


class Seq2seq(WordNetwork):
    """p(word | abstract as one vector, words before it)."""

    def __init__(
        self, vocabulary: Vocabulary, shape: NetworkShape | None = None, vectors: Tensor | None = None
    ) -> None:
        shape = shape or NetworkShape()
        super().__init__(vocabulary, shape, vectors)
        self.read_abstract()
        self.head = WordLayer(shape.hidden, self.layer, len(vocabulary))

    def states(self, batch: WordBatch) -> Tensor:
        return self.decode(batch, self.encode(batch)[1])

    def words(self, states: Tensor) -> Tensor:
        out: Tensor = self.head(states)
        return out


class Attention(WordNetwork):
    """p(word | a mean of the abstract's states weighted anew at each word, words before it)."""

    def __init__(
        self, vocabulary: Vocabulary, shape: NetworkShape | None = None, vectors: Tensor | None = None
    ) -> None:
        shape = shape or NetworkShape()
        super().__init__(vocabulary, shape, vectors)
        self.read_abstract()
        self.score = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.head = WordLayer(2 * shape.hidden, self.layer, len(vocabulary))

    def weights(self, batch: WordBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Attention (B, n + 1, m), encoder states and decoder states."""
        states, last = self.encode(batch)
        decoded = self.decode(batch, last)
        scores = self.score(decoded) @ states.transpose(1, 2)  # (B, n + 1, m)
        beyond = torch.arange(states.shape[1], device=states.device) >= batch.positions[:, None]
        return scores.masked_fill(beyond[:, None], -torch.inf).softmax(-1), states, decoded

    def states(self, batch: WordBatch) -> Tensor:
        weights, states, decoded = self.weights(batch)
        return torch.cat([weights @ states, decoded], -1)

    def words(self, states: Tensor) -> Tensor:
        out: Tensor = self.head(states)
        return out


class LstmLanguageModel(InDomain):
    """LSTM language model of the concrete text."""

    name = "lstm-lm"
    build = LstmLm


class Seq2seqModel(InDomain):
    """Sequence to sequence without attention."""

    name = "seq2seq"
    build = Seq2seq


class AttentionModel(InDomain):
    """Sequence to sequence with global attention."""

    name = "seq2seq-attention"
    build = Attention

    def weights_of(self, pairs: Sequence[Pair]) -> list[list[list[float]]]:
        """Attention of each concrete word over the abstract words (what ``<S>`` takes is left out)."""
        weights: list[list[list[float]]] = []
        for first in range(0, len(pairs), 64):
            chosen = pairs[first : first + 64]
            part = self.batch(chosen)
            with torch.no_grad():
                table = self.network_.weights(part)[0].cpu()  # (B, n + 1, m)
            weights += [
                table[row, : len(pair.concrete), 1 : len(pair.abstract) + 1].tolist() for row, pair in enumerate(chosen)
            ]
        return weights
