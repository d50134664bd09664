"""What a word head itself writes into the blanks of texts it has not learned from: training pairs -> a JSON file of filled texts.

    python -m training.kidscook.own_fills FILE [--epochs 3]

The abstracts are halved; a head learned from one half fills the other, greedily and once more by drawing at temperature 1. Shown in
training (`training.kidscook.tune --own FILE`), they teach a head what to do after a word of its own that is wrong.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from scenarist.corpora.kidscook import KidsCook
from scenarist.models.fine_tuning import tune
from scenarist.models.slot_filling import fill
from scenarist.models.word_model import rows_of
from training.kidscook.tune import halves, prepare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    pairs = list(KidsCook(split="train"))[: given.limit]
    rows = rows_of(pairs)
    found: dict[int, list[list[str]]] = {}
    folds = halves(rows, 2)
    for learn, other in (folds, folds[::-1]):
        settings = {"rank": 16, "epochs": given.epochs, "average": 0.99, "smooth": 0.05}
        model, _ = prepare("word-head", 1, given.device, settings, 0.1, False)
        tune(model.network_, [rows[at] for at in learn], model.tuning, log=lambda line: print("fold", line, flush=True))
        model.texts_at_once = 256
        asked = [pairs[at] for at in other]
        for way, heat in (("greedy", 1.0), ("samples", 1.0)):
            filled = fill(model, asked, way, width=1, temperature=heat)
            for at, pair, texts in zip(other, asked, filled, strict=True):
                found.setdefault(at, []).append(list(texts[0].text(pair) if texts else pair.concrete))
            print("fold", way, "done", flush=True)
        torch.cuda.empty_cache()
    given.file.write_text(json.dumps([found[at] for at in range(len(pairs))]))


if __name__ == "__main__":
    main()
