"""EventGap -> Guesses by Granroth-Wilding and Clark's (2016) compositional scorer; numpy alone.

An event's vector is composed from the vectors of its parts by a hidden layer, and another says how well two events go together; a
candidate's coherence is the mean over the chain. The paper composes verb, subject, object and indirect object; these chains have
a verb and a dependency, and the distance from the gap is told as well (by its bucket, or "not told"). Trained against events
drawn by frequency, so coherence is what the chain says beyond frequency: an open ranking adds ``prior`` * ln P(e) to
``sharpness`` * coherence. Trained by ``training/eventlm/compositional.py``; this file only reads the weights.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import EventCounts, Floats, Ints, check_schema, words_of
from scenarist.models.events.base import EventRanker, Gap
from scenarist.models.events.log_bilinear import Matrix, part, window
from scenarist.networks.layers import logsumexp
from scenarist.question import AnyQuestion, EventGap
from scenarist.store.home import weights_file
from scenarist.story import Link


class Compositional(EventRanker):
    """Mean coherence of a candidate with the events of the chain."""

    name = "compositional"
    learns = "nothing"
    trained_on = ("nyt-chains",)

    def __init__(
        self,
        weights: str | Path = "compositional-1",
        prior: float = 1.0,
        sharpness: float = 1.0,
        repeat: bool = True,
    ) -> None:
        """``weights``: a released file by its name, or a path."""
        if prior < 0 or sharpness <= 0:
            raise BadInput("compositional: prior is 0 or more, sharpness above 0.")
        super().__init__()
        self.weights, self.prior, self.sharpness, self.repeat = weights, prior, sharpness, repeat
        self._ready = False

    def reads(self) -> list[Path]:
        """The weights."""
        return [weights_file("eventcloze", self.weights)]

    def fit(self, data: Iterable[Any] | EventCounts) -> Self:
        """Nothing to learn: the weights are there."""
        return self

    def ready(self) -> None:
        """Read the weights, when first asked."""
        if self._ready:
            return
        (path,) = self.reads()
        try:
            with np.load(path, allow_pickle=False) as arrays:
                check_schema(int(arrays["schema"]), path)
                types, counts = words_of(arrays["types"]), arrays["counts"].astype(np.int64)
                self._verbs, self._deps = (
                    {name: at for at, name in enumerate(words_of(arrays[name_]))} for name_ in ("verbs", "deps")
                )
                self._w: dict[str, Matrix] = {
                    name: arrays[name].astype(np.float32) for name in arrays.files if "." in name
                }
        except (OSError, KeyError, ValueError, BadZipFile) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(
                f"{path}: not a file of the compositional scorer ({error}). Get it again: scenarist get eventcloze"
            ) from error
        self.counts_ = EventCounts(types, counts, np.zeros((0, 3), np.int64), np.zeros(0, np.int64))
        self._logp: Floats = np.log(counts) - np.log(counts.sum())
        links = [Link(*part(name)) for name in types]
        w = self._w
        self._right: Matrix = self.composed(links) @ w["candidate.weight"].T + w["candidate.bias"]  # [events, width]
        self._ready = True

    def composed(self, links: Iterable[Link]) -> Matrix:
        """The vectors of some events: [events, width]."""
        links, w = list(links), self._w
        verbs = np.array([self._verbs.get(link.predicate, 0) for link in links], np.int64)
        deps = np.array([self._deps.get(link.role, 0) for link in links], np.int64)
        parts = np.concatenate([w["verb.weight"][verbs], w["dep.weight"][deps]], 1)
        inner = np.maximum(parts @ w["compose.weight"].T + w["compose.bias"], 0)
        vectors: Matrix = np.tanh(inner @ w["event.weight"].T + w["event.bias"])
        return vectors

    def gap(self, question: AnyQuestion) -> Gap:
        self.ready()
        return super().gap(question)

    def coherence(self, question: EventGap, candidates: Ints | slice) -> npt.NDArray[np.float64]:
        """How well each event of the chain goes with each candidate: [chain, candidates]."""
        self.ready()
        w = self._w
        links, buckets, _ = window(question)
        ids = [self.id_of(link) for link in links]
        known = [Link(*part(self.counts_.types[at])) if at >= 0 else link for at, link in zip(ids, links, strict=True)]
        left = self.composed(known) @ w["chain.weight"].T + w["place.weight"][buckets]  # [chain, width]
        right = self._right[candidates]
        found = [np.maximum(right + one, 0) @ w["pair.weight"][0] + w["pair.bias"][0] for one in left]
        return np.array(found, np.float64).reshape(len(left), len(right))

    def score_many(self, questions: Any) -> Any:
        found = []
        for question in questions:
            scores = self.prior * self._logp
            if question.links:
                scores = scores + self.sharpness * self.coherence(question, slice(None)).mean(0)
            if not self.repeat and question.gap is None:
                scores[[at for at in self.gap(question).all if at >= 0]] = scores.min() - 1.0
            found.append(scores - logsumexp(scores))
        return found

    def reasons(self, question: EventGap, gap: Gap, candidates: Ints) -> list[tuple[str, ...]]:
        """The events of the chain that a candidate goes with best."""
        links = window(question)[0]
        found: list[tuple[str, ...]] = []
        for column in self.coherence(question, candidates).T:
            order = np.argsort(-column, kind="stable")[:3]
            found.append(tuple(f"{links[at]} {column[at]:+.2f}" for at in order if column[at] > 0))
        return found

    def said(self, question: EventGap, gap: Gap) -> str:
        unseen = [str(link) for link, at in zip(question.links, gap.all, strict=True) if at < 0]
        return f"never seen whole, so composed from verb and role: {', '.join(unseen)}" if unseen else ""
