"""A llama body with the adapters of all layers in stacks: the states of `Marked` with a fraction of its kernels.

``W + B A`` of a kind of matrix is made for all layers in one batched product, and the layers are written out with fused norms
and attention. On a graphics card the time of a small model is the number of its kernels, so this trains four times as
fast as adapters beside every layer. ``low_rank`` gives what was learned under the names of `lora.LoraLinear`, so
checkpoints are the same whichever way they were trained. With ``full`` all matrices are trained, and ``low_rank`` cuts what changed.
`StackedBody.of` is for reading: on a processor with bfloat16 products it fills blanks several times as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from scenarist.models.words.pieces import Marked
from scenarist.networks.prefix_cache import Memory, read_on

KINDS = {
    "q_proj": "self_attn", "k_proj": "self_attn", "v_proj": "self_attn", "o_proj": "self_attn",
    "gate_proj": "mlp", "up_proj": "mlp", "down_proj": "mlp",
}  # fmt: skip
FUSED = {
    "qkv": ("q_proj", "k_proj", "v_proj"),
    "o": ("o_proj",),
    "gu": ("gate_proj", "up_proj"),
    "down": ("down_proj",),
}


class StackedBody(nn.Module):  # type: ignore[misc]
    """Piece ids (B, t) -> states (B, t, h)."""

    remember = 0
    """How many pieces to remember the states of, outside training; a text that goes on from one of them is read from there."""

    def __init__(
        self, marked: Marked, rank: int = 16, scale: float = 32.0, dropout: float = 0.0, full: bool = False
    ) -> None:
        super().__init__()
        body: Any = marked.body
        config = body.config
        self.rank, self.scale, self.full, self.half = rank, scale, full, False
        self.heads, self.shared, self.eps = config.num_attention_heads, config.num_key_value_heads, config.rms_norm_eps
        self.wide = config.hidden_size // self.heads
        self.size, self.depth = marked.size, len(body.layers)
        self.marks = marked.marks
        self.drop = nn.Dropout(dropout)
        fixed = {"table": body.embed_tokens.weight, "last": body.norm.weight}
        fixed["first"] = torch.stack([layer.input_layernorm.weight for layer in body.layers])
        fixed["second"] = torch.stack([layer.post_attention_layernorm.weight for layer in body.layers])
        for name, weight in fixed.items():
            self.register_buffer(name, weight.detach().clone(), persistent=False)
        theta = config.rope_parameters["rope_theta"] if hasattr(config, "rope_parameters") else config.rope_theta
        angle = torch.outer(torch.arange(2048.0), theta ** (-torch.arange(0, self.wide, 2).float() / self.wide))
        self.register_buffer("cos", torch.cat([angle.cos()] * 2, -1)[:, None], persistent=False)
        self.register_buffer("sin", torch.cat([angle.sin()] * 2, -1)[:, None], persistent=False)
        for kind, part in KINDS.items():
            stack = torch.stack([getattr(getattr(layer, part), kind).weight for layer in body.layers]).detach()
            self.register_buffer(f"base_{kind}", stack, persistent=False)
        self.learned = nn.ParameterDict()
        for kind in KINDS:
            base = getattr(self, f"base_{kind}")
            if full:
                self.learned[kind] = nn.Parameter(base.clone())
            else:
                self.learned[f"{kind}_down"] = nn.Parameter(
                    torch.randn(self.depth, rank, base.shape[2]) / base.shape[2] ** 0.5
                )
                self.learned[f"{kind}_up"] = nn.Parameter(torch.zeros(self.depth, base.shape[1], rank))
        self.to(marked.marks.device)
        self.settled: dict[str, tuple[Tensor, ...]] = {}
        self.memory: Memory | None = None

    @classmethod
    def of(cls, marked: Marked, half: bool) -> StackedBody:
        """A body to read with, its matrices made once; in bfloat16 where ``half``."""
        body = cls(marked, rank=1)
        body.half = half
        with torch.no_grad():
            body.settled = body.matrices()
        for kind in KINDS:
            delattr(body, f"base_{kind}")
        body.learned.clear()
        body.eval()
        return body

    def going_on(self, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """States of texts, (t, h) each, read on from their longest remembered beginnings."""
        if self.memory is None or self.memory.most != self.remember:
            self.memory = Memory(self.remember)
        states: list[Tensor] = read_on(self, self.memory, texts)
        return states

    def matrices(self) -> dict[str, tuple[Tensor, ...]]:
        """The matrices of each layer, those that read the same thing side by side."""
        kind = torch.bfloat16 if self.half else torch.float32
        return {
            name: torch.cat([self.weight(one).to(kind) for one in parts], 1).unbind(0) for name, parts in FUSED.items()
        }

    def weight(self, kind: str) -> Tensor:
        """The matrices of a kind as they are now, (layers, out, in)."""
        if self.full:
            full: Tensor = self.learned[kind]
            return full
        up, down = self.learned[f"{kind}_up"], self.learned[f"{kind}_down"]
        out: Tensor = torch.baddbmm(getattr(self, f"base_{kind}"), up, down, alpha=self.scale / self.rank)
        return out

    def forward(self, ids: Tensor) -> Tensor:
        kind = torch.bfloat16 if self.half else torch.float32
        layers = self.settled or self.matrices()
        marked = ids >= self.size
        x = F.embedding(ids.masked_fill(marked, 0), self.table)
        x = torch.where(marked[..., None], self.marks[(ids - self.size).clamp(min=0)], x)
        many, long = ids.shape
        cos, sin = self.cos[:long].to(kind), self.sin[:long].to(kind)  # (t, 1, wide)
        turning, middle = self.heads + self.shared, self.wide // 2
        for at in range(self.depth):
            a = F.rms_norm(x, x.shape[-1:], self.first[at], self.eps).to(kind)
            qkv = F.linear(a, layers["qkv"][at]).view(many, long, turning + self.shared, self.wide)
            qk, v = qkv[:, :, :turning], qkv[:, :, turning:]
            qk = qk * cos + torch.cat([-qk[..., middle:], qk[..., :middle]], -1) * sin
            q, k = qk[:, :, : self.heads].transpose(1, 2), qk[:, :, self.heads :].transpose(1, 2)
            a = F.scaled_dot_product_attention(q, k, v.transpose(1, 2), is_causal=True, enable_gqa=True)
            x = x + self.drop(F.linear(a.transpose(1, 2).reshape(many, long, -1), layers["o"][at]))
            a = F.rms_norm(x, x.shape[-1:], self.second[at], self.eps).to(kind)
            gate, up = F.linear(a, layers["gu"][at]).chunk(2, -1)
            x = x + self.drop(F.linear(F.silu(gate) * up, layers["down"][at]))
        out: Tensor = F.rms_norm(x.float(), x.shape[-1:], self.last, self.eps)
        return out

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def low_rank(self, rank: int = 0) -> dict[str, Tensor]:
        """What was learned as ``body.layers.N.PART.KIND.down`` and ``.up`` (of ``rank`` where all weights were trained), and the marks."""
        found: dict[str, Tensor] = {"marks": self.marks.detach()}
        for kind, part in KINDS.items():
            if self.full:
                u, s, v = torch.linalg.svd(
                    self.learned[kind].float() - getattr(self, f"base_{kind}"), full_matrices=False
                )
                half = s[:, :rank].sqrt()
                spare = rank - half.shape[1]  # a matrix smaller than the rank
                up = F.pad(u[:, :, :rank] * half[:, None] * (rank / self.scale), (0, spare))
                down = F.pad(half[..., None] * v[:, :rank], (0, 0, 0, spare))
            else:
                up, down = self.learned[f"{kind}_up"], self.learned[f"{kind}_down"]
            for at in range(self.depth):
                found[f"body.layers.{at}.{part}.{kind}.up"] = up[at].detach()
                found[f"body.layers.{at}.{part}.{kind}.down"] = down[at].detach()
        return found
