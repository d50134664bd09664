"""Sequence to sequence without attention (Sutskever et al. 2014; Bisk et al. 2019, Table 4, second row).

The encoder's last state is the decoder's first state (``feed="state"``). With ``feed="emission"`` it is shown to the
word layer at every step instead and the decoder starts from zero, as in a transducer that has made all its shifts first.
"""

from __future__ import annotations

import torch
from torch import Tensor

from scenarist.errors import BadInput
from scenarist.models.word_batches import Batch, Vocabulary
from scenarist.models.word_network import Shape, WordNetwork, Words


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
