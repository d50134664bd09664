"""EventGap -> Guesses with all arguments: unigram, bigram and PMI over multi-argument events (Pichotta and Mooney 2014; Chambers 2017,
section 4.4).

A right answer names the verb and who fills each of its places: ``x``, an entity of the chain by its variable, ``o`` or nobody. Candidates
are all events seen, and those with a shared entity once for each entity of the chain. An event of the chain votes for a candidate through
the pair as the two see each other (`learning.narrative.arguments`): sharing ``y`` where both have the entity, not sharing it otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import CountMatrix, EventCounts, Floats, Ints
from scenarist.learning.narrative.arguments import SHARED, multi_counts, others, seen_from
from scenarist.models.events.base import LISTED, EventRanker, expected_rank, named, top
from scenarist.models.events.instances import shared
from scenarist.models.events.ngrams import any_skip
from scenarist.networks.layers import logsumexp
from scenarist.question import Answer, AnyQuestion, EventGap, Guess, Prediction
from scenarist.store.recent import Recent
from scenarist.story import Link

LAST: Recent[tuple[object, ...], EventCounts] = Recent(1)
"""Counts of the last corpus: they serve several rows."""


def counted_arguments(data: Iterable[Any], minimum: int) -> EventCounts:
    """The counts of a corpus's events with their arguments, made once for the last one that can name itself."""
    key = named(data, "multi", minimum)
    if key is None:
        return multi_counts(documents(data, "lemma", "multi"), minimum)
    return LAST.get_or_make(key, lambda: multi_counts(documents(data, "lemma", "multi"), minimum))


class Cast(NamedTuple):
    """The candidates of one question: scores, and for each its event and the chain's entity that ``y`` stands for."""

    scores: Floats
    events: Ints
    entities: tuple[str, ...]
    """Per block of candidates: the first block has no shared entity."""
    blocks: tuple[int, ...]
    """Where each block begins."""


class QuestionCounts(NamedTuple):
    """The counts that a question is answered from: those of all documents, or of the documents that are like its chain."""

    first: CountMatrix
    second: CountMatrix
    events: Floats
    logp: Floats


KINDS = ("unigram", "bigram", "pmi", "unigram-instance", "bigram-instance")


class MultiArgument(EventRanker):
    """``by`` is unigram, bigram (eq. 2, 3) or pmi (eq. 4, 5; ``cutoff`` as in the single-argument model), or a unigram or bigram counted
    on the fly in the training documents that hold at least ``share`` of the chain's events (-instance, section 4.5); where no document
    does, in all documents. An event of the chain is looked for with its own places filled, whoever fills them.
    """

    name = "multi"

    def __init__(
        self,
        by: str = "bigram",
        skip: int | str | None = 5,
        smoothing: float = 0.1,
        cutoff: int = 0,
        minimum: int = 2,
        share: float = 1.0,
    ) -> None:
        if by not in KINDS:
            raise BadInput(f"multi: by is one of {', '.join(KINDS)}, not {by!r}.")
        if smoothing <= 0 or cutoff < 0:
            raise BadInput("multi: smoothing is above 0, cutoff 0 or more.")
        super().__init__("multi", "lemma", minimum)
        self.by, self.skip, self.smoothing, self.cutoff = by, any_skip(skip), smoothing, cutoff
        self.kind, _, instance = by.partition("-")
        self.instance, self.share = bool(instance), shared(share)

    def fit(self, data: Iterable[Any] | EventCounts) -> Self:
        """Learn from stories whose events have arguments."""
        if isinstance(data, EventCounts):
            self.counts_ = data
        else:
            self.counts_ = counted_arguments(data, self.minimum)
        if not len(self.counts_):
            raise BadInput(
                "multi: no chain with arguments in the training corpus; chains of verbs and roles alone have none."
            )
        counts = self.counts_
        if self.instance and counts.instances is None:
            raise Missing(
                "multi: counts that were kept in a file do not say which document holds what; learn from the stories themselves."
            )
        logp = np.log(counts.events / counts.total)
        self._whole = QuestionCounts(
            counts.ordered(self.skip), counts.reverse(self.skip), counts.events.astype(np.float64), logp
        )
        self._sum = self._whole.first.total
        self._near = counts.within(self.skip)
        ids = counts.ids
        shared = [at for at, name in enumerate(counts.types) if f"({SHARED}," in name or f",{SHARED}" in name]
        self._shared = np.array(shared, np.int64)
        plain = np.ones(len(counts), bool)
        plain[self._shared] = False
        self._plain = np.flatnonzero(plain)
        self._bare = np.array([ids.get(seen_from(parsed(counts.types[at]), None), -1) for at in shared], np.int64)
        self._casts: dict[AnyQuestion, Cast] = {}
        return self

    def score_ahead(self, questions: Sequence[AnyQuestion]) -> None:
        """Nothing: candidates differ from question to question."""

    def cast(self, question: AnyQuestion) -> Cast:
        """All candidates with their scores; remembered, for the runner asks for an answer and then for the key's rank."""
        found = self._casts.get(question)
        if found is None:
            if len(self._casts) >= 256:
                self._casts.clear()
            found = self._casts[question] = self.made(question)
        return found

    def made(self, question: AnyQuestion) -> Cast:
        """All candidates with their scores."""
        if not isinstance(question, EventGap):
            raise BadInput(f"multi answers questions about events (EventGap), not {type(question).__name__}.")
        links, gap = question.links, question.gap
        entities = tuple(dict.fromkeys(one for link in links for one in others(link)))
        alone = [self.counts_.ids.get(seen_from(link, None), -1) for link in links]
        ground = self.ground(alone)
        plain = self.sums(ground, alone, gap)
        blocks, parts, events = [0], [plain[self._plain]], [self._plain]
        for entity in entities:
            have = [entity in others(link) for link in links]
            with_it = [
                self.counts_.ids.get(seen_from(link, entity), -1) if has else -1
                for link, has in zip(links, have, strict=True)
            ]
            without = [at if not has else -1 for at, has in zip(alone, have, strict=True)]
            sharing = self.sums(ground, with_it, gap)[self._shared]
            apart = self.sums(ground, without, gap)
            lacking = np.where(self._bare >= 0, apart[self._bare], apart.min(initial=0.0))
            value = sharing + lacking
            if self.kind == "unigram":
                value = ground.logp[self._shared] - np.log(max(len(entities), 1))
            blocks.append(blocks[-1] + len(events[-1]))
            parts.append(value)
            events.append(self._shared)
        scores = np.concatenate(parts)
        whole = np.concatenate(events)
        if self.cutoff:
            scores = scores - 1e6 * (self.counts_.events[whole] < self.cutoff)
        return Cast(scores, whole, ("", *entities), tuple(blocks))

    def ground(self, context: Sequence[int]) -> QuestionCounts:
        """The counts to answer from: of all documents, or of those like the chain."""
        instances = self.counts_.instances
        if not self.instance or instances is None:
            return self._whole
        wanted = {event for event in context if event >= 0}
        hits = np.zeros(self.counts_.documents, np.int64)
        for event in wanted:
            hits[instances.index.row(event)[0]] += 1
        need = max(1, math.ceil(self.share * len(set(context)) - 1e-9))
        like = np.flatnonzero(hits >= need)
        if not len(like):
            return self._whole
        size = len(self.counts_)
        events = summed(instances.events, like, size)
        rows = summed(instances.pairs, like, len(self.counts_.pairs))
        chosen = np.flatnonzero((rows > 0) & self._near)
        first, second = self.counts_.pairs[chosen, 0], self.counts_.pairs[chosen, 1]
        logp = np.log(events + np.exp(self._whole.logp) * 0.5)  # what these documents lack follows in the order of all
        return QuestionCounts(
            CountMatrix.of(first, second, rows[chosen], size),
            CountMatrix.of(second, first, rows[chosen], size),
            events,
            logp - logsumexp(logp),
        )

    def sums(self, ground: QuestionCounts, context: list[int], gap: int | None) -> Floats:
        """What the events of the chain that are not -1 give to every event."""
        size, events = len(self.counts_), ground.events
        if self.kind == "unigram":
            return ground.logp
        scores = np.zeros(size)
        for place, at in enumerate(context):
            if at < 0:
                continue
            tables = (
                (ground.first, ground.second)
                if gap is None or self.kind == "pmi"
                else (ground.first,)
                if place < gap
                else (ground.second,)
            )
            seen = np.zeros(size)
            for table in tables:
                columns, counts = table.row(at)
                seen[columns] += counts
            if self.kind == "pmi":
                had = seen > 0
                scores[had] += np.log(seen[had] / self._sum) - ground.logp[at] - ground.logp[had]
            elif gap is None or place < gap:
                scores += np.log((seen + self.smoothing) / (events[at] + size * self.smoothing))
            else:
                scores += np.log((seen + self.smoothing) / (events + size * self.smoothing))
        return scores

    def spelled(self, cast: Cast, at: int) -> str:
        """A candidate with the variable of the chain's entity."""
        block = int(np.searchsorted(np.array(cast.blocks), at, side="right")) - 1
        name = self.counts_.types[int(cast.events[at])]
        entity = cast.entities[block]
        if not entity:
            return name
        link = parsed(name)
        return str(Link(link.predicate, link.role, tuple(entity if arg == SHARED else arg for arg in link.args)))

    def answer(self, question: AnyQuestion) -> Prediction:
        cast = self.cast(question)
        logp = normal(cast.scores)
        if isinstance(question, EventGap) and question.choices:
            floor = float(logp.min()) - 1.0
            rated = [
                (floor if (rate := self.rate(question, str(link))[0]) is None else rate, str(link))
                for link in question.choices
            ]
            rated.sort(key=lambda pair: (-pair[0], pair[1]))
            return Prediction("", tuple(Guess(text, value) for value, text in rated), by=self.name)
        best = top(logp, LISTED)
        guesses = tuple(Guess(self.spelled(cast, int(at)), float(logp[at])) for at in best)
        return Prediction("", guesses, by=self.name)

    def rate(self, question: AnyQuestion, answer: Answer) -> tuple[float | None, float | None]:
        cast = self.cast(question)
        logp = normal(cast.scores)
        link = parsed(str(answer))
        mine = others(link)
        entity = mine[0] if mine else ""
        behind = float(len(logp) + 1)
        if len(mine) > 1 or entity not in cast.entities:
            return None, behind
        at = self.counts_.ids.get(seen_from(link, entity or None), -1)
        block = cast.entities.index(entity)
        begin = cast.blocks[block]
        end = cast.blocks[block + 1] if block + 1 < len(cast.blocks) else len(cast.events)
        here = np.flatnonzero(cast.events[begin:end] == at)
        if at < 0 or not len(here):
            return None, behind
        place = begin + int(here[0])
        return float(logp[place]), expected_rank(logp, place)


def summed(table: CountMatrix, rows: Ints, size: int) -> Floats:
    """The sum of some rows of a table."""
    total = np.zeros(size)
    for row in rows.tolist():
        columns, counts = table.row(row)
        total[columns] += counts
    return total


def parsed(text: str) -> Link:
    """A multi-argument event as a link (its role, where it has one, is a preposition's)."""
    return Link.parse(text)


def normal(scores: Floats) -> Floats:
    """Scores as log-probabilities."""
    logp: Floats = scores - logsumexp(scores)
    return logp
