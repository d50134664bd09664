"""Where in a text does a model miss? Top-5 of the blank words (key fed forward) by how many words stand before them, released seeds.

    python -m training.kidscook.places lstm-lm seq2seq-attention transducer transducer-param [--seeds 1 2 3] [--split dev]
    python -m training.kidscook.places seq2seq-attention:both transducer:both      # NAME:VARIANT, another released training

A transducer whose transitions are fixed stands at the beginning of the abstract while it tells the first words and has not read the
rest: this shows what that costs (docs/log/transducer.md).
"""

from __future__ import annotations

import argparse

import torch

from scenarist.corpora.kidscook import KidsCook
from scenarist.models.words.base import rows_of
from scenarist.registry import make
from training.kidscook.measuring import oracle

EDGES = (0, 5, 10, 15, 20, 30, 40, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", help="NAME or NAME:VARIANT")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--split", default="dev")
    given = parser.parse_args()
    rows = rows_of(KidsCook(split=given.split))
    place = torch.tensor([at for row in rows for start, stop in row.blanks for at in range(start, stop)])
    parts = [(place >= low) & (place < high) for low, high in zip(EDGES, EDGES[1:], strict=False)]
    print("words before:", "  ".join(f"{low}+ ({int(part.sum())})" for low, part in zip(EDGES, parts, strict=False)))
    for asked in given.models:
        name, _, variant = asked.partition(":")
        right = torch.zeros(len(place))
        for seed in given.seeds:
            model = make("model", name, weights="kidscook", seed=seed, **({"variant": variant} if variant else {})).fit(
                ()
            )
            table, keys, _ = oracle(model.network(), rows, model.admissible("kidscook"))
            right += ((table > table.gather(1, keys[:, None])).sum(1) < 5).float() / len(given.seeds)
        print(
            f"{asked:20}",
            "  ".join(f"{100 * float(right[part].mean()):.1f}" for part in parts),
            f" all {100 * float(right.mean()):.1f}",
        )


if __name__ == "__main__":
    main()
