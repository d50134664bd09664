"""Train the KidsCook word models and save them: pairs -> `release/kidscook/NAME-SEED.safetensors` (or --out).

    python -m training.kidscook.train lstm-lm seq2seq seq2seq-attention transducer transducer-param --seeds 1 2 3 --set dropout=0.2 hard=false
    python -m training.kidscook.train word-head pretrained-transducer causal-lm-tuned --device cuda

`hard=false` keeps the transducers to the marginal likelihood; without it Viterbi EM follows after ten epochs (`transducer-em-1` was made so).
After each model the quick measure of models/word_queries.py (match, top-5, surprisal; oracle and greedy; spans) is printed on dev, so
that a run on a machine without the bench still says what it made. What the runs printed that made the released in-domain files is in
results/kidscook-in-domain-dev.json.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from scenarist.corpora.kidscook import KidsCook
from scenarist.learning.alignments import shape
from scenarist.models.word_model import rows_of
from scenarist.models.word_queries import quick
from scenarist.registry import make

OUT = Path(__file__).parents[2] / "release" / "kidscook"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--set", nargs="*", default=[], help="settings as name=value, e.g. epochs=3 rate=0.0005")
    parser.add_argument("--limit", type=int, default=None, help="learn from the first pairs only (to try things out)")
    given = parser.parse_args()
    settings = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given.set)}
    train = list(KidsCook(split="train"))[: given.limit]
    dev = list(KidsCook(split="dev"))[: given.limit]
    held = rows_of(dev)
    for seed in given.seeds:
        for name in given.models:
            began, worked = time.monotonic(), time.process_time()
            model = make("model", name, seed=seed, device=given.device, log=lambda line: print("  ", line, flush=True), **settings)
            model.fit(train)
            model.save(given.out / f"{name}-{seed}.safetensors")
            spent = {"seconds": round(time.monotonic() - began), "cpu_seconds": round(time.process_time() - worked)}
            found = quick(model.network(), held, model.admissible("kidscook"))
            if hasattr(model, "align"):
                found["span/viterbi"] = shape(model.align(dev), {}).span
            print(json.dumps({"model": name, "seed": seed, **spent, **found}), flush=True)


if __name__ == "__main__":
    main()
