"""EventGap -> Guesses from the documents that are like the chain: instance-based n-grams (Chambers 2017, section 4.5).

Counts are taken on the fly from the training documents that hold all, or ``share`` (X %), of the chain's events. Where no document
does, the model says so and backs off to the counts of all documents, as any model must that is asked anyway; the paper
does not say what it did.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import EventCounts, Floats, Ints, pairs_of
from scenarist.models.event_ranker import EventRanker, Gap
from scenarist.models.ngrams import Bigram, Unigram
from scenarist.question import EventGap


class Retrieval(EventRanker):
    """What both share: which documents are like the chain, and their counts."""

    keeps_chains = True
    share: float = 1.0

    def like(self, gap: Gap) -> Ints:
        """The documents that hold at least ``share`` of the chain's distinct events."""
        wanted = {at for at in gap.all if at >= 0}
        if not wanted:
            return np.zeros(0, np.int64)
        need = max(1, math.ceil(self.share * len(set(gap.all)) - 1e-9))
        hits = np.zeros(self.counts_.documents, np.int64)
        for at in wanted:
            hits[self.counts_.index.row(at)[0]] += 1
        return np.flatnonzero(hits >= need)

    def chains_of(self, documents: Ints) -> tuple[Ints, Ints]:
        """The chains of some documents, end to end, and where each starts."""
        assert self.counts_.chains is not None
        flat, start, _ = self.counts_.chains
        where = self.counts_.chain_spans
        chains = np.concatenate([np.arange(where[at], where[at + 1]) for at in documents.tolist()])
        sizes = start[chains + 1] - start[chains]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(start[chains] - begins[:-1], sizes) + np.arange(begins[-1])
        return flat[places], begins

    def said(self, question: EventGap, gap: Gap) -> str:
        found = len(self.like(gap))
        if found:
            return super().said(question, gap)
        return f"no training document holds {self.share:.0%} of the chain, so all documents were counted"


class InstanceUnigram(Retrieval):
    """Unigrams of the documents like the chain; events they lack follow in the order of all documents."""

    name = "unigram-instance"

    def __init__(
        self,
        share: float = 1.0,
        args: str = "single",
        forms: str = "lemma",
        minimum: int = 2,
        counts: str | Path | None = None,
    ) -> None:
        self.share = shared(share)
        super().__init__(args, forms, minimum, counts)

    def prepare(self, counts: EventCounts) -> None:
        self._all = Unigram().fit(counts).scores(Gap((), (), True))

    def scores(self, gap: Gap) -> Floats:
        documents = self.like(gap)
        if not len(documents):
            return self._all
        flat, _ = self.chains_of(documents)
        local = np.bincount(flat, minlength=len(self.counts_)).astype(np.float64)
        # events the documents lack: less than one count, in the order of all documents
        return np.log(local + np.exp(self._all) * 0.5)


class InstanceBigram(Retrieval):
    """Bigrams counted in the documents like the chain, otherwise eq. 2 and 3; the vocabulary E is that of all documents."""

    name = "bigram-instance"

    def __init__(
        self,
        share: float = 1.0,
        skip: int | str | None = 2,
        smoothing: float = 0.1,
        args: str = "single",
        forms: str = "lemma",
        minimum: int = 2,
        counts: str | Path | None = None,
    ) -> None:
        self.share = shared(share)
        self._model = Bigram(skip=skip, smoothing=smoothing)  # type: ignore[arg-type]
        super().__init__(args, forms, minimum, counts)

    def prepare(self, counts: EventCounts) -> None:
        self._whole = Bigram(self._model.skip, self._model.smoothing).fit(counts)

    def scores(self, gap: Gap) -> Floats:
        documents = self.like(gap)
        if not len(documents):
            return self._whole.scores(gap)
        flat, start = self.chains_of(documents)
        size = len(self.counts_)
        pairs, numbers = pairs_of(flat, start, size, self.counts_.window)
        events = np.bincount(flat, minlength=size)
        return self._model.fit(EventCounts(self.counts_.types, events, pairs, numbers, self.counts_.window)).scores(gap)

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        return self._whole.votes(gap, candidates)


def shared(share: float) -> float:
    if not 0 < share <= 1:
        raise BadInput(f"share is the part of the chain a document must hold, above 0 and at most 1, not {share}.")
    return share
