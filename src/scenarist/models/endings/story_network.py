"""Name -> SmolLM2 with its adapters for stories: where the release files lie, and what is in each; extra `lm`.

`stories` (language model and discriminator, seeds 1 to 3), `folds-1` (ten labelled classifiers, each blind to one fold of
contexts), `labelled` (one trained on all of the validation set), `ordering` (seeds 1 to 3). All but `stories` stand on top of `stories-1`.
"""

from __future__ import annotations

import json
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.errors import BadInput, Missing
from scenarist.networks.pretrained import gguf_file, smollm2
from scenarist.store import home as store

if TYPE_CHECKING:
    from scenarist.networks.adapters import Lora
    from scenarist.networks.llama import Llama

BOS, MARK, EOS, BACK = 0, 1, 2, 3
"""A story begins with BOS; MARK stands before an ending, EOS behind it; BACK between an ending and the story told after it."""
SEEDED = ("stories", "ordering")
"""Files that hold the adapters of several seeds, a group each."""

release_file = partial(store.release_file, "storycloze")
"""A file of the release by its name."""


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
        tensors = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    seeds = sorted({tensor.split("/")[0] for tensor in tensors if "/" in tensor})
    if seed not in seeds:
        there = ", ".join(f"{name}-{known}" for known in seeds)
        raise Missing(f"The release storycloze has no weights {weights}. It has: {there}.")
    return path


@lru_cache(maxsize=4)
def release(name: str) -> Any:
    """A release file of adapters."""
    from scenarist.networks import checkpoint

    return checkpoint.load(release_file(f"{name}.safetensors"), name.partition("-")[0])


@lru_cache(maxsize=16)
def adapter(name: str, part: str = "") -> Lora:
    """One adapter of a release file."""
    from scenarist.networks.adapters import Lora

    held = release(name)
    return Lora.of(held.state, held.settings["factor"], [part])


def seed_adapter(weights: str) -> Lora:
    """The adapter of one seed by its name, such as `stories-2`: a file holds those of all seeds."""
    name, _, seed = weights.rpartition("-")
    if name not in SEEDED:
        raise BadInput(
            f"Weights of this model are named {' or '.join(f'{kind}-1' for kind in SEEDED)}, not {weights!r}."
        )
    adapter_file(weights)
    return adapter(name, seed)


@lru_cache(maxsize=3)
def story_network(weights: str = "stories-1") -> Llama:
    """SmolLM2 with the adapter for stories folded in."""
    return smollm2().folded(seed_adapter(weights))
