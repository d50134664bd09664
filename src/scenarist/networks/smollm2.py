"""Token ids -> states and log-probabilities: SmolLM2-135M (a small llama) on one page, with adapters, for scoring on a CPU.

Why not the library's class: a story with its two endings is one *tree* (the story once, then each ending seeing the story
and itself alone), which halves the work; and an adapter of a fold can be put beside the weights without copying them.
Parity with the library's class is a test. Needs torch (extra `lm`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scenarist.errors import BadInput
from scenarist.networks.gguf import Gguf, llama_layers, llama_state, load_tokenizer, rotation
from scenarist.networks.pretrained import gguf_file

BOS, MARK, EOS, BACK = 0, 1, 2, 3
"""A story begins with BOS; MARK stands before an ending, EOS behind it; BACK between an ending and the story told after it."""
MATRICES = ("qkv", "o", "gu", "down")


@contextmanager
def all_cores() -> Iterator[None]:
    """Let torch use the cores at hand (at most eight, or ``SCENARIST_THREADS``) while the block lasts: these matrices are large."""
    import torch

    before = torch.get_num_threads()
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(max(1, int(os.environ.get("SCENARIST_THREADS") or min(8, there))))
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Tree(NamedTuple):
    """A trunk and branches: each branch sees the trunk and itself."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    """Position of each token, counted along its own branch."""
    branch: tuple[int, ...]
    """0 for the trunk."""
    ends: tuple[int, ...]
    """Index of the last token of each branch."""

    @classmethod
    def grow(cls, trunk: Sequence[int], branches: Sequence[Sequence[int]]) -> Tree:
        """A tree from token ids.

        >>> Tree.grow([0, 7], [[8, 2], [9, 2]]).places
        (0, 1, 2, 3, 2, 3)
        """
        ids, places, branch, ends = list(trunk), list(range(len(trunk))), [0] * len(trunk), []
        for number, tokens in enumerate(branches, start=1):
            ids += tokens
            places += range(len(trunk), len(trunk) + len(tokens))
            branch += [number] * len(tokens)
            ends.append(len(ids) - 1)
        return cls(tuple(ids), tuple(places), tuple(branch), tuple(ends))


class Adapter:
    """Low-rank matrices beside the frozen ones, and small heads; read from one part of a release file."""

    def __init__(self, tensors: Mapping[str, Any], scale: float) -> None:
        import torch

        self.low: dict[tuple[int, str], tuple[Any, Any]] = {}
        self.heads: dict[str, tuple[Any, Any]] = {}
        for name, value in tensors.items():
            if name.endswith(".A"):
                layer, matrix, _ = name.split(".")
                down = value.float() * tensors[name + ".s"].float()[:, None]  # [rank, in]
                other = f"{layer}.{matrix}.B"
                up = tensors[other].float() * tensors[other + ".s"].float()[None, :]  # [out, rank]
                self.low[int(layer), matrix] = (down.contiguous(), (up * scale).contiguous())
            elif name + ".b" in tensors:
                self.heads[name] = (value.float(), tensors[name + ".b"].float())
        if not self.low and not self.heads:
            raise BadInput("an adapter file without an adapter in it: expected names such as '0.qkv.A'.")
        self._torch = torch

    def head(self, states: Any, name: str = "head") -> Any:
        """A linear head: [..., D] -> [..., size]."""
        weight, bias = self.heads[name]
        return states @ weight + bias[0]


class SmolLM2:
    """The network: frozen weights, and at most one adapter folded into them."""

    def __init__(self, path: Path, layers: int | None = None) -> None:
        import torch

        file = Gguf(path)
        meta, state = file.metadata, llama_state(file)
        self.size = int(meta["llama.embedding_length"])
        self.heads = int(meta["llama.attention.head_count"])
        self.shared = int(meta["llama.attention.head_count_kv"])
        self.width = self.size // self.heads
        self.eps = float(meta["llama.attention.layer_norm_rms_epsilon"])

        def put(*names: str) -> Any:
            return torch.from_numpy(np.concatenate([state.pop(name) for name in names]))

        self.embedding = put("model.embed_tokens.weight")
        self.norm = put("model.norm.weight")
        self.layers = llama_layers(layers or int(meta["llama.block_count"]), put)
        self.cos, self.sin = rotation(meta, self.width)
        self._tokenizer = load_tokenizer(path)

    def encode(self, text: str) -> list[int]:
        """Token ids of a sentence, written with one space before it as everywhere here."""
        ids: list[int] = self._tokenizer.encode(" " + " ".join(text.split()), add_special_tokens=False).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Token ids as text."""
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=True)
        return text.strip()

    def with_adapter(self, adapter: Adapter) -> SmolLM2:
        """A copy with an adapter folded into the weights."""
        new = object.__new__(SmolLM2)
        new.__dict__.update(self.__dict__)
        new.layers = [
            {name: weight + up @ down if (low := adapter.low.get((number, name))) and (down := low[0]) is not None
             and (up := low[1]) is not None else weight for name, weight in layer.items()}
            for number, layer in enumerate(self.layers)
        ]  # fmt: skip
        return new

    def states(self, trees: Sequence[Tree], adapter: Adapter | None = None) -> Any:
        """Last states of a batch of trees, right-padded: [B, T, D]."""
        import torch

        longest = max(len(tree.ids) for tree in trees)

        def padded(values: Iterable[Sequence[int]], fill: int) -> Any:
            return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in values])

        ids, places, branch = (
            padded((t.ids for t in trees), 0),
            padded((t.places for t in trees), 0),
            padded((t.branch for t in trees), -1),
        )
        seen = torch.ones(longest, longest, dtype=torch.bool).tril()[None] & (
            (branch[:, :, None] == branch[:, None, :]) | (branch[:, None, :] == 0)
        )  # [B, T, T]
        return self._run(ids, places, seen, adapter)

    def _run(
        self, ids: Any, places: Any, seen: Any, adapter: Adapter | None = None, past: list[tuple[Any, Any]] | None = None,
        keep: list[tuple[Any, Any]] | None = None,
    ) -> Any:  # fmt: skip
        """States of a batch; ``past`` holds the keys and values of what came before, ``keep`` takes those of now."""
        import torch
        from torch.nn import functional as F

        batch, length = ids.shape
        x = F.embedding(ids, self.embedding)  # [B, T, D]
        cos, sin = self.cos[places][:, :, None], self.sin[places][:, :, None]  # [B, T, 1, width]
        heads, shared = self.heads, self.shared
        for number, layer in enumerate(self.layers):
            a = F.rms_norm(x, (self.size,), layer["n1"], self.eps)
            qkv = self._times(a, layer, number, "qkv", adapter).view(batch, length, heads + 2 * shared, self.width)
            qk, v = qkv[:, :, : heads + shared], qkv[:, :, heads + shared :].transpose(1, 2)
            turned = torch.cat([-qk[..., self.width // 2 :], qk[..., : self.width // 2]], -1)
            qk = (qk * cos + turned * sin).transpose(1, 2)
            q, k = qk[:, :heads], qk[:, heads:]
            if past is not None:
                k, v = torch.cat([past[number][0], k], 2), torch.cat([past[number][1], v], 2)
            if keep is not None:
                keep.append((k, v))
            k, v = k.repeat_interleave(heads // shared, 1), v.repeat_interleave(heads // shared, 1)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=seen[:, None])
            x = x + self._times(a.transpose(1, 2).reshape(batch, length, self.size), layer, number, "o", adapter)
            a = F.rms_norm(x, (self.size,), layer["n2"], self.eps)
            gate, up = self._times(a, layer, number, "gu", adapter).chunk(2, -1)
            x = x + self._times(F.silu(gate) * up, layer, number, "down", adapter)
        return F.rms_norm(x, (self.size,), self.norm, self.eps)

    def _times(self, x: Any, layer: Mapping[str, Any], number: int, matrix: str, adapter: Adapter | None) -> Any:
        from torch.nn import functional as F

        y = F.linear(x, layer[matrix])
        if adapter is not None and (low := adapter.low.get((number, matrix))):
            y = y + F.linear(F.linear(x, low[0]), low[1])
        return y

    def continued(
        self, trunk: Sequence[int], count: int, most: int, likeliest: int = 40, heat: float = 0.8, seed: int = 13
    ) -> list[list[int]]:
        """``count`` continuations of one text, drawn token by token among the likeliest until EOS."""
        import torch

        dice = torch.Generator().manual_seed(seed)
        out: list[list[int]] = [[] for _ in range(count)]
        ended = [False] * count
        past: list[tuple[Any, Any]] = []
        length = len(trunk)
        with torch.inference_mode(), all_cores():
            seen = torch.ones(1, length, length, dtype=torch.bool).tril()
            states = self._run(torch.tensor([list(trunk)]), torch.arange(length)[None], seen, keep=past)[:, -1].expand(
                count, -1
            )
            past = [(k.expand(count, -1, -1, -1), v.expand(count, -1, -1, -1)) for k, v in past]
            for place in range(length, length + most):
                likely = torch.topk(
                    states @ self.embedding.T / heat, min(likeliest, len(self.embedding))
                )  # [count, likeliest]
                drawn = likely.indices.gather(
                    1, torch.multinomial(likely.values.softmax(-1), 1, generator=dice)
                )  # [count, 1]
                for row, token in enumerate(drawn[:, 0].tolist()):
                    ended[row] = ended[row] or token == EOS
                    if not ended[row]:
                        out[row].append(token)
                if all(ended):
                    break
                keep: list[tuple[Any, Any]] = []
                seen = torch.ones(count, 1, place + 1, dtype=torch.bool)
                states = self._run(drawn, torch.full((count, 1), place), seen, past=past, keep=keep)[:, -1]
                past = keep
        return out

    def logp(self, states: Any, targets: Any) -> Any:
        """ln P of each target: [N, D], [N] -> [N]."""
        import torch

        return torch.log_softmax(states @ self.embedding.T, -1).gather(-1, targets[..., None])[..., 0]


@cache
def network(path: Path | None = None) -> SmolLM2:
    """SmolLM2, loaded once a process."""
    return SmolLM2(path or gguf_file())
