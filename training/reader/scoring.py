"""Rows and a network's answers -> dev figures by group, on given words and sentence ends (heads by plain argmax)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from training.reader.batches import Row, batches, tensors
from training.reader.network import Net, Words

ROLE = {"nsubj": "s", "nsubj:pass": "s", "nsubj:outer": "s", "obj": "o", "iobj": "o"}


def loss_of(scores: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(scores.flatten(0, 1).float(), gold.flatten(), ignore_index=-100, reduction="sum") / (
        (gold >= 0).sum().clamp(min=1)
    )


@torch.no_grad()
def answers(net: Net, sentences: list[Row], words: Words, device: str) -> Iterator[tuple[Row, dict[str, np.ndarray]]]:
    """Each sentence with what the network says of it (heads by plain argmax)."""
    net.eval()
    for batch in batches(sentences, 8000, None):
        out = net(tensors(batch, words, None, device)[0])
        heads = out["h"].argmax(-1)
        said = {key: out[key].argmax(-1) for key in "te"} | {"h": heads, "d": net.labels(out["pair"], heads).argmax(-1)}
        said["r"] = torch.softmax(out["r"], -1)[..., 0]
        arrays = {key: value.cpu().numpy() for key, value in said.items()}
        for place, sentence in enumerate(batch):
            yield sentence, {key: value[place, : len(sentence["w"])] for key, value in arrays.items()}


def score(
    net: Net, sentences: list[Row], words: Words, labels: dict[str, list[str]], device: str
) -> dict[str, dict[str, float]]:
    """Dev figures by group, on given tokens and sentence ends."""
    return tally(answers(net, sentences, words, device), labels)


def triples(heads: Any, deps: list[str], tags: list[str]) -> set[tuple[int, str, int]]:
    """(verb, role, argument); heads count from 1."""
    return {
        (int(head), ROLE[dep], place)
        for place, (head, dep) in enumerate(zip(heads, deps, strict=True))
        if head and dep in ROLE and tags[head - 1].startswith("VERB/")
    }


def tally(
    answered: Iterable[tuple[Row, dict[str, np.ndarray]]], labels: dict[str, list[str]]
) -> dict[str, dict[str, float]]:
    """Rows and answers -> figures by group."""
    count: Counter[tuple[str, str]] = Counter()
    for row, said in answered:
        for group in {row["g"], row["g"].split("-")[0]}:
            if "h" in row:
                tags, deps = [labels["t"][one] for one in said["t"]], [labels["d"][one] for one in said["d"]]
                right = said["h"] == np.array(row["h_"])
                same = np.array([a.split(":")[0] == b.split(":")[0] for a, b in zip(deps, row["d"], strict=True)])
                count[group, "n"] += len(tags)
                count[group, "upos"] += sum(
                    a.split("/")[0] == b.split("/")[0] for a, b in zip(tags, row["t"], strict=True)
                )
                count[group, "uas"] += int(right.sum())
                count[group, "las"] += int((right & same).sum())
                guess, gold = triples(said["h"], deps, tags), triples(row["h_"], row["d"], row["t"])
                count[group, "tp"] += len(guess & gold)
                count[group, "pg"] += len(guess) + len(gold)
            if "e" in row:
                pairs = [(a, labels["e"][b]) for a, b in zip(row["e"], said["e"], strict=True) if a not in ("", "O")]
                count[group, "en"] += len(pairs)
                count[group, "er"] += sum(a == b for a, b in pairs)
            if "r" in row:
                got, true = said["r"] > 0.5, np.array([one == "E" for one in row["r"]])
                count[group, "rtp"] += int((got & true).sum())
                count[group, "rpg"] += int(got.sum() + true.sum())
    figures: dict[str, dict[str, float]] = {}
    for group in sorted({group for group, _ in count}):
        row = figures.setdefault(group, {})
        if count[group, "n"]:
            row |= {key: round(count[group, key] / count[group, "n"], 4) for key in ("upos", "uas", "las")}
            row["core"] = round(2 * count[group, "tp"] / max(1, count[group, "pg"]), 4)
        if count[group, "en"]:
            row["types"] = round(count[group, "er"] / count[group, "en"], 4)
        if count[group, "rpg"]:
            row["realis"] = round(2 * count[group, "rtp"] / count[group, "rpg"], 4)
    return figures
