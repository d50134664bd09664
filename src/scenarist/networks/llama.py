"""Piece ids -> states and log-probabilities: a llama (SmolLM2-135M) on one page, for scoring on a CPU and for training alike; extra `lm`.

One forward pass for all that stands on it. What a piece sees is a mask: everything before it, everything (``seen``), or its own branch of
a *tree* (a story once, then each ending sees the story and itself alone, which halves the work). Keys and values can be kept, so that a
text goes on from a beginning that was read before (`prefix_cache`). Adapters (`adapters.Lora`) stand beside the frozen matrices, several
of them side by side, or inside them. Parity with the library's class is a test. Torch loads when a network is made.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scenarist.errors import BadInput

if TYPE_CHECKING:
    from torch import Tensor

    from scenarist.networks.adapters import Lora

EOS = 2
"""The piece that ends a text."""
PARTS = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), "o": ("self_attn.o_proj",),
    "gu": ("mlp.gate_proj", "mlp.up_proj"), "down": ("mlp.down_proj",),
}  # fmt: skip
"""The matrices of a layer, and the library's matrices that each is joined of."""
ROWS_AT_ONCE, TARGETS_AT_ONCE = 16, 2048
Past = list[tuple[Any, Any]]
"""Keys and values of every layer: (B, shared heads, S, width) each."""
Times = Callable[[Any, int, str], Any]
"""What a pass multiplies with: states, number of the layer, name of the matrix -> their product."""


@contextmanager
def all_cores() -> Iterator[None]:
    """Let torch use the cores at hand (at most eight, or ``SCENARIST_THREADS``) while the block lasts: these matrices are large."""
    import torch

    before = torch.get_num_threads()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(max(1, int(os.environ.get("SCENARIST_THREADS") or min(8, cores))))
    try:
        yield
    finally:
        torch.set_num_threads(before)


class TextTree(NamedTuple):
    """A trunk and branches: each branch sees the trunk and itself."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    """Position of each piece, counted along its own branch."""
    branch: tuple[int, ...]
    """0 for the trunk."""
    ends: tuple[int, ...]
    """Index of the last piece of each branch."""

    @classmethod
    def grow(cls, trunk: Sequence[int], branches: Sequence[Sequence[int]]) -> TextTree:
        """A tree from piece ids.

        >>> TextTree.grow([0, 7], [[8, 2], [9, 2]]).places
        (0, 1, 2, 3, 2, 3)
        """
        ids, places, branch, ends = list(trunk), list(range(len(trunk))), [0] * len(trunk), []
        for number, pieces in enumerate(branches, start=1):
            ids += pieces
            places += range(len(trunk), len(trunk) + len(pieces))
            branch += [number] * len(pieces)
            ends.append(len(ids) - 1)
        return cls(tuple(ids), tuple(places), tuple(branch), tuple(ends))


class Config(NamedTuple):
    """What the weights do not say."""

    layers: int
    heads: int
    shared: int
    """Heads of keys and values, each shared by several of the queries."""
    eps: float = 1e-5
    theta: float = 1e5
    """Base of the rotation's wave lengths."""
    places: int = 2048
    """Pieces of a text, at most."""


class Llama:
    """Frozen weights and the pass over them."""

    kind: Any = None
    """The numbers that products are made of; where those of the matrices are finer, adapters are added before they are rounded."""
    again = False
    """In training, compute the states inside a layer again on the way back: a tenth of the memory, a third more time."""

    def __init__(self, weight: Callable[[str], Any], config: Config, tokenizer: Any = None) -> None:
        """``weight``: the library's name of a tensor -> its values."""
        import torch

        def tensor(name: str) -> Tensor:
            value = weight(f"model.{name}.weight")
            return (
                value.detach().float()
                if isinstance(value, torch.Tensor)
                else torch.from_numpy(np.array(value, np.float32))
            )

        def stack(*names: str) -> Tensor:
            layers = [[tensor(f"layers.{number}.{name}") for name in names] for number in range(config.layers)]
            return torch.stack([torch.cat(parts) for parts in layers])

        self.config, self.tokenizer, self.kind = config, tokenizer, torch.float32
        self.embedding, self.norm = tensor("embed_tokens"), tensor("norm")  # (V, D), (D)
        self.first, self.second = stack("input_layernorm"), stack("post_attention_layernorm")  # (L, D)
        self.matrices = {name: stack(*parts) for name, parts in PARTS.items()}  # (L, out, in) each
        self.size = self.embedding.shape[1]
        self.width = self.size // config.heads
        wave = config.theta ** (-torch.arange(0, self.width, 2).float() / self.width)
        angle = torch.outer(torch.arange(float(config.places)), wave)
        self.cos, self.sin = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)  # (places, width)

    @classmethod
    def read(cls, path: str | Path, layers: int | None = None) -> Llama:
        """The network and the tokenizer of a GGUF file; its first ``layers`` where they are counted."""
        from scenarist.networks.gguf import Gguf, llama_config, llama_weight, load_tokenizer

        file = Gguf(path)
        known = llama_config(file)
        config = Config(
            layers or known["num_hidden_layers"], known["num_attention_heads"], known["num_key_value_heads"],
            known["rms_norm_eps"], known["rope_theta"], known["max_position_embeddings"],
        )  # fmt: skip
        return cls(lambda name: llama_weight(file, name), config, load_tokenizer(path))

    @classmethod
    def of_library(cls, model: Any, tokenizer: Any = None) -> Llama:
        """The network of a ``transformers.LlamaForCausalLM``; its weights are shared where they can be."""
        config = model.config
        if config.model_type != "llama" or not config.tie_word_embeddings:
            raise BadInput(
                f"Expected a llama whose output is tied to its input, got {config.model_type!r}. SmolLM2 is one: scenarist get smollm2"
            )
        theta = config.rope_parameters["rope_theta"] if hasattr(config, "rope_parameters") else config.rope_theta
        own = Config(
            config.num_hidden_layers, config.num_attention_heads, config.num_key_value_heads, config.rms_norm_eps, theta,
            config.max_position_embeddings,
        )  # fmt: skip
        return cls(model.state_dict().__getitem__, own, tokenizer)

    def to(self, device: str, kind: Any = None, whole: bool = False) -> Llama:
        """A copy on a device, its matrices as numbers of a kind; with ``whole`` its vectors and norms too."""
        new = copy.copy(self)
        new.kind = kind or self.kind
        new.matrices = {name: matrix.to(device, kind) for name, matrix in self.matrices.items()}
        for name in ("embedding", "norm", "first", "second"):
            setattr(new, name, getattr(self, name).to(device, kind if whole else None))
        new.cos, new.sin = self.cos.to(device), self.sin.to(device)
        return new

    def folded(self, adapter: Lora, group: int = 0) -> Llama:
        """A copy with one of some adapters added to the matrices: the same function, no work beside them."""
        import torch

        new = copy.copy(self)
        with torch.no_grad():
            new.matrices = adapter.woven(self, group)
        return new

    @property
    def start(self) -> int:
        """The piece that begins a text."""
        return 0

    @property
    def device(self) -> str:
        return str(self.embedding.device)

    def encode(self, text: str) -> list[int]:
        """Piece ids of a sentence, written with one space before it as everywhere here."""
        return list(self.tokenizer.encode(" " + " ".join(text.split()), add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """Piece ids as text."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True)).strip()

    def rows_of(self, part: str) -> tuple[str, int, int]:
        """Where a matrix of a layer lies: the matrix it is joined into, its first row and the one after its last.

        A part is named by the library's name without ``_proj``, or is one of our four matrices as a whole.
        """
        if part in PARTS and part != "down":
            return part, 0, self.matrices[part].shape[1]
        shared = self.config.shared * self.width
        half = self.matrices["gu"].shape[1] // 2
        rows = {
            "q": ("qkv", 0, self.size), "k": ("qkv", self.size, self.size + shared),
            "v": ("qkv", self.size + shared, self.size + 2 * shared), "down": ("down", 0, self.size),
            "gate": ("gu", 0, half), "up": ("gu", half, 2 * half),
        }  # fmt: skip
        return rows[part]

    # the pass

    def states(
        self, ids: Tensor, places: Tensor | None = None, seen: Tensor | None = None, adapter: Lora | None = None,
        past: Past | None = None, keep: Past | None = None,
    ) -> Tensor:  # fmt: skip
        """Piece ids (B, T), or their vectors (B, T, D) -> last states (B, T, D).

        ``places`` (B, T): the position of each piece, where it is not its number in the row. ``seen`` (B, T or 1, S): what each piece sees,
        where it is not itself and all before it. ``past``: keys and values of what came before; ``keep`` takes those of all up to now.
        With several adapters side by side the rows of the first come first, then those of the second.
        """
        import torch
        from torch.nn import functional as F
        from torch.utils.checkpoint import checkpoint

        x = ids if ids.is_floating_point() else F.embedding(ids, self.embedding)
        length = x.shape[1]
        if seen is None and past is not None and length > 1:
            before = past[0][0].shape[2]
            seen = torch.ones(1, length, before + length, dtype=torch.bool, device=x.device).tril(before)
        cos, sin = (
            (table[:length] if places is None else table[places])[..., None, :].to(self.kind)
            for table in (self.cos, self.sin)
        )  # (T, 1, width) or (B, T, 1, width)
        times = self.times if adapter is None else adapter.times(self)
        for number in range(self.config.layers):
            if self.again and torch.is_grad_enabled():
                x = checkpoint(self._layer, x, number, times, cos, sin, seen, use_reentrant=False)
            else:
                x = self._layer(x, number, times, cos, sin, seen, past, keep)
        return F.rms_norm(x, (self.size,), self.norm, self.config.eps)

    def times(self, x: Tensor, number: int, matrix: str) -> Tensor:
        """A frozen matrix alone: (..., in) -> (..., out)."""
        from torch.nn import functional as F

        return F.linear(x, self.matrices[matrix][number].to(self.kind))

    def _layer(
        self, x: Tensor, number: int, times: Times, cos: Tensor, sin: Tensor, seen: Tensor | None,
        past: Past | None = None, keep: Past | None = None,
    ) -> Tensor:  # fmt: skip
        import torch
        from torch.nn import functional as F

        rows, length, _ = x.shape
        heads, shared, middle = self.config.heads, self.config.shared, self.width // 2
        a = F.rms_norm(x, (self.size,), self.first[number], self.config.eps).to(self.kind)
        qkv = times(a, number, "qkv").view(rows, length, heads + 2 * shared, self.width)
        qk, v = qkv[:, :, : heads + shared], qkv[:, :, heads + shared :].transpose(1, 2)
        qk = qk * cos + torch.cat([-qk[..., middle:], qk[..., :middle]], -1) * sin
        q, k = qk[:, :, :heads].transpose(1, 2), qk[:, :, heads:].transpose(1, 2)
        if past is not None:
            k, v = torch.cat([past[number][0], k], 2), torch.cat([past[number][1], v], 2)
        if keep is not None:
            keep.append((k, v))
        if seen is None:
            a = F.scaled_dot_product_attention(q, k, v, is_causal=past is None, enable_gqa=True)
        else:  # not every card has a kernel for shared heads under a mask
            k, v = k.repeat_interleave(heads // shared, 1), v.repeat_interleave(heads // shared, 1)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=seen[:, None])
        x = x + times(a.transpose(1, 2).reshape(rows, length, self.size), number, "o")
        a = F.rms_norm(x, (self.size,), self.second[number], self.config.eps).to(self.kind)
        gate, up = times(a, number, "gu").chunk(2, -1)
        return x + times(F.silu(gate) * up, number, "down")

    def states_of_trees(self, trees: Sequence[TextTree], adapter: Lora | None = None) -> Tensor:
        """Last states of a batch of trees, right-padded: (B, T, D)."""
        import torch

        longest = max(len(tree.ids) for tree in trees)

        def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> Tensor:
            return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows], device=self.device)

        ids = padded([tree.ids for tree in trees])
        if all(len(tree.ends) < 2 for tree in trees):
            return self.states(ids, adapter=adapter)
        branch = padded([tree.branch for tree in trees], -1)
        seen = torch.ones(longest, longest, dtype=torch.bool, device=self.device).tril()[None] & (
            (branch[:, :, None] == branch[:, None, :]) | (branch[:, None, :] == 0)
        )  # (B, T, T)
        return self.states(ids, padded([tree.places for tree in trees]), seen, adapter)

    # log-probabilities

    def logp(self, states: Tensor, targets: Tensor) -> Tensor:
        """ln P of each target: (..., D), (...) -> (...), a few at a time, since there are many pieces to choose from."""
        import torch
        from torch.nn import functional as F
        from torch.utils.checkpoint import checkpoint

        def each(states: Tensor, targets: Tensor) -> Tensor:
            return -F.cross_entropy(F.linear(states, self.embedding).float(), targets, reduction="none")

        x, y = states.reshape(-1, self.size).to(self.embedding.dtype), targets.reshape(-1)
        parts = list(zip(x.split(TARGETS_AT_ONCE), y.split(TARGETS_AT_ONCE), strict=True))
        if torch.is_grad_enabled():
            logps = [checkpoint(each, *part, use_reentrant=False) for part in parts]
        else:
            logps = [each(*part) for part in parts]
        return torch.cat(logps).view(targets.shape)

    def logps_of_trees(self, trees: Sequence[TextTree], adapter: Lora | None = None) -> list[list[Tensor]]:
        """For each tree, for each of its branches: ln P of its pieces, given the trunk and the branch before them."""
        import torch

        logps: list[list[Tensor]] = [[] for _ in trees]
        order = sorted(range(len(trees)), key=lambda index: len(trees[index].ids))
        with torch.inference_mode(), all_cores():
            for start in range(0, len(order), ROWS_AT_ONCE):
                batch = order[start : start + ROWS_AT_ONCE]
                states = self.states_of_trees([trees[index] for index in batch], adapter)
                for row, index in enumerate(batch):
                    ids, _, branch, ends = trees[index]
                    trunk = branch.count(0)
                    before = [
                        place - 1 if branch[place - 1] == branch[place] else trunk - 1
                        for place in range(trunk, len(ids))
                    ]
                    logp = self.logp(states[row, before], torch.tensor(ids[trunk:], device=self.device))
                    sizes = [branch.count(number) for number in range(1, len(ends) + 1)]
                    logps[index] = list(logp.split(sizes))
        return logps

    def logps_of_endings(
        self, prefix: Sequence[int], endings: Sequence[Sequence[int]], adapter: Lora | None = None
    ) -> list[Tensor]:
        """ln P of the pieces of each ending after one beginning, which is read once."""
        return self.logps_of_trees([TextTree.grow(prefix, endings)], adapter)[0]

    def logps_after(
        self, prefixes: Sequence[Sequence[int]], ending: Sequence[int], adapter: Lora | None = None
    ) -> list[Tensor]:
        """ln P of the pieces of one ending after each of several beginnings, in batches."""
        return [
            branches[0]
            for branches in self.logps_of_trees([TextTree.grow(prefix, [ending]) for prefix in prefixes], adapter)
        ]

    def continued(self, prefix: Sequence[int], most: int) -> list[int]:
        """The likeliest pieces one after the other, until EOS or the piece that begins a text."""
        import torch

        pieces: list[int] = []
        past: Past = []
        with torch.inference_mode(), all_cores():
            state = self.states(torch.tensor([list(prefix)], device=self.device), keep=past)[:, -1]
            while len(pieces) < most:
                piece = int((state @ self.embedding.T).argmax())
                if piece in (EOS, self.start):
                    break
                pieces.append(piece)
                place = torch.full((1, 1), len(prefix) + len(pieces) - 1, device=self.device)
                keep: Past = []
                state = self.states(torch.tensor([[piece]], device=self.device), place, past=past, keep=keep)[:, -1]
                past = keep
        return pieces

    def draw_endings(
        self, prefix: Sequence[int], count: int, most: int, likeliest: int = 40, heat: float = 0.8, seed: int = 13
    ) -> list[list[int]]:
        """``count`` endings of one text, drawn piece by piece among the likeliest until EOS."""
        import torch

        dice = torch.Generator().manual_seed(seed)
        endings: list[list[int]] = [[] for _ in range(count)]
        ended = [False] * count
        past: Past = []
        with torch.inference_mode(), all_cores():
            states = self.states(torch.tensor([list(prefix)]), keep=past)[:, -1].expand(count, -1)
            past = [(k.expand(count, -1, -1, -1), v.expand(count, -1, -1, -1)) for k, v in past]
            for place in range(len(prefix), len(prefix) + most):
                likely = torch.topk(states @ self.embedding.T / heat, min(likeliest, len(self.embedding)))
                choice = torch.multinomial(likely.values.softmax(-1), 1, generator=dice)
                drawn = likely.indices.gather(1, choice)  # (count, 1)
                for row, piece in enumerate(drawn[:, 0].tolist()):
                    ended[row] = ended[row] or piece == EOS
                    if not ended[row]:
                        endings[row].append(piece)
                if all(ended):
                    break
                keep: Past = []
                states = self.states(drawn, torch.full((count, 1), place), past=past, keep=keep)[:, -1]
                past = keep
        return endings
