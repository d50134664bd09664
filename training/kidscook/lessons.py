"""What a word head says of training texts it has not learned from: pairs -> `OUT/fold-N.npz`, one fold of the abstracts each.

    python -m training.kidscook.lessons OUT --fold 0 [--folds 5] [--epochs 5]

A head learns from the other folds, then reads this one: each text with its own blanks and with some drawn anew (``DRAWN`` times),
where its best words and their shares are kept (a teacher that has not seen the answer knows how open a blank is; the temperature is the
best one of the whole fold); and, with `--fills`, it fills the blanks itself, greedily and by drawing. `training.kidscook.tune --lessons OUT`
learns from both.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from scenarist.bench.fill_texts import fill
from scenarist.corpora.kidscook import KidsCook
from scenarist.models.words.base import rows_of
from scenarist.models.words.batches import Admissible, PairRow
from scenarist.models.words.head import Lesson, lesson_key
from scenarist.models.words.pretrained import redraw, shorten, tune
from scenarist.story import Pair
from training.kidscook.measuring import halves, measure, oracle
from training.kidscook.networks import prepare

DRAWN, KEPT, CUT = 4, 24, 100


def folds(rows: list[PairRow], many: int) -> list[list[int]]:
    """Numbers of the rows of each fold: abstracts dealt out in alphabetical order."""
    order = {abstract: at for at, abstract in enumerate(sorted({row.abstract for row in rows}))}
    return [[at for at, row in enumerate(rows) if order[row.abstract] % many == fold] for fold in range(many)]


def variants(row: PairRow, number: int, allowed: Admissible) -> list[PairRow]:
    """A text with its own blanks, then with some drawn anew; the same ones every time."""
    chance = random.Random(1_000_003 * number + 17)
    drawn = [redraw(row, allowed, chance) for _ in range(DRAWN)]
    return [row, *dict.fromkeys(one for one in drawn if one.blanks and one.blanks != row.blanks)]


class Taught(NamedTuple):
    """Lessons by text, the other blankings of each row, and a model's own fills of each row."""

    lessons: dict[Any, Lesson]
    others: dict[PairRow, list[PairRow]]
    fills: dict[PairRow, list[tuple[str, ...]]]


def load(folder: Path, rows: list[PairRow], allowed: Admissible) -> Taught:
    """All folds that lie in a folder; ``rows`` are all training rows, shortened."""
    taught = Taught({}, {}, {})
    for path in sorted(folder.glob("fold-*.npz")):
        held = np.load(path)
        columns, shares = (
            torch.from_numpy(held["columns"].astype(np.int64)),
            torch.from_numpy(held["shares"].astype(np.float32)),
        )
        at = 0
        for number, texts in zip(held["rows"].tolist(), json.loads(str(held["fills"])), strict=True):
            row = rows[number]
            some = variants(row, number, allowed)
            for one in some:
                size = sum(stop - start for start, stop in one.blanks)
                taught.lessons[lesson_key(one)] = Lesson(columns[at : at + size], shares[at : at + size])
                at += size
            taught.others[row] = some[1:]
            taught.fills[row] = [tuple(text) for text in texts]
        if at != len(columns):
            raise ValueError(f"{path}: {len(columns)} lessons, but the rows have {at} blank words")
    return taught


def teach(
    fold: int,
    many: int,
    out: Path,
    device: str,
    settings: dict[str, Any],
    dropout: float,
    limit: int | None = None,
    fills: bool = False,
) -> None:
    """Learn from the other folds and write this fold's lessons."""
    began = time.monotonic()
    rows = [shorten(row, CUT) for row in rows_of(KidsCook(split="train"))][:limit]
    mine = [at for at in folds(rows, many)[fold] if rows[at].blanks]
    spared = {*mine, *halves(rows)[1]}  # what `tune` holds out must not come in by the teacher
    model = prepare("word-head", 100 + fold, device, settings, dropout, False)
    allowed: Admissible = model.admissible("kidscook")
    share = float(model.own["redraw"])

    def change(row: PairRow, chance: random.Random) -> PairRow:
        return redraw(row, allowed, chance) if share and chance.random() < share else row

    learn = [row for at, row in enumerate(rows) if at not in spared]
    tune(model.network_, learn, model.tuning, change, lambda line: print(f"fold {fold}", line, flush=True))
    model.network_.lessons = {}
    model.texts_at_once = 256
    found = measure(*oracle(model.network_.logits, [rows[at] for at in mine], allowed))
    print(f"fold {fold}", json.dumps(found), flush=True)
    asked = [one for at in mine for one in variants(rows[at], at, allowed)]
    table, _, _ = oracle(model.network_.logits, asked, allowed)
    top = (table / found["temperature"]).softmax(1).topk(KEPT)
    pairs = [Pair(str(at), rows[at].abstract, rows[at].concrete, rows[at].blanks, "kidscook") for at in mine]
    texts: list[list[list[str]]] = [[] for _ in mine]
    for way in ("greedy", "samples") if fills else ():
        filled = fill(model, pairs, way, width=1, temperature=1.0)
        for number, (pair, some) in enumerate(zip(pairs, filled, strict=True)):
            texts[number].append(list(some[0].text(pair)))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"fold-{fold}.npz"
    temporary = path.with_suffix(".part.npz")
    np.savez_compressed(
        temporary, rows=np.array(mine), columns=top.indices.numpy().astype(np.uint16), fills=json.dumps(texts),
        shares=(top.values / top.values.sum(1, keepdim=True)).numpy().astype(np.float16),
    )  # fmt: skip
    temporary.rename(path)
    print(f"fold {fold}: lessons after {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--fold", type=int, required=True)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--set", nargs="*", default=["epochs=5", "redraw=0.5", "average=0.99", "dropout=0.2"])
    parser.add_argument("--dropout", type=float, default=0.1, help="of each layer's additions to the states")
    parser.add_argument("--fills", action="store_true", help="fill the blanks too")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    settings = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given.set)}
    teach(given.fold, given.folds, given.out, given.device, settings, given.dropout, given.limit, given.fills)


if __name__ == "__main__":
    main()
