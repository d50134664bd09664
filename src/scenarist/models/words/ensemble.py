"""WordGap -> Prediction by the mean of several released models on SmolLM2 (ours).

Chosen on dev: heads that fit train closely, each in its own way, help each other most (docs/how-to/kidscook.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from scenarist.models.words.base import WordModel
from scenarist.models.words.batches import PairRow, QueryPlace
from scenarist.models.words.head import WordHeadModel
from scenarist.models.words.pretrained_transducer import PretrainedTransducerModel
from scenarist.networks import checkpoint
from scenarist.networks.pretrained import gguf_file

ENSEMBLE = ("pretrained-transducer-1", "word-head-plain-1", "word-head-plain-3", "word-head-plain-4")


class WordHeadEnsemble(WordModel):
    """The mean of several released models (probabilities, after the cut to the admissible words)."""

    name = "word-head-ensemble"
    learns = "nothing"
    trained_on = ("smollm2",)

    def __init__(self, members: Sequence[str] = ENSEMBLE, device: str = "auto", temperature: float = 1.0) -> None:
        super().__init__("kidscook", device, 0)
        self.temperature = temperature
        self.members: list[WordHeadModel] = []
        for name in members:
            kind = PretrainedTransducerModel if "transducer" in name else WordHeadModel
            self.members.append(kind(weights=name, device=device))

    def reads(self) -> list[Path]:
        """The members' weights, and what they stand on."""
        return [gguf_file(), *map(member_file, self.members)]

    def fit(self, data: Any, held: Any = None) -> Self:
        for member in self.members:
            member.load(member_file(member))
        self.network_, self.vocabulary_ = self.members, self.members[0].vocabulary_
        self.whitelist_, self.spare_abstract = self.members[0].whitelist_, True
        return self

    def read_places(
        self, rows: Sequence[PairRow], asked: Sequence[QueryPlace], spoken_places: Sequence[QueryPlace], whitelist: str
    ) -> tuple[Tensor, Tensor]:
        read = [member.read_places(rows, asked, spoken_places, whitelist) for member in self.members]
        table = torch.stack([table for table, _ in read]).logsumexp(0) - math.log(len(read))
        spoken = torch.stack([spoken for _, spoken in read]).logsumexp(0) - math.log(len(read))
        return (table / self.temperature).log_softmax(-1), spoken


def member_file(member: WordModel) -> Path:
    """The file of an ensemble's member: a path, or a name of the release."""
    path = Path(member.weights)
    return path if path.is_file() else checkpoint.find(f"{member.weights}.safetensors")
