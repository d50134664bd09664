"""The chain that detectors are trained with: its sum and gradient, what it holds likely, and batches of documents."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.neural
sys.path.append(str(Path(__file__).parents[2] / "training" / "detector"))

import crf  # noqa: E402
import numpy as np  # noqa: E402
from documents import Document  # noqa: E402
from feeding import TOP, Taught, grouped, laid  # noqa: E402

from scenarist.models.document_network import STYLES, Pieces  # noqa: E402


def chain(seed: int = 1) -> tuple[torch.Tensor, ...]:
    draw = torch.Generator().manual_seed(seed)
    emission = torch.randn(3, 5, 4, generator=draw, dtype=torch.double)
    switch = torch.randn(3, 5, generator=draw, dtype=torch.double)
    enter = torch.log_softmax(torch.randn(4, generator=draw, dtype=torch.double), 0)
    mask = torch.arange(5)[None] < torch.tensor([5, 3, 1])[:, None]
    return emission, switch, enter, mask


def test_the_sum_and_its_gradient_are_those_of_the_plain_loop() -> None:
    *parts, mask = chain()
    weights = torch.tensor([0.5, 2.0, 1.0], dtype=torch.double)
    found = []
    for way in (crf.log_sum, lambda *given: torch.logsumexp(crf.forward(*given)[:, -1], 1)):
        leaves = [part.clone().requires_grad_() for part in parts]
        total = way(*leaves, mask)
        found.append((total, *torch.autograd.grad((total * weights).sum(), leaves)))
    for ours, theirs in zip(*found, strict=True):
        assert torch.allclose(ours, theirs)


def test_beliefs_are_those_of_all_labellings_counted_out() -> None:
    emission, switch, enter, mask = (one[:1] if one.ndim > 1 else one for one in chain(2))
    found = crf.beliefs(emission, switch, enter, mask)
    labels, changes, total = torch.zeros(5, 4, dtype=torch.double), torch.zeros(5, dtype=torch.double), 0.0
    for path in itertools.product(range(4), repeat=5):
        chance = crf.gold(emission, switch, enter, mask, torch.tensor([path])).exp().item()
        total += chance
        for at, label in enumerate(path):
            labels[at, label] += chance
            changes[at] += chance * (at > 0 and label != path[at - 1])
    assert torch.allclose(found.labels[0], labels / total)
    assert torch.allclose(found.changes[0], changes / total)
    assert np.log(total) == pytest.approx(crf.log_sum(emission, switch, enter, mask).item())


def test_a_teacher_that_is_sure_teaches_like_a_label() -> None:
    emission, switch, enter, mask = chain(3)
    labels = torch.tensor([[0, 0, 2, 2, 1], [3, 1, 1, 0, 0], [2, 0, 0, 0, 0]])
    changes = torch.nn.functional.pad((labels[:, 1:] != labels[:, :-1]).double(), (1, 0))
    sure = torch.ones(3, 5, 1, dtype=torch.double)
    hoped = crf.hoped(emission, switch, enter, mask, labels[:, :, None], sure, changes)
    assert torch.allclose(hoped, crf.gold(emission, switch, enter, mask, labels))


def test_documents_of_like_length_come_together() -> None:
    pieces = Pieces([[7] * size for size in (1, 9, 2, 8)])
    documents = [Document([0], [1]), Document([1, 3], [2, 2]), Document([2], [0]), Document([3], [3])]
    groups = grouped(documents, pieces, budget=12)
    assert sorted(at for group in groups for at in group) == [0, 1, 2, 3]
    assert [0, 2] in groups
    taught = [Taught(one, np.zeros((len(one.sentences), TOP)), np.ones((len(one.sentences), TOP)) / TOP, np.zeros(len(one.sentences))) for one in documents]  # fmt: skip
    batch = laid(documents, pieces, STYLES["minilm"], taught)
    assert batch.mask.tolist() == [[True, False], [True, True], [True, False], [True, False]]
    assert batch.labels[batch.mask].tolist() == [1, 2, 2, 0, 3]
    assert [int((batch.owner == at).sum()) for at in range(5)] == [
        2,
        10,
        9,
        3,
        9,
    ]  # pieces and the mark that ends a sentence
    assert batch.chances is not None
    assert float(batch.chances.sum()) == pytest.approx(5)
