"""Low-rank adapters (Hu et al. 2022): a few thousand learned numbers per layer beside frozen weights.

So that what was learned on top of a 135-million-parameter model fits into one small file.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class LoraLinear(nn.Module):  # type: ignore[misc]
    """W x + (scale / rank) B A x with W frozen; B starts at zero, so the model starts unchanged."""

    def __init__(self, base: nn.Linear, rank: int, scale: float, dropout: float) -> None:
        super().__init__()
        self.base, self.factor = base, scale / rank
        self.drop = nn.Dropout(dropout)
        self.down = nn.Parameter(torch.empty(rank, base.in_features, device=base.weight.device))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank, device=base.weight.device))
        nn.init.normal_(self.down, std=1.0 / base.in_features**0.5)

    def forward(self, x: Tensor) -> Tensor:
        low = nn.functional.linear(self.drop(x), self.down.to(x.dtype))
        out: Tensor = self.base(x) + nn.functional.linear(low, self.up.to(x.dtype)) * self.factor
        return out


def adapt(
    model: nn.Module, rank: int, scale: float = 32.0, dropout: float = 0.05, layers: Iterable[str] = LAYERS
) -> None:
    """Freeze a model and put an adapter beside each linear layer of these names, in place."""
    for weight in model.parameters():
        weight.requires_grad_(False)
    wanted = tuple(layers)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in wanted and isinstance(child, nn.Linear):
                setattr(module, name, LoraLinear(child, rank, scale, dropout))


def fold(model: nn.Module) -> None:
    """Add the adapters into the weights and take them away, in place: the same function, plain layers."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, LoraLinear):
                with torch.no_grad():
                    child.base.weight += (child.up @ child.down * child.factor).to(child.base.weight.dtype)
                setattr(module, name, child.base)
