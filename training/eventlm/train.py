"""The event language model of release/eventcloze: NYT chains (train split) -> event-lm-SEED.npz.

    python training/eventlm/train.py --seed 1 --epochs 6 --out release/eventcloze

Needs the extra `neural`; on a GPU six epochs take about 100 seconds, on one CPU core hours. Two kinds of examples are learned together:
every event of every chain of two or more with its position told, and every event of chains made unique, without *be* and reporting verbs,
with its position not told (they count half where the chain has fewer than five events). Dev (26 to 28 July) is never seen.

The file that was released was trained by this recipe (width 128, dropout 0.35, AdamW 2e-3 with one cycle, batches of 1,024, full softmax)
from torch's seed 101, before it was tidied into this file; the order of draws differs, so a new run gives a sister, not a twin. This tidied file itself has not been run in full yet.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.learning.event_chains import documents, filtered
from scenarist.models.event_lm import NEAREST, REACH, UNTOLD, part
from scenarist.registry import make
from scenarist.story import Chain

LEAST = 3
"""An event seen less often has no vector of its own."""


class Words:
    """Events, verbs and dependencies as numbers."""

    def __init__(self, chains: list[Chain], singles: list[Chain]) -> None:
        counts = Counter(str(link) for chain in chains for link in chain.links)
        every = counts + Counter(str(link) for chain in singles for link in chain.links)
        self.types = sorted(counts, key=lambda name: (-counts[name], name))
        self.counts = np.array([counts[name] for name in self.types])
        verbs, deps = Counter[str](), Counter[str]()
        for name, number in every.items():
            verbs[part(name)[0]] += number
            deps[part(name)[1]] += number
        self.verbs = ["<unk>", *(name for name, number in verbs.most_common() if number >= 2)]
        self.deps = ["<unk>", *(name for name, number in deps.most_common() if number >= 5)]
        ids = {name: at for at, name in enumerate(self.types)}
        verb_ids, dep_ids = ({name: at for at, name in enumerate(words)} for words in (self.verbs, self.deps))
        self.ids = ids
        self.verb_of = np.array([verb_ids.get(part(name)[0], 0) for name in self.types])
        self.dep_of = np.array([dep_ids.get(part(name)[1], 0) for name in self.types])
        self.own_of = np.where(self.counts >= LEAST, np.arange(1, len(self.types) + 1), 0)


def examples(chains: list[Chain], words: Words, told: bool) -> dict[str, np.ndarray]:
    """Every event of every chain with the events around it: contexts, distance buckets, keys, weights."""
    contexts, buckets, keys, weights = [], [], [], []
    for chain in chains:
        numbers = np.array([words.ids[str(link)] for link in chain.links])
        size = len(numbers)
        for gap in range(size):
            low = max(0, min(gap - NEAREST // 2, size - 1 - NEAREST)) if size - 1 > NEAREST else 0
            places = np.array([at for at in range(low, min(size, low + NEAREST + 1)) if at != gap])
            row, bucket = np.full(NEAREST, -1), np.zeros(NEAREST, np.int64)
            row[: len(places)] = numbers[places]
            bucket[: len(places)] = np.clip(places - gap, -REACH, REACH) + REACH if told else UNTOLD
            contexts.append(row)
            buckets.append(bucket)
            keys.append(numbers[gap])
            weights.append(1.0 if told or size >= 5 else 0.5)
    return {"x": np.array(contexts), "p": np.array(buckets), "k": np.array(keys), "w": np.array(weights, np.float32)}


def network(words: Words, width: int, dropout: float) -> Any:
    """The network as torch trains it; `scenarist.models.event_lm` is its twin for inference."""
    import torch
    from torch import nn

    class Vectors(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = nn.Embedding(int(words.own_of.max()) + 1, width)
            self.verb, self.dep = nn.Embedding(len(words.verbs), width), nn.Embedding(len(words.deps), width)
            for table in (self.own, self.verb, self.dep):
                nn.init.normal_(table.weight, 0, 0.05)

        def forward(self, types: Any) -> Any:
            return self.own(net.own_of[types]) + self.verb(net.verb_of[types]) + self.dep(net.dep_of[types])

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name in ("own_of", "verb_of", "dep_of"):
                self.register_buffer(name, torch.tensor(getattr(words, name)), persistent=False)
            self.given, self.out = Vectors(), Vectors()
            self.pos = nn.Embedding(UNTOLD + 1, width)
            nn.init.constant_(self.pos.weight, 0.3)
            self.mode = nn.Parameter(torch.zeros(2, width))
            self.first, self.second = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
            self.ln, self.ln2, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(dropout)
            self.cache, self.verb_cache = nn.Embedding(UNTOLD + 1, 1), nn.Embedding(UNTOLD + 1, 1)
            self.bias_verb, self.bias_dep = nn.Embedding(len(words.verbs), 1), nn.Embedding(len(words.deps), 1)
            for table in (self.cache, self.verb_cache, self.bias_verb, self.bias_dep):
                nn.init.zeros_(table.weight)
            self.bias = nn.Parameter(torch.log(torch.tensor(words.counts / words.counts.sum(), dtype=torch.float32)))
            self.scale = nn.Parameter(torch.tensor(1.0))

        def forward(self, x: Any, p: Any, told: bool) -> Any:
            there = x >= 0  # [batch, chain]
            kept = there & (torch.rand(x.shape, device=x.device) > 0.1) if self.training else there
            vectors = self.drop(self.given(x.clamp(min=0)))  # [batch, chain, width]
            mixed = (vectors * self.pos(p) * kept[..., None]).sum(1) / kept.sum(1, keepdim=True).clamp(min=1) ** 0.5
            state = self.ln(mixed + self.mode[0 if told else 1])
            state = state + self.second(self.drop(torch.nn.functional.gelu(self.first(state))))
            state = self.drop(self.ln2(state))
            every = self.drop(self.out(torch.arange(len(words.types), device=x.device)))  # [events, width]
            scores = self.scale * (state @ every.T) + self.bias  # [batch, events]
            if not told:
                scores = scores + (self.bias_verb(self.verb_of) + self.bias_dep(self.dep_of))[:, 0]
            scores = scores.scatter_add(1, x.clamp(min=0), self.cache(p)[..., 0] * there)
            verbs = self.verb_of[x.clamp(min=0)]
            by_verb = torch.zeros(len(x), len(words.verbs), device=x.device)
            by_verb = by_verb.scatter_add(1, verbs, self.verb_cache(p)[..., 0] * (there & (verbs > 0)))
            return scores + by_verb[:, self.verb_of]

    net = Net()
    return net


def train(words: Words, parts: list[dict[str, np.ndarray]], seed: int, epochs: int, width: int, dropout: float, size: int = 1024) -> Any:
    """Learn both kinds of examples together."""
    import torch

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = network(words, width, dropout).to(device)
    data = [{name: torch.as_tensor(array, device=device) for name, array in one.items()} for one in parts]
    steps = sum(-(-len(one["k"]) // size) for one in parts) * epochs
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps + 1, pct_start=0.1)
    for epoch in range(epochs):
        batches = [(kind, order[at : at + size]) for kind, one in enumerate(parts) for order in [rng.permutation(len(one["k"]))] for at in range(0, len(order), size)]
        rng.shuffle(batches)  # type: ignore[arg-type]
        for kind, places in batches:
            batch = {name: array[torch.as_tensor(places, device=device)] for name, array in data[kind].items()}
            scores = net(batch["x"], batch["p"], kind == 0)
            loss = (torch.nn.functional.cross_entropy(scores, batch["k"], reduction="none") * batch["w"]).mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        print(f"epoch {epoch + 1} of {epochs}: loss of the last batch {loss.item():.3f}", flush=True)
    return net


def export(net: Any, words: Words, path: Path) -> None:
    """Weights for numpy: tables of vectors in 8 bits with a scale for each row, the rest as they are."""
    state = {name: value.detach().cpu().numpy().astype(np.float32) for name, value in net.state_dict().items()}
    arrays: dict[str, np.ndarray] = {}
    for side, ours in (("given", "in"), ("out", "out")):
        for name in ("own", "verb", "dep"):
            table = state[f"{side}.{name}.weight"]
            scale = np.abs(table).max(1) / 127
            scale[scale == 0] = 1
            arrays[f"{ours}.{name}"] = np.round(table / scale[:, None]).astype(np.int8)
            arrays[f"{ours}.{name}.scale"] = scale
    arrays |= {
        "pos.weight": state["pos.weight"], "mode.weight": state["mode"], "mlp.first": state["first.weight"], "mlp.first_bias": state["first.bias"],
        "mlp.second": state["second.weight"], "mlp.second_bias": state["second.bias"], "ln.weight": state["ln.weight"], "ln.bias": state["ln.bias"],
        "ln2.weight": state["ln2.weight"], "ln2.bias": state["ln2.bias"], "cache.event": state["cache.weight"][:, 0],
        "cache.verb": state["verb_cache.weight"][:, 0], "bias.type": state["bias"], "bias.verb": state["bias_verb.weight"][:, 0],
        "bias.dep": state["bias_dep.weight"][:, 0], "scale.all": state["scale"].reshape(1), "own.least": np.array([float(LEAST)], np.float32),
    }  # fmt: skip
    text = {name: np.frombuffer("\n".join(getattr(words, name)).encode(), np.uint8) for name in ("types", "verbs", "deps")}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, schema=np.array(1), counts=words.counts.astype(np.int32), **text, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--dropout", type=float, default=0.35)
    parser.add_argument("--limit", type=int, default=0, help="only so many chains, for a try")
    parser.add_argument("--out", type=Path, default=Path("release/eventcloze"))
    given = parser.parse_args()
    whole = [chain for document in documents(make("corpus", "nyt-chains", split="train")) for chain in document.chains]
    chains = [chain for chain in whole if len(chain) > 1][: given.limit or None]
    words = Words(chains, [chain for chain in whole if len(chain) == 1] if not given.limit else [])
    once = [short for chain in chains if len(short := filtered(chain, be=False, reporting=False, repeats=False)) > 2]
    parts = [examples(chains, words, True), examples(once, words, False)]
    print(f"{len(words.types):,} kinds of event; {len(parts[0]['k']):,} and {len(parts[1]['k']):,} examples", flush=True)
    net = train(words, parts, given.seed, given.epochs, given.width, given.dropout)
    export(net, words, given.out / f"event-lm-{given.seed}.npz")


if __name__ == "__main__":
    main()
