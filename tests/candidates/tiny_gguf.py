"""The model of a folder as a GGUF file, as llama.cpp's converter writes it: the same weights, the same pieces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

PARTS = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}  # fmt: skip


def write_tiny_gguf(folder: Path, path: Path, begins: bool = False, kinds: int | None = None) -> Path:
    """Write it; ``begins``: a text begins with the first piece; ``kinds``: so many kinds of pieces, where not one each."""
    import gguf
    from safetensors.numpy import load_file

    config, state = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    pieces = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    writer = gguf.GGUFWriter(path, "llama")
    for key, value in {"block_count": config["num_hidden_layers"], "embedding_length": config["hidden_size"],
                       "feed_forward_length": config["intermediate_size"], "context_length": config["max_position_embeddings"],
                       "vocab_size": config["vocab_size"], "attention.head_count": heads, "attention.head_count_kv": shared}.items():  # fmt: skip
        writer.add_uint32(f"llama.{key}", value)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", config["rms_norm_eps"])
    rope = config.get("rope_parameters") or config
    writer.add_float32("llama.rope.freq_base", rope["rope_theta"])
    words = sorted(pieces["vocab"], key=pieces["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(words)
    writer.add_token_types([3 if word in ("<s>", "</s>") else 1 for word in words][:kinds])
    writer.add_token_merges([" ".join(merge) if isinstance(merge, list) else merge for merge in pieces["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(begins)
    for name, weight in state.items():
        weight = np.ascontiguousarray(weight, dtype=np.float32)
        if name == "model.embed_tokens.weight":
            writer.add_tensor("token_embd.weight", weight)
        elif name == "model.norm.weight":
            writer.add_tensor("output_norm.weight", weight)
        elif name.startswith("model.layers."):
            number, _, part = name.removeprefix("model.layers.").removesuffix(".weight").partition(".")
            own = PARTS[part]
            if own in ("attn_q", "attn_k"):  # the file has the two halves of a head's rows interleaved
                count = heads if own == "attn_q" else shared
                rows = weight.reshape(count, 2, len(weight) // count // 2, -1).swapaxes(1, 2)
                weight = np.ascontiguousarray(rows.reshape(weight.shape))
            writer.add_tensor(f"blk.{number}.{own}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
