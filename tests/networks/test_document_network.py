"""Whole-document encoders: how documents are laid out, that restoring gives the same network, and parity with the library's classes."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scenarist.networks.adapters import Lora, Setup  # noqa: E402
from scenarist.networks.checkpoint import Checkpoint, grow, shrink  # noqa: E402
from scenarist.networks.document_network import (  # noqa: E402
    STYLES,
    DocumentNetwork,
    LlamaEncoder,
    MiniLM,
    Pieces,
    Style,
    restore,
)


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
    network = DocumentNetwork(MiniLM(bert_state()), 4, units=8).eval()
    pieces = Pieces([[150, 151], [160], [170, 171, 172]])
    with torch.inference_mode():
        alone = network(*pieces.lay([[0, 1]], network.style), torch.tensor([[True, True]]))
        together = network(*pieces.lay([[0, 1], [2]], network.style), torch.tensor([[True, True], [True, False]]))
    assert torch.allclose(alone[0][0], together[0][0], atol=1e-5)
    assert torch.allclose(alone[1][0], together[1][0], atol=1e-5)


@pytest.mark.parametrize(("causal", "same"), [(True, True), (False, False)])
def test_the_causal_mask_can_be_switched_off(make_llama, causal: bool, same: bool) -> None:
    encoder = LlamaEncoder(make_llama(), causal=causal)
    one, two = torch.tensor([[1, 20, 30, 35]]), torch.tensor([[1, 20, 30, 39]])
    inside = torch.ones(1, 4, dtype=torch.bool)
    with torch.inference_mode():
        assert torch.allclose(encoder(one, inside)[0, 1], encoder(two, inside)[0, 1], atol=1e-6) is same


def kept(network: DocumentNetwork, small: dict, settings: dict) -> Checkpoint:
    """What a file gives back."""
    heads = {name: value for name, value in network.state_dict().items() if not name.startswith("encoder.")}
    return Checkpoint("document-network", settings, {"labels": ("None", "a", "b")}, grow(small) | heads)


def test_what_was_kept_of_minilm_is_restored() -> None:
    torch.manual_seed(1)
    state = bert_state()
    network = DocumentNetwork(MiniLM(state), 3, units=8).eval()
    change = {name: torch.randn_like(value) * 0.02 for name, value in network.encoder.learned().items()}
    network.encoder.add(change)
    held = kept(network, shrink(change), {"encoder": "minilm", "causal": False})
    restore(held, state)
    again = restore(held, state)  # the first has left the base as it was
    ids, owner = Pieces([[150, 151], [160]]).lay([[0, 1]], STYLES["minilm"])
    with torch.inference_mode():
        before, after = (one(ids, owner, torch.ones(1, 2, dtype=torch.bool)) for one in (network, again))
    assert torch.allclose(before[0], after[0], atol=0.05)
    assert torch.allclose(before[1], after[1], atol=0.05)
    assert not torch.allclose(before[0], DocumentNetwork(MiniLM(state), 3, units=8).eval()(ids, owner, torch.ones(1, 2, dtype=torch.bool))[0], atol=0.05)  # fmt: skip


def test_what_was_kept_of_a_llama_is_restored(make_llama) -> None:
    torch.manual_seed(1)
    llama = make_llama(words=200)
    lora = Lora.fresh(llama, 2, setup=Setup(2.0))
    for value in lora.parameters():
        value.data.normal_(0, 0.2)
    network = DocumentNetwork(LlamaEncoder(llama, lora), 3, units=8).eval()
    again = restore(kept(network, lora.packed(), {"encoder": "smollm2", "causal": False, "factor": 2.0}), llama)
    ids, owner = Pieces([[150, 151], [160]]).lay([[0, 1]], STYLES["smollm2"])
    with torch.inference_mode():
        before, after = (one(ids, owner, torch.ones(1, 2, dtype=torch.bool)) for one in (network, again))
    assert torch.allclose(before[0], after[0], atol=0.05)


def test_gradients_reach_what_is_learned_and_nothing_else() -> None:
    network = DocumentNetwork(MiniLM(bert_state()), 3, units=8).train()
    ids, owner = Pieces([[150, 151], [160]]).lay([[0, 1]], STYLES["minilm"])
    network(ids, owner, torch.ones(1, 2, dtype=torch.bool))[0].sum().backward()
    words = network.encoder.body.embeddings.word_embeddings.weight
    assert words.grad is None
    assert network.encoder.body.encoder.layer[0].intermediate.dense.weight.grad.abs().sum() > 0


def test_a_border_sees_the_sentence_before_it_and_the_first_sees_none():
    """The state before a sentence, not the first sentence's everywhere."""
    import torch

    from scenarist.networks.document_network import Chained

    torch.manual_seed(1)
    network = Chained(6, 4, 3, 0.0).eval()
    vectors, mask = torch.randn(1, 4, 6), torch.ones(1, 4, dtype=torch.bool)
    with torch.no_grad():
        _, switch, _ = network(vectors, mask)
        hidden, _ = network.rnn(vectors)
        before = torch.cat([torch.zeros_like(hidden[:, :1]), hidden[:, :-1]], 1)
        by_hand = network.edge(torch.cat([before, hidden], 2))[:, :, 0] - 2.0
    assert torch.allclose(switch, by_hand, atol=1e-5)


def test_the_usual_size_is_that_of_the_released_detectors():
    """`restore` reads the size from the file; a network made without one has the same."""
    network = DocumentNetwork(MiniLM(bert_state()), 4)
    assert network.sequence.rnn.hidden_size == 192
    assert (network.sequence.context.in_features, network.sequence.edge.in_features) == (384, 768)
