"""Sentences of a document -> emissions and switch scores: a pretrained encoder that reads the whole document at once; needs torch.

All sentences go through the encoder together, so that every word sees every other (`pieces` up to a cap, longer documents in equal parts);
the states of a sentence's pieces are averaged, a two-way GRU runs over the sentences, and a chain of labels ends it (`label_chain`).
Two encoders: MiniLM (a small BERT, fine-tuned in full, kept as the difference to the original) and SmolLM2-135M (a small llama, low-rank
adapters, its causal mask on or off). Imports nothing but numpy and torch: a training machine may have no more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

Array: TypeAlias = npt.NDArray[Any]
MATRICES = ("qkv", "o", "gu", "down")


class Style(NamedTuple):
    """How an encoder wants a document: what begins it, what ends a sentence, what hides a piece, and how many pieces at most."""

    begin: int
    end: int | None
    hide: int
    cap: int


STYLES = {"minilm": Style(101, 102, 103, 500), "smollm2": Style(0, None, 2, 900)}


class Pieces:
    """The word pieces of some sentences, in one flat array."""

    def __init__(self, made: Sequence[Sequence[int]], longest: int = 64) -> None:
        self.counts = np.array([min(len(one), longest) for one in made], dtype=np.int64)
        self.starts = np.cumsum(self.counts) - self.counts
        self.flat = np.fromiter((piece for one in made for piece in one[:longest]), dtype=np.int64)

    def lay(self, documents: Sequence[Sequence[int]], style: Style) -> tuple[Tensor, Tensor]:
        """Documents as sentence numbers -> pieces (R, L) and the owner of each (R, L): the running number of its sentence, -1 for none."""
        rows: list[Array] = []
        owners: list[Array] = []
        before = 0
        tail = () if style.end is None else (style.end,)
        for document in documents:
            sizes: Array = self.counts[list(document)] + len(tail)
            room = (
                style.cap - 1
            )  # a part ends with the sentence that crosses its share, so longer documents leave room for one
            parts = 1 if sizes.sum() <= room else math.ceil(sizes.sum() / (room - int(sizes.max())))
            part = np.minimum((np.cumsum(sizes) - sizes / 2) // (sizes.sum() / parts), parts - 1) if parts else sizes
            for number in range(parts):
                own, of = [np.array([style.begin])], [np.array([-1])]
                for at in np.flatnonzero(part == number).tolist():
                    start = self.starts[document[at]]
                    own += [self.flat[start : start + self.counts[document[at]]], np.array(tail, dtype=np.int64)]
                    of.append(np.full(sizes[at], before + at))
                rows.append(np.concatenate(own))
                owners.append(np.concatenate(of))
            before += len(document)
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        owned = np.full((len(rows), longest), -2, dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)], owned[number, : len(row)] = row, owners[number]
        return torch.from_numpy(ids), torch.from_numpy(owned)


class Bert(nn.Module):  # type: ignore[misc]
    """MiniLM on one page; all matrices are learned, the word vectors are not."""

    kind, width, heads, layers = "minilm", 384, 12, 6

    def __init__(self, state: Mapping[str, Array], drop: float = 0.1) -> None:
        super().__init__()
        self.drop = nn.Dropout(drop)
        self.learned = nn.ParameterDict()
        for name, value in state.items():
            if name.startswith(("embeddings.word", "embeddings.position", "embeddings.token")):
                self.register_buffer(name.replace(".", "_"), torch.from_numpy(np.asarray(value, np.float32)))
            elif name.startswith(("embeddings.LayerNorm", "encoder.")):
                self.learned[name.replace(".", "-")] = nn.Parameter(torch.from_numpy(np.array(value, np.float32)))

    def linear(self, x: Tensor, name: str) -> Tensor:
        """One dense layer."""
        return functional.linear(x, self.learned[f"{name}-weight"], self.learned[f"{name}-bias"])

    def norm(self, x: Tensor, name: str) -> Tensor:
        """One layer norm."""
        return functional.layer_norm(
            x, (self.width,), self.learned[f"{name}-weight"], self.learned[f"{name}-bias"], 1e-12
        )

    def forward(self, ids: Tensor, inside: Tensor) -> Tensor:
        """Pieces (R, L) and which are there -> states (R, L, D)."""
        rows, length = ids.shape
        x = functional.embedding(ids, self.embeddings_word_embeddings_weight)
        x = x + self.embeddings_position_embeddings_weight[:length] + self.embeddings_token_type_embeddings_weight[0]
        x = self.drop(self.norm(x, "embeddings-LayerNorm"))
        seen = inside[:, None, None]
        for number in range(self.layers):
            at = f"encoder-layer-{number}"
            q, k, v = (
                self.linear(x, f"{at}-attention-self-{part}").view(rows, length, self.heads, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            a = functional.scaled_dot_product_attention(
                q, k, v, attn_mask=seen, dropout_p=self.drop.p if self.training else 0.0
            )
            a = self.linear(a.transpose(1, 2).reshape(rows, length, self.width), f"{at}-attention-output-dense")
            x = self.norm(x + self.drop(a), f"{at}-attention-output-LayerNorm")
            a = functional.gelu(self.linear(x, f"{at}-intermediate-dense"))
            x = self.norm(x + self.drop(self.linear(a, f"{at}-output-dense")), f"{at}-output-LayerNorm")
        return x.float()


class Llama(nn.Module):  # type: ignore[misc]
    """SmolLM2-135M with low-rank adapters beside frozen matrices; ``causal`` off lets every piece see every other."""

    kind, width, heads, shared, eps, theta = "smollm2", 576, 9, 3, 1e-5, 100_000.0

    def __init__(
        self, state: Mapping[str, Array], causal: bool = False, rank: int = 16, scale: float = 2.0, theta: float = 1e5
    ) -> None:
        super().__init__()
        self.causal, self.scale = causal, scale
        self.layers = sum(name.endswith("q_proj.weight") for name in state)
        self.learned = nn.ParameterDict()
        self.each = self.width // self.heads

        def put(name: str, *parts: str) -> Tensor:
            value = torch.from_numpy(np.concatenate([np.asarray(state[part], np.float32) for part in parts]))
            self.register_buffer(name, value)
            return value

        put("words", "model.embed_tokens.weight")
        put("last", "model.norm.weight")
        for number in range(self.layers):
            at = f"model.layers.{number}"
            put(f"n1_{number}", f"{at}.input_layernorm.weight")
            put(f"n2_{number}", f"{at}.post_attention_layernorm.weight")
            parts = {
                "qkv": [f"{at}.self_attn.{part}_proj.weight" for part in "qkv"],
                "o": [f"{at}.self_attn.o_proj.weight"],
                "gu": [f"{at}.mlp.gate_proj.weight", f"{at}.mlp.up_proj.weight"],
                "down": [f"{at}.mlp.down_proj.weight"],
            }
            for matrix in MATRICES:
                weight = put(f"{matrix}_{number}", *parts[matrix])
                down = nn.Parameter(torch.randn(rank, weight.shape[1]) / weight.shape[1] ** 0.5)
                self.learned[f"{number}-{matrix}-A"] = down
                self.learned[f"{number}-{matrix}-B"] = nn.Parameter(torch.zeros(weight.shape[0], rank))
        angle = torch.outer(torch.arange(1024.0), theta ** (-torch.arange(0, self.each, 2).float() / self.each))
        self.register_buffer("cos", torch.cat([angle.cos()] * 2, -1))
        self.register_buffer("sin", torch.cat([angle.sin()] * 2, -1))

    def times(self, x: Tensor, number: int, matrix: str) -> Tensor:
        """Frozen matrix and adapter."""
        weight = getattr(self, f"{matrix}_{number}")
        x = x.to(weight.dtype)
        down, up = self.learned[f"{number}-{matrix}-A"], self.learned[f"{number}-{matrix}-B"]
        low = functional.linear(x, down.to(weight.dtype))
        return functional.linear(x, weight) + functional.linear(low, (up * self.scale).to(weight.dtype))

    def forward(self, ids: Tensor, inside: Tensor) -> Tensor:
        """Pieces (R, L) and which are there -> states (R, L, D)."""
        rows, length = ids.shape
        x = functional.embedding(ids, self.words).float()
        cos, sin = self.cos[:length, None], self.sin[:length, None]  # (L, 1, each)
        seen = None if self.causal else inside[:, None, None]  # filled up at the end, where no piece before looks
        heads, shared = self.heads, self.shared
        for number in range(self.layers):
            a = functional.rms_norm(x, (self.width,), getattr(self, f"n1_{number}").float(), self.eps)
            qkv = self.times(a, number, "qkv").view(rows, length, heads + 2 * shared, self.each)
            qk, v = qkv[:, :, : heads + shared].float(), qkv[:, :, heads + shared :].transpose(1, 2)
            turned = torch.cat([-qk[..., self.each // 2 :], qk[..., : self.each // 2]], -1)
            qk = (qk * cos + turned * sin).to(v.dtype).transpose(1, 2)
            k, v = (part.repeat_interleave(heads // shared, 1) for part in (qk[:, heads:], v))
            a = functional.scaled_dot_product_attention(qk[:, :heads], k, v, attn_mask=seen, is_causal=self.causal)
            x = x + self.times(a.transpose(1, 2).reshape(rows, length, self.width), number, "o").float()
            a = functional.rms_norm(x, (self.width,), getattr(self, f"n2_{number}").float(), self.eps)
            gate, up = self.times(a, number, "gu").chunk(2, -1)
            x = x + self.times(functional.silu(gate) * up, number, "down").float()
        return functional.rms_norm(x, (self.width,), self.last.float(), self.eps)


class Chained(nn.Module):  # type: ignore[misc]
    """Sentence vectors -> emissions and switch scores."""

    def __init__(self, width: int, units: int, labels: int, drop: float) -> None:
        super().__init__()
        self.drop = nn.Dropout(drop)
        self.direct = nn.Linear(width, labels)
        self.rnn = nn.GRU(width, units, batch_first=True, bidirectional=True)
        self.context = nn.Linear(2 * units, labels)
        self.edge = nn.Linear(4 * units, 1)
        self.enter = nn.Parameter(torch.zeros(labels))

    def forward(self, vectors: Tensor, mask: Tensor, lengths: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T, D) -> emission (B, T, C), switch (B, T), enter (C); ``lengths`` (on the processor) saves a wait for the card."""
        inputs = self.drop(vectors)
        sizes = mask.sum(1).cpu() if lengths is None else lengths
        packed = nn.utils.rnn.pack_padded_sequence(inputs, sizes, batch_first=True, enforce_sorted=False)
        hidden, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=mask.shape[1])
        hidden = self.drop(hidden)
        before = functional.pad(hidden[:, :-1], (0, 0, 1, 0))
        switch = self.edge(torch.cat([before, hidden], 2))[:, :, 0] - 2.0
        return self.direct(inputs) + self.context(hidden), switch, torch.log_softmax(self.enter, 0)


class DocumentNetwork(nn.Module):  # type: ignore[misc]
    """Encoder, norm and sequence."""

    def __init__(self, encoder: Bert | Llama, labels: int, units: int = 192, drop: float = 0.3) -> None:
        super().__init__()
        self.encoder = encoder
        self.style = STYLES[encoder.kind]
        self.norm = nn.LayerNorm(encoder.width)
        self.sequence = Chained(encoder.width, units, labels, drop)

    def vectors(self, ids: Tensor, owner: Tensor, count: int = 0) -> Tensor:
        """Pieces -> sentence vectors (N, D); ``count`` sentences, found out where it is not said."""
        states = self.encoder(ids, owner > -2)  # (R, L, D)
        count = count or int(owner.max()) + 1
        place = torch.where(owner < 0, count, owner).flatten()
        total = torch.zeros(count + 1, states.shape[2], device=ids.device).index_add(0, place, states.flatten(0, 1))
        size = torch.zeros(count + 1, device=ids.device).index_add(0, place, torch.ones_like(place, dtype=torch.float))
        mean: Tensor = self.norm(total[:count] / size[:count].clamp(min=1)[:, None])
        return mean

    def forward(self, ids: Tensor, owner: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Pieces laid out, and which sentences each document has (B, T) -> emission, switch, enter."""
        vectors = self.vectors(ids, owner)
        placed = torch.zeros(*mask.shape, vectors.shape[1], device=ids.device)
        placed[mask] = vectors
        found: tuple[Tensor, Tensor, Tensor] = self.sequence(placed, mask)
        return found


def adapted(encoder: Bert | Llama, arrays: Mapping[str, Array]) -> Bert | Llama:
    """An encoder with what it learned: a difference to MiniLM, adapters of SmolLM2; int8 with a scale a row."""
    kept = {name.removeprefix("encoder/"): value for name, value in arrays.items() if name.startswith("encoder/")}
    with torch.no_grad():
        for name, value in kept.items():
            if name.endswith("/scale"):
                continue
            scale = kept.get(f"{name}/scale")
            learned = value.astype(np.float32) * (1.0 if scale is None else scale.astype(np.float32)[:, None])
            tensor = torch.from_numpy(np.asarray(learned, np.float32))
            encoder.learned[name].copy_(encoder.learned[name] + tensor if isinstance(encoder, Bert) else tensor)
    encoder.eval()
    return encoder


def restored(arrays: Mapping[str, Array], base: Mapping[str, Array]) -> DocumentNetwork:
    """A network from what `training/detector/deep.py` kept and the weights of its base."""
    about = json.loads(str(arrays["about"]))
    plain: Bert | Llama
    plain = Bert(base) if about["encoder"] == "minilm" else Llama(base, about["causal"], len(arrays["encoder/0-qkv-A"]))
    encoder = adapted(plain, arrays)
    units = arrays["sequence.rnn.weight_hh_l0"].shape[1]
    network = DocumentNetwork(encoder, len(arrays["labels"]), units)
    heads = {
        name: torch.from_numpy(value.astype(np.float32))
        for name, value in arrays.items()
        if name.startswith(("norm.", "sequence."))
    }
    network.load_state_dict(heads, strict=False)
    network.eval()
    return network
