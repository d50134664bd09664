"""EventGap -> Guesses from the documents that are like the chain: instance-based n-grams (Chambers 2017, section 4.5).

Counts are taken on the fly from the training documents that hold all, or ``share`` (X %), of the chain's events. Where no document
does, the model says so and backs off to the counts of all documents, as any model must that is asked anyway; the paper
does not say what it did.
"""

from __future__ import annotations

import math
from typing import Unpack

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_counts import EventCounts, Floats, Ints
from scenarist.models.events.base import Counting, EventRanker, Gap
from scenarist.models.events.ngrams import Bigram, Unigram, any_skip
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

    def prepare(self, counts: EventCounts) -> None:
        if counts.chains is None:
            raise Missing(
                f"{self.name} counts chains on the fly, and these counts were kept without them; learn again with --index."
            )
        self._flat, start, owner = counts.chains
        sizes = np.diff(start)
        self._document = np.repeat(owner, sizes)
        """The document of each event, ``_flat`` holding them end to end."""
        self._chain = np.repeat(np.arange(len(sizes)), sizes)
        self._longest = int(sizes.max(initial=0))
        self._order = np.argsort(self._flat, kind="stable")
        self._begin = np.searchsorted(self._flat[self._order], np.arange(len(counts) + 1))

    def chosen_documents(self, documents: Ints) -> npt.NDArray[np.bool_]:
        """Is a document among them?"""
        wanted = np.zeros(self.counts_.documents, bool)
        wanted[documents] = True
        return wanted

    def frequency(self, wanted: npt.NDArray[np.bool_]) -> Floats:
        """How often each event occurs in the chosen documents."""
        counts: Floats = np.bincount(self._flat[wanted[self._document]], minlength=len(self.counts_)).astype(np.float64)
        return counts

    def beside(self, at: int, step: int, farthest: int, wanted: npt.NDArray[np.bool_]) -> Floats:
        """How often each event stands after (``step`` 1) or before (-1) an event in a chain of the chosen documents."""
        places = self._order[self._begin[at] : self._begin[at + 1]]
        places = places[wanted[self._document[places]]]
        counts = np.zeros(len(self.counts_))
        for distance in range(1, min(farthest, self._longest - 1) + 1):
            there = places + step * distance
            inside = (there >= 0) & (there < len(self._flat))
            places, there = places[inside], there[inside]
            same = self._chain[there] == self._chain[places]
            places, there = places[same], there[same]
            if not len(places):
                break
            counts += np.bincount(self._flat[there], minlength=len(counts))
        return counts

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
        **counting: Unpack[Counting],
    ) -> None:
        self.share = shared(share)
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        super().prepare(counts)
        self._all = Unigram().fit(counts).scores(Gap((), (), True))

    def scores(self, gap: Gap) -> Floats:
        documents = self.like(gap)
        if not len(documents):
            return self._all
        # events the documents lack: less than one count, in the order of all documents
        return np.log(self.frequency(self.chosen_documents(documents)) + np.exp(self._all) * 0.5)


class InstanceBigram(Retrieval):
    """Bigrams counted in the documents like the chain, otherwise eq. 2 and 3; the vocabulary E is that of all documents."""

    name = "bigram-instance"

    def __init__(
        self,
        share: float = 1.0,
        skip: int | str | None = 2,
        smoothing: float = 0.1,
        **counting: Unpack[Counting],
    ) -> None:
        self.share = shared(share)
        self.skip, self.smoothing = any_skip(skip), smoothing
        super().__init__(**counting)

    def prepare(self, counts: EventCounts) -> None:
        super().prepare(counts)
        self._whole = Bigram(self.skip, self.smoothing).fit(counts)

    def scores(self, gap: Gap) -> Floats:
        documents = self.like(gap)
        if not len(documents):
            return self._whole.scores(gap)
        wanted = self.chosen_documents(documents)
        events, size = self.frequency(wanted), len(self.counts_)
        farthest = self.counts_.window if self.skip is None else self.skip + 1
        scores = np.zeros(size)
        for place, at in enumerate(gap.all):
            if at < 0:
                continue
            before = not gap.known or place < len(gap.before)
            seen = self.beside(at, 1, farthest, wanted) if before else self.beside(at, -1, farthest, wanted)
            if not gap.known:
                seen = seen + self.beside(at, -1, farthest, wanted)
            given = events[at] if before else events
            scores += np.log(seen + self.smoothing) - np.log(given + size * self.smoothing)
        return scores

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        return self._whole.votes(gap, candidates)


def shared(share: float) -> float:
    if not 0 < share <= 1:
        raise BadInput(f"share is the part of the chain a document must hold, above 0 and at most 1, not {share}.")
    return share
