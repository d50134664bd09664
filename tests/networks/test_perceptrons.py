"""The perceptrons' training against torch: the same gradients, the same steps of Adam."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.networks.perceptrons import Batch, OneVsAll

torch = pytest.importorskip("torch")


def test_every_step_is_adams() -> None:
    """Torch computes the gradients and the moments; the starting weights are drawn as ours are."""
    draw = np.random.default_rng(5)
    rows, width, units, rate = 24, 7, 6, 5e-3
    values = (draw.random((rows, width)) * 3).astype(np.float32)
    wanted = draw.integers(0, 2, rows).astype(np.float32)
    steps = [np.arange(12), np.arange(12, 24)] * 10
    batches = [Batch(np.arange(width), values[part], part) for part in steps]
    model = OneVsAll(units=units, dropout=0.0, rate=rate)
    ours = model.train(batches, wanted, width, np.random.default_rng(9))

    start = np.random.default_rng(9)
    limit = np.sqrt(6.0 / (width + units))
    into = torch.tensor(start.uniform(-limit, limit, (width, units)).astype(np.float32), requires_grad=True)
    out = torch.tensor(start.uniform(-0.2, 0.2, units).astype(np.float32), requires_grad=True)
    bias, shift = torch.zeros(units, requires_grad=True), torch.zeros(1, requires_grad=True)
    adam = torch.optim.Adam([into, out, bias, shift], lr=rate)
    for part in steps:
        adam.zero_grad()
        guess = torch.relu(torch.tensor(values[part]) @ into + bias) @ out + shift
        torch.nn.functional.binary_cross_entropy_with_logits(guess, torch.tensor(wanted[part])).backward()
        adam.step()
    np.testing.assert_allclose(ours.into, into.detach().numpy(), atol=2e-4)
    np.testing.assert_allclose(ours.out, out.detach().numpy(), atol=2e-4)
    np.testing.assert_allclose(ours.bias, bias.detach().numpy(), atol=2e-4)
    assert ours.shift == pytest.approx(float(shift.detach()), abs=2e-4)


def test_columns_that_do_not_occur_in_a_batch_stay_as_they_are() -> None:
    values = np.ones((4, 2), dtype=np.float32)
    batch = Batch(np.array([0, 2]), values, np.arange(4))
    model = OneVsAll(units=3, dropout=0.0)
    before = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 3))  # the limit of 3 and 3 is 1
    after = model.train([batch] * 3, np.ones(4, dtype=np.float32), 3, np.random.default_rng(1)).into
    np.testing.assert_allclose(after[1], before[1].astype(np.float32), atol=1e-6)
    assert not np.allclose(after[[0, 2]], before[[0, 2]], atol=1e-4)
