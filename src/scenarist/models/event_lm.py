"""EventGap -> Guesses by a small event language model that sees both sides of the gap; numpy alone.

Log-bilinear (Mnih and Hinton 2007; Rudinger et al. 2015 for events) with factored events: an event's vector is the sum of its own, its
verb's and its dependency's, so a rare or unseen event borrows from its parts. The chain's vectors are weighted by a vector for
their distance from the gap and summed; one hidden layer follows; a cache term says how likely an event or a verb of the chain comes
again at each distance. Where the position is not told, one more "distance" stands for all, with its own cache, and is
trained on chains in which each event occurs once. Trained by ``training/eventlm``; this file only reads the weights.

``explain`` asks the network again without each event of the chain, which takes as many times longer.
``lift`` subtracts that part of the log frequency of an event from its score: 0 is the language model, 1 ranks by what
the chain says beyond frequency (a PMI by a network).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput, Missing
from scenarist.learning.event_counts import EventCounts, Floats, Ints, check_schema, words_of
from scenarist.models.event_ranker import EventRanker, Gap
from scenarist.question import AnyQuestion, EventGap
from scenarist.store import home
from scenarist.story import Link

Matrix = npt.NDArray[np.float32]
REACH = 12
"""Distances beyond this share a bucket; bucket 25 is "position not told"."""
UNTOLD = 2 * REACH + 1
NEAREST = 24
"""Events of the chain that are looked at, the nearest to the gap."""


def weights_file(name: str) -> Path:
    """A file of the release: in the home folder (`scenarist get`), or in the checkout."""
    places = (home() / "weights" / "eventcloze", Path(__file__).parents[3] / "release" / "eventcloze")
    for place in places:
        if (place / name).exists():
            return place / name
    raise Missing(f"The event model's weights ({name}) are not at hand. Put them into place with: scenarist get eventcloze")


class Net:
    """The weights of one network and its forward pass for one question."""

    def __init__(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as arrays:
                check_schema(int(arrays["schema"]), path)
                self.types = words_of(arrays["types"])
                self.verbs = {name: at for at, name in enumerate(words_of(arrays["verbs"]))}
                self.deps = {name: at for at, name in enumerate(words_of(arrays["deps"]))}
                self.counts = arrays["counts"].astype(np.int64)
                self._w: dict[str, Matrix] = {
                    name: wide(arrays, name) for name in arrays.files if "." in name and not name.endswith(".scale")
                }
        except (OSError, KeyError, ValueError, BadZipFile) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"{path}: not a file of event model weights ({error}). Get it again: scenarist get eventcloze") from error
        w = self._w
        self.verb_of = np.array([self.verbs.get(part(name)[0], 0) for name in self.types])
        self.dep_of = np.array([self.deps.get(part(name)[1], 0) for name in self.types])
        self.own_of = np.where(self.counts >= w["own.least"][0], np.arange(1, len(self.types) + 1), 0)
        self.own_of[self.own_of >= len(w["in.own"])] = 0
        self.output: Matrix = w["out.own"][self.own_of] + w["out.verb"][self.verb_of] + w["out.dep"][self.dep_of]
        self.bias = w["bias.type"]
        self.untold_bias = w["bias.verb"][self.verb_of] + w["bias.dep"][self.dep_of]
        self.by_verb: list[Ints] = []
        order = np.argsort(self.verb_of, kind="stable")
        begin = np.searchsorted(self.verb_of[order], np.arange(len(self.verbs) + 1))
        self.by_verb = [order[begin[at] : begin[at + 1]] for at in range(len(self.verbs))]

    def vectors(self, own: Ints, verbs: Ints, deps: Ints) -> Matrix:
        """Input vectors of some events: [events, width]."""
        w = self._w
        summed: Matrix = w["in.own"][own] + w["in.verb"][verbs] + w["in.dep"][deps]
        return summed

    def hidden(self, vectors: Matrix, buckets: Ints) -> Matrix:
        """What the chain predicts: [width]."""
        w = self._w
        untold = len(buckets) > 0 and int(buckets[0]) == UNTOLD
        mixed = (vectors * w["pos.weight"][buckets]).sum(0) / max(len(vectors), 1) ** 0.5
        state = norm(mixed + w["mode.weight"][1 if untold else 0], w["ln.weight"], w["ln.bias"])
        inner = gelu(w["mlp.first"] @ state + w["mlp.first_bias"])
        return norm(state + w["mlp.second"] @ inner + w["mlp.second_bias"], w["ln2.weight"], w["ln2.bias"])

    def logits(self, types: Ints, own: Ints, verbs: Ints, deps: Ints, buckets: Ints, known: bool) -> Floats:
        """Scores of all events; ``types`` is -1 for an event that was never seen whole."""
        w = self._w
        state = self.hidden(self.vectors(own, verbs, deps), buckets)
        scores: Floats = (w["scale.all"][0] * (self.output @ state) + self.bias).astype(np.float64)
        if not known:
            scores += self.untold_bias
        for at, verb, bucket in zip(types.tolist(), verbs.tolist(), buckets.tolist(), strict=True):
            if at >= 0:
                scores[at] += w["cache.event"][bucket]
            if verb > 0:
                scores[self.by_verb[verb]] += w["cache.verb"][bucket]
        return scores


class EventLm(EventRanker):
    """The event language model; ``nets`` networks of one seed are averaged."""

    name = "event-lm"
    learns = "nothing"

    def __init__(
        self, seed: int = 1, lift: float = 0.0, explain: bool = False, weights: str | Path | None = None
    ) -> None:
        super().__init__()
        self.seed, self.lift, self.explain, self.weights = seed, lift, explain, weights
        self._nets: list[Net] = []

    @property
    def nets(self) -> list[Net]:
        """The networks of this seed, read when first asked for."""
        if not self._nets:
            if self.weights is not None:
                paths = [Path(self.weights)]
            else:
                number = (self.seed - 1) % 3 + 1
                paths = [weights_file(f"event-lm-{number}.npz")]
            self._nets = [Net(path) for path in paths]
            net = self._nets[0]
            self.counts_ = EventCounts(net.types, net.counts, np.zeros((0, 3), np.int64), np.zeros(0, np.int64))
        return self._nets

    def fit(self, data: Iterable[Any] | EventCounts) -> Self:
        """Nothing to learn: the weights are there."""
        return self

    def gap(self, question: AnyQuestion) -> Gap:
        _ = self.nets
        return super().gap(question)

    def raw(self, question: EventGap) -> Floats:
        """Log-probabilities, averaged over the networks."""
        links, buckets, known = window(question)
        total = np.zeros(len(self.nets[0].types))
        for net in self.nets:
            total += normalised(self.one(net, links, buckets, known))
        return total / len(self.nets)

    def one(self, net: Net, links: tuple[Link, ...], buckets: Ints, known: bool) -> Floats:
        """The scores of one network."""
        ids = [self.id_of(link) for link in links]
        types = np.array(ids, np.int64)
        verbs = np.array([net.verbs.get(link.predicate, 0) for link in links], np.int64)
        names = [part(net.types[at])[1] if at >= 0 else link.role for at, link in zip(ids, links, strict=True)]
        deps = np.array([net.deps.get(name, 0) for name in names], np.int64)
        own = np.where(types >= 0, net.own_of[types], 0)
        return net.logits(types, own, verbs, deps, buckets, known)

    def scored(self, question: AnyQuestion) -> Floats:
        self.gap(question)
        assert isinstance(question, EventGap)
        found = self._scored.get(question)
        if found is None:
            found = self.raw(question)
            if self.lift:
                found = normalised(found - self.lift * np.log(np.maximum(self.counts_.events, 1) / self.counts_.total))
            if len(self._scored) >= 512:
                self._scored.clear()
            self._scored[question] = found
        return found

    def reasons(self, question: EventGap, gap: Gap, candidates: Ints) -> list[tuple[str, ...]]:
        """The events without which a candidate would be less likely, by how much (in nats)."""
        if not self.explain or len(question.links) < 2:
            return [() for _ in candidates]
        whole = self.raw(question)[candidates]
        names = [str(link) for link in question.links]
        lost = np.stack([whole - self.raw(without(question, at))[candidates] for at in range(len(names))])
        found: list[tuple[str, ...]] = []
        for column in lost.T:
            order = np.argsort(-column, kind="stable")[:3]
            found.append(tuple(f"{names[at]} {column[at]:+.2f}" for at in order if column[at] > 0.01))
        return found

    def said(self, question: EventGap, gap: Gap) -> str:
        unseen = [str(link) for link, at in zip(question.links, gap.all, strict=True) if at < 0]
        return f"never seen whole, so taken by verb and role: {', '.join(unseen)}" if unseen else ""


def window(question: EventGap) -> tuple[tuple[Link, ...], Ints, bool]:
    """The events nearest to the gap and the bucket of each one's distance."""
    links, gap = question.links, question.gap
    if gap is None:
        if len(links) > NEAREST:
            links = tuple(links[at] for at in np.linspace(0, len(links) - 1, NEAREST).astype(int).tolist())
        return links, np.full(len(links), UNTOLD, np.int64), False
    places = np.arange(len(links))
    distance = np.where(places < gap, places - gap, places - gap + 1)
    low = max(0, min(gap - NEAREST // 2, len(links) - NEAREST)) if len(links) > NEAREST else 0
    kept = slice(low, low + NEAREST)
    return links[kept], np.clip(distance[kept], -REACH, REACH) + REACH, True


def without(question: EventGap, at: int) -> EventGap:
    """The question less one event of its chain."""
    gap = question.gap if question.gap is None or at >= question.gap else question.gap - 1
    return EventGap(question.links[:at] + question.links[at + 1 :], gap)


def part(event: str) -> tuple[str, str]:
    """Verb and dependency of an event as the networks know them (the dependency may hold a colon)."""
    verb, _, dep = event.partition(":")
    return verb, dep


def wide(arrays: Any, name: str) -> Matrix:
    """An array as 32-bit floats; one kept in 8 bits has a scale for each row."""
    values: Matrix = arrays[name].astype(np.float32)
    if f"{name}.scale" in arrays:
        values *= arrays[f"{name}.scale"].astype(np.float32)[:, None]
    return values


def norm(values: Matrix, weight: Matrix, bias: Matrix) -> Matrix:
    """Layer normalisation."""
    centred = values - values.mean()
    scaled: Matrix = centred / np.sqrt((centred**2).mean() + 1e-5) * weight + bias
    return scaled


def gelu(values: Matrix) -> Matrix:
    """The Gaussian error linear unit, with erf by Abramowitz and Stegun 7.1.26 (error below 2e-7)."""
    x = np.abs(values) / np.sqrt(2.0)
    t = 1.0 / (1.0 + 0.3275911 * x)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    erf = np.sign(values) * (1.0 - series * np.exp(-x * x))
    activated: Matrix = (0.5 * values * (1.0 + erf)).astype(np.float32)
    return activated


def normalised(scores: Floats) -> Floats:
    """Scores as log-probabilities."""
    top = scores.max()
    logp: Floats = scores - (top + np.log(np.exp(scores - top).sum()))
    return logp
