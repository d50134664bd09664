"""LSTM language model of the concrete text: it never sees the abstract (Bisk et al. 2019, Table 4, first row)."""

from __future__ import annotations

from torch import Tensor

from scenarist.models.word_batches import Batch, Vocabulary
from scenarist.models.word_network import Shape, WordNetwork, Words


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
