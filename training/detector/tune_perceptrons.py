"""How long should the paper's perceptrons train? All of them at once in torch, over batches, rates and rounds: `python tune_perceptrons.py FEATURES.npz`.

FEATURES.npz: `rows`, `labels` (numbers) of nine tenths of MCScript's training stories; `whole`, `whole_labels` of the other tenth; `parts`, `part_labels`,
`part_sizes` of stretches of these (written by `--make`, which needs the package; `--make --words lemmas` as the rows have them). Dev is not looked
at. Prints the share of whole stories and of stretches (by sentences) named rightly after each round.

Without torch: `--here` trains the carried numpy network for the settings asked for, slower.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

HELD = 10
"""One story in so many of the training stories is held out, by its text."""


def make(path: Path, form: str) -> None:
    """Features of training stories: those that are learned from, and those that are held out."""
    from scenarist.formats.plain import sentences as cut
    from scenarist.inventory import find
    from scenarist.models.scenarios.wanzare2019 import Features
    from scenarist.reading.content_words import content_words
    from scenarist.registry import make as made
    from scenarist.signature import content_hash

    lines: dict[str, list[list[str]]] = {"rows": [], "whole": []}
    names: dict[str, list[str]] = {"rows": [], "whole": []}
    for story in made("corpus", "mcscript", split="train"):
        part = "whole" if int(content_hash([story.text.encode()], length=8), 16) % HELD == 2 else "rows"
        lines[part].append([story.of(span) for span in story.sentences or cut(story.text)])
        names[part].append(find(story.scenario).name)
    content_words([line for part in lines.values() for story_lines in part for line in story_lines], form)

    def words(sentences: list[str]) -> list[str]:
        return [word for sentence in content_words(sentences, form) for word in sentence]

    texts = {part: [words(story_lines) for story_lines in stories] for part, stories in lines.items()}
    number = {name: place for place, name in enumerate(sorted(set(names["rows"])))}
    draw = random.Random(99)
    parts = []
    for story_lines, name in zip(lines["whole"], names["whole"], strict=True):
        for _ in range(3):
            size = min(draw.randint(3, 8), len(story_lines))
            start = draw.randint(0, len(story_lines) - size)
            parts.append((story_lines[start : start + size], name))
    features = Features(("tfidf",)).fit(texts["rows"])
    np.savez_compressed(
        path, rows=features(texts["rows"]).astype(np.float16), labels=np.array([number[name] for name in names["rows"]]),
        whole=features(texts["whole"]).astype(np.float16), whole_labels=np.array([number.get(name, -1) for name in names["whole"]]),
        parts=features([words(part) for part, _ in parts]).astype(np.float16),
        part_labels=np.array([number.get(name, -1) for _, name in parts]), part_sizes=np.array([len(part) for part, _ in parts]),
    )  # fmt: skip


def tune_here(path: Path, settings: list[tuple[int, float, int]]) -> None:
    """Some settings (batch, rate, rounds) with the network that the rows use."""
    from scenarist.networks.perceptrons import OneVsAll

    with np.load(path) as file:
        arrays = {name: value.astype(np.float32) if value.ndim == 2 else value for name, value in file.items()}
    labels = [str(label) for label in arrays["labels"]]
    for batch, rate, rounds in settings:
        model = OneVsAll(batch=batch, rate=rate, rounds=rounds).fit(arrays["rows"], labels)
        right = {
            part: np.array(model.labels_)[model.chances(arrays[part]).argmax(axis=1)]
            == arrays[f"{part[:5].rstrip('s')}_labels"].astype(str)
            for part in ("whole", "parts")
        }
        stretches = (right["parts"] * arrays["part_sizes"]).sum() / arrays["part_sizes"].sum()
        print(
            f"batch {batch} rate {rate} rounds {rounds}: whole {right['whole'].mean():.4f} stretches {stretches:.4f}",
            flush=True,
        )


def scores(weights: tuple[Any, ...], rows: Any, keep: float = 1.0) -> Any:
    """Outputs of all perceptrons before the sigmoid: (N, F) -> (N, C)."""
    import torch
    from torch.nn import functional

    into, bias, out, shift = weights
    hidden = torch.relu((rows @ into).view(len(rows), *bias.shape) + bias)
    return (functional.dropout(hidden, 1 - keep, keep < 1) * out).sum(2) + shift


def tune(path: Path, units: int = 100, drop: float = 0.2) -> None:
    """The grid."""
    import torch
    from torch.nn import functional

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    with np.load(path) as file:
        arrays = {
            name: torch.from_numpy(value.astype(np.float32 if value.ndim == 2 else np.int64)).to(device)
            for name, value in file.items()
        }
    rows, labels = arrays["rows"], arrays["labels"]
    count, width = int(labels.max()) + 1, rows.shape[1]
    wanted = functional.one_hot(labels, count).float()
    for batch in (32, 64, 256):
        for rate in (1e-3, 5e-3):
            torch.manual_seed(13)
            limit = (6 / (width + units)) ** 0.5
            into = torch.empty(width, count * units, device=device).uniform_(-limit, limit).requires_grad_()
            bias = torch.zeros(count, units, device=device, requires_grad=True)
            out = torch.empty(count, units, device=device).uniform_(-0.2, 0.2).requires_grad_()
            shift = torch.zeros(count, device=device, requires_grad=True)
            weights = (into, bias, out, shift)
            optimiser = torch.optim.Adam(weights, lr=rate)

            for number in range(1, 31):
                order = torch.randperm(len(rows), device=device)
                for at in range(0, len(order), batch):
                    some = order[at : at + batch]
                    loss = (
                        functional.binary_cross_entropy_with_logits(
                            scores(weights, rows[some], 1 - drop), wanted[some], reduction="none"
                        )
                        .mean(0)
                        .sum()
                    )
                    optimiser.zero_grad()
                    loss.backward()
                    optimiser.step()
                if number in (1, 2, 3, 4, 6, 8, 10, 15, 20, 30):
                    with torch.no_grad():
                        whole = (
                            (scores(weights, arrays["whole"]).argmax(1) == arrays["whole_labels"]).float().mean().item()
                        )
                        right = (scores(weights, arrays["parts"]).argmax(1) == arrays["part_labels"]).float() * arrays[
                            "part_sizes"
                        ]
                        part = (right.sum() / arrays["part_sizes"].sum()).item()
                    print(
                        f"batch {batch} rate {rate} rounds {number}: whole {whole:.4f} stretches {part:.4f}", flush=True
                    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--words", choices=("lemmas", "stems"), default="lemmas")
    parser.add_argument("--here", default="", help="batch,rate,rounds joined by spaces: '64,0.005,6 64,0.005,3'")
    given = parser.parse_args()
    if given.make:
        make(given.features, given.words)
    elif given.here:
        triples = (one.split(",") for one in given.here.split())
        tune_here(given.features, [(int(batch), float(rate), int(rounds)) for batch, rate, rounds in triples])
    else:
        tune(given.features)
    sys.exit(0)
