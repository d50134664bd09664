"""Name -> the adapter of SmolLM2 for stories: where the release files lie, and what is in each.

`stories` (language model and discriminator, seeds 1 to 3), `folds-1` (ten labelled classifiers, each blind to one fold of
contexts), `labelled` (one trained on all of the validation set), `ordering` (seeds 1 to 3). All but `stories` stand on top of `stories-1`.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput, Missing, missing_extra
from scenarist.networks.pretrained import gguf_file
from scenarist.networks.smollm2 import Adapter, SmolLM2, network
from scenarist.store import home as store

release_file = partial(store.release_file, "storycloze")
"""A file of the release by its name."""


def story_files(*more: str) -> list[Path]:
    """The files behind SmolLM2 with its adapters for stories, and other adapters by name."""
    return [gguf_file(), *(release_file(f"{name}.safetensors") for name in ("stories", *more))]


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
        there = sorted({f"{name}-{key.split('.', 1)[0]}" for key in tensors})
        raise Missing(f"The release storycloze has no weights {name}-{part}. It has: {', '.join(there)}.")
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
