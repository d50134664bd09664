"""The deep reader of gaps on a network small enough to know: adapters are folded in, answers are mixed, labels are left to `reader`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.models.untold import deep as deep_untold
from scenarist.models.untold import deep as gap_text
from scenarist.models.untold.deep import DeepGaps, DeepReader, Gap, Ranked
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
    one, other = Gap("ab", ("abc",), ()), Gap("ab", ("abc", "abcd"), ("a",))
    found = net.logp([one, other, one])
    assert torch.equal(base.matrices["o"], before)  # the base network is left as it was
    for gap, line in zip((one, other), found, strict=False):
        ids = torch.tensor([gap_text.ids(gap, net.encode)])
        with torch.no_grad():
            state = base.states(ids, adapter=Lora.of(kept.state, 0.5))[0, -1]
            want = (kept.state["verbs"] @ state + kept.state["verbs_bias"]).log_softmax(0)
        assert np.allclose(line, want, atol=1e-4)
    assert np.array_equal(found[0], found[2]) and not np.allclose(found[0], found[1], atol=1e-3)
    monkeypatch.setattr(net.base, "states_of_trees", None)
    assert np.array_equal(net.logp([other])[0], found[1])  # remembered


def test_kept_answers_are_taken_for_the_same_question_only(base) -> None:
    net = DeepGaps(base, held(base))
    one, other = Gap("ab", ("abc",), ()), Gap("ab", ("abcd",), ())
    key = deep_untold.gap_key(gap_text.ids(one, net.encode))
    net.kept = {key: (np.array([1], np.uint16), np.log(np.array([0.9], np.float16)))}
    found = np.exp(net.logp([one, other]))
    assert np.allclose(found[0], [0.1, 0.9], atol=1e-3)
    assert not np.allclose(found[1], found[0], atol=1e-2)


def test_adapters_of_another_network_are_refused(base, make_llama) -> None:
    with pytest.raises(BadInput, match="width 16"):
        DeepGaps(make_llama(size=32), held(base))


def test_both_have_a_say() -> None:
    light = Ranked(["eat", "swim", "pay"], np.log(np.array([0.2, 0.1, 0.7], np.float32)))
    deep = np.log(np.array([0.5, 0.4, 0.1], np.float32))
    words = ["pay", "eat", "unheard"]
    alone = DeepReader(weight=0.0).mixed(words, deep, light)
    assert np.allclose(np.exp(alone.logp), [0.5, 0.4, 0.1], atol=1e-5)
    both = DeepReader(weight=1.0).mixed(words, deep, light)
    weights = np.array([0.5 * 0.7, 0.4 * 0.2, 0.1 * 0.1])
    assert np.allclose(np.exp(both.logp), weights / weights.sum(), atol=1e-5)


def test_seeds_name_their_files_and_several_speak_together(monkeypatch) -> None:
    assert DeepReader(seed=2).voices() == [("deep-2", "")]
    assert DeepReader(seed=13, kept=True).voices() == [("deep-1", "answers-1")]  # seed 13 was not trained with
    assert [one for one, _ in DeepReader(together=True).voices()] == ["deep-1", "deep-2", "deep-3"]
    chances = {"deep-1": [0.6, 0.4], "deep-2": [0.1, 0.9], "deep-3": [0.2, 0.8]}

    class Net:
        words = ("pay", "eat")

        def __init__(self, file: str, kept: str) -> None:
            self.line = np.log(np.array(chances[file], np.float32))

        def logp(self, asked: list[Gap]) -> Any:
            return np.stack([self.line] * len(asked))

    monkeypatch.setattr(deep_untold, "gaps", Net)
    text = "I sat down. I left."
    story = Story("s", text, sentences=(Sentence(0, 11), Sentence(12, 19)))
    question = Unsaid(story, "eating in a restaurant", 1)
    names, logp = DeepReader(together=True).ranked(question)
    assert list(names) == ["pay", "eat"]
    assert np.allclose(np.exp(logp), [0.3, 0.7], atol=1e-5)


def test_a_missing_file_says_how_to_get_it(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    with pytest.raises(Missing, match="scenarist get untold"):
        deep_untold.release_file("no-such-file.npz")
