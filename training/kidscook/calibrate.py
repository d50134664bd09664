"""Which temperature makes a word head least surprised? `python -m training.kidscook.calibrate [word-head] [--every 8]`

Asks every eighth dev text (oracle, clean) once at temperature 1 and prints surprisal for several temperatures.
"""

from __future__ import annotations

import argparse

import torch

from scenarist.corpora.kidscook import KidsCook
from scenarist.exams.wordcloze import WordCloze
from scenarist.registry import make


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default="word-head")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    model = make("model", given.model, weights="kidscook", seed=given.seed, temperature=1.0).fit(())
    items = list(WordCloze().set(list(KidsCook(split="dev"))[:: given.every]))
    tables = [model.table([item.question for item in items[at : at + 256]]) for at in range(0, len(items), 256)]
    table = torch.cat(tables)
    allowed = model.admissible("kidscook")
    keys = torch.tensor([[allowed.key(str(item.key))] for item in items])
    for temperature in (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8):
        rated = (table / temperature).log_softmax(1).gather(1, keys)
        print(f"temperature {temperature}: surprisal {-float(rated.mean()):.3f} over {len(items)} words", flush=True)


if __name__ == "__main__":
    main()
