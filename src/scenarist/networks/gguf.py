"""GGUF file -> arrays and metadata: a small reader for llama-family weights, numpy only.

SmolLM2-135M comes from a package registry as one GGUF file (docs/how-to/kidscook.md). The `gguf` package reads it too, but takes 2.4
seconds to open it where this page takes 0.1, and brings three packages. Parity with it is a test. Formats: F32, F16, Q8_0, Q4_0 and
Q4_1, little endian, versions 2 and 3.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, Missing

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TEXT, ARRAY = 8, 9


def _half(blocks: Bytes) -> Floats:
    """Two bytes per row as one float per row, kept as a column."""
    return np.ascontiguousarray(blocks).view(np.float16).astype(np.float32)


def _nibbles(blocks: Bytes) -> Floats:
    """Sixteen bytes per row as 32 numbers: the low halves first, then the high halves."""
    return np.concatenate([blocks & 0x0F, blocks >> 4], axis=1).astype(np.float32)


def _f32(raw: Bytes) -> Floats:
    return raw.view(np.float32)


def _f16(raw: Bytes) -> Floats:
    return raw.view(np.float16).astype(np.float32)


def _q8_0(raw: Bytes) -> Floats:
    blocks = raw.reshape(-1, 34)  # scale, 32 signed bytes
    return _half(blocks[:, :2]) * np.ascontiguousarray(blocks[:, 2:]).view(np.int8).astype(np.float32)


def _q4_0(raw: Bytes) -> Floats:
    blocks = raw.reshape(-1, 18)  # scale, 32 halves of bytes, eight taken off
    return _half(blocks[:, :2]) * (_nibbles(blocks[:, 2:]) - 8.0)


def _q4_1(raw: Bytes) -> Floats:
    blocks = raw.reshape(-1, 20)  # scale, minimum, 32 halves of bytes
    return _half(blocks[:, :2]) * _nibbles(blocks[:, 4:]) + _half(blocks[:, 2:4])


KINDS: dict[int, tuple[str, int, int, Callable[[Bytes], Floats]]] = {
    0: ("F32", 1, 4, _f32),
    1: ("F16", 1, 2, _f16),
    2: ("Q4_0", 32, 18, _q4_0),
    3: ("Q4_1", 32, 20, _q4_1),
    8: ("Q8_0", 32, 34, _q8_0),
}
"""Number of the type -> its name, numbers per block, bytes per block, decoder."""


class Gguf:
    """An open GGUF file: ``metadata`` by key, ``names`` of the tensors, ``tensor(name)`` decoded to float32."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise Missing(f"There is no GGUF file at {self.path}. Put one there with: scenarist get smollm2-135m")
        with self.path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        if self._data[:4] != b"GGUF":
            raise BadInput(f"{self.path}: expected a GGUF file, but it begins with {self._data[:4]!r}")
        self._at = 4
        version = self._scalar("<I")
        if version not in (2, 3):
            raise BadInput(f"{self.path}: expected GGUF version 2 or 3, got {version}")
        tensors, pairs = self._scalar("<Q"), self._scalar("<Q")
        self.metadata: dict[str, Any] = {}
        for _ in range(pairs):
            key = self._text()
            self.metadata[key] = self._value(self._scalar("<I"))
        self._tensors: dict[str, tuple[tuple[int, ...], int, int]] = {}
        for _ in range(tensors):
            name = self._text()
            shape = tuple(self._scalar("<Q") for _ in range(self._scalar("<I")))[::-1]  # stored fastest axis first
            self._tensors[name] = (shape, self._scalar("<I"), self._scalar("<Q"))
        align = int(self.metadata.get("general.alignment", 32))
        self._base = -(-self._at // align) * align

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors in file order."""
        return tuple(self._tensors)

    def tensor(self, name: str) -> Floats:
        """One tensor, decoded, in row-major order (rows are outputs)."""
        if name not in self._tensors:
            raise BadInput(f"{self.path}: there is no tensor {name!r} among its {len(self._tensors)}")
        shape, number, offset = self._tensors[name]
        if number not in KINDS:
            raise BadInput(f"{self.path}: tensor {name!r} has quantisation type {number}; known: {sorted(KINDS)}")
        _, per_block, size, decode = KINDS[number]
        count = int(np.prod(shape))
        raw = np.frombuffer(self._data, np.uint8, count // per_block * size, self._base + offset)
        return decode(raw).reshape(shape)

    def _scalar(self, code: str) -> Any:
        size = struct.calcsize(code)
        (value,) = struct.unpack(code, self._data[self._at : self._at + size])
        self._at += size
        return value

    def _text(self) -> str:
        size = self._scalar("<Q")
        text = self._data[self._at : self._at + size].decode("utf-8")
        self._at += size
        return text

    def _value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._text()
        if kind == ARRAY:
            inner, count = self._scalar("<I"), self._scalar("<Q")
            return [self._value(inner) for _ in range(count)]
        if kind not in SCALARS:
            raise BadInput(f"{self.path}: unknown metadata type {kind}")
        return self._scalar(SCALARS[kind])


LAYER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
WHOLE = {"model.embed_tokens.weight": "token_embd", "model.norm.weight": "output_norm", "lm_head.weight": "output"}


def _halves(weight: Floats, heads: int) -> Floats:
    """Rotary pairs (0, 1), (2, 3), ... as two halves, which is how the Hugging Face code rotates."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def llama_weight(file: Gguf, name: str) -> Floats:
    """A tensor by the name that it has in Hugging Face's ``LlamaForCausalLM``."""
    if name in WHOLE:
        return file.tensor(f"{WHOLE[name]}.weight")
    _, _, number, part = name.removesuffix(".weight").split(".", 3)
    own = next(ours for ours, theirs in LAYER.items() if theirs == part)
    weight = file.tensor(f"blk.{number}.{own}.weight")
    heads = {"attn_q": "llama.attention.head_count", "attn_k": "llama.attention.head_count_kv"}
    return _halves(weight, int(file.metadata[heads[own]])) if own in heads else weight


def llama_state(file: Gguf) -> dict[str, Floats]:
    """All weights under those names (tied embeddings are given once)."""
    names = [name for name, own in WHOLE.items() if f"{own}.weight" in file.names]
    for number in range(int(file.metadata["llama.block_count"])):
        names += [f"model.layers.{number}.{part}.weight" for part in LAYER.values()]
    return {name: llama_weight(file, name) for name in names}


def llama_config(file: Gguf) -> dict[str, Any]:
    """The settings for ``transformers.LlamaConfig``."""
    meta = file.metadata
    return {
        "vocab_size": int(meta["llama.vocab_size"]),
        "hidden_size": int(meta["llama.embedding_length"]),
        "intermediate_size": int(meta["llama.feed_forward_length"]),
        "num_hidden_layers": int(meta["llama.block_count"]),
        "num_attention_heads": int(meta["llama.attention.head_count"]),
        "num_key_value_heads": int(meta["llama.attention.head_count_kv"]),
        "max_position_embeddings": int(meta["llama.context_length"]),
        "rms_norm_eps": float(meta["llama.attention.layer_norm_rms_epsilon"]),
        "rope_theta": float(meta.get("llama.rope.freq_base", 10000.0)),
        "tie_word_embeddings": "output.weight" not in file.names,
        "bos_token_id": int(meta["tokenizer.ggml.bos_token_id"]),
        "eos_token_id": int(meta["tokenizer.ggml.eos_token_id"]),
    }


def load_tokenizer(path: str | Path) -> Any:
    """The byte-level BPE tokenizer written inside a GGUF file, as a ``tokenizers.Tokenizer``."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    meta = Gguf(path).metadata
    if meta.get("tokenizer.ggml.model") != "gpt2":
        raise BadInput(
            f"{path}: expected a byte-level BPE tokenizer ('gpt2'), got {meta.get('tokenizer.ggml.model')!r}"
        )
    words: list[str] = meta["tokenizer.ggml.tokens"]
    merges: list[tuple[str, str]] = []
    for merge in meta["tokenizer.ggml.merges"]:
        left, _, right = merge.partition(" ")
        merges.append((left, right))
    tokenizer = Tokenizer(models.BPE(vocab={word: index for index, word in enumerate(words)}, merges=merges))
    split: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    if meta.get("tokenizer.ggml.pre") == "smollm":  # digits stand alone
        split.insert(0, pre_tokenizers.Digits(individual_digits=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split)
    tokenizer.decoder = decoders.ByteLevel()
    control = [word for word, kind in zip(words, meta["tokenizer.ggml.token_type"], strict=True) if kind == 3]
    tokenizer.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in control])
    return tokenizer
