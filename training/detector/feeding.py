"""Documents -> batches for the card, made by processes beside the training so that it never waits.

A batch holds documents of like length, at most ``budget`` pieces with their padding. The stream is endless and differs from worker to worker.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from scenarist.networks.document_network import Pieces, Style
from training.detector.documents import Document

TOP = 8
"""Labels of a sentence that are kept of the teachers' chances."""


class Taught(NamedTuple):
    """A document with the teachers' likeliest labels (T, TOP), their chances, and the chance of a change (T)."""

    document: Document
    labels: np.ndarray
    chances: np.ndarray
    changes: np.ndarray


class Batch(NamedTuple):
    """Pieces (R, L), or the numbers of all sentences (N) where there are none; whose they are (R, L); where each sentence stands in (B, T), which
    places are taken, labels, lengths; what teachers say."""

    ids: Tensor
    owner: Tensor
    place: Tensor
    mask: Tensor
    labels: Tensor
    lengths: Tensor
    tops: Tensor | None = None
    chances: Tensor | None = None
    changes: Tensor | None = None

    def to(self, device: str) -> Batch:
        """On the card, all but the lengths."""
        return Batch(
            *(
                one if one is None or name == "lengths" else one.to(device, non_blocking=True)
                for name, one in zip(self._fields, self, strict=True)
            )
        )


def laid(
    documents: list[Document], pieces: Pieces | None, style: Style | None, taught: list[Taught] | None = None
) -> Batch:
    """A batch of some documents."""
    if pieces is None or style is None:
        ids, owner = torch.tensor([at for one in documents for at in one.sentences]), torch.empty(0)
    else:
        ids, owner = pieces.lay([one.sentences for one in documents], style)
    lengths = torch.tensor([len(one.sentences) for one in documents])
    mask = torch.arange(int(lengths.max()))[None] < lengths[:, None]
    labels = torch.zeros(mask.shape, dtype=torch.long)
    labels[mask] = torch.tensor([max(label, 0) for one in documents for label in one.labels])
    place = mask.flatten().nonzero()[:, 0]
    if taught is None:
        return Batch(ids, owner, place, mask, labels, lengths)
    tops = torch.zeros(*mask.shape, TOP, dtype=torch.long)
    chances, changes = torch.zeros(*mask.shape, TOP), torch.zeros(mask.shape)
    tops[mask] = torch.from_numpy(np.concatenate([one.labels for one in taught]).astype(np.int64))
    chances[mask] = torch.from_numpy(np.concatenate([one.chances for one in taught]).astype(np.float32))
    changes[mask] = torch.from_numpy(np.concatenate([one.changes for one in taught]).astype(np.float32))
    return Batch(ids, owner, place, mask, labels, lengths, tops, chances, changes)


def grouped(documents: list[Document], pieces: Pieces | None, budget: int) -> list[list[int]]:
    """Numbers of documents of like length together, at most ``budget`` pieces a group with the padding; without pieces, so many documents."""
    if pieces is None:
        return [list(range(at, min(at + budget, len(documents)))) for at in range(0, len(documents), budget)]
    sizes = [int(pieces.counts[one.sentences].sum()) + len(one.sentences) + 1 for one in documents]
    found: list[list[int]] = [[]]
    for at in sorted(range(len(documents)), key=sizes.__getitem__):
        if found[-1] and (len(found[-1]) + 1) * sizes[at] > budget:
            found.append([])
        found[-1].append(at)
    return found


class Endless(IterableDataset):  # type: ignore[misc]
    """Batches without end, of documents that ``draw`` makes or takes from what teachers have labelled."""

    def __init__(
        self, draw: Callable[[random.Random], Document | Taught], pieces: list[tuple[Pieces | None, float]], style: Style | None, budget: int, seed: int
    ) -> None:  # fmt: skip
        self.draw, self.pieces, self.style, self.budget, self.seed = draw, pieces, style, budget, seed

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        rng = random.Random(f"{self.seed}-{worker.id if worker else 0}")
        ways, shares = zip(*self.pieces, strict=True)
        while True:
            drawn = [self.draw(rng) for _ in range(512)]
            taught = isinstance(drawn[0], Taught)
            documents = [one.document if isinstance(one, Taught) else one for one in drawn]
            groups = grouped(documents, self.pieces[0][0], self.budget)
            rng.shuffle(groups)
            for group in groups:
                some = [drawn[at] for at in group] if taught else None
                way = rng.choices(ways, shares)[0]
                yield laid([documents[at] for at in group], way, self.style, some)  # type: ignore[arg-type]


def stream(data: Endless, workers: int) -> Iterator[Batch]:
    """The batches, made by so many processes."""
    pinned = torch.cuda.is_available()
    loader = DataLoader(
        data, batch_size=None, num_workers=workers, prefetch_factor=6 if workers else None, pin_memory=pinned
    )
    return iter(loader)
