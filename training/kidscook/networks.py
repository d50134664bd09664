"""A kind of pretrained word model -> its fresh network, with adapters or with all matrices learned."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from scenarist.corpora.kidscook import vocabulary, whitelist
from scenarist.models.words.batches import Vocabulary
from scenarist.networks.adapters import Setup, times_inside
from scenarist.networks.llama import Llama, Times
from scenarist.registry import make
from training.kidscook.settings import grouped


class FullMatrices(nn.Module):  # type: ignore[misc]
    """All matrices of a llama are learned; what changed is kept as adapters of a rank (its best approximation)."""

    def __init__(self, llama: Llama, rank: int, setup: Setup) -> None:
        super().__init__()
        self.llama, self.rank, self.setup = llama, rank, setup
        self.learned = nn.ParameterDict({name: nn.Parameter(matrix.clone()) for name, matrix in llama.matrices.items()})

    def times(self, llama: Llama) -> Times:
        """How one pass multiplies."""
        matrices = {name: matrix.to(llama.kind) for name, matrix in self.learned.items()}
        return times_inside(matrices, self.setup.drop if self.training else 0.0)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def named(self) -> dict[str, Tensor]:
        """What changed, under the names of adapters."""
        state: dict[str, Tensor] = {}
        for name, matrix in self.learned.items():
            u, s, v = torch.linalg.svd(matrix.float() - self.llama.matrices[name], full_matrices=False)
            half = s[:, : self.rank].sqrt()
            spare = self.rank - half.shape[1]  # a matrix smaller than the rank
            ups = F.pad(u[:, :, : self.rank] * half[:, None] / self.setup.factor, (0, spare))
            downs = F.pad(half[..., None] * v[:, : self.rank], (0, 0, 0, spare))
            for layer, (up, down) in enumerate(zip(ups, downs, strict=True)):
                state |= {f"{layer}.{name}.up": up, f"{layer}.{name}.down": down}
        return state


def prepare(kind: str, seed: int, device: str, settings: dict[str, Any], dropout: float, full: bool) -> Any:
    """A model with a fresh network on the base model."""
    torch.backends.cuda.matmul.allow_tf32 = True
    model = make("model", kind, seed=seed, device=device, **grouped(kind, settings))
    model.vocabulary_, model.whitelist_ = Vocabulary(vocabulary()), whitelist()
    torch.manual_seed(seed)
    model.network_ = model.built(None)
    body = model.network_.body
    if body.llama.device != "cpu":
        body.llama.kind = torch.bfloat16
    body.adapter.setup = body.adapter.setup._replace(drop=dropout)
    if full:
        body.adapter = FullMatrices(body.llama, model.tuning.rank, body.adapter.setup)
    return model
