"""The ensemble and beam-marginal filling on the held-out training texts: which temperature, width, share of evidence and trust?

    python -m training.kidscook.blend [--members word-head-1 word-head-2 ...] [--ways 8:1.0:0.5 8:0.5:1.0]

Prints match, top-5 and surprisal of the mean of the members (oracle) with the best temperature, then match and top-5 of greedy filling
and of beam-marginal filling (width:evidence:trust). Only texts that no member has learned from are asked (training/kidscook/tune.py).
"""

from __future__ import annotations

import argparse
import json

import torch

from scenarist.corpora.kidscook import KidsCook
from scenarist.models.words.base import rows_of
from scenarist.models.words.batches import Query, merge
from scenarist.models.words.beam_marginal import BeamMarginal
from scenarist.models.words.ensemble import ENSEMBLE
from scenarist.registry import make
from training.kidscook.measuring import examined, halves, measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--members", nargs="+", default=list(ENSEMBLE))
    parser.add_argument("--ways", nargs="*", default=["8:1.0:1.0", "8:1.0:0.5", "8:0.5:0.5"])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    pairs = list(KidsCook(split="train"))
    rows = rows_of(pairs)
    held = halves(rows)[1][: given.limit]
    model = make("model", "word-head-ensemble", members=given.members, device=given.device).fit(())
    allowed = model.admissible("kidscook")
    queries, keys, blanks = [], [], []
    for number in held:
        row = rows[number]
        for which, (start, stop) in enumerate(row.blanks):
            for place in range(start, stop):
                queries.append(Query(row.abstract, row.concrete[:place], start, stop, row.blanks[:which]))
                keys.append(allowed.key(row.concrete[place]))
                blanks.append((number, which))
    table, _ = model.read_places(*merge(queries), [], "kidscook")
    print("oracle", json.dumps(measure(table, torch.tensor(keys), blanks)), flush=True)
    some = [pairs[at] for at in held]
    print("greedy", json.dumps(examined(model, some, ["greedy"])), flush=True)
    for way in given.ways:
        width, evidence, trust = way.split(":")
        beam = BeamMarginal(
            "word-head-ensemble", int(width), float(evidence), float(trust), given.device, members=given.members
        )
        beam.inner, beam.network_, beam.vocabulary_, beam.whitelist_ = model, model, model.vocabulary_, model.whitelist_
        print("beam-marginal", way, json.dumps(examined(beam, some, ["greedy"])), flush=True)


if __name__ == "__main__":
    main()
