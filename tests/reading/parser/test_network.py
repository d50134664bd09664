"""The network's trees are trees, and the best ones; its recurrence is the one it was trained with."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarist.reading.parser.network import shape, spanning_tree, trees


def is_tree(heads: list[int]) -> bool:
    """Exactly one root, and every word reaches it."""
    for place in range(1, len(heads) + 1):
        steps = 0
        while place and steps <= len(heads):
            place, steps = heads[place - 1], steps + 1
        if place:
            return False
    return heads.count(0) == 1


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_always_one_tree(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(3, size, size + 1)).astype(np.float32)
    lengths = np.array([size, max(1, size - 1), 1])
    for heads, length in zip(trees(scores, lengths), lengths, strict=True):
        assert is_tree(heads[:length].tolist())


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10_000))
def test_best_tree_for_its_root(size: int, seed: int) -> None:
    """Of all trees with the same root, none scores higher (brute force)."""
    scores = np.random.default_rng(seed).normal(size=(size, size + 1))
    heads = spanning_tree(scores).tolist()
    root = heads.index(0)
    best = max(
        sum(scores[place, head] for place, head in enumerate(one))
        for one in product(range(size + 1), repeat=size)
        if is_tree(list(one)) and one[root] == 0
    )
    assert is_tree(heads)
    assert sum(scores[place, head] for place, head in enumerate(heads)) == pytest.approx(best)


def test_shape_keeps_case_and_digits() -> None:
    assert shape("I") == "X"
    assert shape("McDonald") == shape("McDonalds")
    assert shape("1984") != shape("word")


@pytest.mark.neural
def test_numpy_says_what_torch_says() -> None:
    """The carried weights in the network they were trained in give the same scores."""
    torch = pytest.importorskip("torch")
    batches = pytest.importorskip("training.reader.batches")
    network = pytest.importorskip("training.reader.network")
    from scenarist.reading.parser.network import ParserNetwork
    from scenarist.store.home import resource

    path = resource("reader/network.npz")
    words, labels, net = network.load(path)
    net.eval()
    sentences = [
        "Mia walked into a bakery .".split(),
        ["She", "ran", "."],
        "The guards caught Tom but he slipped away .".split(),
    ]
    rows = batches.prepare([{"w": words_} for words_ in sentences], labels)
    given, _ = batches.tensors(rows, words, None, "cpu")
    with torch.no_grad():
        out = net(given)
    for place, (words_, said) in enumerate(zip(sentences, ParserNetwork(path)(sentences), strict=True)):
        size = len(words_)
        assert said.tags.tolist() == out["t"][place, :size].argmax(-1).tolist()
        assert (said.heads + 1).tolist() == out["h"][place, :size].argmax(-1).tolist()
        assert np.allclose(said.realis, torch.softmax(out["r"][place, :size], -1)[:, 0].numpy(), atol=1e-3)
