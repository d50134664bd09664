"""Name -> the adapter of SmolLM2 for stories: where the release files lie, and what is in each.

`stories` (language model and discriminator, seeds 1 to 3), `folds-1` (ten labelled classifiers, each blind to one fold of
contexts), `labelled` (one trained on all of the validation set), `ordering` (seeds 1 to 3). All but `stories` stand on top of `stories-1`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput, Missing, missing_extra
from scenarist.networks.pretrained import gguf_file
from scenarist.networks.smollm2 import Adapter, SmolLM2, network
from scenarist.store import home as store

release_file = partial(store.release_file, "storycloze")
"""A file of the release by its name."""


SEEDED = ("stories", "ordering")
"""Files that hold the adapters of several seeds, a part each."""


def story_files(*weights: str) -> list[Path]:
    """The files of adapters by name (`stories-2`, `folds-1`), of the adapter for stories that they stand on, and of SmolLM2."""
    return [*dict.fromkeys(adapter_file(name) for name in (*weights, "stories-1")), gguf_file()]


def adapter_file(weights: str) -> Path:
    """The file that holds some weights; a seed that was not trained is an error that names those that were."""
    name, _, seed = weights.rpartition("-")
    if name not in SEEDED:
        return release_file(f"{weights}.safetensors")
    path = release_file(f"{name}.safetensors")
    with path.open("rb") as file:  # a safetensors file begins with the size of its header, and the header
        names = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    check_seed(name, seed, names)
    return path


def check_seed(name: str, seed: str, tensors: Iterable[str]) -> None:
    """Does a file hold this seed?"""
    seeds = sorted({tensor.split(".", 1)[0] for tensor in tensors if tensor != "__metadata__"})
    if seed not in seeds:
        there = ", ".join(f"{name}-{known}" for known in seeds)
        raise Missing(f"The release storycloze has no weights {name}-{seed}. It has: {there}.")


@cache
def parts(name: str) -> tuple[dict[str, Any], float]:
    """All tensors of a release file, and the scale of its adapters."""
    try:
        from safetensors import SafetensorError, safe_open
    except ModuleNotFoundError as error:
        raise missing_extra("safetensors", "lm", "An adapter") from error
    path = release_file(name + ".safetensors")
    try:
        with safe_open(path, framework="pt") as file:
            return {key: file.get_tensor(key) for key in file.keys()}, float((file.metadata() or {}).get("scale", "2"))  # noqa: SIM118
    except SafetensorError as error:
        raise BadInput(
            f"{path}: not a whole safetensors file ({error}). Get it again with: scenarist get storycloze --again"
        ) from error


@cache
def adapter(name: str, part: str = "") -> Adapter:
    """One adapter of a release file."""
    tensors, scale = parts(name)
    begin = f"{part}." if part else ""
    chosen = {key[len(begin) :]: value for key, value in tensors.items() if key.startswith(begin)}
    if not chosen:
        check_seed(name, part, tensors)
    return Adapter(chosen, scale)


def seed_adapter(weights: str) -> Adapter:
    """The adapter of one seed by its name, such as `stories-2`: a file holds those of all seeds."""
    name, _, seed = weights.rpartition("-")
    if not name:
        raise BadInput(f"Weights are named with their seed, such as stories-1, not {weights!r}.")
    return adapter(name, seed)


@cache
def story_network(weights: str = "stories-1") -> SmolLM2:
    """SmolLM2 with the adapter for stories folded in."""
    return network().with_adapter(seed_adapter(weights))
