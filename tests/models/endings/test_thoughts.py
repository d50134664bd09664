"""Skip-thoughts: what the network is asked, what it learns, and the released encoder's form."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.neural


def test_a_decoder_never_sees_the_word_it_tells():
    """Changing the last word of a neighbour changes the likelihood of that word alone."""
    from scenarist.models.endings.skip_thoughts import Sizes, ThoughtNetwork

    torch.manual_seed(1)
    network = ThoughtNetwork(Sizes(12, 6, 8, 8)).eval()
    middle = torch.tensor([[5, 6, 0], [7, 8, 9]])
    told = torch.tensor([[4, 5, 1], [6, 7, 1]])
    with torch.no_grad():
        thought = network.encoder(middle)
        states = []
        for last in (1, 9):
            changed = told.clone()
            changed[:, -1] = last
            known = network.encoder.words(torch.nn.functional.pad(changed[:, :-1], (1, 0)))
            states.append(network.tells[0](torch.cat([known, thought[:, None].expand(-1, 3, -1)], -1))[0])
    assert torch.equal(states[0], states[1])


def test_padding_changes_no_thought():
    from scenarist.models.endings.skip_thoughts import Sizes, ThoughtEncoder

    torch.manual_seed(1)
    encoder = ThoughtEncoder(Sizes(12, 6, 8)).eval()
    with torch.no_grad():
        alone, beside = encoder(torch.tensor([[5, 6]])), encoder(torch.tensor([[5, 6, 0, 0], [7, 8, 9, 4]]))
    assert torch.allclose(alone[0], beside[0], atol=1e-6)


def test_learning_lowers_the_loss_and_can_be_stopped():
    from scenarist.models.endings.skip_thoughts import Schedule, Sizes, ThoughtNetwork, learn

    texts = [[[3, 4], [5, 6], [7, 8], [9, 10]]] * 8
    losses: list[float] = []

    def watch(step, steps, loss):
        losses.append(loss)
        return False

    torch.manual_seed(1)
    learn(ThoughtNetwork(Sizes(12, 6, 8, 8)), texts, Schedule(60, 8, 1e-2), watch=watch)
    assert losses[-1] < 0.3 * losses[0]
    stopped: list[int] = []
    learn(
        ThoughtNetwork(Sizes(12, 6, 8, 8)),
        texts,
        Schedule(500, 8),
        watch=lambda step, steps, loss: bool(stopped.append(step)) or step >= 100,
    )
    assert stopped == [0, 100]


def test_a_setting_is_checked():
    from scenarist.errors import BadInput
    from scenarist.models.endings.skip_thoughts import SkipThoughts

    with pytest.raises(BadInput, match="own or release"):
        SkipThoughts(encoder="theirs")
    assert SkipThoughts(encoder="release").learns == "nothing"


def test_the_released_encoder_is_read(tmp_path, monkeypatch):
    """A release file written as training writes it comes back as the network it was."""
    safetensors = pytest.importorskip("safetensors.torch")
    from scenarist.models.endings import skip_thoughts
    from scenarist.models.endings.skip_thoughts import FIRST, Sizes, ThoughtEncoder

    torch.manual_seed(2)
    encoder = ThoughtEncoder(Sizes(FIRST + 3, 6, 8)).eval()
    table = encoder.words.weight.detach()
    scale = table.abs().amax(1).clamp(min=1e-6) / 127
    tensors = {"words": (table / scale[:, None]).round().to(torch.int8), "words.s": scale}
    tensors |= {f"reads.{name}": value.detach().half() for name, value in encoder.reads.named_parameters()}
    tensors["vocabulary"] = torch.tensor(list(b"ann\nran\nfell"), dtype=torch.uint8)
    folder = tmp_path / "weights" / "storycloze"
    folder.mkdir(parents=True)
    safetensors.save_file(tensors, folder / "skip-thoughts.safetensors")
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    skip_thoughts.released.cache_clear()
    try:
        found = skip_thoughts.SkipThoughts(encoder="release").encode(["Ann ran.", "Ann danced."])
        with torch.no_grad():
            right = encoder(torch.tensor([[3, 4], [3, 2]])).numpy()
        assert found == pytest.approx(right, abs=0.02)
    finally:
        skip_thoughts.released.cache_clear()
