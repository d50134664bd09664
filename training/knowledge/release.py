"""What training runs of `deep.py` left -> release/untold: `python -m training.knowledge.release RUN --rows FILE --gguf FILE`.

Of each seed the adapters (`deep-1.safetensors`) and the answers of that run on the dev questions of exam `untold` (`answers-1.npz`, the likeliest 200 verbs
of each question, named by a hash of what the network was shown), because a processor needs half a second a question; and what the
halves said of stories they had not seen (`teacher.npz`: MCScript and InScript, `teacher-wide.npz`: ROCStories), which the small network learns from.
"""

from __future__ import annotations

import argparse
import gzip
import json
from hashlib import sha256
from pathlib import Path

import numpy as np

from scenarist.models.untold.deep import SEEDS, Gap, gap_key, ids
from scenarist.networks import checkpoint
from scenarist.networks.gguf import load_tokenizer
from scenarist.registry import make
from training.knowledge.student import answers

HERE = Path(__file__).parents[2] / "release" / "untold"
MOST = 200
"""Verbs kept of an answer."""


def keys_of(rows: Path, gguf: Path) -> dict[str, str]:
    """The dev questions by id, as hashes of what the network is shown."""
    asked = {item.id for item in make("exam", "untold").set(make("corpus", "mcscript", split="dev"))}
    tokenizer = load_tokenizer(gguf)
    keys = {}
    with gzip.open(rows, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if (row["corpus"], row["split"]) != ("mcscript", "dev"):
                continue
            for number in range(len(row["verbs"])):
                if f"{row['id']}.{number}" in asked:
                    said = row["sentences"]
                    gap = Gap(row["scenario"], tuple(said[:number]), tuple(said[number + 1 :]))
                    keys[f"{row['id']}.{number}"] = gap_key(
                        ids(gap, lambda text: tokenizer.encode(text, add_special_tokens=False).ids)
                    )
    print(f"{len(keys)} of {len(asked)} questions found in the rows")
    return keys


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("run", type=Path)
    options.add_argument("--rows", type=Path, required=True)
    options.add_argument("--gguf", type=Path, required=True)
    options.add_argument("--teachers", default="*", help="seed of the halves, all of them where none is said")
    options.add_argument("--out", type=Path, default=HERE)
    args = options.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    keys = keys_of(args.rows, args.gguf)
    for seed in SEEDS:
        held = checkpoint.load(args.run / f"deep-{seed}.safetensors", "gap-network")
        halves = {name: value.half() for name, value in held.state.items() if not name.startswith("labels")}
        lists = {"words": held.lists["words"]}
        checkpoint.save(args.out / f"deep-{seed}.safetensors", "gap-network", held.settings, lists, halves)
        with np.load(args.run / f"deep-{seed}-dev-verbs.npz") as told:
            rows = [number for number, one in enumerate(told["id"]) if one in keys]
            names, top, logp = told["id"][rows], told["top"][rows, :MOST], told["logp"][rows, :MOST]
        np.savez_compressed(
            args.out / f"answers-{seed}.npz", key=np.array([keys[str(one)] for one in names]), top=top, logp=logp
        )
    for kind, name, most in (("held-verbs", "teacher", 50), ("held-wide", "teacher-wide", 20)):
        told = answers(sorted(args.run.glob(f"half-?-{args.teachers}-{kind}.npz")), most)
        np.savez_compressed(args.out / f"{name}.npz", **dict(zip(("id", "words", "top", "logp"), told, strict=True)))
    for path in sorted(args.out.glob("*.npz")):
        print(path.name, path.stat().st_size, sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
