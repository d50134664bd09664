"""WordGap -> Prediction: the five in-domain models of Bisk et al. (2019) with settings of the paper's code, which the paper does not say.

Switches (``code``) and what the code has: ``dropped="words"`` (dropout falls on the hidden layer of the words alone), ``frozen=False``
(word vectors are trained), ``layer="relu"`` (that layer, as wide as the word vectors; dropout before a transition), ``course="code"`` (its
way through the data, ``training.train_as_released``; ``code-best`` keeps the epoch of the lowest loss, not the last); for a transducer
``start="free"`` and ``shift=0.5`` (the walk starts anywhere), ``emission="mlp"``. A ``variant`` is a set of them with a name
(docs/log/transducer.md has what each is worth); other names are for files of one's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from experiments.kidscook.training import train_as_released
from scenarist.errors import BadInput
from scenarist.models.words.batches import PairRow, Vocabulary
from scenarist.models.words.in_domain import InDomain
from scenarist.models.words.recurrent import Layer, NetworkShape, WordNetwork
from scenarist.models.words.seq2seq import (
    Attention,
    AttentionModel,
    LstmLanguageModel,
    LstmLm,
    Seq2seq,
    Seq2seqModel,
)
from scenarist.models.words.transducer import ParamTransducerModel, Transducer, TransducerModel
from scenarist.registry import suggest

OURS = {
    "dropped": "all",
    "frozen": True,
    "layer": "tanh",
    "course": "ours",
    "emission": "product",
    "start": "first",
    "shift": 0.0,
    "printed": False,
}
WORDS = {**OURS, "dropped": "words", "frozen": False, "start": "free", "shift": 0.5}
CODE = {**WORDS, "layer": "relu", "course": "code", "emission": "mlp"}
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "paper": {**OURS, "dropped": "words", "emission": "mlp", "printed": True},
    "words": WORDS,
    "words-mlp": {**WORDS, "emission": "mlp"},
    "code": CODE,
    "code-best": {**CODE, "course": "code-best"},
}
ALLOWED = {
    "dropped": ("all", "words"), "layer": ("tanh", "relu"), "course": ("ours", "code", "code-best"),
    "emission": ("product", "mlp"), "start": ("first", "free"),
}  # fmt: skip


class ReleasedNetwork(WordNetwork):
    """What the networks of the paper's code share: the hidden layer of the words."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        shape: NetworkShape | None = None,
        vectors: Tensor | None = None,
        layer: str = "tanh",
        **kind: Any,
    ) -> None:
        self.relu = layer == "relu"
        super().__init__(vocabulary, shape or NetworkShape(), vectors, **kind)

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
    """Base: a model with switches of the paper's code."""

    switches = tuple(OURS)

    def __init__(
        self, variant: str = "", seed: int = 1, code: Mapping[str, Any] | None = None, **settings: Any
    ) -> None:
        self.code = {**VARIANTS.get(variant, OURS), **(code or {})}
        for switch, value in self.code.items():
            if switch not in OURS:
                raise suggest(switch, list(OURS), "switch of the paper's code")
            if switch in ALLOWED and value not in ALLOWED[switch]:
                raise BadInput(f"{self.name}: {switch} is {' or '.join(ALLOWED[switch])}, not {value!r}.")
        super().__init__(variant=variant, seed=seed, **settings)

    def kind(self) -> dict[str, Any]:
        return {**super().kind(), "layer": self.code["layer"]}

    def train(self, network: WordNetwork, rows: Sequence[PairRow], held: Sequence[PairRow]) -> WordNetwork:
        if self.code["dropped"] == "words":
            network.drop.p = 0.0
        if not self.code["frozen"]:
            network.embed.weight.requires_grad_(True)
        if self.code["course"] == "ours":
            return super().train(network, rows, held)
        return train_as_released(network, rows, held, self.recipe, self.log, best=self.code["course"] == "code-best")


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

    def __init__(
        self,
        variant: str = "",
        seed: int = 1,
        slots: str = "marginal",
        code: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(variant, seed, code, slots=slots, **settings)
        self.emission, self.start, self.shift = self.code["emission"], self.code["start"], self.code["shift"]
        self.printed = self.code["printed"]


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
