"""How long should the paper's perceptrons train? All of them at once in torch, over batches, rates and rounds: `python tune_perceptrons.py FEATURES.npz`.

FEATURES.npz: `rows`, `labels` (numbers) of training stories; `whole`, `whole_labels` of dev stories; `parts`, `part_labels`, `part_sizes` of stretches of dev
stories (written by `--make`, which needs the package). Prints the share of whole stories and of stretches (by sentences) named rightly after each round.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np


def make(path: Path) -> None:
    """Features of training and dev stories."""
    from scenarist.corpora.stitched import Stitched
    from scenarist.formats.plain import sentences as cut
    from scenarist.inventory import find
    from scenarist.models.scenarios.wanzare2019 import Features
    from scenarist.reading.content_words import content_words
    from scenarist.registry import make as made

    def words(lines: list[str]) -> list[str]:
        return [word for some in content_words(lines, "stems") for word in some]

    stories = {split: list(made("corpus", "mcscript", split=split)) for split in ("train", "dev")}
    texts = {
        split: [words([s.of(one) for one in s.sentences or cut(s.text)]) for s in some]
        for split, some in stories.items()
    }
    names = {split: [find(s.scenario).name for s in some] for split, some in stories.items()}
    number = {name: at for at, name in enumerate(sorted(set(names["train"])))}
    parts = [
        ([story.of(one) for one in story.sentences if segment.start <= one.start < segment.stop], segment.names[0])
        for story in Stitched("dev", documents=300, seeds=(99,))
        for segment in story.segments
    ]
    features = Features(("tfidf",)).fit(texts["train"])
    np.savez_compressed(
        path, rows=features(texts["train"]).astype(np.float16), labels=np.array([number[one] for one in names["train"]]),
        whole=features(texts["dev"]).astype(np.float16), whole_labels=np.array([number.get(one, -1) for one in names["dev"]]),
        parts=features([words(lines) for lines, _ in parts]).astype(np.float16),
        part_labels=np.array([number.get(name, -1) for _, name in parts]), part_sizes=np.array([len(lines) for lines, _ in parts]),
    )  # fmt: skip


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
    given = parser.parse_args()
    make(given.features) if given.make else tune(given.features)
    sys.exit(0)
