"""What a training run of `deep.py` left -> release/untold: `python -m training.knowledge.release RUN --name deep-2 --rows FILE --gguf FILE`.

The adapters (`deep.npz`), and the answers of that run on the dev questions of exam `untold` (`answers.npz`, the likeliest 200 verbs of each question, named
by a hash of what the network was shown), because a processor needs half a second a question.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from scenarist.models.deep_untold import gap_key
from scenarist.models.gap_text import Gap, ids
from scenarist.models.gguf import load_tokenizer
from scenarist.registry import make

HERE = Path(__file__).parents[2] / "release" / "untold"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("run", type=Path)
    options.add_argument("--name", required=True)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--gguf", type=Path, required=True)
    options.add_argument("--out", type=Path, default=HERE)
    args = options.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with np.load(args.run / f"{args.name}.npz") as kept:
        np.savez_compressed(args.out / "deep.npz", **{name: kept[name] for name in kept.files if not name.startswith(("labels", "names"))})
    asked = {item.id for item in make("exam", "untold").set(make("corpus", "mcscript", split="dev"))}
    tokenizer = load_tokenizer(args.gguf)
    keys = {}
    with gzip.open(args.rows, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if (row["corpus"], row["split"]) != ("mcscript", "dev"):
                continue
            for number in range(len(row["verbs"])):
                if f"{row['id']}.{number}" in asked:
                    said = row["sentences"]
                    gap = Gap(row["scenario"], tuple(said[:number]), tuple(said[number + 1 :]))
                    keys[f"{row['id']}.{number}"] = gap_key(ids(gap, lambda text: tokenizer.encode(text, add_special_tokens=False).ids))
    with np.load(args.run / f"{args.name}-dev.npz") as told:
        rows = [number for number, one in enumerate(told["verbs_id"]) if one in keys]
        names, logp = told["verbs_id"][rows], told["verbs"][rows]
    top = np.argsort(-logp.astype(np.float32), 1, kind="stable")[:, :200].astype(np.uint16)
    answers = np.take_along_axis(logp, top, 1)
    np.savez_compressed(args.out / "answers.npz", key=np.array([keys[str(one)] for one in names]), top=top, logp=answers)
    print(f"{len(names)} answers of {len(asked)} questions")


if __name__ == "__main__":
    main()
