"""Name -> the adapter of SmolLM2 for stories: where the release files lie, and what is in each.

`stories` (language model and discriminator, seeds 1 to 3), `folds` (ten labelled classifiers, each blind to one fold of
contexts), `labelled` (one trained on all of the validation set), `ordering`. All but `stories` stand on top of `stories`, seed 1.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput, missing_extra
from scenarist.networks.pretrained import gguf_file
from scenarist.networks.smollm2 import Adapter, SmolLM2, network
from scenarist.store import home as store

SEEDS = (1, 2, 3)


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
        raise BadInput(f"{name}: there is no part {part!r} in the release file.")
    return Adapter(chosen, scale)


def known_seed(seed: int) -> int:
    """The released seeds are 1, 2 and 3; any other number stands for one of them.

    >>> [known_seed(seed) for seed in (1, 3, 13)]
    [1, 3, 2]
    """
    return seed if seed in SEEDS else SEEDS[seed % len(SEEDS)]


@cache
def story_network(seed: int = 1) -> SmolLM2:
    """SmolLM2 with the adapter for stories folded in."""
    return network().with_adapter(adapter("stories", str(seed)))
