"""Whole-document encoders: how documents are laid out, that restoring gives the same network, and parity with the library's classes."""

from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scenarist.models.scenarios.document_network import STYLES, Bert, DocumentNetwork, Llama, Pieces, Style, restored  # noqa: E402


def bert_state(seed: int = 3) -> dict[str, np.ndarray]:
    """A MiniLM with random weights and a small vocabulary."""
    draw = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (200, 384), "embeddings.position_embeddings.weight": (512, 384),
        "embeddings.token_type_embeddings.weight": (2, 384), "embeddings.LayerNorm.weight": (384,), "embeddings.LayerNorm.bias": (384,),
    }  # fmt: skip
    for number in range(6):
        at = f"encoder.layer.{number}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{at}.{part}.weight": (384, 384), f"{at}.{part}.bias": (384,)}
        shapes |= {f"{at}.intermediate.dense.weight": (1536, 384), f"{at}.intermediate.dense.bias": (1536,)}
        shapes |= {f"{at}.output.dense.weight": (384, 1536), f"{at}.output.dense.bias": (384,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{at}.{part}.weight": (384,), f"{at}.{part}.bias": (384,)}
    return {name: draw.normal(0, 0.05, shape).astype(np.float32) for name, shape in shapes.items()}


def llama_state(layers: int = 2, seed: int = 4) -> dict[str, np.ndarray]:
    """A llama of SmolLM2's width with few layers."""
    draw = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (300, 576), "model.norm.weight": (576,)}
    for number in range(layers):
        at = f"model.layers.{number}"
        shapes |= {f"{at}.input_layernorm.weight": (576,), f"{at}.post_attention_layernorm.weight": (576,)}
        shapes |= {f"{at}.self_attn.q_proj.weight": (576, 576), f"{at}.self_attn.o_proj.weight": (576, 576)}
        shapes |= {f"{at}.self_attn.k_proj.weight": (192, 576), f"{at}.self_attn.v_proj.weight": (192, 576)}
        shapes |= {
            f"{at}.mlp.gate_proj.weight": (1536, 576),
            f"{at}.mlp.up_proj.weight": (1536, 576),
            f"{at}.mlp.down_proj.weight": (576, 1536),
        }
    return {name: draw.normal(0, 0.05, shape).astype(np.float32) for name, shape in shapes.items()}


def test_documents_are_laid_out_with_owners() -> None:
    pieces = Pieces([[5, 6], [7], [8, 9, 10]])
    ids, owner = pieces.lay([[0, 1], [2]], Style(1, 2, 3, 50))
    assert ids.tolist() == [[1, 5, 6, 2, 7, 2], [1, 8, 9, 10, 2, 0]]
    assert owner.tolist() == [[-1, 0, 0, 0, 1, 1], [-1, 2, 2, 2, 2, -2]]


def test_a_long_document_is_parted_evenly_and_loses_no_sentence() -> None:
    pieces = Pieces([[5] * 9] * 10)
    ids, owner = pieces.lay([list(range(10))], Style(1, None, 3, 41))
    assert ids.shape[0] == 3
    assert int((owner >= 0).sum(1).max()) <= 40
    assert sorted(set(owner[owner >= 0].tolist())) == list(range(10))


def test_one_sentence_does_not_see_another_document() -> None:
    network = DocumentNetwork(Bert(bert_state()), 4, units=8).eval()
    pieces = Pieces([[150, 151], [160], [170, 171, 172]])
    with torch.inference_mode():
        alone = network(*pieces.lay([[0, 1]], network.style), torch.tensor([[True, True]]))
        together = network(*pieces.lay([[0, 1], [2]], network.style), torch.tensor([[True, True], [True, False]]))
    assert torch.allclose(alone[0][0], together[0][0], atol=1e-5)
    assert torch.allclose(alone[1][0], together[1][0], atol=1e-5)


@pytest.mark.parametrize(("causal", "same"), [(True, True), (False, False)])
def test_the_causal_mask_can_be_switched_off(causal: bool, same: bool) -> None:
    encoder = Llama(llama_state(), causal).eval()
    one, two = torch.tensor([[1, 20, 30, 40]]), torch.tensor([[1, 20, 30, 99]])
    inside = torch.ones(1, 4, dtype=torch.bool)
    with torch.inference_mode():
        assert torch.allclose(encoder(one, inside)[0, 1], encoder(two, inside)[0, 1], atol=1e-6) is same


def test_what_was_kept_is_restored() -> None:
    torch.manual_seed(1)
    state = bert_state()
    network = DocumentNetwork(Bert(state), 3, units=8).eval()
    arrays: dict[str, np.ndarray] = {"labels": np.array(["None", "a", "b"])}
    arrays["about"] = np.array(json.dumps({"encoder": "minilm", "causal": False, "seed": 1}))
    with torch.no_grad():
        for name, value in network.encoder.learned.items():
            change = torch.randn_like(value) * 0.02
            value += change
            kept = change.numpy()
            if kept.ndim == 2:
                scale = np.abs(kept).max(axis=1) / 127
                arrays[f"encoder/{name}"] = np.round(kept / scale[:, None]).astype(np.int8)
                arrays[f"encoder/{name}/scale"] = scale.astype(np.float32)
            else:
                arrays[f"encoder/{name}"] = kept
    arrays |= {name: value.numpy() for name, value in network.state_dict().items() if not name.startswith("encoder.")}
    restored(arrays, state)
    again = restored(arrays, state)  # the first has left the base as it was
    ids, owner = Pieces([[150, 151], [160]]).lay([[0, 1]], STYLES["minilm"])
    with torch.inference_mode():
        before, after = (one(ids, owner, torch.ones(1, 2, dtype=torch.bool)) for one in (network, again))
    assert torch.allclose(before[0], after[0], atol=0.05)
    assert torch.allclose(before[1], after[1], atol=0.05)


def test_parity_with_the_library() -> None:
    transformers = pytest.importorskip("transformers")
    inside = torch.tensor([[True] * 9, [True] * 5 + [False] * 4])
    ids = torch.randint(5, 190, (2, 9))
    config = transformers.BertConfig(
        vocab_size=200, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536, layer_norm_eps=1e-12
    )  # fmt: skip
    theirs = transformers.BertModel(config, add_pooling_layer=False).eval()
    state = bert_state()
    theirs.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()}, strict=False)
    with torch.inference_mode():
        want = theirs(input_ids=ids, attention_mask=inside.long()).last_hidden_state
        assert torch.allclose(Bert(state).eval()(ids, inside)[inside], want[inside], atol=1e-4)
    small = transformers.LlamaConfig(
        vocab_size=300, hidden_size=576, num_hidden_layers=2, num_attention_heads=9, num_key_value_heads=3, intermediate_size=1536,
        rms_norm_eps=1e-5, rope_parameters={"rope_type": "default", "rope_theta": 100_000.0}, tie_word_embeddings=True,
    )  # fmt: skip
    llama = transformers.LlamaModel(small).eval()
    weights = llama_state()
    llama.load_state_dict({name.removeprefix("model."): torch.from_numpy(value) for name, value in weights.items()})
    with torch.inference_mode():
        want = llama(input_ids=ids, attention_mask=inside.long()).last_hidden_state
        assert torch.allclose(Llama(weights, causal=True).eval()(ids, inside)[inside], want[inside], atol=1e-4)
