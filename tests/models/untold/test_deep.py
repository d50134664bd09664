"""The deep reader of gaps on a network small enough to know: adapters are folded in, answers are mixed, labels are left to `reader`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenarist.errors import BadInput, Missing
from scenarist.models.untold import deep as deep_untold
from scenarist.models.untold import deep as gap_text
from scenarist.models.untold.deep import MATRICES, DeepGaps, DeepReader, Gap, Ranked
from scenarist.question import Unsaid
from scenarist.story import Sentence, Story

torch = pytest.importorskip("torch")


class Base:
    """Stands for SmolLM2: one layer; the state at a place is the sum of the tokens so far, turned by the layer's `o`."""

    size = 3

    def __init__(self) -> None:
        shapes = {"qkv": (5, 3), "o": (3, 3), "gu": (4, 3), "down": (3, 2)}
        self.layers = [{"n1": torch.ones(3), **{name: torch.zeros(*shape) for name, shape in shapes.items()}}]
        self._tokenizer = self
        self.asked = 0

    def encode(self, text: str, add_special_tokens: bool) -> Any:
        return type("Encoded", (), {"ids": [len(word) for word in text.split()]})()

    def states(self, trees: Any) -> Any:
        self.asked += len(trees)
        longest = max(len(tree.ids) for tree in trees)
        made = torch.zeros(len(trees), longest, 3)
        for number, tree in enumerate(trees):
            sums = torch.cumsum(torch.tensor(tree.ids, dtype=torch.float32), 0)
            made[number, : len(tree.ids)] = sums[:, None] * self.layers[0]["o"].sum(1)
        return made


def arrays() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, weight in Base().layers[0].items():
        if name in MATRICES:
            made[f"0.{name}.up"], made[f"0.{name}.down"] = (
                np.zeros((weight.shape[0], 1), np.float16),
                np.zeros((1, weight.shape[1]), np.float16),
            )
    made["0.o.down"][:] = 1 / 3
    made["0.o.up"][0] = 0.125  # only the first number of a state is not zero
    return made | {
        "words": np.array(["pay", "eat"]), "verbs": np.array([[1, 0, 0], [0, 1, 0]], np.float16), "verbs_bias": np.array([0.0, 1.0], np.float16),
    }  # fmt: skip


def test_adapters_are_folded_in_and_the_gap_is_read() -> None:
    base = Base()
    net = DeepGaps(base, arrays())
    assert float(base.layers[0]["o"].sum()) == 0  # the base network is left as it was
    assert net.base.layers[0]["qkv"].shape == (5, 3)
    one, other = Gap("ab", ("abc",), ()), Gap("ab", ("abc", "abcd"), ("a",))
    found = net.logp([one, other, one])
    for line, total in zip(found, (0 + 2 + 1 + 2 + 3 + 3, 0 + 2 + 1 + 1 + 2 + 3 + 4 + 3, 11), strict=True):
        scores = np.array([0.125 * total, 1.0])
        assert np.allclose(line, scores - np.log(np.exp(scores).sum()), atol=1e-2)
    asked = net.base.asked
    net.logp([other])
    assert net.base.asked == asked  # remembered


def test_kept_answers_are_taken_for_the_same_question_only() -> None:
    net = DeepGaps(Base(), arrays())
    one, other = Gap("ab", ("abc",), ()), Gap("ab", ("abcd",), ())
    key = deep_untold.gap_key(gap_text.ids(one, net.encode))
    net.kept = {key: (np.array([1], np.uint16), np.log(np.array([0.9], np.float16)))}
    found = np.exp(net.logp([one, other]))
    assert np.allclose(found[0], [0.1, 0.9], atol=1e-3)
    assert net.base.asked == 1 and not np.allclose(found[1], found[0], atol=1e-2)


def test_adapters_of_another_network_are_refused() -> None:
    with pytest.raises(BadInput, match="width 3"):
        base = Base()
        base.size = 4
        DeepGaps(base, arrays())


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
    assert DeepReader(seed=2).voices() == [("deep-2.npz", "")]
    assert DeepReader(seed=13, kept=True).voices() == [("deep-1.npz", "answers-1.npz")]  # seed 13 was not trained with
    assert [one for one, _ in DeepReader(together=True).voices()] == ["deep-1.npz", "deep-2.npz", "deep-3.npz"]
    chances = {"deep-1.npz": [0.6, 0.4], "deep-2.npz": [0.1, 0.9], "deep-3.npz": [0.2, 0.8]}

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
