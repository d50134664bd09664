"""More stories for every scenario, invented by SmolLM2: `python training/detector/inventing.py DATA --base FILE --each 100`; one GPU.

The language model is first fine-tuned (adapters) on MCScript's train stories, each behind its scenario's name, then asked for new ones. The stories are
appended to DATA as `made.jsonl.gz` with the scenario they were asked for; the teachers judge them before a student learns from them
(`student.py`). Nothing of them is carried or committed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
from deep import DEVICE, encoder_of  # noqa: E402
from documents import Store  # noqa: E402
from measuring import Clock  # noqa: E402

from scenarist.models.document_network import MATRICES, Llama  # noqa: E402
from scenarist.models.gguf import load_tokenizer  # noqa: E402

BEGIN, END = 0, 2
LONGEST = 300
SPLIT = re.compile(r"(?<=[.!?])[\"”']?\s+(?=[A-Z\"“'])")


def tune(model: Llama, stories: list[list[int]], options: argparse.Namespace) -> None:
    """Next-piece training on whole stories."""
    rng = random.Random(options.seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.01)
    clock = Clock(options.steps, options.seconds, [optimiser])
    while clock.next():
        some = [one[:LONGEST] for one in rng.sample(stories, min(options.size, len(stories)))]
        longest = max(map(len, some))
        ids = torch.zeros(len(some), longest, dtype=torch.long)
        inside = torch.zeros(len(some), longest, dtype=torch.bool)
        for at, one in enumerate(some):
            ids[at, : len(one)], inside[at, : len(one)] = torch.tensor(one), True
        ids, inside = ids.to(DEVICE), inside.to(DEVICE)
        states = model(ids, inside)[:, :-1][inside[:, 1:]]
        logits = functional.linear(states.to(model.words.dtype), model.words).float()
        loss = functional.cross_entropy(logits, ids[:, 1:][inside[:, 1:]])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if clock.step % 50 == 0:
            print("inventing", clock.step, round(time.time() - clock.begin), round(loss.item(), 3), flush=True)


class Sampler:
    """A llama with its adapters folded in and a cache of keys and values."""

    def __init__(self, model: Llama) -> None:
        self.model = model
        self.weights = {
            (number, matrix): (
                getattr(model, f"{matrix}_{number}").float()
                + model.scale * model.learned[f"{number}-{matrix}-B"] @ model.learned[f"{number}-{matrix}-A"]
            ).to(getattr(model, f"{matrix}_{number}").dtype)
            for number in range(model.layers)
            for matrix in MATRICES
        }

    def step(self, ids: Tensor, at: int, keys: Tensor, values: Tensor) -> Tensor:
        """One more piece for every row (B): logits (B, V)."""
        model, rows = self.model, len(ids)
        x = functional.embedding(ids, model.words).float()  # (B, D)
        cos, sin = model.cos[at], model.sin[at]
        heads, shared, each = model.heads, model.shared, model.each
        for number in range(model.layers):
            a = functional.rms_norm(x, (model.width,), getattr(model, f"n1_{number}"), model.eps)
            weight = self.weights[number, "qkv"]
            qkv = functional.linear(a.to(weight.dtype), weight).view(rows, heads + 2 * shared, each)
            qk = qkv[:, : heads + shared].float()
            qk = (qk * cos + torch.cat([-qk[..., each // 2 :], qk[..., : each // 2]], -1) * sin).to(qkv.dtype)
            keys[number, :, :, at], values[number, :, :, at] = qk[:, heads:], qkv[:, heads + shared :]
            q = qk[:, :heads].view(rows, shared, heads // shared, each)
            a = functional.scaled_dot_product_attention(q, keys[number, :, :, : at + 1], values[number, :, :, : at + 1])
            x = x + functional.linear(a.reshape(rows, model.width), self.weights[number, "o"]).float()
            a = functional.rms_norm(x, (model.width,), getattr(model, f"n2_{number}"), model.eps).to(weight.dtype)
            gate, up = functional.linear(a, self.weights[number, "gu"]).chunk(2, -1)
            x = x + functional.linear(functional.silu(gate) * up, self.weights[number, "down"]).float()
        x = functional.rms_norm(x, (model.width,), model.last.float(), model.eps)
        return functional.linear(x.to(model.words.dtype), model.words).float()

    @torch.inference_mode()
    def sample(self, prompts: list[list[int]], longest: int, heat: float = 0.95, top: int = 80) -> list[list[int]]:
        """Stories behind prompts."""
        model, rows = self.model, len(prompts)
        shape = (model.layers, rows, model.shared, longest, model.each)
        keys = torch.zeros(shape, dtype=self.weights[0, "qkv"].dtype, device=DEVICE)
        values = torch.zeros_like(keys)
        most = max(map(len, prompts))
        given = torch.full((rows, most), -1)
        for at, one in enumerate(prompts):
            given[at, : len(one)] = torch.tensor(one)
        given = given.to(DEVICE)
        ids, done = given[:, 0], torch.zeros(rows, dtype=torch.bool, device=DEVICE)
        told = [ids]
        for at in range(longest - 1):
            logits, places = self.step(ids, at, keys, values).div(heat).topk(top, dim=1)
            drawn = places.gather(1, torch.multinomial(torch.softmax(logits, 1), 1))[:, 0]
            if at + 1 < most:
                drawn = torch.where(given[:, at + 1] >= 0, given[:, at + 1], drawn)
            ids = torch.where(done, END, drawn)
            done = done | (ids == END)
            told.append(ids)
            if at % 32 == 0 and bool(done.all()):
                break
        rows_of = torch.stack(told, 1).cpu().tolist()
        return [row[len(one) : row.index(END) if END in row else 0] for row, one in zip(rows_of, prompts, strict=True)]


def main() -> None:
    """Tune, invent, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--each", type=int, default=100, help="stories a scenario")
    parser.add_argument("--rows", type=int, default=1024, help="stories told at the same time")
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--steps", type=int, default=350)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--limit", type=float, default=150, help="seconds for inventing")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    store = Store(options.data / "sentences.jsonl.gz", 40 if options.smoke else 0)
    tokenizer: Any = load_tokenizer(options.base)

    def prompt(label: str) -> list[int]:
        return [BEGIN, *tokenizer.encode(f" {label}:", add_special_tokens=False).ids]

    told = []
    for kind in ("told-train", "weak-train"):
        for text in store.texts[kind]:
            body = " " + " ".join(" ".join(store.sentences[text.start : text.stop]).split())
            told.append([*prompt(store.labels[text.label]), *tokenizer.encode(body, add_special_tokens=False).ids, END])
    model = encoder_of("smollm2", options.base, causal=True, rank=16).to(DEVICE)
    if DEVICE == "cuda":
        for name, buffer in list(model.named_buffers()):
            if buffer.ndim == 2 and name not in ("cos", "sin"):
                setattr(model, name, buffer.to(torch.bfloat16))
    tune(model, told, options)
    sampler = Sampler(model.eval())
    labels = [label for label in store.labels[1:] for _ in range(options.each)]
    random.Random(options.seed).shuffle(labels)
    if options.smoke:
        labels, options.rows = labels[:4], 4
    begin, count = time.time(), 0
    with gzip.open(options.data / "made.jsonl.gz", "wt", encoding="utf-8") as stream:
        for at in range(0, len(labels), options.rows):
            if time.time() - begin > options.limit:
                break
            some = labels[at : at + options.rows]
            for label, ids in zip(
                some, sampler.sample([prompt(one) for one in some], 40 if options.smoke else LONGEST), strict=True
            ):
                lines = SPLIT.split(tokenizer.decode(ids, skip_special_tokens=True).strip())
                if len(lines) > 3:
                    stream.write(
                        json.dumps({"kind": "made", "split": "train", "label": label, "sentences": lines}) + "\n"
                    )
                    count += 1
            print("invented", count, round(time.time() - begin), flush=True)


if __name__ == "__main__":
    main()
