"""Rate and Choice -> Guesses by SmolLM2 (extra `lm`): minus ln P of a text behind its context, summed; choices are compared by the piece.

``tuned``: with the adapter tuned on five-sentence stories (release file `stories`), which reads a mark before the last sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from scenarist.models.endings.story_network import MARK, story_files, story_network
from scenarist.models.ratings.base import SurpriseModel
from scenarist.networks.llama import Llama, TextTree
from scenarist.networks.pretrained import gguf_file, smollm2


class SurpriseLm(SurpriseModel):
    """Surprise by a language model."""

    name = "surprise-lm"
    middle = 25.0
    trained_on: tuple[str, ...] = ("smollm2",)

    def __init__(self, tuned: bool = False) -> None:
        self.tuned = tuned
        self.trained_on = ("smollm2", "rocstories") if tuned else ("smollm2",)

    def reads(self) -> list[Path]:
        """SmolLM2, and the adapter of stories."""
        return story_files() if self.tuned else [gguf_file()]

    @cached_property
    def network(self) -> Llama:
        """The language model."""
        return story_network() if self.tuned else smollm2()

    def pieces(self, context: Sequence[str], texts: Sequence[str]) -> list[Any]:
        """ln P of the pieces of each text."""
        net = self.network
        trunk = [
            net.start,
            *(piece for sentence in context for piece in net.encode(sentence)),
            *([MARK] if self.tuned else []),
        ]
        tree = TextTree.grow(trunk, [net.encode(text) for text in texts])
        (branches,) = net.logps_of_trees([tree])
        return branches

    def surprises(self, context: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Minus the sum over the pieces."""
        return [-float(pieces.sum()) for pieces in self.pieces(context, texts)]

    def compared(self, context: Sequence[str], texts: Sequence[str]) -> list[float]:
        """Minus the mean over the pieces."""
        return [-float(pieces.mean()) for pieces in self.pieces(context, texts)]
