"""Name -> SmolLM2 with its adapters for stories: where the release files lie, and what is in each; extra `lm`.

`stories` (language model and discriminator, seeds 1 to 3), `folds` (ten labelled classifiers, each blind to one fold of
contexts), `labelled` (one trained on all of the validation set), `ordering`. All but `stories` stand on top of `stories`, seed 1.
"""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.networks.pretrained import gguf_file, smollm2
from scenarist.store import home as store

if TYPE_CHECKING:
    from scenarist.networks.adapters import Lora
    from scenarist.networks.llama import Llama

BOS, MARK, EOS, BACK = 0, 1, 2, 3
"""A story begins with BOS; MARK stands before an ending, EOS behind it; BACK between an ending and the story told after it."""
SEEDS = (1, 2, 3)

release_file = partial(store.release_file, "storycloze")
"""A file of the release by its name."""


def story_files(*more: str) -> list[Path]:
    """The files behind SmolLM2 with its adapters for stories, and other adapters by name."""
    return [gguf_file(), *(release_file(f"{name}.safetensors") for name in ("stories", *more))]


@lru_cache(maxsize=4)
def release(name: str) -> Any:
    """A release file of adapters."""
    from scenarist.networks import checkpoint

    return checkpoint.load(release_file(f"{name}.safetensors"), name)


@lru_cache(maxsize=16)
def adapter(name: str, part: str = "") -> Lora:
    """One adapter of a release file."""
    from scenarist.networks.adapters import Lora

    held = release(name)
    return Lora.of(held.state, held.settings["factor"], [part])


def known_seed(seed: int) -> int:
    """The released seeds are 1, 2 and 3; any other number stands for one of them.

    >>> [known_seed(seed) for seed in (1, 3, 13)]
    [1, 3, 2]
    """
    return seed if seed in SEEDS else SEEDS[seed % len(SEEDS)]


@lru_cache(maxsize=3)
def story_network(seed: int = 1) -> Llama:
    """SmolLM2 with the adapter for stories folded in."""
    return smollm2().folded(adapter("stories", str(seed)))
