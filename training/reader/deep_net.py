"""Words of a text -> scores of pairs of mentions: a pretrained encoder with low-rank matrices, and a small network over both mentions.

The ranking is that of `scorer`, with what an encoder (MiniLM, or SmolLM2 from its GGUF file) says of the first, last, head and governing
word of each mention beside the hand-made features. Needs torch and transformers; used by `training.reader.deep`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from scenarist.errors import BadInput
from scenarist.networks.gguf import Gguf, llama_config, llama_state, load_tokenizer

Array = npt.NDArray[Any]
PIECES = 12
"""word pieces of a word, at most"""


def windows(sizes: Sequence[int], window: int, context: int) -> list[tuple[int, int, int, int]]:
    """Word pieces of each word -> windows of words (first, last) and the part of each (from, to) whose vectors are kept.

    >>> windows([1] * 900, 510, 96)
    [(0, 510, 0, 414), (318, 828, 414, 732), (636, 900, 732, 900)]
    """
    ends = np.cumsum([0, *sizes])
    found: list[tuple[int, int, int, int]] = []
    first = kept = 0
    while True:
        last = max(int(np.searchsorted(ends, ends[first] + window, side="right")) - 1, first + 1)
        if last >= len(sizes):
            found.append((first, len(sizes), kept, len(sizes)))
            return found
        stop = max(int(np.searchsorted(ends, ends[last] - context, side="right")) - 1, kept + 1)
        found.append((first, last, kept, stop))
        kept = stop
        first = max(int(np.searchsorted(ends, ends[stop] - context)), first + 1)


def library_llama(path: str | Path) -> Any:
    """The model of a GGUF file as a ``transformers.LlamaForCausalLM`` in float32, evaluation mode."""
    from transformers import LlamaConfig, LlamaForCausalLM

    file = Gguf(path)
    settings = llama_config(file)
    theta = settings.pop("rope_theta")
    config = LlamaConfig(**settings, rope_parameters={"rope_type": "default", "rope_theta": theta})
    if not hasattr(config, "rope_parameters"):  # transformers 4
        config = LlamaConfig(**settings, rope_theta=theta)
    model = LlamaForCausalLM(config)
    state = {name: torch.from_numpy(np.array(weight)) for name, weight in llama_state(file).items()}
    lost, extra = model.load_state_dict(state, strict=False)
    lost = [name for name in lost if name != "lm_head.weight" or not config.tie_word_embeddings]
    if lost or extra:
        raise BadInput(f"{path}: weights do not fit a llama model; missing {lost[:3]}, unknown {extra[:3]}")
    model.tie_weights()
    return model.eval()


class LowRank(nn.Module):
    """A frozen linear map with a trained product of two thin matrices beside it (Hu et al. 2022)."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x [..., in] -> [..., out]."""
        out: torch.Tensor = self.base(x) + (x @ self.down.T) @ self.up.T
        return out


def adapt(blocks: nn.Module, rank: int) -> None:
    """Puts low-rank matrices beside the linear maps of all layers."""
    for module in list(blocks.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear):
                setattr(module, name, LowRank(child, rank))


class Encoder(nn.Module):
    """Words -> one vector each: a learned mean of all layers of MiniLM (a folder) or SmolLM2 (a GGUF file)."""

    def __init__(self, path: Path, rank: int) -> None:
        super().__init__()
        self.around: tuple[tuple[int, ...], tuple[int, ...]]
        self.cut: Callable[[str], list[int]]
        if path.suffix == ".gguf":
            self.model = library_llama(path).model
            self.blocks = self.model.layers
            self.around, self.window, self.context = ((0,), ()), 3500, 700
            tokenizer = load_tokenizer(path)
            self.cut = lambda word: tokenizer.encode(" " + word, add_special_tokens=False).ids
            self.end = True  # it reads from left to right: the last piece has seen the word
        else:
            from transformers import AutoModel, AutoTokenizer

            self.model = AutoModel.from_pretrained(path, local_files_only=True, dtype=torch.float32)
            self.blocks = self.model.encoder
            fast = AutoTokenizer.from_pretrained(path, local_files_only=True)
            self.around, self.window, self.context = ((fast.cls_token_id,), (fast.sep_token_id,)), 510, 96
            self.cut = lambda word: fast(word, add_special_tokens=False)["input_ids"]
            self.end = False
        self.wide = int(self.model.config.hidden_size)
        self.mix = nn.Parameter(torch.zeros(self.model.config.num_hidden_layers + 1))
        if rank:
            for parameter in self.model.parameters():
                parameter.requires_grad_(False)
            adapt(self.blocks, rank)
        self.known: dict[str, list[int]] = {}

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        """Words -> their word pieces, at least one each."""
        for word in words:
            if word not in self.known:
                self.known[word] = self.cut(word)[:PIECES] or [1]
        return [self.known[word] for word in words]

    def forward(self, pieces: Sequence[Sequence[int]]) -> torch.Tensor:
        """Word pieces of each word -> vectors [words, wide], each from the window it is most central in."""
        device = self.mix.device
        cut = windows([len(one) for one in pieces], self.window, self.context)
        before, after = self.around
        rows = [[*before, *(piece for word in pieces[a:b] for piece in word), *after] for a, b, _, _ in cut]
        ids, shown = torch.zeros(2, len(rows), max(map(len, rows)), dtype=torch.long).unbind(0)
        where, row_of = [], []
        for number, (row, (a, _, start, stop)) in enumerate(zip(rows, cut, strict=True)):
            ids[number, : len(row)], shown[number, : len(row)] = torch.tensor(row), 1
            at = len(before) + sum(len(word) for word in pieces[a:start])
            for word in pieces[start:stop]:
                where.append(at + len(word) - 1 if self.end else at)
                row_of.append(number)
                at += len(word)
        layers = self.model(
            input_ids=ids.to(device), attention_mask=shown.to(device), output_hidden_states=True
        ).hidden_states
        rows_, where_ = torch.tensor(row_of, device=device), torch.tensor(where, device=device)
        picked = torch.stack([layer[rows_, where_] for layer in layers])
        out: torch.Tensor = (picked * torch.softmax(self.mix, 0)[:, None, None]).sum(0)
        return nn.functional.layer_norm(out, out.shape[-1:])


class DeepPairs(nn.Module):
    """Scores of pairs and of being new."""

    def __init__(self, encoder: Encoder, own: int, features: int, size: int = 128, hidden: int = 160) -> None:
        super().__init__()
        self.encoder = encoder
        self.mention = nn.Linear(4 * encoder.wide + own, 2 * size)
        self.new1, self.new2 = nn.Linear(2 * size, hidden), nn.Linear(hidden, 1)
        self.mine, self.its = nn.Linear(2 * size, hidden, bias=False), nn.Linear(2 * size, hidden, bias=False)
        self.left, self.right = nn.Linear(2 * size, size), nn.Linear(2 * size, size)
        self.both = nn.Linear(size, hidden, bias=False)
        self.pair = nn.Linear(features, hidden)
        self.deep, self.out = nn.Linear(hidden, 64), nn.Linear(64, 1)
        self.drop, self.weak = nn.Dropout(0.3), nn.Dropout(0.3)

    def mentions(self, words: torch.Tensor, places: Sequence[torch.Tensor], own: torch.Tensor) -> torch.Tensor:
        """Vectors of words, four places of each mention (first, last, head, governor) and its own numbers -> [mentions, 2 size]."""
        seen = torch.cat([self.weak(torch.cat([words[place] for place in places], 1)), own], 1)
        out: torch.Tensor = self.drop(torch.relu(self.mention(seen)))
        return out

    def forward(
        self, known: torch.Tensor, mine: torch.Tensor, its: torch.Tensor, features: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Mentions [m, 2 size] and pairs -> (score of each pair [p], score of each mention being new [m])."""
        new = self.new2(self.drop(torch.relu(self.new1(known))))[:, 0]
        product = self.left(known)[mine] * self.right(known)[its]
        hidden = self.mine(known)[mine] + self.its(known)[its] + self.both(product) + self.pair(features)
        return self.out(self.drop(torch.relu(self.deep(self.drop(torch.relu(hidden))))))[:, 0], new
