"""Put trained networks into `release/kidscook/`: bundles as the training run wrote them -> one small checkpoint a model and seed.

    python -m training.kidscook.release FOLDER

FOLDER holds `in-domain-SEED.safetensors` (several networks, `name/tensor`): the first session's. What
`training.kidscook.tune` writes is a checkpoint already; `training.publish` puts it into place.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from safetensors import safe_open

from scenarist.corpora import kidscook
from scenarist.networks import checkpoint as word_checkpoint

OUT = Path(__file__).parents[2] / "release" / "kidscook"
KINDS = {"transducer": "fixed", "transducer-param": "parameterised"}


def tensors(path: Path) -> dict[str, Any]:
    with safe_open(str(path), "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    lists = {"vocabulary": kidscook.vocabulary(), "whitelist": kidscook.whitelist()}
    for path in sorted(given.folder.glob("in-domain-*.safetensors")):
        seed = int(path.stem.rpartition("-")[2])
        held = tensors(path)
        for name in sorted({key.split("/")[0] for key in held if "/" in key}):
            state = {key.partition("/")[2]: value for key, value in held.items() if key.startswith(f"{name}/")}
            state["embed.weight"] = held["embed.weight"]
            settings: dict[str, Any] = {"hidden": 128, "vectors": "kidscook", "seed": seed}
            if name in KINDS:
                settings |= {"transitions": KINDS[name], "emission": "product"}
            word_checkpoint.save(
                OUT / f"{name}-{seed}.safetensors", name, settings, lists, word_checkpoint.shrink(state)
            )
    for path in sorted(OUT.glob("*.safetensors")):
        print(f"{path.name} {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
