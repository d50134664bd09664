"""WordGap -> Prediction: the five in-domain models of Bisk et al. (2019) with settings of the paper's code, which the paper does not say.

A ``variant`` says how much of the code is repeated (docs/why/transducer.md has what each is worth):

- ``words``: dropout falls on the hidden layer of the words alone, word vectors are trained, a transducer's walk starts anywhere and
  shifts with one half.
- ``words-mlp``: these, and the paper's emission.
- ``code``: also its hidden layer (relu, as wide as the word vectors; dropout before a transition) and its way through the data
  (``training.train_as_released``).
- ``code-best``: the same with the epoch of the lowest loss kept, not the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from experiments.kidscook.training import train_as_released
from scenarist.errors import BadInput
from scenarist.models.words.batches import Row, Vocabulary
from scenarist.models.words.in_domain import InDomain
from scenarist.models.words.recurrent import Layer, Shape, WordNetwork
from scenarist.models.words.seq2seq import (
    Attention,
    AttentionModel,
    LstmLanguageModel,
    LstmLm,
    Seq2seq,
    Seq2seqModel,
)
from scenarist.models.words.transducer import ParamTransducerModel, Transducer, TransducerModel

VARIANTS = ("words", "words-mlp", "code", "code-best")


class ReleasedNetwork(WordNetwork):
    """What the networks of the paper's code share: ``layer`` is ``tanh`` (ours) or ``relu`` (the code's) for the words."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        shape: Shape | None = None,
        vectors: Tensor | None = None,
        layer: str = "tanh",
        **kind: Any,
    ) -> None:
        self.relu = layer == "relu"
        super().__init__(vocabulary, shape or Shape(), vectors, **kind)
        self.drop.p = 0.0
        self.embed.weight.requires_grad_(True)

    @property
    def layer(self) -> Layer:
        return Layer(self.embed.embedding_dim, self.shape.dropout, torch.relu) if self.relu else super().layer


class ReleasedLstm(ReleasedNetwork, LstmLm):
    """The language model."""


class ReleasedSeq2seq(ReleasedNetwork, Seq2seq):
    """Sequence to sequence."""


class ReleasedAttention(ReleasedNetwork, Attention):
    """With attention."""


class ReleasedTransducer(ReleasedNetwork, Transducer):
    """The transducer."""

    def hidden_moves(self, e: Tensor, d: Tensor) -> Tensor:
        hidden = super().hidden_moves(e, d)
        return nn.functional.dropout(hidden, self.shape.dropout, self.training) if self.relu else hidden


class ReleasedModel(InDomain):
    """Base: a model with the settings of a variant."""

    def __init__(
        self, variant: str = "code", seed: int = 1, shape: Mapping[str, Any] | None = None, **settings: Any
    ) -> None:
        if variant not in VARIANTS:
            raise BadInput(
                f"{self.name}: a variant of the paper's code is one of {', '.join(VARIANTS)}, not {variant!r}."
            )
        super().__init__(variant=variant, seed=seed, shape=shape, **settings)

    def kind(self) -> dict[str, Any]:
        return {**super().kind(), "layer": "relu" if self.variant.startswith("code") else "tanh"}

    def train(self, network: WordNetwork, rows: Sequence[Row], held: Sequence[Row]) -> WordNetwork:
        if not self.variant.startswith("code"):
            return super().train(network, rows, held)
        return train_as_released(network, rows, held, self.recipe, self.log, best=self.variant == "code-best")


class LstmLanguageModelAsReleased(ReleasedModel, LstmLanguageModel):
    """LSTM language model with settings of the paper's code."""

    build = ReleasedLstm


class Seq2seqAsReleased(ReleasedModel, Seq2seqModel):
    """Sequence to sequence with settings of the paper's code."""

    build = ReleasedSeq2seq


class AttentionAsReleased(ReleasedModel, AttentionModel):
    """Sequence to sequence with attention, with settings of the paper's code."""

    build = ReleasedAttention


class TransducerAsReleased(ReleasedModel, TransducerModel):
    """Transducer with fixed transitions, with settings of the paper's code."""

    build = ReleasedTransducer
    start = "free"
    shift = 0.5

    def __init__(self, variant: str = "code", seed: int = 1, slots: str = "marginal", **settings: Any) -> None:
        emission = "product" if variant == "words" else "mlp"
        super().__init__(variant, seed, slots=slots, emission=emission, **settings)


class ParamTransducerAsReleased(TransducerAsReleased, ParamTransducerModel):
    """Transducer with parameterised transitions, with settings of the paper's code."""


TARGETS = {
    model.name: f"{__name__}:{model.__name__}"
    for model in (
        LstmLanguageModelAsReleased,
        Seq2seqAsReleased,
        AttentionAsReleased,
        TransducerAsReleased,
        ParamTransducerAsReleased,
    )
}
"""Model -> the class that repeats it here."""
