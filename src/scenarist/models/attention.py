"""Sequence to sequence with global attention (Luong et al. 2015; Bisk et al. 2019, Table 4, ``+Att``).

Score "general": decoder state x matrix x encoder state; the mean encoder state and the decoder state make the word. The
context is not fed back into the decoder, so that a whole text is one pass. The weights are kept for the table of
alignments by threshold, which shows what hard alignment buys.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from scenarist.models.word_batches import Batch, Vocabulary
from scenarist.models.word_network import Shape, WordNetwork, Words


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
