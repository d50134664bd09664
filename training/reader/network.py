"""The reader's network in torch: word and affix vectors, two BiLSTM layers, and small heads; files <-> networks.

Deep biaffine attention after Dozat and Manning (2017), made small enough to run in numpy (`scenarist.reading.parser.network`): arcs and labels,
part of speech (UPOS/XPOS), entity type and realis read the same states. Departures: hashed affixes and shape instead of
characters, no tag embeddings.
"""

from __future__ import annotations

import json
import re
import threading
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

PREFIXES, SUFFIXES, SHAPES = 4096, 8192, 512
SIZES = {"word": 100, "prefix": 24, "suffix": 40, "shape": 16, "state": 128, "arc": 128, "label": 48}


def shape(word: str) -> str:
    """`Mia's` -> `Xx'x`: runs of at most two alike, so that case and digits show."""
    short = re.sub(r"[^\W\d_]", lambda found: "X" if found[0].isupper() else "x", word[:20])
    return re.sub(r"(.)\1\1+", r"\1\1", re.sub(r"\d", "d", short))


def affixes(word: str) -> tuple[int, int, int]:
    """A word -> rows of the hashed tables for its first three and last three letters, and its shape."""
    lower = word.lower()
    return (
        zlib.crc32(lower[:3].encode()) % PREFIXES,
        zlib.crc32(("$" + lower)[-4:].encode()) % SUFFIXES,
        zlib.crc32(shape(word).encode()) % SHAPES,
    )


class Words:
    """Known words, and a number for any form; ``rows[number]`` are its four rows. Number 0 is padding."""

    def __init__(self, words: list[str]) -> None:
        self.words = words  # row 0 is for the unknown
        self.row = {word: place + 1 for place, word in enumerate(words)}
        self.number: dict[str, int] = {}
        self.rows = np.zeros((1024, 4), dtype=np.int64)
        self.lock = threading.Lock()

    def __call__(self, form: str) -> int:
        found = self.number.get(form)
        return self._add(form) if found is None else found

    def _add(self, form: str) -> int:
        with self.lock:  # batches are made by a thread while dev is scored
            number = len(self.number) + 1
            if number == len(self.rows):
                self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
            self.rows[number] = (self.row.get(form.lower().replace("’", "'"), 0), *affixes(form))
            return self.number.setdefault(form, number)


class Batch(NamedTuple):
    """Sentences side by side; ``order`` and ``sizes`` pack their words for a recurrence without a look at the mask."""

    rows: torch.Tensor
    """[B, N, 4]"""
    mask: torch.Tensor
    """[B, N]"""
    order: torch.Tensor
    """[words], places in [B * N]: all first words, longest sentence first, then all second words, ..."""
    sizes: torch.Tensor
    """sentences that have a first word, a second, ...; on the CPU"""


def recurrence(lstm: nn.LSTM, x: torch.Tensor, order: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    """x [B, N, D] through an LSTM that stops at the end of each sentence -> [B, N, 2H], zeros behind the end."""
    packed = nn.utils.rnn.PackedSequence(x.flatten(0, 1).index_select(0, order), sizes)
    states = lstm(packed)[0].data
    spread = states.new_zeros(x.shape[0] * x.shape[1], states.shape[1]).index_copy(0, order, states)
    return spread.view(x.shape[0], x.shape[1], -1)


class Net(nn.Module):
    def __init__(self, vectors: np.ndarray, labels: dict[str, list[str]], dropout: float, state: int) -> None:
        super().__init__()
        size = dict(SIZES, state=state)
        table = torch.zeros(len(vectors) + 1, size["word"])
        table[1:] = torch.tensor(vectors)
        self.word = nn.Embedding.from_pretrained(table, freeze=False)
        self.prefix, self.suffix = nn.Embedding(PREFIXES, size["prefix"]), nn.Embedding(SUFFIXES, size["suffix"])
        self.shape = nn.Embedding(SHAPES, size["shape"])
        for one in (self.prefix, self.suffix, self.shape):
            nn.init.normal_(one.weight, std=0.1)
        wide = size["word"] + size["prefix"] + size["suffix"] + size["shape"]
        self.lstm1 = nn.LSTM(wide, state, 1, batch_first=True, bidirectional=True)
        self.lstm2 = nn.LSTM(2 * state, state, 1, batch_first=True, bidirectional=True)
        out = 2 * state
        self.root = nn.Parameter(torch.randn(out) * 0.1)
        self.tag, self.etype, self.realis = (
            nn.Linear(out, len(labels["t"])),
            nn.Linear(out, len(labels["e"])),
            nn.Linear(out, 2),
        )
        self.arc_dep, self.arc_head = nn.Linear(out, size["arc"]), nn.Linear(out, size["arc"])
        self.label_dep, self.label_head = nn.Linear(out, size["label"]), nn.Linear(out, size["label"])
        self.arc = nn.Parameter(torch.zeros(size["arc"] + 1, size["arc"]))
        self.label = nn.Parameter(torch.zeros(size["label"] + 1, len(labels["d"]), size["label"] + 1))
        self.drop = dropout

    def forward(self, batch: Batch) -> dict[str, Any]:
        rows, mask, order, sizes = batch
        x = torch.cat(
            [self.word(rows[..., 0]), self.prefix(rows[..., 1]), self.suffix(rows[..., 2]), self.shape(rows[..., 3])],
            -1,
        )
        x = self._drop(x)
        for lstm in (self.lstm1, self.lstm2):
            x = self._drop(recurrence(lstm, x, order, sizes))
        z = torch.cat([self.root.expand(len(x), 1, -1), x], 1)  # [B, N+1, 2H]
        dep, head = self._leaky(self.arc_dep(x)), self._leaky(self.arc_head(z))
        arc = (dep @ self.arc[:-1] + self.arc[-1]) @ head.transpose(1, 2)  # [B, N, N+1]
        allowed = torch.cat([torch.ones_like(mask[:, :1]), mask], 1)[:, None, :].expand_as(arc).clone()
        places = torch.arange(mask.shape[1], device=mask.device)
        allowed[:, places, places + 1] = False
        arc = arc.masked_fill(~allowed, -1e9)
        return {
            "t": self.tag(x),
            "e": self.etype(x),
            "r": self.realis(x),
            "h": arc,
            "pair": (self._leaky(self.label_dep(x)), self._leaky(self.label_head(z))),
        }

    def labels(self, pair: tuple[torch.Tensor, torch.Tensor], heads: torch.Tensor) -> torch.Tensor:
        dep, head = pair
        head = head.gather(1, heads.clamp(min=0)[..., None].expand(-1, -1, head.shape[-1]))
        dep = torch.cat([dep, torch.ones_like(dep[..., :1])], -1)
        head = torch.cat([head, torch.ones_like(head[..., :1])], -1)
        return torch.einsum("bni,ioj,bnj->bno", dep, self.label, head)

    def _leaky(self, x: torch.Tensor) -> torch.Tensor:
        return self._drop(F.leaky_relu(x, 0.1))

    def _drop(self, x: torch.Tensor) -> torch.Tensor:
        """One mask for all words of a sentence."""
        if not self.training or not self.drop:
            return x
        keep = torch.full((x.shape[0], 1, x.shape[2]), 1 - self.drop, device=x.device, dtype=x.dtype)
        return x * torch.bernoulli(keep) / (1 - self.drop)


def load(path: Path, dropout: float = 0.0) -> tuple[Words, dict[str, list[str]], Net]:
    """What `save` wrote -> its words, labels and network."""
    with np.load(path) as arrays:
        labels = json.loads(str(arrays["labels"]))
        known = {
            name.replace("/", "."): torch.tensor(arrays[name].astype("float32"))
            for name in arrays.files
            if arrays[name].dtype == np.float16
        }
        table = arrays["word/rows"].astype("float32") * arrays["word/scale"][:, None]
        words = Words(str(arrays["words"]).split("\n"))
    net = Net(table[1:], labels, dropout, known["lstm1.weight_hh_l0"].shape[1])
    net.load_state_dict(known | {"word.weight": torch.tensor(table)})
    return words, labels, net


def save(net: Net, words: Words, labels: dict[str, list[str]], out: Path) -> None:
    """Half precision, word rows in 8 bits: what `scenarist.reading.parser.network` reads."""
    arrays = {
        name.replace(".", "/"): value.detach().cpu().numpy().astype("float16")
        for name, value in net.state_dict().items()
    }
    table = arrays.pop("word/weight").astype("float32")
    write(out, arrays, table, "\n".join(words.words), json.dumps(labels))


def write(out: Path, arrays: dict[str, np.ndarray], table: np.ndarray, words: str, labels: str) -> None:
    """The file that `scenarist.reading.parser.network` reads; word rows in 8 bits."""
    scale = np.abs(table).max(1) / 127 + 1e-9
    rows = np.round(table / scale[:, None]).astype("int8")
    named = arrays | {"word/rows": rows, "word/scale": scale.astype("float32")}
    np.savez_compressed(out, words=np.array(words), labels=np.array(labels), **named)


def mean(one: Path, other: Path, out: Path) -> None:
    """The mean of two networks of one family (one went on from the other): steadier than either (Wortsman et al. 2022)."""
    with np.load(one) as a, np.load(other) as b:
        if str(a["words"]) != str(b["words"]) or str(a["labels"]) != str(b["labels"]):
            raise SystemExit(f"{one} and {other} do not know the same words and labels")
        arrays = {
            name: ((a[name].astype("float32") + b[name].astype("float32")) / 2).astype("float16")
            for name in a.files
            if a[name].dtype == np.float16
        }
        table = sum(half["word/rows"].astype("float32") * half["word/scale"][:, None] for half in (a, b)) / 2
        write(out, arrays, table, str(a["words"]), str(a["labels"]))
