# ruff: noqa - the script as it ran on the card, kept as it was
"""SmolLM2 from a GGUF file as a torch network that trains a group of adapters side by side (seeds, or folds).

ids [G, B, T] -> states [G, B, T, D]: G adapters share the frozen weights, so ten folds cost one pass with a batch ten times as large.
"""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.models.gguf import Gguf


def read_gguf(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Metadata and float32 tensors."""
    file = Gguf(path)
    return file.metadata, {name: file.tensor(name) for name in file.names}


class Smol:
    """Frozen base weights; forward over G adapters side by side: ids [G,B,T] -> states [G,B,T,D]."""

    def __init__(self, path, device="cpu", dtype=torch.float32):
        meta, t = read_gguf(path)
        self.device, self.dtype = device, dtype
        self.D, self.L = int(meta["llama.embedding_length"]), int(meta["llama.block_count"])
        self.H, self.K = int(meta["llama.attention.head_count"]), int(meta["llama.attention.head_count_kv"])
        self.hd = self.D // self.H
        self.L = min(self.L, int(os.environ.get("LAYERS", "99")))
        self.F = int(meta["llama.feed_forward_length"])
        self.eps = float(meta["llama.attention.layer_norm_rms_epsilon"])
        put = lambda x: torch.from_numpy(np.ascontiguousarray(x)).to(device=device, dtype=dtype)

        def unpermute(w, heads):
            return w.reshape(heads, self.hd // 2, 2, -1).swapaxes(1, 2).reshape(w.shape)

        self.E = put(t["token_embd.weight"])
        self.out_norm = put(t["output_norm.weight"])
        self.layers = []
        for i in range(self.L):
            g = lambda n: t[f"blk.{i}.{n}.weight"]
            self.layers.append(
                {
                    "n1": put(g("attn_norm")),
                    "n2": put(g("ffn_norm")),
                    "qkv": put(
                        np.concatenate([unpermute(g("attn_q"), self.H), unpermute(g("attn_k"), self.K), g("attn_v")])
                    ),
                    "o": put(g("attn_output")),
                    "gu": put(np.concatenate([g("ffn_gate"), g("ffn_up")])),
                    "down": put(g("ffn_down")),
                }
            )
        inv = 1.0 / (float(meta["llama.rope.freq_base"]) ** (torch.arange(0, self.hd, 2).float() / self.hd))
        ang = torch.outer(torch.arange(512).float(), inv)
        self.cos = torch.cat([ang.cos(), ang.cos()], -1).to(device=device, dtype=dtype)
        self.sin = torch.cat([ang.sin(), ang.sin()], -1).to(device=device, dtype=dtype)

    def shapes(self):
        return {
            "qkv": (self.D, self.D + 2 * self.K * self.hd),
            "o": (self.D, self.D),
            "gu": (self.D, 2 * self.F),
            "down": (self.F, self.D),
        }

    def merged(self, lora):
        """A copy with a one-adapter group folded into the weights."""
        new = copy.copy(self)
        new.layers = []
        for i, layer in enumerate(self.layers):
            layer = dict(layer)
            for m in self.shapes():
                A, B = lora.get(i, m)
                layer[m] = (layer[m].float() + (B[0].float() @ A[0].float()) * lora.scale).to(self.dtype)
            new.layers.append(layer)
        return new

    def linear(self, x, layer, i, m, lora):
        y = F.linear(x, layer[m])  # [G,N,out]
        if lora is None:
            return y
        A, B = lora.get(i, m)  # [G,r,in] [G,out,r]
        h = torch.bmm(x, A.to(x.dtype).transpose(1, 2))
        if lora.drop and lora.training:
            h = F.dropout(h, lora.drop)
        return torch.baddbmm(y, h, B.to(x.dtype).transpose(1, 2), alpha=lora.scale)

    def forward(self, ids, lora=None, pos=None, mask=None, past=None, keep=False):
        G, B, T = ids.shape
        x = F.embedding(ids, self.E).reshape(G, B * T, self.D)
        if pos is None:
            cos, sin = self.cos[:T][None, :, None], self.sin[:T][None, :, None]
        else:
            cos, sin = self.cos[pos].reshape(G * B, T, 1, self.hd), self.sin[pos].reshape(G * B, T, 1, self.hd)
        if mask is not None:
            mask = mask.reshape(G * B, 1, T, -1)
        H, K, hd = self.H, self.K, self.hd
        kept = []
        for i, layer in enumerate(self.layers):
            a = F.rms_norm(x, (self.D,), layer["n1"], self.eps)
            qkv = self.linear(a, layer, i, "qkv", lora).view(G * B, T, H + 2 * K, hd)
            qk, v = qkv[:, :, : H + K], qkv[:, :, H + K :]
            half = torch.cat([-qk[..., hd // 2 :], qk[..., : hd // 2]], -1)
            qk = qk * cos + half * sin
            q, k, v = qk[:, :, :H].transpose(1, 2), qk[:, :, H:].transpose(1, 2), v.transpose(1, 2)
            if past is not None:
                k, v = torch.cat([past[i][0], k], 2), torch.cat([past[i][1], v], 2)
            if keep:
                kept.append((k, v))
            k = k.repeat_interleave(H // K, 1)
            v = v.repeat_interleave(H // K, 1)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
            a = a.transpose(1, 2).reshape(G, B * T, self.D)
            x = x + self.linear(a, layer, i, "o", lora)
            a = F.rms_norm(x, (self.D,), layer["n2"], self.eps)
            gate, up = self.linear(a, layer, i, "gu", lora).chunk(2, -1)
            x = x + self.linear(F.silu(gate) * up, layer, i, "down", lora)
        x = F.rms_norm(x, (self.D,), self.out_norm, self.eps).view(G, B, T, self.D)
        return (x, kept) if keep else x

    def logp(self, states, targets, chunk=16384):
        """log P of each target: states [...,D], targets [...] -> [...]"""
        s, t = states.reshape(-1, self.D), targets.reshape(-1)
        out = []
        for a in range(0, len(t), chunk):
            out.append(-F.cross_entropy(F.linear(s[a : a + chunk], self.E).float(), t[a : a + chunk], reduction="none"))
        return torch.cat(out).view(targets.shape)


class Lora:
    """G adapters of one rank; parameters stacked [G, ...]."""

    def __init__(self, net, G, rank, seeds, alpha=None, drop=0.05, heads=("head",), sizes=None):
        self.G, self.rank, self.scale, self.drop, self.training = G, rank, (alpha or 2 * rank) / rank, drop, True
        self.p = {}
        gens = [torch.Generator().manual_seed(int(s)) for s in seeds]
        assert len(gens) == G
        for i in range(net.L):
            for m, (n, out) in net.shapes().items():
                A = torch.stack([torch.empty(rank, n).uniform_(-1, 1, generator=g) * (3 / n) ** 0.5 for g in gens])
                self.p[f"{i}.{m}.A"] = A.to(net.device).requires_grad_()
                self.p[f"{i}.{m}.B"] = torch.zeros(G, out, rank, device=net.device).requires_grad_()
        for name, (a, b) in (sizes or {"head": (net.D, 1)}).items():
            W = torch.stack([torch.randn(a, b, generator=g) * 0.02 for g in gens])
            self.p[name] = W.to(net.device).requires_grad_()
            self.p[name + ".b"] = torch.zeros(G, 1, b, device=net.device).requires_grad_()

    def get(self, i, m):
        return self.p[f"{i}.{m}.A"], self.p[f"{i}.{m}.B"]

    def head(self, x, name="head"):
        """x [G,N,D] -> [G,N,b] in float32."""
        return torch.baddbmm(self.p[name + ".b"], x.float(), self.p[name])

    def group(self, g):
        new = object.__new__(Lora)
        new.__dict__.update(self.__dict__)
        new.G = 1
        new.training = False
        new.p = {k: v.detach()[g : g + 1].clone() for k, v in self.p.items()}
        return new

    def packed(self, g, prefix=""):
        """int8 with a scale per rank direction; heads in float32."""
        out = {}
        for k, v in self.p.items():
            v = v.detach()[g].float().cpu()
            if k.endswith((".A", ".B")):
                dim = 1 if k.endswith(".A") else 0
                s = v.abs().amax(dim, keepdim=True).clamp(min=1e-8) / 127
                out[prefix + k] = (v / s).round().to(torch.int8)
                out[prefix + k + ".s"] = s.squeeze(dim).half().float()
                out[prefix + k] = (v / out[prefix + k + ".s"].unsqueeze(dim)).round().clamp(-127, 127).to(torch.int8)
            else:
                out[prefix + k] = v
        return out
