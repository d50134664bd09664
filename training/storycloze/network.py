"""SmolLM2 from a GGUF file as a torch network that trains a group of adapters side by side (seeds, or folds).

ids [G, B, T] -> states [G, B, T, D]: G adapters share the frozen weights, so ten folds cost one pass with a batch ten times as large.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from scenarist.networks.gguf import Gguf

PLACES = 512
"""Positions with a prepared rotation; the longest sequence here has about 240 tokens."""


class Smol:
    """Frozen weights; forward over G adapters side by side. ``LAYERS=1`` in the environment cuts the network, for tests."""

    again = False
    """Compute the states inside a layer again on the way back: a tenth of the memory, a third more time."""

    def __init__(self, path: Path, device: str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        file = Gguf(path)
        meta = file.metadata
        self.device, self.dtype = device, dtype
        self.D, self.F = int(meta["llama.embedding_length"]), int(meta["llama.feed_forward_length"])
        self.L = min(int(meta["llama.block_count"]), int(os.environ.get("LAYERS", "99")))
        self.H, self.K = int(meta["llama.attention.head_count"]), int(meta["llama.attention.head_count_kv"])
        self.hd = self.D // self.H
        self.eps = float(meta["llama.attention.layer_norm_rms_epsilon"])

        def put(array: np.ndarray) -> Any:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device=device, dtype=dtype)

        def straight(array: np.ndarray, heads: int) -> np.ndarray:
            """GGUF interleaves the two halves of a rotated head; put them back."""
            return array.reshape(heads, self.hd // 2, 2, -1).swapaxes(1, 2).reshape(array.shape)

        self.E, self.norm = put(file.tensor("token_embd.weight")), put(file.tensor("output_norm.weight"))
        self.layers: list[dict[str, Any]] = []
        for number in range(self.L):
            part = {
                name: file.tensor(f"blk.{number}.{name}.weight")
                for name in "attn_norm ffn_norm attn_q attn_k attn_v attn_output ffn_gate ffn_up ffn_down".split()
            }
            qkv = [straight(part["attn_q"], self.H), straight(part["attn_k"], self.K), part["attn_v"]]
            self.layers.append({
                "n1": put(part["attn_norm"]), "n2": put(part["ffn_norm"]), "qkv": put(np.concatenate(qkv)),
                "o": put(part["attn_output"]), "gu": put(np.concatenate([part["ffn_gate"], part["ffn_up"]])), "down": put(part["ffn_down"]),
            })  # fmt: skip
        inverse = 1.0 / (float(meta["llama.rope.freq_base"]) ** (torch.arange(0, self.hd, 2).float() / self.hd))
        angle = torch.outer(torch.arange(PLACES).float(), inverse)
        self.cos = torch.cat([angle.cos()] * 2, -1).to(device=device, dtype=dtype)
        self.sin = torch.cat([angle.sin()] * 2, -1).to(device=device, dtype=dtype)

    def shapes(self) -> dict[str, tuple[int, int]]:
        """Adapted matrices: inputs and outputs."""
        return {
            "qkv": (self.D, self.D + 2 * self.K * self.hd),
            "o": (self.D, self.D),
            "gu": (self.D, 2 * self.F),
            "down": (self.F, self.D),
        }

    def merged(self, lora: Lora) -> Smol:
        """A copy with a group of one adapter folded into the weights."""
        new = copy.copy(self)
        new.layers = []
        for number, layer in enumerate(self.layers):
            folded = dict(layer)
            for name in self.shapes():
                down, up = lora.get(number, name)
                folded[name] = (layer[name].float() + (up[0].float() @ down[0].float()) * lora.scale).to(self.dtype)
            new.layers.append(folded)
        return new

    def linear(self, x: Any, layer: Mapping[str, Any], number: int, name: str, lora: Lora | None) -> Any:
        """x [G, N, in] -> [G, N, out], the adapters beside the frozen matrix."""
        y = F.linear(x, layer[name])
        if lora is None:
            return y
        down, up = lora.cast[name + ".A"][number], lora.cast[name + ".B"][number]  # [G, r, in], [G, out, r]
        low = torch.bmm(x, down.transpose(1, 2))
        if lora.drop and lora.training:
            low = F.dropout(low, lora.drop)
        return torch.baddbmm(y, low, up.transpose(1, 2), alpha=lora.scale)

    def forward(
        self,
        ids: Any,
        lora: Lora | None = None,
        pos: Any = None,
        mask: Any = None,
        past: Any = None,
        keep: bool = False,
    ) -> Any:
        """ids [G, B, T] -> states [G, B, T, D]; with ``keep`` also the keys and values, for sampling."""
        G, B, T = ids.shape
        hd = self.hd
        x = F.embedding(ids, self.E).reshape(G, B * T, self.D)
        if pos is None:
            cos, sin = self.cos[:T][None, :, None], self.sin[:T][None, :, None]
        else:
            cos, sin = self.cos[pos].reshape(G * B, T, 1, hd), self.sin[pos].reshape(G * B, T, 1, hd)
        if mask is not None:  # as numbers to add, once for all layers
            mask = (
                torch.zeros(mask.shape, dtype=x.dtype, device=x.device)
                .masked_fill_(~mask, -torch.inf)
                .reshape(G * B, 1, T, -1)
            )
        if lora is not None:
            lora.to(x.dtype, self)
        kept: list[tuple[Any, Any]] = []
        for number in range(self.L):
            if self.again and lora is not None and lora.training:
                x = checkpoint(self.layer, x, number, lora, cos, sin, mask, use_reentrant=False)
            else:
                x = self.layer(x, number, lora, cos, sin, mask, past, kept if keep else None)
        x = F.rms_norm(x, (self.D,), self.norm, self.eps).view(G, B, T, self.D)
        return (x, kept) if keep else x

    def layer(
        self,
        x: Any,
        number: int,
        lora: Lora | None,
        cos: Any,
        sin: Any,
        mask: Any,
        past: Any = None,
        kept: list[tuple[Any, Any]] | None = None,
    ) -> Any:
        """One layer: x [G, B * T, D] -> the same shape."""
        layer, (H, K, hd) = self.layers[number], (self.H, self.K, self.hd)
        a = F.rms_norm(x, (self.D,), layer["n1"], self.eps)
        T = cos.shape[1]
        qkv = self.linear(a, layer, number, "qkv", lora).view(-1, T, H + 2 * K, hd)  # [G * B, T, ...]
        qk, v = qkv[:, :, : H + K], qkv[:, :, H + K :]
        turned = torch.cat([-qk[..., hd // 2 :], qk[..., : hd // 2]], -1)
        qk = qk * cos + turned * sin
        q, k, v = qk[:, :, :H].transpose(1, 2), qk[:, :, H:].transpose(1, 2), v.transpose(1, 2)
        if past is not None:
            k, v = torch.cat([past[number][0], k], 2), torch.cat([past[number][1], v], 2)
        if kept is not None:
            kept.append((k, v))
        if past is not None and T == 1:  # heads that share keys are asked as if they were places
            a = F.scaled_dot_product_attention(q.reshape(-1, K, H // K, hd), k, v, attn_mask=mask).reshape(-1, H, 1, hd)
        else:
            k, v = k.repeat_interleave(H // K, 1), v.repeat_interleave(H // K, 1)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + self.linear(a.transpose(1, 2).reshape(x.shape), layer, number, "o", lora)
        a = F.rms_norm(x, (self.D,), layer["n2"], self.eps)
        gate, up = self.linear(a, layer, number, "gu", lora).chunk(2, -1)
        return x + self.linear(F.silu(gate) * up, layer, number, "down", lora)

    def logp(self, states: Any, targets: Any, chunk: int = 16384) -> Any:
        """ln P of each target: [..., D], [...] -> [...]."""
        s, t = states.reshape(-1, self.D), targets.reshape(-1)
        parts = [
            -F.cross_entropy(F.linear(s[at : at + chunk], self.E).float(), t[at : at + chunk], reduction="none")
            for at in range(0, len(t), chunk)
        ]
        return torch.cat(parts).view(targets.shape)


class Lora:
    """G adapters of one rank, parameters stacked [G, ...], with small linear heads."""

    def __init__(
        self,
        net: Smol,
        rank: int,
        seeds: Sequence[int],
        drop: float = 0.05,
        heads: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        self.G, self.rank, self.scale, self.drop, self.training = len(seeds), rank, 2.0, drop, True
        self.p: dict[str, Any] = {}
        self.cast: dict[str, Sequence[Any]] = {}
        """Name of a matrix -> its adapters by layer, in the network's precision."""
        dice = [torch.Generator().manual_seed(int(seed)) for seed in seeds]
        for number in range(net.L):
            for name, (n, out) in net.shapes().items():
                down = torch.stack(
                    [torch.empty(rank, n).uniform_(-1, 1, generator=one) * (3 / n) ** 0.5 for one in dice]
                )
                self.p[f"{number}.{name}.A"] = down.to(net.device).requires_grad_()
                self.p[f"{number}.{name}.B"] = torch.zeros(self.G, out, rank, device=net.device).requires_grad_()
        for name, (n, out) in (heads or {"head": (net.D, 1)}).items():
            weight = torch.stack([torch.randn(n, out, generator=one) * 0.02 for one in dice])
            self.p[name] = weight.to(net.device).requires_grad_()
            self.p[name + ".b"] = torch.zeros(self.G, 1, out, device=net.device).requires_grad_()

    @classmethod
    def read(cls, net: Smol, path: Path, parts: Sequence[str] = ()) -> Lora:
        """Adapters of a release file, ready to use: the parts named, or one a seed of the file."""
        from safetensors import safe_open

        with safe_open(path, framework="pt") as file:
            note = file.metadata() or {}
            rank, parts = int(note["rank"]), parts or [str(seed) for seed in json.loads(note["seeds"])]
            found = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        new = cls(net, rank, [0] * len(parts))
        for key in list(new.p):
            rows = []
            for part in parts:
                value = found[f"{part}.{key}" if part else key].float()
                if key.endswith((".A", ".B")):
                    value = value * found[(f"{part}." if part else "") + key + ".s"].float().unsqueeze(
                        1 if key.endswith(".A") else 0
                    )
                rows.append(value)
            new.p[key] = torch.stack(rows).to(net.device)
        new.training = False
        return new

    def to(self, dtype: torch.dtype, net: Smol) -> None:
        """Cast all layers' matrices at once, before a pass."""
        self.cast = {
            key: torch.stack([self.p[f"{number}.{key}"] for number in range(net.L)]).to(dtype).unbind(0)
            for key in (f"{name}.{side}" for name in net.shapes() for side in "AB")
        }

    def get(self, number: int, name: str) -> tuple[Any, Any]:
        """The two matrices beside one frozen matrix."""
        return self.p[f"{number}.{name}.A"], self.p[f"{number}.{name}.B"]

    def head(self, x: Any, name: str = "head") -> Any:
        """x [G, N, D] -> [G, N, out] in float32."""
        return torch.baddbmm(self.p[name + ".b"], x.float(), self.p[name])

    def group(self, at: int) -> Lora:
        """One of the adapters, frozen."""
        new = object.__new__(Lora)
        new.__dict__.update(self.__dict__)
        new.G, new.training = 1, False
        new.p = {key: value.detach()[at : at + 1].clone() for key, value in self.p.items()}
        return new

    def packed(self, at: int, prefix: str = "") -> dict[str, Any]:
        """One adapter as int8 with a scale for every direction of the rank; heads in float32."""
        out: dict[str, Any] = {}
        for key, value in self.p.items():
            value = value.detach()[at].float().cpu()
            if not key.endswith((".A", ".B")):
                out[prefix + key] = value
                continue
            dim = 1 if key.endswith(".A") else 0
            scale = (value.abs().amax(dim).clamp(min=1e-8) / 127).half().float().clamp(min=6e-8)
            out[prefix + key + ".s"] = scale
            out[prefix + key] = (value / scale.unsqueeze(dim)).round().clamp(-127, 127).to(torch.int8)
        return out
