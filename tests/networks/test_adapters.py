"""Adapters on a small llama: beside and inside the matrices, side by side, joined of parts, gradients, and the way through a file."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytestmark = pytest.mark.neural

from scenarist.errors import BadInput  # noqa: E402
from scenarist.networks import checkpoint  # noqa: E402
from scenarist.networks.adapters import JOINED, SINGLE, Lora, Setup, times_inside  # noqa: E402

IDS = torch.tensor([[0, 4, 5, 1], [3, 2, 8, 7]])


@pytest.fixture(scope="module")
def tiny(make_llama):
    return make_llama()


def drawn(llama, seeds=(1,), parts=JOINED, **setup) -> Lora:
    """Adapters that change something."""
    lora = Lora.fresh(llama, 2, seeds, parts, {"head": (16, 3)}, Setup(**setup))
    dice = torch.Generator().manual_seed(4)
    for value in lora.parameters():
        value.data.normal_(0, 0.2, generator=dice)
    return lora.eval()


def loss_of(llama, lora):
    return -llama.logp(llama.states(IDS, adapter=lora)[:, :-1], IDS[:, 1:]).sum()


def test_fresh_adapters_change_nothing(tiny):
    with torch.no_grad():
        for parts in (JOINED, SINGLE):
            assert torch.allclose(
                tiny.states(IDS), tiny.states(IDS, adapter=Lora.fresh(tiny, 4, parts=parts)), atol=1e-6
            )


@pytest.mark.parametrize("parts", [JOINED, SINGLE, ("q", "v")])
def test_beside_inside_and_folded_are_the_same(tiny, parts):
    beside, inside = drawn(tiny, parts=parts, beside=True), drawn(tiny, parts=parts)
    with torch.no_grad():
        changed = tiny.states(IDS, adapter=beside)
        assert not torch.allclose(changed, tiny.states(IDS), atol=1e-2)
        assert torch.allclose(tiny.states(IDS, adapter=inside), changed, atol=1e-4)
        assert torch.allclose(tiny.folded(inside).states(IDS), changed, atol=1e-4)


def test_what_is_added_is_the_product(tiny):
    """By hand: W + factor * up @ down, on the rows of the part."""
    lora = drawn(tiny, parts=("k",), factor=3.0)
    change = tiny.folded(lora).matrices["qkv"] - tiny.matrices["qkv"]
    assert torch.allclose(change[1, 16:24], 3 * lora.low["k_up"][1, 0] @ lora.low["k_down"][1, 0], atol=1e-5)
    assert not change[:, :16].any() and not change[:, 24:].any()


def test_side_by_side_is_one_by_one(tiny):
    both = drawn(tiny, seeds=(1, 2))
    with torch.no_grad():
        together = tiny.states(torch.cat([IDS, IDS]), adapter=both)
        for number, states in enumerate(together.split(2)):
            one = both.group(number)
            assert torch.allclose(states, tiny.states(IDS, adapter=one), atol=1e-4)
            assert torch.allclose(states, tiny.folded(both, number).states(IDS), atol=1e-4)
            assert torch.allclose(both.head(together[:, -1].view(2, 2, -1))[number], one.head(states[:, -1]), atol=1e-4)
        assert not torch.allclose(together[:2], together[2:], atol=1e-2)


@pytest.mark.parametrize("beside", [True, False])
def test_layers_computed_again_have_the_same_gradients(tiny, make_llama, beside):
    grads = []
    for again in (True, False):
        llama, lora = make_llama(), drawn(tiny, beside=beside)
        llama.again = again
        loss_of(llama, lora).backward()
        grads.append(lora.low["qkv_down"].grad)
    assert grads[0].abs().sum() > 1e-2
    assert torch.allclose(grads[0], grads[1], atol=1e-4)


def test_gradients_are_those_of_the_folded_matrices(tiny):
    """A small step along the gradient changes the loss by as much as it says."""
    lora = drawn(tiny)
    loss = loss_of(tiny, lora)
    loss.backward()
    step = 1e-3 * lora.low["o_up"].grad
    with torch.no_grad():
        lora.low["o_up"] += step
        change = float(loss_of(tiny, lora) - loss)
        assert change > 1e-3
        assert change == pytest.approx(float((step * lora.low["o_up"].grad).sum()), rel=0.1)


def test_through_a_file(tiny, tmp_path: Path):
    lora = drawn(tiny, seeds=(1, 2), parts=SINGLE)
    path = tmp_path / "test.safetensors"
    checkpoint.save(path, "test", {"factor": 2.0}, {"labels": ["a", "b"]}, lora.packed(["1", "2"]))
    held = checkpoint.load(path, "test")
    assert held.lists == {"labels": ("a", "b")}
    with torch.no_grad():
        for number, name in enumerate(("1", "2")):
            again = Lora.of(held.state, held.settings["factor"], [name])
            assert torch.allclose(tiny.states(IDS, adapter=again), tiny.folded(lora, number).states(IDS), atol=0.1)
            assert torch.allclose(again.heads["head"], lora.heads["head"][number : number + 1], atol=1e-3)
    assert not any(weight.requires_grad for weight in again.parameters())
    with pytest.raises(BadInput, match="no adapter '7'"):
        Lora.of(held.state, 2.0, ["7"])


def test_a_scale_may_lie_along_either_side():
    rows = {"w": torch.tensor([[1, 2], [3, 4]], dtype=torch.int8)}
    scale = torch.tensor([10.0, 100.0])
    assert checkpoint.grow({**rows, "w.scale": scale})["w"].tolist() == [[10, 20], [300, 400]]
    assert checkpoint.grow({**rows, "w.scale": scale[None]})["w"].tolist() == [[10, 200], [30, 400]]


def test_older_forms_are_converted(tmp_path: Path):
    """The four forms that there were before; the numbers stay as they are."""
    import json

    import numpy as np
    from safetensors.torch import save_file

    from training.convert_adapters import rename, rewrite

    down, up = torch.tensor([[1, -2]], dtype=torch.int8), torch.tensor([[3], [4], [5]], dtype=torch.int8)
    story = tmp_path / "stories.safetensors"
    own = {"1.0.o.A": down, "1.0.o.A.s": torch.tensor([0.5]), "1.0.o.B": up, "1.0.o.B.s": torch.tensor([2.0])}
    own |= {"1.head": torch.ones(2, 1), "1.head.b": torch.zeros(1, 1)}
    save_file(own, story, {"scale": "2.0", "rank": "1", "what": "a test"})
    kids = tmp_path / "word-head-1.safetensors"
    front, header = "body.body.layers.0.self_attn.o_proj", {"format": "1", "kind": "word-head", "settings": "{}"}
    scales = {f"{front}.down.scale": torch.tensor([0.5]).half(), f"{front}.up.scale": torch.full((3,), 2.0).half()}
    save_file({f"{front}.down": down, f"{front}.up": up, **scales, "head.bias": torch.ones(2)}, kids, header)
    teller = tmp_path / "teller-1.npz"
    np.savez(
        teller, **{"encoder/0-o-A": down.numpy(), "encoder/0-o-A/scale": np.array([0.5]), "encoder/0-o-B": up.numpy()},
        **{"encoder/0-o-B/scale": np.full(3, 2.0)}, sharp=np.array(0.1), labels=np.array(["None", "a"]),
        about=np.array(json.dumps({"encoder": "smollm2", "causal": True})),
    )  # fmt: skip
    gap = tmp_path / "deep-1.npz"
    low = {"0.o.down": np.array([[0.5, -1.0]]), "0.o.up": np.array([[6.0], [8], [10]]), "0.qkv.up": np.ones((3, 1))}
    np.savez(gap, words=np.array(["pay"]), rank=np.array(1), seed=np.array(1), **low)
    for path, kind, change in ((story, "stories", rename), (kids, "word-head", rename), (teller, "teller", rewrite), (gap, "gap-network", rewrite)):  # fmt: skip
        assert change(path)
        held = checkpoint.load(path, kind)
        begin = "1/" if kind == "stories" else ""
        assert held.state[f"{begin}0.o.down"].tolist() == [[0.5, -1.0]]
        assert held.state[f"{begin}0.o.up"].tolist() == [[6.0], [8.0], [10.0]]
        assert not change(path)  # it has the new form
    assert checkpoint.load(story, "stories").settings["factor"] == 2.0
    assert checkpoint.load(teller, "teller").lists["labels"] == ("None", "a")


def test_dropout_falls_on_what_a_layer_adds_and_on_nothing_else():
    matrices = {name: torch.ones(1, 400, 2) for name in ("o", "down", "qkv", "up")}
    for drop in (0.0, 0.5):
        times = times_inside(matrices, drop)
        torch.manual_seed(1)
        zeros = {name: int((times(torch.ones(1, 2), 0, name) == 0).sum()) for name in matrices}
        assert zeros["qkv"] == zeros["up"] == 0
        assert (zeros["o"] > 100 and zeros["down"] > 100) if drop else (zeros["o"] == zeros["down"] == 0)


def test_reading_computes_no_layer_twice():
    """Computing states again is for training, and switched on there."""
    from scenarist.networks.llama import Llama

    assert Llama.again is False
