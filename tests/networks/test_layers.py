"""Layers in numpy against torch's own."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.networks import layers

torch = pytest.importorskip("torch")
F = torch.nn.functional
X = np.random.default_rng(3).normal(0, 2, (4, 7)).astype(np.float32)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (layers.softmax, lambda x: F.softmax(x, -1)),
        (layers.log_softmax, lambda x: F.log_softmax(x, -1)),
        (layers.logsumexp, lambda x: torch.logsumexp(x, -1)),
        (lambda x: layers.logsumexp(x, 0), lambda x: torch.logsumexp(x, 0)),
        (layers.sigmoid, torch.sigmoid),
        (layers.relu, F.relu),
        (layers.leaky, lambda x: F.leaky_relu(x, 0.1)),
        (layers.gelu, F.gelu),
        (lambda x: layers.layer_norm(x, X[0], X[1]), lambda x: F.layer_norm(x, (7,), *map(torch.from_numpy, X[:2]))),
        (layers.unit, lambda x: F.normalize(x, dim=-1)),
    ],
)
def test_parity_with_torch(ours, theirs) -> None:
    np.testing.assert_allclose(ours(X), theirs(torch.from_numpy(X)).numpy(), atol=1e-5)


def test_cosine() -> None:
    assert layers.cosine(X[0], X[1]) == pytest.approx(
        float(F.cosine_similarity(*map(torch.from_numpy, X[:2]), dim=0)), abs=1e-5
    )
    assert layers.cosine(X[0], np.zeros(7)) == 0.0
