"""Make the table that `scenarist align` reads: train pairs -> Viterbi alignments -> phrases with counts and PMI.

    python -m training.kidscook.alignments [--model pretrained-transducer] [--least 4] [--out FILE]

Only words, phrases of up to three words, counts and token places are written; no sentence.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scenarist.corpora.kidscook import KidsCook, whitelist
from scenarist.learning.alignments import PhraseTable, tabulate
from scenarist.registry import make

OUT = Path(__file__).parents[2] / "src/scenarist/resources/alignments/kidscook.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="transducer")
    parser.add_argument("--variant", default="", help="another released training of the transducer (em)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=int, default=4)
    parser.add_argument("--pmi", type=float, default=0.5)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    settings = {"variant": given.variant} if given.variant else {}
    model = make("model", given.model, weights="kidscook", seed=given.seed, **settings)
    pairs = list(KidsCook(split="train"))
    alignments = model.align(pairs)
    table = tabulate(
        alignments,
        frozenset(whitelist()),
        least=given.least,
        kept=2,
        by=f"{given.model}{given.variant and ' '}{given.variant}, seed {given.seed}",
    )
    kept = PhraseTable((entry for entry in table.entries if entry.pmi >= given.pmi), table.by)
    kept.save(given.out)
    print(f"{len(kept.entries)} rows of {len(table.entries)} in {given.out}")


if __name__ == "__main__":
    main()
