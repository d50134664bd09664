"""Our GGUF reader against the `gguf` package, on a small file written here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.networks.gguf import Gguf, llama_config, llama_state

gguf = pytest.importorskip("gguf")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A one-layer llama with each tensor in another format."""
    path = tmp_path / "small.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    for key, value in {"block_count": 1, "embedding_length": 64, "feed_forward_length": 96, "context_length": 32,
                       "vocab_size": 10, "attention.head_count": 2, "attention.head_count_kv": 1}.items():  # fmt: skip
        writer.add_uint32(f"llama.{key}", value)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    writer.add_token_list(["a", "b"])
    writer.add_uint32("tokenizer.ggml.bos_token_id", 1)
    writer.add_uint32("tokenizer.ggml.eos_token_id", 2)
    rng = np.random.default_rng(3)
    kinds = gguf.GGMLQuantizationType
    shapes = {"token_embd": (10, 64, kinds.Q8_0), "blk.0.attn_q": (64, 64, kinds.Q4_1), "blk.0.attn_k": (32, 64, kinds.Q4_0),
              "blk.0.attn_v": (32, 64, kinds.F16), "blk.0.attn_output": (64, 64, kinds.F32), "blk.0.ffn_gate": (96, 64, kinds.Q4_1),
              "blk.0.ffn_up": (96, 64, kinds.Q8_0), "blk.0.ffn_down": (64, 96, kinds.Q4_1)}  # fmt: skip
    for name, (rows, columns, kind) in shapes.items():
        weight = rng.normal(size=(rows, columns)).astype(np.float32)
        writer.add_tensor(f"{name}.weight", gguf.quants.quantize(weight, kind), raw_dtype=kind)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", rng.normal(size=64).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_every_tensor_equals_the_package(small: Path) -> None:
    ours = Gguf(small)
    reference = gguf.GGUFReader(small)
    assert ours.names == tuple(tensor.name for tensor in reference.tensors)
    for tensor in reference.tensors:
        expected = gguf.dequantize(tensor.data, tensor.tensor_type)
        np.testing.assert_array_equal(ours.tensor(tensor.name), expected.reshape(ours.tensor(tensor.name).shape))
    assert ours.metadata["tokenizer.ggml.tokens"] == ["a", "b"]


def test_rotary_rows_are_put_back(small: Path) -> None:
    file = Gguf(small)
    stored = file.tensor("blk.0.attn_q.weight").reshape(2, 16, 2, 64)
    ours = llama_state(file)["model.layers.0.self_attn.q_proj.weight"].reshape(2, 2, 16, 64)
    np.testing.assert_array_equal(ours[:, 0], stored[:, :, 0])
    np.testing.assert_array_equal(ours[:, 1], stored[:, :, 1])
    assert llama_config(file)["tie_word_embeddings"] is True


def test_bad_files_are_named(tmp_path: Path, small: Path) -> None:
    with pytest.raises(Missing, match="scenarist get"):
        Gguf(tmp_path / "none.gguf")
    (tmp_path / "no.gguf").write_bytes(b"PK\x03\x04rest")
    with pytest.raises(BadInput, match="begins with"):
        Gguf(tmp_path / "no.gguf")
    with pytest.raises(BadInput, match="no tensor"):
        Gguf(small).tensor("blk.9.attn_q.weight")


def test_settings_of_each_kind_are_read(tmp_path: Path) -> None:
    path = tmp_path / "kinds.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint8("a.u8", 200)
    writer.add_int8("a.i8", -5)
    writer.add_uint16("a.u16", 60_000)
    writer.add_int16("a.i16", -300)
    writer.add_uint32("a.u32", 4_000_000_000)
    writer.add_int32("a.i32", -70_000)
    writer.add_float32("a.f32", 0.5)
    writer.add_bool("a.bool", True)
    writer.add_uint64("a.u64", 2**40)
    writer.add_int64("a.i64", -(2**40))
    writer.add_float64("a.f64", 0.1)
    writer.add_string("a.text", "soap")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    found = {key: value for key, value in Gguf(path).metadata.items() if key.startswith("a.")}
    assert found == {
        "a.u8": 200, "a.i8": -5, "a.u16": 60_000, "a.i16": -300, "a.u32": 4_000_000_000, "a.i32": -70_000, "a.f32": 0.5, "a.bool": True,
        "a.u64": 2**40, "a.i64": -(2**40), "a.f64": 0.1, "a.text": "soap",
    }  # fmt: skip
