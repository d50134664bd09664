"""The chain of labels against brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.networks.label_chain import Array, best, chances


def weight(path: tuple[int, ...], emission: Array, switch: Array, enter: Array) -> float:
    """exp of a labelling's summed scores, both ways of staying counted."""
    total = np.exp(emission[0, path[0]] + enter[path[0]])
    for t in range(1, len(path)):
        anew = np.exp(switch[t] + enter[path[t]])
        total *= ((path[t] == path[t - 1]) + anew) * np.exp(emission[t, path[t]])
    return float(total)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 10_000))
def test_chances_are_those_of_brute_force(size: int, labels: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    emission, switch, enter = (
        draw.normal(0, 2, (size, labels)),
        draw.normal(-2, 1, size),
        np.log(draw.dirichlet(np.ones(labels))),
    )
    wanted = np.zeros((size, labels))
    for path in product(range(labels), repeat=size):
        for t, label in enumerate(path):
            wanted[t, label] += weight(path, emission, switch, enter)
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert np.allclose(chances(emission, switch, enter), wanted)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 10_000))
def test_the_best_path_is_the_best(size: int, labels: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    emission, switch, enter = (
        draw.normal(0, 2, (size, labels)),
        draw.normal(-2, 1, size),
        np.log(draw.dirichlet(np.ones(labels))),
    )

    def score(path: tuple[int, ...]) -> float:
        total = emission[0, path[0]] + enter[path[0]]
        for t in range(1, size):
            anew = switch[t] + enter[path[t]]
            total += (max(0.0, anew) if path[t] == path[t - 1] else anew) + emission[t, path[t]]
        return float(total)

    top = max(score(path) for path in product(range(labels), repeat=size))
    assert score(tuple(best(emission, switch, enter))) == pytest.approx(top)


def test_the_last_sentence_alone_may_be_told_by_another_label() -> None:
    """The back pointer of the last sentence: where it leads back to the label before, and where it stays."""
    emission = np.array([[3.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 9.0]])
    assert best(emission, np.full(3, -2.0), np.zeros(3)) == [0, 0, 2]
    assert best(emission[:2], np.full(2, -2.0), np.zeros(3)) == [0, 0]
    emission[2, 2] = 4.5
    assert best(emission, np.full(3, -9.0), np.zeros(3)) == [0, 0, 0]


def test_no_sentence_and_very_long_texts() -> None:
    assert best(np.zeros((0, 3)), np.zeros(0), np.zeros(3)) == []
    long = chances(np.random.default_rng(1).normal(0, 30, (5000, 4)), np.full(5000, -40.0), np.full(4, -1.4))
    assert np.isfinite(long).all()
    assert np.allclose(long.sum(axis=1), 1)
