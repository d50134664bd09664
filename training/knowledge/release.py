"""What training runs of `deep.py` left -> release/untold: `python -m training.knowledge.release RUN`.

Of each seed the adapters (`deep-1.safetensors`); and what the halves said of stories they had not seen (`teacher.npz`: MCScript and InScript,
`teacher-wide.npz`: ROCStories), which the small network learns from. The rows of table `untold` are recorded by
`scenarist bench untold --record`.
"""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path

import numpy as np

from scenarist.networks import checkpoint
from training.knowledge.student import answers

HERE = Path(__file__).parents[2] / "release" / "untold"
SEEDS = (1, 2, 3)
"""Trainings whose adapters are published."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("run", type=Path)
    options.add_argument("--teachers", default="*", help="seed of the halves, all of them where none is said")
    options.add_argument("--out", type=Path, default=HERE)
    args = options.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        held = checkpoint.load(args.run / f"deep-{seed}.safetensors", "gap-network")
        halves = {name: value.half() for name, value in held.state.items() if not name.startswith("labels")}
        lists = {"words": held.lists["words"]}
        checkpoint.save(args.out / f"deep-{seed}.safetensors", "gap-network", held.settings, lists, halves)
    for kind, name, most in (("held-verbs", "teacher", 50), ("held-wide", "teacher-wide", 20)):
        told = answers(sorted(args.run.glob(f"half-?-{args.teachers}-{kind}.npz")), most)
        np.savez_compressed(args.out / f"{name}.npz", **dict(zip(("id", "words", "top", "logp"), told, strict=True)))
    for path in sorted(args.out.glob("*.npz")):
        print(path.name, path.stat().st_size, sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
