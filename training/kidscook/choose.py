"""Which mean of word models is best on dev? The tables that `tune` wrote beside its checkpoints -> figures of each and of means.

    python -m training.kidscook.choose FOLDER ... [--sets word-head-1,word-head-2] [--most 6] [--not NAME ...] [--folds 5] [--json FILE]

A table holds the 32 best words of each blank word of dev; what is left is spread evenly over the others, which leaves match and top-5 as
they are and makes surprisal a little worse. Members are added one by one, the one that helps match and top-5 most, until none does.
`--folds` says what such a choice is worth where it was not made: each fold of the abstracts by the members that the others chose.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from scenarist.corpora.kidscook import KidsCook, vocabulary, whitelist
from scenarist.models.words.base import rows_of
from scenarist.models.words.batches import Admissible, Vocabulary
from training.kidscook.measuring import measure


def dense(path: Path, many: int, split: str = "dev") -> tuple[Tensor, Tensor]:
    """Probabilities of all admissible words, (N, ``many``), and the keys (N,)."""
    held = np.load(path)
    ids, share = (
        torch.from_numpy(held[f"{split}_ids"].astype(np.int64)),
        torch.from_numpy(held[f"{split}_logp"].astype(np.float32)).exp(),
    )
    rest = (1 - share.sum(1, keepdim=True)).clamp(min=0) / (many - ids.shape[1])
    return rest.expand(-1, many).clone().scatter(1, ids, share), torch.from_numpy(
        held[f"{split}_keys"].astype(np.int64)
    )


class Chooser:
    """Tables of members and what their means measure on dev."""

    def __init__(self, paths: Sequence[Path], limit: int | None = None) -> None:
        many = len(Admissible(whitelist(), Vocabulary(vocabulary())).words) + 1
        rows = rows_of(KidsCook(split="dev"))[:limit]
        order = {abstract: at for at, abstract in enumerate(sorted({row.abstract for row in rows}))}
        self.abstract = torch.tensor([order[row.abstract] for row in rows for a, b in row.blanks for _ in range(a, b)])
        self.blanks = [(n, w) for n, row in enumerate(rows) for w, (a, b) in enumerate(row.blanks) for _ in range(a, b)]
        self.tables: dict[str, Tensor] = {}
        for path in paths:
            table, self.keys = dense(path, many)
            if len(table) == len(self.blanks):
                self.tables[path.stem] = table

    def mean(self, names: Sequence[str], at: Tensor | None = None) -> dict[str, float]:
        """Match, top-5 and surprisal of the mean of some, over all blank words or those at some places."""
        return self.measured(self.of_mean(names), at)

    def of_mean(self, names: Sequence[str]) -> Tensor:
        """ln of the mean of some tables."""
        return (sum(self.tables[name] for name in names) / len(names)).clamp(min=1e-12).log()

    def measured(self, table: Tensor, at: Tensor | None = None) -> dict[str, float]:
        """What a table measures."""
        if at is None:
            return measure(table, self.keys, self.blanks, 1.0)
        return measure(table[at], self.keys[at], [self.blanks[place] for place in at.tolist()], 1.0)

    def crossed(self, folds: int, most: int, within: Sequence[str]) -> tuple[dict[str, float], list[list[str]]]:
        """What the members chosen on the other folds measure, and who they were."""
        table, chosen = torch.empty_like(next(iter(self.tables.values()))), []
        for fold in range(folds):
            here = self.abstract % folds == fold
            chosen.append(self.forward(most, within, (~here).nonzero()[:, 0])[-1][0])
            table[here] = self.of_mean(chosen[-1])[here]
        return self.measured(table), chosen

    def forward(
        self, most: int, within: Sequence[str], at: Tensor | None = None
    ) -> list[tuple[list[str], dict[str, float]]]:
        """Members added one by one."""
        chosen: list[str] = []
        found: list[tuple[list[str], dict[str, float]]] = []
        while len(chosen) < min(most, len(within)):
            tried = {name: self.mean([*chosen, name], at) for name in within if name not in chosen}
            best = max(tried, key=lambda name: tried[name]["match"] + tried[name]["top5"])
            score = tried[best]["match"] + tried[best]["top5"]
            if found and score <= found[-1][1]["match"] + found[-1][1]["top5"]:
                break
            chosen = [*chosen, best]
            found.append((chosen, tried[best]))
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--sets", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=6)
    parser.add_argument("--not", dest="without", nargs="*", default=[])
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    paths = [
        path for folder in given.folders for path in sorted(folder.glob("*.npz")) if path.stem not in given.without
    ]
    chooser = Chooser(paths, given.limit)
    report: dict[str, Any] = {"single": {name: chooser.mean([name]) for name in chooser.tables}}
    report["sets"] = [
        (names, chooser.mean(names)) for one in given.sets if set(names := one.split(",")) <= set(chooser.tables)
    ]
    report["forward"] = chooser.forward(given.most, list(chooser.tables))
    if given.folds:
        report["crossed"] = chooser.crossed(given.folds, given.most, list(chooser.tables))
        print("chosen on the other folds", json.dumps(report["crossed"]))
    for name, found in report["single"].items():
        print(name, json.dumps(found))
    for names, found in [*report["sets"], *report["forward"]]:
        print(" + ".join(names), json.dumps(found))
    if given.json:
        given.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
