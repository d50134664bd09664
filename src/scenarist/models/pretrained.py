"""Name -> a pretrained causal language model and its tokenizer; needs the extra `lm`.

``smollm2`` is SmolLM2-135M-Instruct (Apache-2.0) from one GGUF file, found at ``SMOLLM2_GGUF`` or where ``scenarist get`` puts it.
Any other name is a Hugging Face model's (or a folder's).
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import scenarist.store as store
from scenarist.errors import Missing
from scenarist.models.gguf import load_llama, load_tokenizer

FILE = "smollm2-135m.gguf"


class Base(NamedTuple):
    """A model in evaluation mode, its tokenizer (``encode``) and the id that begins a text."""

    model: Any
    tokenizer: Any
    start: int

    def ids(self, text: str) -> list[int]:
        """Piece ids of a text, none added at either end."""
        found = self.tokenizer.encode(text)
        return list(getattr(found, "ids", found))


def gguf_file() -> Path:
    """Where SmolLM2 lies."""
    given = os.environ.get("SMOLLM2_GGUF")
    path = Path(given) if given else store.folder("weights") / FILE
    if not path.is_file():
        raise Missing(f"SmolLM2 is not at {path}. Put it there with: scenarist get smollm2, or name the file in SMOLLM2_GGUF.")
    return path


@cache
def _smollm2(path: Path) -> Base:
    return Base(load_llama(path), load_tokenizer(path), 0)


def load_base(name: str = "smollm2") -> Base:
    """The model of a name, loaded once a process: copy it before you change it."""
    if name == "smollm2":
        return _smollm2(gguf_file())
    return _hugging_face(name)


@cache
def _hugging_face(name: str) -> Base:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForCausalLM.from_pretrained(name).float().eval()
    except OSError as error:
        raise Missing(
            f"The model {name!r} could not be loaded: {error}\nWithout a hub, name a folder that holds it (config, weights, tokenizer)."
        ) from error
    begins = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    return Base(model, _Plain(tokenizer), int(begins or 0))


class _Plain:
    """A Hugging Face tokenizer without the tokens it would add at either end."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def encode(self, text: str) -> list[int]:
        """Piece ids of a text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False))
