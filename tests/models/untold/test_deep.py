"""The deep reader of gaps on a network small enough to know: adapters are folded in, answers are mixed, labels are left to `reader`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.models.untold import deep as deep_untold
from scenarist.models.untold.deep import DeepGaps, GapText, RankedVerbs, UntoldDeep
from scenarist.question import Unsaid
from scenarist.story import Sentence, Story

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scenarist.networks.adapters import Lora  # noqa: E402
from scenarist.networks.checkpoint import Checkpoint  # noqa: E402


class Encoder:
    """A word is as long as it is."""

    def encode(self, text: str, add_special_tokens: bool) -> Any:
        return type("Encoded", (), {"ids": [len(word) for word in text.split()]})()


@pytest.fixture
def base(make_llama) -> Any:
    return make_llama(tokenizer=Encoder())


def held(base: Any) -> Checkpoint:
    """What a file gives: drawn adapters, and a table of two verbs."""
    lora = Lora.fresh(base, 1)
    dice = torch.Generator().manual_seed(1)
    for value in lora.parameters():
        value.data.normal_(0, 0.3, generator=dice)
    state = {**lora.named(), "verbs": torch.randn(2, base.size, generator=dice), "verbs_bias": torch.tensor([0.0, 1.0])}
    return Checkpoint("gap-network", {"factor": 0.5}, {"words": ("pay", "eat")}, state)


def test_adapters_are_folded_in_and_the_gap_is_read(base, monkeypatch) -> None:
    kept = held(base)
    net, before = DeepGaps(base, kept), base.matrices["o"].clone()
    one, other = GapText("ab", ("abc",), ()), GapText("ab", ("abc", "abcd"), ("a",))
    found = net.logp([one, other, one])
    assert torch.equal(base.matrices["o"], before)  # the base network is left as it was
    for gap, line in zip((one, other), found, strict=False):
        ids = torch.tensor([deep_untold.gap_ids(gap, net.encode)])
        with torch.no_grad():
            state = base.states(ids, adapter=Lora.of(kept.state, 0.5))[0, -1]
            want = (kept.state["verbs"] @ state + kept.state["verbs_bias"]).log_softmax(0)
        assert np.allclose(line, want, atol=1e-4)
    assert np.array_equal(found[0], found[2]) and not np.allclose(found[0], found[1], atol=1e-3)
    monkeypatch.setattr(net.base, "states_of_trees", None)
    assert np.array_equal(net.logp([other])[0], found[1])  # remembered


def test_adapters_of_another_network_are_refused(base, make_llama) -> None:
    with pytest.raises(BadInput, match="width 16"):
        DeepGaps(make_llama(size=32), held(base))


def test_both_have_a_say() -> None:
    light = RankedVerbs(["eat", "swim", "pay"], np.log(np.array([0.2, 0.1, 0.7], np.float32)))
    deep = np.log(np.array([0.5, 0.4, 0.1], np.float32))
    words = ["pay", "eat", "unheard"]
    alone = UntoldDeep(weight=0.0).mixed(words, deep, light)
    assert np.allclose(np.exp(alone.logp), [0.5, 0.4, 0.1], atol=1e-5)
    both = UntoldDeep(weight=1.0).mixed(words, deep, light)
    weights = np.array([0.5 * 0.7, 0.4 * 0.2, 0.1 * 0.1])
    assert np.allclose(np.exp(both.logp), weights / weights.sum(), atol=1e-5)


def test_weights_are_named_and_several_speak_together(monkeypatch, tmp_path) -> None:
    assert [path.name for path in UntoldDeep(weights="deep-1").adapters()] == ["deep-1.npz"]
    assert UntoldDeep(weights=str(tmp_path / "own.npz")).adapters() == [tmp_path / "own.npz"]
    chances = {"deep-1.npz": [0.6, 0.4], "deep-2.npz": [0.1, 0.9], "deep-3.npz": [0.2, 0.8]}

    class Net:
        words = ("pay", "eat")

        def __init__(self, path: Path) -> None:
            self.line = np.log(np.array(chances[path.name], np.float32))

        def logp(self, asked: list[GapText]) -> Any:
            return np.stack([self.line] * len(asked))

    monkeypatch.setattr(deep_untold, "load_gaps", Net)
    text = "I sat down. I left."
    story = Story("s", text, sentences=(Sentence(0, 11), Sentence(12, 19)))
    question = Unsaid(story, "eating in a restaurant", 1)
    own = "+".join(str(tmp_path / name) for name in chances)
    names, logp = UntoldDeep(weights=own).ranked(question)
    assert list(names) == ["pay", "eat"]
    assert np.allclose(np.exp(logp), [0.3, 0.7], atol=1e-5)


def test_a_seed_that_was_not_trained_is_an_error_that_names_those_that_were() -> None:
    with pytest.raises(
        Missing, match=r"no weights deep-13.npz. It has: deep-1.npz. Other seeds .* are trained by: python -m"
    ):
        UntoldDeep(weights="deep-13").reads()
