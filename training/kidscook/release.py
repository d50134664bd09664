"""Put trained networks into `release/kidscook/`: bundles as the training run wrote them -> one small checkpoint a model and seed.

    python -m training.kidscook.release FOLDER

FOLDER holds `in-domain-SEED.safetensors` (several networks, `name/tensor`) and adapter files (`word-head-final-1`, ...): the first session's. What
`training.kidscook.tune` writes is a checkpoint already; `training.publish` puts it into place.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from safetensors import safe_open

from scenarist.corpora import kidscook
from scenarist.models.words.head import Reading
from scenarist.networks import checkpoint as word_checkpoint

OUT = Path(__file__).parents[2] / "release" / "kidscook"
KINDS = {"transducer": "fixed", "transducer-param": "parameterised"}
ADAPTERS = {
    "word-head-final-1": ("word-head", "word-head-plain-1", {}),
    "causal-final-1": ("causal-lm-tuned", "causal-lm-tuned-1", {}),
}


def tensors(path: Path) -> dict[str, Any]:
    with safe_open(str(path), "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    words, white = kidscook.vocabulary(), kidscook.whitelist()
    for path in sorted(given.folder.glob("in-domain-*.safetensors")):
        seed = int(path.stem.rpartition("-")[2])
        held = tensors(path)
        for name in sorted({key.split("/")[0] for key in held if "/" in key}):
            state = {key.partition("/")[2]: value for key, value in held.items() if key.startswith(f"{name}/")}
            state["embed.weight"] = held["embed.weight"]
            settings: dict[str, Any] = {"hidden": 128, "vectors": "kidscook", "seed": seed}
            if name in KINDS:
                settings |= {"transitions": KINDS[name], "emission": "product"}
            word_checkpoint.save(OUT / f"{name}-{seed}.safetensors", name, settings, words, white, state)
    for stem, (kind, name, own) in ADAPTERS.items():
        path = given.folder / f"{stem}.safetensors"
        if not path.is_file():
            continue
        settings = {"base": "smollm2", "rank": 16, "scale": 32.0, "seed": 1, **own}
        if kind != "causal-lm-tuned":
            settings = {**Reading()._asdict(), **settings}
        else:
            settings |= {"prune": 0.0, "joint": "=>"}
        word_checkpoint.save(OUT / f"{name}.safetensors", kind, settings, words, white, tensors(path))
    for path in sorted(OUT.glob("*.safetensors")):
        print(f"{path.name} {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
