"""Granroth-Wilding and Clark's (2016) compositional scorer on our chains: arrays of `prepare.py` -> compositional-SEED.npz. Needs torch and
numpy alone.

    python -m training.eventlm.compositional out/eventlm.npz --seed 1 --out release/eventcloze

Verb and dependency vectors are composed into an event's vector by a hidden layer; another says how well two events go together in
a chain; a candidate's score is the mean over the chain. Learned from chains and, for each event taken out, one drawn by frequency
(so the score is what the chain says beyond frequency).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from training.eventlm.network import NO_POSITION, Vocabulary
from training.eventlm.train import examples


class Scorer(nn.Module):
    """(chain, candidate) -> how well they go together."""

    def __init__(self, words: Vocabulary, width: int, dropout: float) -> None:
        super().__init__()
        self.verb, self.dep = nn.Embedding(len(words.verbs), width), nn.Embedding(len(words.deps), width)
        nn.init.normal_(self.verb.weight, 0, 0.3)
        nn.init.normal_(self.dep.weight, 0, 0.3)
        self.compose, self.event = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)
        self.place = nn.Embedding(NO_POSITION + 1, width)
        nn.init.zeros_(self.place.weight)
        self.chain, self.candidate = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.pair = nn.Linear(width, 1)
        self.drop = nn.Dropout(dropout)

    def events(self, verb: torch.Tensor, dep: torch.Tensor) -> torch.Tensor:
        """Composed vectors: [..., width]."""
        parts = self.drop(torch.cat([self.verb(verb), self.dep(dep)], -1))
        return torch.tanh(self.event(torch.relu(self.compose(parts))))

    def forward(
        self, chain: torch.Tensor, p: torch.Tensor, there: torch.Tensor, candidate: torch.Tensor
    ) -> torch.Tensor:
        """chain: [batch, chain, width], candidate: [batch, choices, width] -> [batch, choices]."""
        left = self.chain(chain) + self.place(p)  # [batch, chain, width]
        right = self.candidate(candidate)  # [batch, choices, width]
        pairs = torch.relu(left[:, None] + right[:, :, None])  # [batch, choices, chain, width]
        each = self.pair(self.drop(pairs))[..., 0] * there[:, None]
        return each.sum(-1) / there.sum(-1).clamp(min=1)[:, None]


def alike(lengths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random order in which neighbours have chains of like length, so that little is padded."""
    return np.lexsort((rng.random(len(lengths)), lengths))


def train(
    words: Vocabulary,
    arrays: Any,
    seed: int,
    width: int,
    epochs: int,
    dropout: float,
    wrong: int = 5,
    size: int = 1024,
    limit: int = 0,
) -> Scorer:
    """Tell the event that was taken out from ones drawn by frequency, by softmax over the one and ``wrong`` others."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parts = [
        examples(arrays[f"{name}.flat"], arrays[f"{name}.start"], told, len(words.types), device)
        for name, told in (("chains", True), ("once", False))
    ]
    if limit:
        parts = [{name: array[:limit] for name, array in one.items()} for one in parts]
    lengths = [(one["x"] >= 0).sum(1).cpu().numpy() for one in parts]
    net = Scorer(words, width, dropout).to(device)
    verb_of, dep_of = torch.as_tensor(words.verb_of, device=device), torch.as_tensor(words.dep_of, device=device)
    drawn = torch.as_tensor(words.counts / words.counts.sum(), device=device)
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    steps = sum(-(-len(one["k"]) // size) for one in parts) * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps + 1, pct_start=0.1)
    for epoch in range(epochs):
        net.train()
        plan = [
            (one, order[at : at + size])
            for one, length in zip(parts, lengths, strict=True)
            for order in [alike(length, rng)]
            for at in range(0, len(order), size)
        ]
        rng.shuffle(plan)  # type: ignore[arg-type]
        total = right = 0.0
        for one, places in plan:
            at = torch.as_tensor(places, device=device)
            x, p, k, w = (one[name][at] for name in "xpkw")
            longest = int((x >= 0).sum(1).max())
            x, p = x[:, :longest], p[:, :longest]
            others = torch.multinomial(drawn, len(at) * wrong, replacement=True).view(len(at), wrong)
            candidates = torch.cat([k[:, None], others], 1)  # [batch, 1 + wrong]
            seen = x.clamp(min=0).long()
            scores = net(
                net.events(verb_of[seen], dep_of[seen]),
                p.long(),
                x >= 0,
                net.events(verb_of[candidates], dep_of[candidates]),
            )
            scores = scores.masked_fill((candidates == k[:, None]) & (torch.arange(1 + wrong, device=device) > 0), -1e4)
            loss = (
                nn.functional.cross_entropy(
                    scores, torch.zeros(len(at), dtype=torch.long, device=device), reduction="none"
                )
                * w
            ).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
            right += float((scores.argmax(1) == 0).float().mean())
        print(
            json.dumps(
                {
                    "seed": seed,
                    "epoch": epoch + 1,
                    "loss": round(total / len(plan), 4),
                    "right of six": round(right / len(plan), 4),
                }
            ),
            flush=True,
        )
    return net.eval()


def export(net: Scorer, words: Vocabulary, path: Path) -> None:
    """Weights for numpy."""
    state = {name: value.detach().cpu().numpy().astype(np.float16) for name, value in net.state_dict().items()}
    text = {
        name: np.frombuffer("\n".join(getattr(words, name)).encode(), np.uint8) for name in ("types", "verbs", "deps")
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, schema=np.array(1), counts=words.counts.astype(np.int32), **text, **state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrays", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("release/eventcloze"))
    given = parser.parse_args()
    arrays = dict(np.load(given.arrays))
    words = Vocabulary(arrays)
    net = train(words, arrays, given.seed, given.width, given.epochs, given.dropout, limit=given.limit)
    export(net, words, given.out / f"compositional-{given.seed}.npz")


if __name__ == "__main__":
    main()
