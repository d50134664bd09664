"""The event language model as torch trains it; `scenarist.models.events.log_bilinear` is its twin for inference (a test holds them together). Needs
torch and numpy alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

REACH, NEAREST = 12, 24
NO_POSITION = 2 * REACH + 1
LEAST = 3
"""An event seen less often has no vector of its own."""


class Recipe(NamedTuple):
    """What was varied."""

    width: int = 128
    plain: bool = False
    """The plain log-bilinear model (Mnih and Hinton 2007; Rudinger et al. 2015): whole events, weighed by position and summed; no parts, no hidden layer, no cache."""
    layers: int = 0
    """0: positions weigh the chain's vectors and one hidden layer follows; n: n layers of attention between them first."""
    heads: int = 4
    dropout: float = 0.35
    vectors: int = 1
    """What is known of verbs elsewhere: 0 nothing, 1 MiniLM's vectors, 2 SmolLM2's states as well."""
    more: float = 0.0
    """The weight of other chains' examples."""
    smooth: float = 0.0
    """Label smoothing."""
    epochs: int = 10
    rate: float = 2e-3
    decay: float = 0.01
    lost: float = 0.1
    """Events of the chain that are left out in training."""


class Vocabulary:
    """Events, verbs and dependencies as numbers, from the file that `prepare.py` wrote."""

    def __init__(self, arrays: Any) -> None:
        self.types = arrays["types"].tobytes().decode().split("\n")
        self.verbs = arrays["verbs"].tobytes().decode().split("\n")
        self.deps = arrays["deps"].tobytes().decode().split("\n")
        self.counts = arrays["counts"].astype(np.int64)
        self.verb_of, self.dep_of = arrays["verb_of"].astype(np.int64), arrays["dep_of"].astype(np.int64)
        seen = np.zeros(len(self.verb_of), np.int64)
        seen[: len(self.types)] = self.counts
        self.own_of = np.where(seen >= LEAST, np.arange(1, len(seen) + 1), 0)
        self.known = [arrays[name].astype(np.float32) for name in ("verb_vectors", "verb_states") if name in arrays]


class Vectors(nn.Module):
    """An event's vector: its own, its verb's and its dependency's."""

    def __init__(self, words: Vocabulary, width: int, given: int, plain: bool = False) -> None:
        super().__init__()
        self.plain = plain
        self.own = nn.Embedding(int(words.own_of.max()) + 1, width)
        self.verb, self.dep = nn.Embedding(len(words.verbs), width), nn.Embedding(len(words.deps), width)
        for table in (self.own, self.verb, self.dep):
            nn.init.normal_(table.weight, 0, 0.05)
        self.known: nn.Linear | None = None
        if given and not plain:
            if len(words.known) < given:
                raise SystemExit(
                    "The arrays hold no vectors of verbs; make them again without --no-vectors, or --set vectors=0."
                )
            known = np.concatenate(words.known[:given], 1)
            self.register_buffer("verb_vectors", torch.tensor(known), persistent=False)
            self.known = nn.Linear(known.shape[1], width, bias=False)
            nn.init.normal_(self.known.weight, 0, 0.05 / known.shape[1] ** 0.5)

    def verbs(self) -> torch.Tensor:
        """All verbs' vectors, what is known of them elsewhere included: [verbs, width]."""
        return self.verb.weight if self.known is None else self.verb.weight + self.known(self.verb_vectors)

    def forward(self, own: torch.Tensor, verb: torch.Tensor, dep: torch.Tensor) -> torch.Tensor:
        if self.plain:
            return self.own(own)
        by_verb = nn.functional.embedding(verb, self.verbs())
        return self.own(own) + by_verb + self.dep(dep)


class Layer(nn.Module):
    """Attention between the events of a chain and the gap, then a hidden layer; norms first."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.first, self.second = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.ln, self.ln2, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, there: torch.Tensor) -> torch.Tensor:  # x: [batch, chain, width]
        batch, size, width = x.shape
        q, k, v = self.qkv(self.ln(x)).view(batch, size, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=there[:, None, None, :])
        x = x + self.drop(self.join(mixed.transpose(1, 2).reshape(batch, size, width)))
        return x + self.drop(self.second(nn.functional.gelu(self.first(self.ln2(x)))))


class Net(nn.Module):
    """Chain with a gap -> a score for every event. ``kind``: 0 position told, 1 not told; 2 and 3 the same in other text."""

    def __init__(self, words: Vocabulary, recipe: Recipe, other: np.ndarray | None = None) -> None:
        super().__init__()
        width, dropout = recipe.width, recipe.dropout
        self.recipe, self.size, self.verbs = recipe, len(words.types), len(words.verbs)
        for name in ("own_of", "verb_of", "dep_of"):
            self.register_buffer(name, torch.tensor(getattr(words, name)), persistent=False)
        self.given, self.out = (Vectors(words, width, recipe.vectors, recipe.plain) for _ in range(2))
        self.pos = nn.Embedding(NO_POSITION + 1, width)
        nn.init.constant_(self.pos.weight, 0.3)
        self.mode = nn.Parameter(torch.zeros(4, width))
        self.first, self.second = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.ln, self.ln2, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(dropout)
        if recipe.layers:
            self.place = nn.Embedding(NO_POSITION + 1, width)
            nn.init.normal_(self.place.weight, 0, 0.02)
            self.blocks = nn.ModuleList(Layer(width, recipe.heads, dropout) for _ in range(recipe.layers))
        self.cache, self.verb_cache = nn.Embedding(NO_POSITION + 1, 1), nn.Embedding(NO_POSITION + 1, 1)
        self.bias_verb, self.bias_dep = nn.Embedding(len(words.verbs), 1), nn.Embedding(len(words.deps), 1)
        for table in (self.cache, self.verb_cache, self.bias_verb, self.bias_dep):
            nn.init.zeros_(table.weight)
        self.bias = nn.Parameter(torch.log(torch.tensor(words.counts / words.counts.sum(), dtype=torch.float32)))
        self.scale = nn.Parameter(torch.tensor(1.0))
        level = np.ones(self.size) if other is None else other + 0.1
        self.register_buffer(
            "other", torch.log(torch.tensor(level / level.sum(), dtype=torch.float32)), persistent=False
        )

    def state(self, x: torch.Tensor, p: torch.Tensor, kind: int) -> torch.Tensor:
        """What the chain predicts: [batch, width]."""
        there = x >= 0  # [batch, chain]
        kept = there & (torch.rand(x.shape, device=x.device) >= self.recipe.lost) if self.training else there
        at = x.clamp(min=0)
        vectors = self.drop(self.given(self.own_of[at], self.verb_of[at], self.dep_of[at]))  # [batch, chain, width]
        if self.recipe.layers:
            whole = torch.cat(
                [self.mode[kind].expand(len(x), 1, -1), vectors + self.place(p)], 1
            )  # the gap comes first
            seen = torch.cat([kept.new_ones(len(x), 1), kept], 1)
            for block in self.blocks:
                whole = block(whole, seen)
            mixed = (
                whole[:, 0]
                + (whole[:, 1:] * self.pos(p) * kept[..., None]).sum(1) / kept.sum(1, keepdim=True).clamp(min=1) ** 0.5
            )
        else:
            mixed = (vectors * self.pos(p) * kept[..., None]).sum(1) / kept.sum(1, keepdim=True).clamp(min=1) ** 0.5
            mixed = mixed + self.mode[kind]
        if self.recipe.plain:
            return self.drop(mixed)
        state = self.ln(mixed)
        state = state + self.second(self.drop(nn.functional.gelu(self.first(state))))
        return self.drop(self.ln2(state))

    def forward(self, x: torch.Tensor, p: torch.Tensor, kind: int) -> torch.Tensor:
        state = self.state(x, p, kind)
        every = slice(0, self.size)
        out = self.drop(self.out(self.own_of[every], self.verb_of[every], self.dep_of[every]))  # [events, width]
        bias = self.bias if kind < 2 else self.other
        if kind % 2 and not self.recipe.plain:
            bias = bias + (self.bias_verb.weight[self.verb_of[every], 0] + self.bias_dep.weight[self.dep_of[every], 0])
        with torch.autocast(x.device.type, torch.bfloat16, enabled=x.is_cuda and self.training):
            scores = (self.scale * state) @ out.T
        scores = scores.float() + bias  # [batch, events]
        if self.recipe.plain:
            return scores
        there = (x >= 0) & (x < self.size)
        scores = scores.scatter_add(1, x.clamp(0, self.size - 1), self.cache(p)[..., 0] * there)
        verbs = self.verb_of[x.clamp(min=0)]
        by_verb = torch.zeros(len(x), self.verbs, device=x.device)
        by_verb = by_verb.scatter_add(1, verbs, self.verb_cache(p)[..., 0] * ((x >= 0) & (verbs > 0)))
        return scores + by_verb.index_select(1, self.verb_of[every])
