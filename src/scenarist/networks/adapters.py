"""Low-rank adapters (Hu et al. 2022): a few learned numbers beside a llama's frozen matrices, and small heads; needs torch.

One class for training and for use, one form in files. Several adapters of one shape (seeds, or folds) are kept side by side and share the
frozen matrices, so that ten folds cost one pass with a batch ten times as large. All layers are in one tensor: on a graphics card the time
of a small model is the number of its kernels. An adapter is added to its matrices before a pass, which costs less than a second way for
every piece, unless there are several (``beside``).

In a file (`checkpoint`) an adapter is ``LAYER.PART.down`` (rank, in) and ``LAYER.PART.up`` (out, rank); a head is ``NAME`` (in, out) and
``NAME.bias`` (1, out). Where a file has several, ``GROUP/`` stands before each name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from scenarist.errors import BadInput
from scenarist.networks.checkpoint import shrink
from scenarist.networks.llama import PARTS, Llama, Times

LOW = re.compile(r"(\d+)\.(\w+)\.(down|up)")
JOINED = tuple(PARTS)
"""An adapter for each of the four matrices of a layer."""
SINGLE = ("q", "k", "v", "o", "gate", "up", "down")
"""An adapter for each of the matrices that these are joined of."""


class Setup(NamedTuple):
    """How adapters work."""

    factor: float = 2.0
    """On what they add."""
    drop: float = 0.0
    """Share of units dropped in training: of the low rank where they stand beside, else of what a layer adds to the states."""
    beside: bool = False
    """Beside the matrices instead of inside."""


def times_inside(matrices: Mapping[str, Tensor], drop: float) -> Times:
    """How a pass multiplies with changed matrices (L, out, in); ``drop``: share of units dropped of what a layer adds to the states."""
    layers = {name: matrix.unbind(0) for name, matrix in matrices.items()}

    def times(x: Tensor, number: int, matrix: str) -> Tensor:
        y = F.linear(x, layers[matrix][number])
        return F.dropout(y, drop) if drop and matrix in ("o", "down") else y

    return times


class Lora(nn.Module):  # type: ignore[misc]
    """Adapters of one rank, G side by side: ``down`` (L, G, rank, in) and ``up`` (L, G, out, rank) of each part; heads (G, in, out)."""

    def __init__(self, low: Mapping[str, Tensor], heads: Mapping[str, Tensor], setup: Setup) -> None:
        """``low``: tensors named ``PART_down`` and ``PART_up``; ``heads``: ``NAME`` and ``NAME_bias``."""
        super().__init__()
        self.setup = setup
        self.low = nn.ParameterDict({name: nn.Parameter(value) for name, value in low.items()})
        self.heads = nn.ParameterDict({name: nn.Parameter(value) for name, value in heads.items()})
        self.parts = [name.removesuffix("_down") for name in low if name.endswith("_down")]
        self.groups = next(iter((low or heads).values())).shape[1 if low else 0]

    @classmethod
    def fresh(
        cls, llama: Llama, rank: int, seeds: Sequence[int] = (1,), parts: Sequence[str] = JOINED,
        heads: Mapping[str, tuple[int, int]] | None = None, setup: Setup | None = None,
    ) -> Lora:  # fmt: skip
        """One adapter a seed; ``up`` is zero, so the network begins unchanged. ``heads``: their inputs and outputs."""
        dice = [torch.Generator().manual_seed(int(seed)) for seed in seeds]

        def draw(*shape: int) -> Tensor:
            return torch.stack([torch.randn(*shape, generator=die) for die in dice])  # (G, ...)

        low: dict[str, Tensor] = {}
        for part in parts:
            matrix, start, stop = llama.rows_of(part)
            wide = llama.matrices[matrix].shape[2]
            low[f"{part}_down"] = draw(llama.config.layers, rank, wide).transpose(0, 1).contiguous() / wide**0.5
            low[f"{part}_up"] = torch.zeros(llama.config.layers, len(seeds), stop - start, rank)
        own: dict[str, Tensor] = {}
        for name, (wide, size) in (heads or {}).items():
            own |= {name: draw(wide, size) * 0.02, f"{name}_bias": torch.zeros(len(seeds), 1, size)}
        lora: Lora = cls(low, own, setup or Setup()).to(llama.device)
        return lora

    @classmethod
    def of(cls, state: Mapping[str, Tensor], factor: float = 2.0, groups: Sequence[str] = ("",)) -> Lora:
        """The adapters of a file, frozen; ``groups``: which, where it holds several."""
        rows = []
        for group in groups:
            begin = f"{group}/" if group else ""
            own = {name.removeprefix(begin): value for name, value in state.items() if name.startswith(begin)}
            if not any(map(LOW.fullmatch, own)):
                raise BadInput(
                    f"There is no adapter {group!r} among these {len(state)} tensors; expected names such as {begin}0.qkv.down. "
                    "Get the released file again: scenarist get NAME --again"
                )
            rows.append(own)
        known = {name: match for name in rows[0] if (match := LOW.fullmatch(name))}
        low: dict[str, Tensor] = {}
        for part, side in dict.fromkeys((match[2], match[3]) for match in known.values()):
            numbers = range(sum(match[2] == part and match[3] == side for match in known.values()))
            layers = [torch.stack([own[f"{number}.{part}.{side}"] for own in rows]) for number in numbers]
            low[f"{part}_{side}"] = torch.stack(layers)
        names = [name for name in rows[0] if f"{name}.bias" in rows[0]]
        heads = {name: torch.stack([own[name] for own in rows]) for name in names}
        heads |= {f"{name}_bias": torch.stack([own[f"{name}.bias"] for own in rows]) for name in names}
        lora: Lora = cls(low, heads, Setup(factor, beside=True)).requires_grad_(False).eval()
        return lora

    def named(self, groups: Sequence[str] = ("",)) -> dict[str, Tensor]:
        """What was learned, under the names it has in a file."""
        state: dict[str, Tensor] = {}
        for group, name in enumerate(groups):
            begin = f"{name}/" if name else ""
            for key, value in self.low.items():
                part, side = key.split("_")
                state |= {
                    f"{begin}{layer}.{part}.{side}": matrices[group].detach() for layer, matrices in enumerate(value)
                }
            state |= {begin + key.replace("_bias", ".bias"): value[group].detach() for key, value in self.heads.items()}
        return state

    def packed(self, groups: Sequence[str] = ("",)) -> dict[str, Tensor]:
        """The same as small weights, heads in half precision."""
        state = self.named(groups)
        low = {name: value for name, value in state.items() if LOW.fullmatch(name.rpartition("/")[2])}
        return shrink(low) | {name: value.half().cpu() for name, value in state.items() if name not in low}

    def group(self, number: int) -> Lora:
        """One of the adapters, frozen."""
        low = {name: value.detach()[:, number : number + 1].clone() for name, value in self.low.items()}
        heads = {name: value.detach()[number : number + 1].clone() for name, value in self.heads.items()}
        lora: Lora = Lora(low, heads, self.setup).requires_grad_(False).eval()
        return lora

    def pairs(self, llama: Llama) -> dict[str, tuple[Tensor, Tensor]]:
        """For each matrix ``down`` (L, G, rank, in) and ``up`` (L, G, out, rank); those of its parts are put together."""
        sides: dict[str, list[tuple[Tensor, Tensor]]] = {}
        for part in self.parts:
            matrix, start, stop = llama.rows_of(part)
            rows = llama.matrices[matrix].shape[1]
            up = F.pad(self.low[f"{part}_up"], (0, 0, start, rows - stop))  # the other rows are for other parts
            sides.setdefault(matrix, []).append((self.low[f"{part}_down"], up))
        pairs = {}
        for matrix, parts in sides.items():
            down, up = torch.cat([down for down, _ in parts], 2), torch.cat([up for _, up in parts], 3)
            pairs[matrix] = down.to(llama.matrices[matrix].dtype), up.to(llama.matrices[matrix].dtype)
        return pairs

    def woven(self, llama: Llama, group: int = 0) -> dict[str, Tensor]:
        """The matrices (L, out, in) with one adapter added to them."""
        pairs = self.pairs(llama)
        return {
            name: torch.baddbmm(matrix, pairs[name][1][:, group], pairs[name][0][:, group], alpha=self.setup.factor)
            if name in pairs
            else matrix
            for name, matrix in llama.matrices.items()
        }

    def times(self, llama: Llama) -> Times:
        """How one pass multiplies."""
        if self.groups == 1 and not self.setup.beside:
            matrices = {name: matrix.to(llama.kind) for name, matrix in self.woven(llama).items()}
            return times_inside(matrices, self.setup.drop if self.training else 0.0)
        return self._beside(llama, self.pairs(llama))

    def _beside(self, llama: Llama, pairs: Mapping[str, tuple[Tensor, Tensor]]) -> Times:
        layers = {
            name: (down.to(llama.kind).unbind(0), up.to(llama.kind).unbind(0)) for name, (down, up) in pairs.items()
        }

        def times(x: Tensor, number: int, matrix: str) -> Tensor:
            y = llama.times(x, number, matrix)
            if matrix not in layers:
                return y
            down, up = (side[number] for side in layers[matrix])  # (G, rank, in), (G, out, rank)
            low = torch.bmm(x.reshape(self.groups, -1, x.shape[-1]), down.transpose(1, 2))
            low = F.dropout(low, self.setup.drop, self.training)
            flat = y.reshape(self.groups, -1, y.shape[-1])
            return torch.baddbmm(flat, low, up.transpose(1, 2), alpha=self.setup.factor).view(y.shape)

        return times

    def head(self, states: Tensor, name: str = "head") -> Any:
        """A linear head: (G, N, D) -> (G, N, size); of a single adapter also (N, D) -> (N, size)."""
        weight, bias = self.heads[name], self.heads[f"{name}_bias"]
        flat = states.float() if states.ndim == 3 else states.float()[None]
        adapted = torch.baddbmm(bias, flat, weight)
        return adapted if states.ndim == 3 else adapted[0]
