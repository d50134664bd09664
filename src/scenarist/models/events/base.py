"""EventGap -> Guesses, for every model that scores all known events: what they share.

A subclass says how a chain scores the events (``scores``) and how much each event of the chain adds to some of them
(``votes``). Ranking, choices, ties, unseen events, log-probabilities and evidence are done here, once. Scores become
log-probabilities by normalising ``exp(score)`` over the known events, which leaves the ranking and its ties as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self, TypedDict

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_chains import documents
from scenarist.learning.event_counts import EventCounts, Floats, Ints
from scenarist.networks.layers import logsumexp
from scenarist.question import Answer, AnyQuestion, EventGap, Guess, Prediction, Question
from scenarist.store.recent import Recent
from scenarist.story import Link

LISTED = 50
"""Guesses an answer lists; the rank of a key is computed among all events, listed or not."""
BLOCK = 256
EXPLAINED = 10
"""Guesses that carry the chain events that voted for them."""

ALIASES = {
    "subj": ("nsubj", "nsubj:xcomp", "agent"), "obj": ("dobj", "nsubjpass"), "nsubj": ("subj",), "dobj": ("obj",),
    "nsubjpass": ("obj",), "agent": ("subj",), "iobj": ("prep_to", "obj"),
}  # fmt: skip
"""Other names of a role, tried in turn where a chain uses another inventory than the model's."""


class Gap(NamedTuple):
    """A question in the model's numbers."""

    before: tuple[int, ...]
    """Events before the gap (all events where the position is not told); -1 for an unseen event."""
    after: tuple[int, ...]
    known: bool
    """Is the position told?"""

    @property
    def all(self) -> tuple[int, ...]:
        """The whole chain."""
        return self.before + self.after


class Counting(TypedDict, total=False):
    """How chains are counted: the settings that all event models share (see ``EventRanker``)."""

    args: str
    forms: str
    minimum: int
    counts: str | Path | None


class EventRanker:
    """Base of the event models. ``minimum`` is the shortest chain that is counted (2: singletons are ignored)."""

    name = "event-ranker"
    learns = "stories"
    asks: tuple[type[Question], ...] = (EventGap,)
    keeps_chains = False
    """Does the model need the chains themselves, not only their counts?"""

    def __init__(
        self, args: str = "single", forms: str = "lemma", minimum: int = 2, counts: str | Path | None = None
    ) -> None:
        self.args, self.forms, self.minimum = args, forms, minimum
        self.counts_: EventCounts
        self._scored: dict[EventGap, Floats] = {}
        if counts is not None:
            self.fit(EventCounts.load(Path(counts)))

    def fit(self, data: Iterable[Any] | EventCounts) -> Self:
        """Learn from stories, chains, or counts that are ready."""
        self.counts_ = data if isinstance(data, EventCounts) else counted(data, self.args, self.forms, self.minimum)
        if not len(self.counts_):
            raise BadInput(f"{self.name}: no chain of {self.minimum} or more events in the training corpus.")
        self._scored.clear()
        self.prepare(self.counts_)
        return self

    def prepare(self, counts: EventCounts) -> None:
        """Make the tables the model ranks with."""

    def scores(self, gap: Gap) -> Floats:
        """A score for every event, higher is better."""
        raise NotImplementedError

    def votes(self, gap: Gap, candidates: Ints) -> npt.NDArray[np.float64]:
        """What each event of the chain adds to each candidate: [chain, candidates]. Zero where the model has no votes."""
        return np.zeros((len(gap.all), len(candidates)))

    # What follows is the same for every model.

    def gap(self, question: AnyQuestion) -> Gap:
        """The question in numbers."""
        if not isinstance(question, EventGap):
            raise BadInput(f"{self.name} answers questions about events (EventGap), not {type(question).__name__}.")
        ids = tuple(self.id_of(link) for link in question.links)
        if question.gap is None:
            return Gap(ids, (), False)
        return Gap(ids[: question.gap], ids[question.gap :], True)

    def id_of(self, link: Link) -> int:
        """The number of an event, by another name of its role where that is how the model knows it; -1 for unseen."""
        ids = self.counts_.ids
        at = ids.get(str(link))
        if at is None:
            others = (ids.get(str(Link(link.predicate, role, link.args))) for role in ALIASES.get(link.role, ()))
            at = min((one for one in others if one is not None), default=-1)  # ids are ranks: the commonest
        return at

    def scored(self, question: AnyQuestion) -> Floats:
        """Log-probabilities of all events."""
        self.gap(question)
        assert isinstance(question, EventGap)
        found = self._scored.get(question)
        if found is None:
            self.score_ahead([question])
            found = self._scored[question]
        return found

    def score_ahead(self, questions: Sequence[AnyQuestion]) -> None:
        """Score some questions at once and remember it: a batch costs some models much less than its parts."""
        fresh = list(dict.fromkeys(one for one in questions if isinstance(one, EventGap) and one not in self._scored))
        if len(self._scored) + len(fresh) > 512:
            self._scored.clear()
        if fresh:
            self._scored.update(zip(fresh, self.score_many(fresh), strict=True))

    def score_many(self, questions: Sequence[EventGap]) -> Sequence[Floats]:
        """Log-probabilities of all events for each of some questions."""
        found = []
        for question in questions:
            raw = self.scores(self.gap(question))
            found.append(raw - logsumexp(raw))
        return found

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """The answers to a batch, as the runner asks."""
        for question in questions:
            self.gap(question)
        answers: list[Prediction] = []
        for at in range(0, len(questions), 256):
            part = questions[at : at + 256]
            self.score_ahead(part)
            answers += [self.answer(question) for question in part]
        return answers

    def answer(self, question: AnyQuestion) -> Prediction:
        """The best events, or the choices in order."""
        gap = self.gap(question)
        logp = self.scored(question)
        assert isinstance(question, EventGap)
        if question.choices:
            return self.chosen(question, logp)
        best = top(logp, LISTED)
        why = self.reasons(question, gap, best[:EXPLAINED])
        guesses = tuple(
            Guess(self.counts_.types[at], float(logp[at]), why[place] if place < len(why) else ())
            for place, at in enumerate(best)
        )
        return Prediction("", guesses, by=self.name, note=self.said(question, gap))

    def chosen(self, question: EventGap, logp: Floats) -> Prediction:
        """The choices ranked; one never seen gets less than any that was."""
        ids = [self.id_of(link) for link in question.choices]
        floor = float(logp.min()) - 1.0
        rated = [
            (float(logp[at]) if at >= 0 else floor, str(link)) for at, link in zip(ids, question.choices, strict=True)
        ]
        rated.sort(key=lambda one: (-one[0], one[1]))
        unseen = sum(at < 0 for at in ids)
        note = f"{unseen} of {len(ids)} choices were never seen in training" if unseen else ""
        return Prediction("", tuple(Guess(text, value) for value, text in rated), by=self.name, note=note)

    def said(self, question: EventGap, gap: Gap) -> str:
        """What the user should know of the answer."""
        unseen = [str(link) for link, at in zip(question.links, gap.all, strict=True) if at < 0]
        if not unseen:
            return ""
        if len(unseen) == len(gap.all):
            return f"never seen in training, so events are ranked by frequency alone: {', '.join(unseen)}"
        return f"never seen in training and passed over: {', '.join(unseen)}"

    def reasons(self, question: EventGap, gap: Gap, candidates: Ints) -> list[tuple[str, ...]]:
        """For each candidate the chain events that spoke most for it."""
        if not gap.all:
            return [() for _ in candidates]
        votes = self.votes(gap, candidates)
        names = [str(link) for link in question.links]
        found: list[tuple[str, ...]] = []
        for column in votes.T:
            order = np.argsort(-column, kind="stable")[:3]
            found.append(tuple(f"{names[at]} {column[at]:+.2f}" for at in order if column[at] > 1e-9))
        return found

    def rank(self, question: AnyQuestion, answer: Answer) -> float | None:
        """The expected rank of an answer among all events; behind all of them where it was never seen."""
        return self.rate(question, answer)[1]

    def logp(self, question: AnyQuestion, answer: Answer) -> float | None:
        """The log-probability of an answer, None where it was never seen."""
        return self.rate(question, answer)[0]

    def rate(self, question: AnyQuestion, answer: Answer) -> tuple[float | None, float | None]:
        """Log-probability and expected rank of an answer."""
        if isinstance(question, EventGap) and question.choices:
            return None, None
        logp = self.scored(question)
        at = (
            self.id_of(Link.parse(str(answer)))
            if str(answer) not in self.counts_.ids
            else self.counts_.ids[str(answer)]
        )
        if at < 0:
            return None, float(len(logp) + 1)
        return float(logp[at]), expected_rank(logp, at)

    def rate_many(
        self, questions: Sequence[AnyQuestion], answers: Sequence[Answer]
    ) -> list[tuple[float | None, float | None]]:
        """``rate`` for a batch, as the runner asks."""
        return [self.rate(question, answer) for question, answer in zip(questions, answers, strict=True)]


def top(scores: Floats, most: int) -> Ints:
    """The places of the highest scores, best first, ties by id (the commoner event)."""
    if len(scores) <= most:
        return np.lexsort((np.arange(len(scores)), -scores))
    if len(scores) > BLOCK * most:
        # at least ``most`` scores are as high as the most-th highest of the blocks' maxima: nothing below can matter
        whole = len(scores) // BLOCK * BLOCK
        highest = np.append(scores[:whole].reshape(-1, BLOCK).max(1), scores[whole:].max(initial=-np.inf))
        edge = np.partition(highest, len(highest) - most)[len(highest) - most]
        near = np.flatnonzero(scores >= edge) if np.isfinite(edge) else np.arange(len(scores))
    else:
        near = np.arange(len(scores))
    values = scores[near]
    edge = np.partition(values, len(values) - most)[len(values) - most]
    above = near[values > edge]
    level = near[values == edge][: most - len(above)]
    places = np.concatenate([above, level])
    return places[np.lexsort((places, -scores[places]))]


def expected_rank(scores: Floats, at: int) -> float:
    """The rank of one place, ties shared.

    >>> expected_rank(np.array([0.5, 0.2, 0.2, 0.1]), 1)
    2.5
    """
    here = scores[at]
    return float((scores > here).sum()) + (float((scores == here).sum()) + 1) / 2


LAST: Recent[tuple[object, ...], EventCounts] = Recent(3)
"""Counts of the last few corpora that can name themselves: they serve several models."""


def counted(data: Iterable[Any], args: str, forms: str, minimum: int) -> EventCounts:
    """The counts of a corpus, made once for the last few."""
    key = named(data, args, forms, minimum)
    if key is None:
        return EventCounts.of(documents(data, forms, args), minimum)
    return LAST.get_or_make(key, lambda: EventCounts.of(documents(data, forms, args), minimum))


def named(data: Any, *view: object) -> tuple[object, ...] | None:
    """What tells one corpus from another: name, split, settings and file; None where a corpus does not say."""
    parts = getattr(data, "corpora", None)
    key: list[object] = []
    for part in parts if parts is not None else [data]:
        if not (hasattr(part, "name") and hasattr(part, "split") and hasattr(part, "file")):
            return None
        settings = sorted(part.settings().items()) if hasattr(part, "settings") else []
        path = part.file()
        key.append((part.name, part.split, str(settings), str(path), path.stat().st_mtime_ns))
    return (*key, *view) if key else None
