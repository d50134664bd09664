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

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from scenarist.errors import BadInput
from scenarist.learning.event_counts import EventCounts, Floats, Ints, check_schema, words_of
from scenarist.models.events.base import EventRanker, Gap
from scenarist.networks.layers import gelu, layer_norm, logsumexp, softmax
from scenarist.question import AnyQuestion, EventGap
from scenarist.store.home import weights_file
from scenarist.story import Link

Matrix = npt.NDArray[np.float32]
REACH = 12
"""Distances beyond this share a bucket; bucket 25 is "position not told"."""
NO_POSITION = 2 * REACH + 1
NEAREST = 24
"""Events of the chain that are looked at, the nearest to the gap."""


class ChainInput(NamedTuple):
    """A question in a network's numbers; ``types`` is -1 for an event that was never seen whole."""

    types: Ints
    own: Ints
    verbs: Ints
    deps: Ints
    buckets: Ints
    known: bool


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
            raise BadInput(
                f"{path}: not a file of event model weights ({error}). Get it again: scenarist get eventcloze"
            ) from error
        w = self._w
        self.layers = sum(name.endswith(".qkv.weight") for name in w)
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
        untold = len(buckets) > 0 and int(buckets[0]) == NO_POSITION
        gap = w["mode.weight"][1 if untold else 0]
        if self.layers:
            gap, vectors = self.attended(gap, vectors + w["place.weight"][buckets])
        mixed = (vectors * w["pos.weight"][buckets]).sum(0) / max(len(vectors), 1) ** 0.5
        if "plain.all" in w:
            plain: Matrix = mixed + gap
            return plain
        state = layer_norm(mixed + gap, w["ln.weight"], w["ln.bias"])
        inner = gelu(w["mlp.first"] @ state + w["mlp.first_bias"])
        return layer_norm(state + w["mlp.second"] @ inner + w["mlp.second_bias"], w["ln2.weight"], w["ln2.bias"])

    def attended(self, gap: Matrix, vectors: Matrix) -> tuple[Matrix, Matrix]:
        """The gap and the events of the chain after the layers of attention between them (norms first)."""
        w, heads = self._w, int(self._w["heads.all"][0])
        x: Any = np.concatenate([gap[None], vectors])  # [1 + chain, width]
        for at in range(self.layers):
            block = f"blocks.{at}."
            inner = (
                layer_norm(x, w[block + "ln.weight"], w[block + "ln.bias"]) @ w[block + "qkv.weight"].T
                + w[block + "qkv.bias"]
            )
            q, k, v = inner.reshape(len(x), 3, heads, -1).transpose(
                1, 2, 0, 3
            )  # each [heads, 1 + chain, width / heads]
            weight = q @ k.transpose(0, 2, 1) / np.float32(q.shape[-1] ** 0.5)
            mixed = (softmax(weight) @ v).transpose(1, 0, 2).reshape(len(x), -1)
            x = x + mixed @ w[block + "join.weight"].T + w[block + "join.bias"]
            inner = gelu(
                layer_norm(x, w[block + "ln2.weight"], w[block + "ln2.bias"]) @ w[block + "first.weight"].T
                + w[block + "first.bias"]
            )
            x = x + inner @ w[block + "second.weight"].T + w[block + "second.bias"]
        return x[0], x[1:]

    def logits(self, asked: Sequence[ChainInput]) -> Floats:
        """Scores of all events for some questions: [questions, events]."""
        w = self._w
        states = np.stack([self.hidden(self.vectors(one.own, one.verbs, one.deps), one.buckets) for one in asked])
        scores: Floats = (w["scale.all"][0] * (states @ self.output.T) + self.bias).astype(np.float64)
        for row, one in zip(scores, asked, strict=True):
            if not one.known:
                row += self.untold_bias
            for at, verb, bucket in zip(one.types.tolist(), one.verbs.tolist(), one.buckets.tolist(), strict=True):
                if at >= 0:
                    row[at] += w["cache.event"][bucket]
                if verb > 0:
                    row[self.by_verb[verb]] += w["cache.verb"][bucket]
        return scores


class EventLm(EventRanker):
    """The event language model; where there are several ``nets``, they are averaged."""

    name = "event-lm"
    learns = "nothing"
    trained_on: tuple[str, ...] = ("nyt-chains", "minilm")
    released = "event-lm-1"
    """The weights where none are named: the first seed's."""

    def __init__(self, weights: str | Path = "", lift: float = 0.0, explain: bool = False) -> None:
        """``weights``: a released file by its name (`event-lm-2`), or a path."""
        super().__init__()
        self.weights, self.lift, self.explain = weights or self.released, lift, explain
        self._nets: list[Net] = []

    def reads(self) -> list[Path]:
        """The weights."""
        return [weights_file("eventcloze", self.weights)]

    @property
    def nets(self) -> list[Net]:
        """The networks, read when first asked for."""
        if not self._nets:
            self._nets = [Net(path) for path in self.reads()]
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
        row: Floats = self.raw_many([question])[0]
        return row

    def raw_many(self, questions: Sequence[EventGap]) -> Floats:
        """The same for some questions at once, which saves most of the time: [questions, events]."""
        total = np.zeros((len(questions), len(self.nets[0].types)))
        for net in self.nets:
            scores = net.logits([self.asked(net, question) for question in questions])
            scores -= scores.max(1, keepdims=True)
            total += scores - np.log(np.exp(scores).sum(1, keepdims=True))
        return total / len(self.nets)

    def asked(self, net: Net, question: EventGap) -> ChainInput:
        """The question in the numbers of one network."""
        links, buckets, known = window(question)
        ids = [self.id_of(link) for link in links]
        types = np.array(ids, np.int64)
        verbs = np.array([net.verbs.get(link.predicate, 0) for link in links], np.int64)
        names = [part(net.types[at])[1] if at >= 0 else link.role for at, link in zip(ids, links, strict=True)]
        deps = np.array([net.deps.get(name, 0) for name in names], np.int64)
        own = np.where(types >= 0, net.own_of[types], 0)
        return ChainInput(types, own, verbs, deps, buckets, known)

    def score_many(self, questions: Sequence[EventGap]) -> Sequence[Floats]:
        found = self.raw_many(questions)
        if self.lift:
            found -= self.lift * np.log(np.maximum(self.counts_.events, 1) / self.counts_.total)
            return [normalised(one) for one in found]
        return list(found)

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


class LogBilinear(EventLm):
    """The plain log-bilinear model (Mnih and Hinton 2007; Rudinger et al. 2015).

    Each event is one vector, weighed by its distance from the gap and summed; a bias for frequency; no parts of events, no hidden layer,
    no cache. Rudinger et al. see the events before the gap only; here, as in `event-lm`, both sides count.
    """

    name = "log-bilinear"
    trained_on = ("nyt-chains",)
    released = "log-bilinear-1"


def window(question: EventGap) -> tuple[tuple[Link, ...], Ints, bool]:
    """The events nearest to the gap and the bucket of each one's distance."""
    links, gap = question.links, question.gap
    if gap is None:
        if len(links) > NEAREST:
            links = tuple(links[at] for at in np.linspace(0, len(links) - 1, NEAREST).astype(int).tolist())
        return links, np.full(len(links), NO_POSITION, np.int64), False
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


def normalised(scores: Floats) -> Floats:
    """Scores as log-probabilities."""
    logp: Floats = scores - logsumexp(scores)
    return logp
