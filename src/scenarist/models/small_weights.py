"""Weights <-> small weights: matrices as bytes with one scale a row, everything else in half precision.

A byte a weight is what lets adapters and networks lie in a repository; the numbers that are reported are measured with
the weights as they come back from here.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

SCALE = ".scale"


def shrink(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices to int8 with half-precision scales (``name.scale``), vectors and numbers to half precision.

    >>> small = shrink({"w": torch.tensor([[1.0, -2.0], [0.5, 0.25]])})
    >>> sorted(small), (grow(small)["w"] * 4).round().tolist()
    (['w', 'w.scale'], [[4.0, -8.0], [2.0, 1.0]])
    """
    small: dict[str, Tensor] = {}
    for name, weight in state.items():
        full = weight.detach().float().cpu()
        if full.ndim != 2 or full.shape[1] < 2:
            small[name] = full.half().contiguous() if full.ndim else full
            continue
        scale = (full.abs().amax(1, keepdim=True) / 127.0).clamp(min=1e-7).half().clamp(min=6e-8)
        small[name] = (full / scale.float()).round().clamp(-127, 127).to(torch.int8).contiguous()
        small[name + SCALE] = scale[:, 0].contiguous()
    return small


def grow(small: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights in single precision."""
    state: dict[str, Tensor] = {}
    for name, weight in small.items():
        if name.endswith(SCALE) and name[: -len(SCALE)] in small:
            continue
        if weight.dtype == torch.int8:
            state[name] = weight.float() * small[name + SCALE].float()[:, None]
        else:
            state[name] = weight.float()
    return state
