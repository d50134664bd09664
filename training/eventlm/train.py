"""The event language model of release/eventcloze: arrays of `prepare.py` -> event-lm-SEED.npz. Needs torch and numpy alone.

    python -m training.eventlm.prepare -o out/eventlm.npz
    python -m training.eventlm.train out/eventlm.npz --seed 1 --out release/eventcloze

Two kinds of examples are learned together: every event of every chain of two or more with its position told, and every event of
chains made unique, without *be* and reporting verbs, with its position not told (they count half where the chain has fewer than
five events); with ``--set more=W`` the same of other text, with weight W and that text's own frequencies. ``--teachers N`` first
trains N networks and then learns from their averaged predictions as well (distillation): one network with most of the gain of
several. Dev (26 to 28 July) is never learned from; its recall@50 is logged.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.eventlm.network import LEAST, NEAREST, NO_POSITION, REACH, Net, Recipe, Vocabulary

Data = dict[str, torch.Tensor]


def examples(flat: np.ndarray, start: np.ndarray, told: bool, size: int, device: str) -> Data:
    """Every event of every chain with the events around it: contexts, distance buckets, keys, weights."""
    lengths = np.diff(start)
    chain = np.repeat(np.arange(len(lengths)), lengths)
    gap = np.arange(len(flat)) - start[chain]  # the place of each event in its chain
    long = lengths[chain]
    low = np.where(long - 1 > NEAREST, np.clip(gap - NEAREST // 2, 0, np.maximum(long - 1 - NEAREST, 0)), 0)
    place = low[:, None] + np.arange(NEAREST)[None]
    place = place + (place >= gap[:, None])  # the gap itself is stepped over
    there = place < long[:, None]
    x = np.where(there, flat[np.minimum(start[chain][:, None] + place, len(flat) - 1)], -1)
    p = np.clip(place - gap[:, None], -REACH, REACH) + REACH if told else np.full(x.shape, NO_POSITION)
    known = flat < size
    arrays = {
        "x": x,
        "p": np.where(there, p, 0),
        "k": flat.astype(np.int64),
        "w": np.where((long >= 5) | told, 1.0, 0.5).astype(np.float32),
    }
    return {name: torch.as_tensor(array[known], device=device) for name, array in arrays.items()}


def batches(parts: Sequence[Data], size: int, rng: np.random.Generator) -> list[tuple[int, np.ndarray]]:
    """All examples once, in batches of one kind, shuffled."""
    made = []
    for kind, one in enumerate(parts):
        order = rng.permutation(len(one["k"]))
        made += [(kind, order[at : at + size]) for at in range(0, len(order), size)]
    rng.shuffle(made)  # type: ignore[arg-type]
    return made


@torch.no_grad()
def recall(nets: Sequence[Net], arrays: Any, preset: str, device: str) -> tuple[float, np.ndarray]:
    """Recall@50 on dev of the averaged networks, and the rank of each key."""
    x, p, k = (torch.as_tensor(arrays[f"dev.{preset}.{name}"].astype(np.int64), device=device) for name in "xpk")
    ranks = []
    for at in range(0, len(k), 500):
        here = slice(at, at + 500)
        scores = mean_logp(nets, x[here], p[here], int(preset == "narrative-cloze"))
        mine = scores.gather(1, k[here].clamp(min=0)[:, None])
        ranks.append(torch.where(k[here] >= 0, (scores > mine).sum(1) + 1, scores.shape[1] + 1))
    rank = torch.cat(ranks).cpu().numpy()
    return float((rank <= 50).mean()), rank


@torch.no_grad()
def mean_logp(nets: Sequence[Net], x: torch.Tensor, p: torch.Tensor, kind: int) -> torch.Tensor:
    """Averaged log-probabilities."""
    total = torch.zeros((), device=x.device)
    for net in nets:
        total = total + torch.log_softmax(net(x, p, kind), 1)
    return total / len(nets)


def train(
    words: Vocabulary, arrays: Any, recipe: Recipe, seed: int, size: int = 1024, teachers: Sequence[Net] = (), trust: float = 0.5, limit: int = 0,
) -> Net:  # fmt: skip
    """Learn all kinds of examples together; with teachers, from their predictions too."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kinds = [("chains", True), ("once", False)] + ([("more", True), ("more", False)] if recipe.more else [])
    parts = [
        examples(arrays[f"{name}.flat"], arrays[f"{name}.start"], told, len(words.types), device)
        for name, told in kinds
    ]
    if limit:
        parts = [{name: array[:limit] for name, array in one.items()} for one in parts]
    other = np.bincount(arrays["more.flat"], minlength=len(words.types))[: len(words.types)] if recipe.more else None
    net = Net(words, recipe, other).to(device)
    steps = sum(-(-len(one["k"]) // size) for one in parts) * recipe.epochs
    optimiser = torch.optim.AdamW(net.parameters(), lr=recipe.rate, weight_decay=recipe.decay, fused=device == "cuda")
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=steps + 1, pct_start=0.1)
    begun = time.time()
    for epoch in range(recipe.epochs):
        net.train()
        total = torch.zeros((), device=device)
        plan = batches(parts, size, rng)
        for kind, places in plan:
            at = torch.as_tensor(places, device=device)
            batch = {name: array[at] for name, array in parts[kind].items()}
            scores = net(batch["x"].long(), batch["p"].long(), kind)
            loss = torch.nn.functional.cross_entropy(
                scores, batch["k"], reduction="none", label_smoothing=recipe.smooth
            )
            if teachers and kind < 2:
                wanted = mean_logp(teachers, batch["x"].long(), batch["p"].long(), kind).softmax(1)
                loss = (1 - trust) * loss + trust * torch.nn.functional.cross_entropy(scores, wanted, reduction="none")
            loss = (loss * batch["w"]).mean() * (recipe.more if kind > 1 else 1.0)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.detach()
        net.eval()
        found = {
            preset: round(recall([net], arrays, preset, device)[0], 4) for preset in ("lm-cloze", "narrative-cloze")
        }
        print(
            json.dumps(
                {
                    "seed": seed,
                    "epoch": epoch + 1,
                    "loss": round(total.item() / len(plan), 4),
                    "seconds": round(time.time() - begun),
                    **found,
                }
            ),
            flush=True,
        )
    return net


def export(net: Net, words: Vocabulary, path: Path) -> None:
    """Weights for numpy: tables of vectors in 8 bits with a scale for each row, the rest as they are."""
    state = {name: value.detach().cpu().float().numpy() for name, value in net.state_dict().items()}
    arrays: dict[str, np.ndarray] = {}
    for side, ours, vectors in (("given", "in", net.given), ("out", "out", net.out)):
        tables = {
            "own": state[f"{side}.own.weight"],
            "verb": vectors.verbs().detach().cpu().numpy(),
            "dep": state[f"{side}.dep.weight"],
        }
        if net.recipe.plain:
            tables |= {name: np.zeros_like(tables[name]) for name in ("verb", "dep")}
        for name, table in tables.items():
            scale = np.abs(table).max(1) / 127
            scale[scale == 0] = 1
            arrays[f"{ours}.{name}"] = np.round(table / scale[:, None]).astype(np.int8)
            arrays[f"{ours}.{name}.scale"] = scale
    arrays |= {
        "pos.weight": state["pos.weight"], "mode.weight": state["mode"][:2], "mlp.first": state["first.weight"], "mlp.first_bias": state["first.bias"],
        "mlp.second": state["second.weight"], "mlp.second_bias": state["second.bias"], "ln.weight": state["ln.weight"], "ln.bias": state["ln.bias"],
        "ln2.weight": state["ln2.weight"], "ln2.bias": state["ln2.bias"], "cache.event": state["cache.weight"][:, 0],
        "cache.verb": state["verb_cache.weight"][:, 0], "bias.type": state["bias"], "bias.verb": state["bias_verb.weight"][:, 0],
        "bias.dep": state["bias_dep.weight"][:, 0], "scale.all": state["scale"].reshape(1), "own.least": np.array([float(LEAST)], np.float32),
    }  # fmt: skip
    if net.recipe.plain:
        arrays["plain.all"] = np.ones(1, np.float32)
    if net.recipe.layers:
        arrays |= {"place.weight": state["place.weight"], "heads.all": np.array([float(net.recipe.heads)], np.float32)}
        arrays |= {name: array.astype(np.float16) for name, array in state.items() if name.startswith("blocks.")}
    text = {
        name: np.frombuffer("\n".join(getattr(words, name)).encode(), np.uint8) for name in ("types", "verbs", "deps")
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, schema=np.array(1), counts=words.counts.astype(np.int32), **text, **arrays)


def changed(settings: Sequence[str]) -> Recipe:
    """``name=value`` settings as a recipe."""
    recipe = Recipe()
    for one in settings:
        name, _, value = one.partition("=")
        kind = type(getattr(recipe, name))
        recipe = recipe._replace(**{name: value == "true" if kind is bool else kind(value)})
    return recipe


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrays", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="a setting of the recipe, such as width=256")
    parser.add_argument("--teachers", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0, help="only so many examples of a kind, for a try")
    parser.add_argument("--out", type=Path, default=Path("release/eventcloze"))
    parser.add_argument("--name", default="", help="of the file, event-lm-SEED by default")
    parser.add_argument("--keep", type=Path, help="keep torch's state here as well, for averaging networks")
    given = parser.parse_args()
    arrays = dict(np.load(given.arrays))
    words, recipe = Vocabulary(arrays), changed(given.set)
    print(
        json.dumps(
            {
                "recipe": recipe._asdict(),
                "seed": given.seed,
                "teachers": given.teachers,
                "kinds of event": len(words.types),
            }
        ),
        flush=True,
    )
    teachers = []
    for number in range(given.teachers):
        taught = recipe if number % 2 == 0 else recipe._replace(layers=0 if recipe.layers else 2)
        teachers.append(train(words, arrays, taught, 1000 * given.seed + number, limit=given.limit))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if teachers:
        print(
            json.dumps(
                {
                    "teachers together": {
                        p: round(recall(teachers, arrays, p, device)[0], 4) for p in ("lm-cloze", "narrative-cloze")
                    }
                }
            ),
            flush=True,
        )
    net = train(words, arrays, recipe, given.seed, teachers=teachers, limit=given.limit)
    name = given.name or f"event-lm-{given.seed}"
    export(net, words, given.out / f"{name}.npz")
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
        torch.save({"recipe": recipe._asdict(), "state": net.state_dict()}, given.keep / f"{name}.pt")


if __name__ == "__main__":
    main()
