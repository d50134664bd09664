"""SmolLM2 with adapters and two heads, which stands at a gap: the network that `deep.py` trains and models/untold/deep.py runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from scenarist.models.untold.deep import phrase
from scenarist.networks.gguf import Gguf, llama_layers, llama_state, rotation
from training.knowledge.gaps import Batch, Task, Vocabulary, batches

SCALE = 2.0
"""Factor on what the adapters add."""
DROP = 0.1
"""Share of the state at the gap that the heads do not see in training."""
MATRICES = ("qkv", "o", "gu", "down")


class Deep(nn.Module):
    """The pretrained body (as models/smollm2.py runs it) with adapters beside its four packed matrices a layer, and two heads: tables of
    vectors that start as the word pieces of their words.

    Adapters are kept twice, in full precision for the optimizer and as working copies in the body's own: no casts in the graph. Each step adds them
    to their matrices first, which costs less than a second path for every token.
    """

    def __init__(self, file: Gguf, encode: Any, vocabulary: Vocabulary, rank: int, device: str) -> None:
        super().__init__()
        state, meta = llama_state(file), file.metadata
        kind = torch.bfloat16 if device == "cuda" else torch.float32
        self.heads, self.shared = int(meta["llama.attention.head_count"]), int(meta["llama.attention.head_count_kv"])
        self.eps = float(meta["llama.attention.layer_norm_rms_epsilon"])

        def put(*names: str) -> torch.Tensor:
            return torch.from_numpy(np.concatenate([state[name] for name in names])).to(device, kind)

        self.embedding, self.norm = put("model.embed_tokens.weight"), put("model.norm.weight")
        self.size = self.embedding.shape[1]
        self.width = self.size // self.heads
        self.layers = llama_layers(int(meta["llama.block_count"]), put)
        self.cos, self.sin = (one.to(device, kind) for one in rotation(meta, self.width))
        pieces = torch.from_numpy(state["model.embed_tokens.weight"])

        def table(phrases: Sequence[str]) -> nn.Parameter:
            return nn.Parameter(torch.stack([pieces[encode(" " + one)].mean(0) for one in phrases]))

        self.verbs = table([one.replace("_", " ") for one in vocabulary.verbs])
        self.labels = table([phrase(label) for _, label in vocabulary.labels] or ["nothing"])
        self.verbs_bias = nn.Parameter(torch.zeros(len(self.verbs)))
        self.labels_bias = nn.Parameter(torch.zeros(len(self.labels)))
        self.low = nn.ParameterDict()
        for number, layer in enumerate(self.layers):
            for name in MATRICES:
                rows, columns = layer[name].shape
                self.low[f"{number}_{name}_down"] = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
                self.low[f"{number}_{name}_up"] = nn.Parameter(torch.zeros(rows, rank))
        self.to(device)
        self.work = {name: weight.detach().to(kind).requires_grad_() for name, weight in self.low.items()}

    @torch.no_grad()
    def gather(self) -> None:
        """The working copies' gradients to the kept weights."""
        for weight in self.low.values():
            if weight.grad is None:
                weight.grad = torch.zeros_like(weight)
        torch._foreach_copy_([weight.grad for weight in self.low.values()], [self.work[name].grad for name in self.low])
        for copy in self.work.values():
            copy.grad = None

    @torch.no_grad()
    def spread(self) -> None:
        """The kept weights to the working copies."""
        torch._foreach_copy_([self.work[name] for name in self.low], list(self.low.values()))

    def times(self, x: torch.Tensor, number: int, name: str) -> torch.Tensor:
        up, down = (self.work[f"{number}_{name}_{part}"] for part in ("up", "down"))
        return F.linear(x, torch.addmm(self.layers[number][name], up, down, alpha=SCALE))

    def states(self, tokens: torch.Tensor) -> torch.Tensor:
        """(b, t) -> (b, t, d); pads stand at the end, so a causal network never sees them."""
        batch, length = tokens.shape
        heads, shared = self.heads, self.shared
        x = F.embedding(tokens, self.embedding)
        cos, sin = self.cos[:length, None], self.sin[:length, None]  # (t, 1, width)
        for number, layer in enumerate(self.layers):
            a = self.times(F.rms_norm(x, (self.size,), layer["n1"], self.eps), number, "qkv").view(
                batch, length, heads + 2 * shared, self.width
            )
            qk, v = a[:, :, : heads + shared], a[:, :, heads + shared :].transpose(1, 2)
            turned = torch.cat([-qk[..., self.width // 2 :], qk[..., : self.width // 2]], -1)
            qk = (qk * cos + turned * sin).transpose(1, 2)
            a = F.scaled_dot_product_attention(qk[:, :heads], qk[:, heads:], v, is_causal=True, enable_gqa=True)
            x = x + self.times(a.transpose(1, 2).reshape(batch, length, self.size), number, "o")
            gate, up = self.times(F.rms_norm(x, (self.size,), layer["n2"], self.eps), number, "gu").chunk(2, -1)
            x = x + self.times(F.silu(gate) * up, number, "down")
        return F.rms_norm(x, (self.size,), self.norm, self.eps)

    def head(self, at_gap: torch.Tensor, labels: bool) -> torch.Tensor:
        """(b, d) -> (b, v)"""
        at_gap = F.dropout(at_gap.float(), DROP, self.training)
        if labels:
            return at_gap @ self.labels.T + self.labels_bias
        return at_gap @ self.verbs.T + self.verbs_bias


def scores(net: Deep, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-chances of the head (b, v) and the loss of telling the missing sentences."""
    states = net.states(batch.tokens)
    logits = net.head(states[torch.arange(len(batch.gap), device=batch.gap.device), batch.gap], batch.mask is not None)
    if batch.mask is not None:
        logits = logits + batch.mask
    loss = torch.zeros((), device=logits.device)
    if batch.told.shape[1]:
        row, place, piece = batch.told
        loss = F.cross_entropy((states[row, place] @ net.embedding.T).float(), piece)
    return F.log_softmax(logits, -1), loss


class Answers(NamedTuple):
    """Of some tasks the likeliest answers (n, k), their log-chances, and the key's rank (infinite where it is unknown)."""

    id: np.ndarray
    top: np.ndarray
    logp: np.ndarray
    rank: np.ndarray

    def __str__(self) -> str:
        rank = self.rank
        return f"r@1 {(rank <= 1).mean():.4f} r@10 {(rank <= 10).mean():.4f} mrr {(1 / rank).mean():.4f} n {len(rank)}"


@torch.no_grad()
def answers(net: Deep, some: Sequence[Task], tokens: int, device: str, most: int) -> Answers:
    """What the network says of tasks of one kind, in their order."""
    net.eval()
    number = {id(one): n for n, one in enumerate(some)}
    order: list[int] = []
    found: list[tuple[torch.Tensor, ...]] = []
    for batch in batches(some, tokens, None):
        made = Batch.of(batch, len(net.labels), False, np.random.default_rng(0)).to(device)
        logp, _ = scores(net, made)
        key = logp.gather(1, made.key.clamp(min=0)[:, None])
        rank = torch.where(made.key < 0, torch.inf, 1.0 + (logp > key).sum(1))
        best = logp.topk(min(most, logp.shape[1]), 1)
        found.append((best.indices.short(), best.values.half(), rank))
        order += [number[id(one)] for one in batch]
    net.train()
    top, logp, rank = (torch.cat(part).cpu().numpy() for part in zip(*found, strict=True))
    back = np.argsort(order)
    return Answers(np.array([one.id for one in some]), top[back].astype(np.uint16), logp[back], rank[back])


def weights(net: Deep) -> dict[str, np.ndarray]:
    """The learned arrays in half precision."""
    made = {
        name: getattr(net, name).detach().cpu().numpy().astype(np.float16)
        for name in ("verbs", "labels", "verbs_bias", "labels_bias")
    }
    for name, weight in net.low.items():
        factor = SCALE if name.endswith("_up") else 1.0
        made[name.replace("_", ".")] = (weight.detach().cpu().numpy() * factor).astype(np.float16)
    return made


@torch.no_grad()
def resume(net: Deep, path: Path, words: Vocabulary) -> None:
    """Take weights that were kept."""
    with np.load(path) as kept:
        if list(kept["words"]) != words.verbs:
            raise ValueError(f"{path} knows other verbs than these rows.")
        for name in ("verbs", "verbs_bias"):
            getattr(net, name).copy_(torch.from_numpy(kept[name].astype(np.float32)))
        for name, weight in net.low.items():
            factor = SCALE if name.endswith("_up") else 1.0
            weight.copy_(torch.from_numpy(kept[name.replace("_", ".")].astype(np.float32)) / factor)
    net.spread()
