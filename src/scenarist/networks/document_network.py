"""Sentences of a document -> emissions and switch scores: a pretrained encoder that reads the whole document at once; needs torch.

All sentences go through the encoder together, so that every word sees every other (`pieces` up to a cap, longer documents in equal parts);
the states of a sentence's pieces are averaged, a two-way GRU runs over the sentences, and a chain of labels ends it (`label_chain`).
Two encoders: MiniLM (a small BERT of the library, fine-tuned in full, kept as the difference to the original) and SmolLM2-135M (a small
llama, low-rank adapters, its causal mask on or off).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from scenarist.networks.adapters import Lora
from scenarist.networks.checkpoint import Checkpoint
from scenarist.networks.llama import Llama

Array: TypeAlias = npt.NDArray[Any]
FIXED = ("embeddings.word", "embeddings.position", "embeddings.token")
"""What of MiniLM is not learned."""


class Style(NamedTuple):
    """How an encoder wants a document: what begins it, what ends a sentence, what hides a piece, and how many pieces at most."""

    begin: int
    end: int | None
    hide: int
    cap: int


STYLES = {"minilm": Style(101, 102, 103, 500), "smollm2": Style(0, None, 2, 900)}


class Pieces:
    """The word pieces of some sentences, in one flat array."""

    def __init__(self, lists: Sequence[Sequence[int]], longest: int = 64) -> None:
        self.counts = np.array([min(len(ids), longest) for ids in lists], dtype=np.int64)
        self.starts = np.cumsum(self.counts) - self.counts
        self.flat = np.fromiter((piece for ids in lists for piece in ids[:longest]), dtype=np.int64)

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
                for place in np.flatnonzero(part == number).tolist():
                    start = self.starts[document[place]]
                    own += [self.flat[start : start + self.counts[document[place]]], np.array(tail, dtype=np.int64)]
                    of.append(np.full(sizes[place], before + place))
                rows.append(np.concatenate(own))
                owners.append(np.concatenate(of))
            before += len(document)
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        owned = np.full((len(rows), longest), -2, dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)], owned[number, : len(row)] = row, owners[number]
        return torch.from_numpy(ids), torch.from_numpy(owned)


class MiniLM(nn.Module):  # type: ignore[misc]
    """MiniLM, a small BERT of the library; all matrices are learned, the word vectors are not."""

    kind, width = "minilm", 384

    def __init__(self, state: Mapping[str, Array]) -> None:
        from transformers import BertConfig, BertModel

        super().__init__()
        words = len(state["embeddings.word_embeddings.weight"])
        config = BertConfig(
            vocab_size=words, hidden_size=self.width, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
        )  # fmt: skip
        self.body = BertModel(config, add_pooling_layer=False)
        weights = {name: torch.from_numpy(np.array(value, np.float32)) for name, value in state.items()}
        self.body.load_state_dict(weights, strict=False)
        for name, weight in self.body.named_parameters():
            weight.requires_grad_(not name.startswith(FIXED))

    def forward(self, ids: Tensor, inside: Tensor) -> Tensor:
        """Pieces (R, L) and which are there -> states (R, L, D)."""
        states: Tensor = self.body(input_ids=ids, attention_mask=inside.long()).last_hidden_state
        return states.float()

    def learned(self) -> dict[str, Tensor]:
        """What is learned, by the library's names."""
        return {name: weight.detach() for name, weight in self.body.named_parameters() if weight.requires_grad}

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def add(self, difference: Mapping[str, Tensor]) -> None:
        """Add what was learned to the weights."""
        for name, weight in self.body.named_parameters():
            if name in difference:
                weight += difference[name]


class LlamaEncoder(nn.Module):  # type: ignore[misc]
    """SmolLM2 with adapters; ``causal`` off lets every piece see every other."""

    kind = "smollm2"

    def __init__(self, llama: Llama, adapter: Lora | None = None, causal: bool = False) -> None:
        super().__init__()
        self.llama, self.adapter, self.causal, self.width = llama, adapter, causal, llama.size

    def forward(self, ids: Tensor, inside: Tensor) -> Tensor:
        """Pieces (R, L) and which are there -> states (R, L, D)."""
        seen = None if self.causal else inside[:, None]  # filled up at the end, where no piece before looks
        return self.llama.states(ids, seen=seen, adapter=self.adapter)


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

    def __init__(self, encoder: MiniLM | LlamaEncoder, labels: int, units: int = 192, drop: float = 0.3) -> None:
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
        scores: tuple[Tensor, Tensor, Tensor] = self.sequence(placed, mask)
        return scores


def restore(held: Checkpoint, base: Mapping[str, Array] | Llama) -> DocumentNetwork:
    """A network from what `training/detector/deep.py` kept (a difference to MiniLM, adapters of SmolLM2) and its base."""
    encoder: MiniLM | LlamaEncoder
    if isinstance(base, Llama):
        encoder = LlamaEncoder(base.folded(Lora.of(held.state, held.settings["factor"])), None, held.settings["causal"])
    else:
        encoder = MiniLM(base)
        encoder.add(held.state)
    units = held.state["sequence.rnn.weight_hh_l0"].shape[1]
    network = DocumentNetwork(encoder, len(held.lists["labels"]), units)
    heads = {name: value for name, value in held.state.items() if name.startswith(("norm.", "sequence."))}
    network.load_state_dict(heads, strict=False)
    network.eval()
    return network
