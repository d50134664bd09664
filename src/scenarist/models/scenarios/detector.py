"""Sentences of one segment -> the chance of every scenario: logistic regression on tf.idf of the whole segment.

The network (`phrase_network`) sees where scenarios change; what a segment as a whole tells is better said by a plain linear
model over all its words and pairs, trained on whole stories. Its weights are kept for the phrases that matter most, reduced to
some dozens of dimensions (`resources/detector/segments.npz`); made by `training/detector/segment_labels.py`.

Where -> Segments: the light detector, the default of `scenarist detect`; past Wanzare et al. (2019), section 4.

The paper cuts first (TopicTiling) and then labels each piece (one perceptron a scenario). Here one network reads the
sentences in context, and a chain of labels with learned switch costs finds the segments (`phrase_network`,
`label_chain`); *None* is a label of the chain. What a segment as a whole tells is then judged by the chain's evidence and a
linear model over all its words together (`segment_labels`). Then, by the guidelines of Appendix A: a short
separator between two parts of one scenario joins them (A.9), a long one leaves two parts of one group (A.8), a scenario told
inside another nests in it (A.12), and related scenarios with evidence of their own are named beside the first (A.11).
Weights are the chances so judged, times the chance that it tells anything at all.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from scenarist.errors import BadInput
from scenarist.formats.plain import sentences as cut
from scenarist.inventory import NONE, related, user_files
from scenarist.models.scenarios.phrase_network import PhraseNetwork, carried, deciding_words
from scenarist.networks.label_chain import Array, best, chances
from scenarist.networks.layers import log_softmax, unit
from scenarist.question import AnyQuestion, Guess, Prediction, Question, Segments, Where
from scenarist.reading.stems import WORD, stem
from scenarist.store.home import inside, resource
from scenarist.story import Label, Segment, Sentence, Story


class SegmentLabels:
    """The weights, and the log-chances they give."""

    def __init__(self, path: Path, network: PhraseNetwork) -> None:
        with np.load(path, allow_pickle=False) as arrays:
            places = arrays["places"]  # numbers of the network's phrases
            self.rows = arrays["rows"]  # (V, D) int8
            self.scales = arrays["scales"].astype(np.float32)
            self.idf = arrays["idf"].astype(np.float32)
            self.direct = arrays["direct"].astype(np.float32)  # (D, C)
            self.bias = arrays["bias"].astype(np.float32)
        self.row = {int(place): at for at, place in enumerate(places)}
        self.network = network

    def scores(self, texts: Sequence[str]) -> Array:
        """Log-chances of the labels (C,)."""
        counts = Counter(
            self.row[number] for text in texts for number in self.network.numbers(text) if number in self.row
        )
        rows = np.fromiter(counts, dtype=np.int64, count=len(counts))
        values = (1 + np.log(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))) * self.idf[rows]
        found = ((unit(values) * self.scales[rows]) @ self.rows[rows]) @ self.direct + self.bias
        return log_softmax(found)


KNOWN = 0.5
"""Where fewer of a text's words than this share are known, it is not English prose, and nothing is claimed."""


class Evidence(NamedTuple):
    """Scores of labels (T, C), of a switch before each sentence (T), and of entering a label (C)."""

    emission: Array
    switch: Array
    enter: Array


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How evidence becomes segments: numbers found by tuning, kept beside the weights (`resources/detector/decision.json`)."""

    doubt: float
    """How much evidence for *None* is taken off."""
    stay: float
    """How much a switch costs beside what the network says."""
    chain_weight: float
    """How much the sentences' evidence counts for a segment's name,"""
    whole_weight: float
    """how much its words as a whole do,"""
    story_weight: float
    """and those of a whole story."""
    caution: float
    """How far chances are evened out: calibrated on stitched text, then a little more, since other text is further from training."""
    separator: int = 1
    """The longest stretch of other text that does not part a segment, in sentences."""
    soften: float = 3.0
    """How much weaker the evidence for a related scenario may be."""
    sure: float = 0.15
    """A segment whose first label weighs less is not claimed,"""
    mention: float = 0.5
    """nor one of a single sentence below this: a mere mention is no telling (Wanzare et al. 2019, Appendix A, rule 1)."""
    light: float = 1.0
    """The share of the light network in the evidence."""
    name_weight: float = 0.0
    """How much a network counts that reads a segment alone,"""
    tell_weight: float = 0.0
    """and how much a language model that tells it."""
    join: float = 0.0
    """How much surer two neighbours are of one scenario together, in nats, where a weak border between them is taken away."""


def read_decision(model: str, changes: Mapping[str, float] | None = None) -> Decision:
    """The numbers of a model by its name, some of them changed."""
    models = json.loads(resource("detector").joinpath("decision.json").read_text(encoding="utf-8"))["models"]
    try:
        return msgspec.convert({**models[model], **(changes or {})}, Decision)
    except msgspec.ValidationError as error:
        raise BadInput(
            f"{model}: `decision`: {error}. The numbers are {', '.join(Decision.__struct_fields__)}."
        ) from error


class Run(NamedTuple):
    """Sentences ``first`` to ``last`` (half open) with one label, and the sentences its weight is taken from."""

    first: int
    last: int
    label: int
    own: tuple[int, ...]
    group: str = ""


class Detector:
    """The scenarios of a story, with the words that decided."""

    name = "detector"
    learns = "nothing"
    trained_on: tuple[str, ...] = ("mcscript", "inscript", "descript", "rocstories", "gum", "ewt", "fiction")
    asks: tuple[type[Question], ...] = (Where,)
    numbers = ""
    """Whose numbers of `Decision` it uses, its own where empty."""

    def __init__(
        self,
        weights: str = "",
        most: int = 5,
        least: float = 0.1,
        nested: bool = True,
        taught: bool = False,
        decision: Mapping[str, float] | None = None,
    ) -> None:
        """``weights``: a folder of weights instead of the carried ones; ``most`` labels a segment, each of at least ``least`` weight;
        ``nested``: join the parts of a scenario around another; ``taught``: know the scenarios a user added too; ``decision``: numbers of
        `Decision` other than those that stand beside the weights."""
        if most < 1 or not 0 <= least <= 1:
            raise BadInput("detector: expected most >= 1 and 0 <= least <= 1.")
        self.network = PhraseNetwork(Path(weights)) if weights else carried()
        if taught and user_files():
            from scenarist.models.scenarios.user_scenarios import with_taught

            self.network = with_taught(self.network)
        self.most, self.least, self.nested = most, least, nested
        self.decision = read_decision(self.numbers or self.name, decision)
        path = Path(weights) / "segments.npz" if weights else resource("detector") / "segments.npz"
        self.judge = SegmentLabels(path, self.network) if path.exists() else None
        self.none = self.network.labels.index(NONE)
        self.weights = weights

    def reads(self) -> list[Path]:
        """The light network and what judges segments."""
        return inside(Path(self.weights) if self.weights else resource("detector"))

    def fit(self, data: Iterable[Any]) -> Detector:
        """Nothing: the weights are learned beforehand."""
        return self

    def answer(self, question: AnyQuestion) -> Prediction:
        """Segments, or for the whole story its scenario."""
        if not isinstance(question, Where):
            raise BadInput(f"detector answers 'where' questions only, not {type(question).__name__}.")
        if question.whole:
            ranked = self.whole(question.story)
            return Prediction(
                "", tuple(Guess(one.name, math.log(max(one.weight, 1e-12))) for one in ranked), by=self.name
            )
        return Prediction("", (Guess(Segments(self.segments(question.story))),), by=self.name)

    def whole(self, story: Story) -> tuple[Label, ...]:
        """The scenarios of a story as a whole, best first, at most ten; *None* is left out."""
        _, texts = read(story)
        if not texts:
            return ()
        mass = self.shares(texts, self.evidence(texts).emission, self.decision.story_weight)
        order = np.argsort(-mass, kind="stable")[:10]
        return tuple(Label(self.network.labels[at], float(mass[at])) for at in order)

    def evidence(self, texts: Sequence[str]) -> Evidence:
        """What speaks for every label at every sentence; a deeper network may say it instead."""
        scores = self.network.scores(texts)
        return Evidence(scores.emission, scores.switch, self.network.enter)

    def segments(self, story: Story) -> tuple[Segment, ...]:
        """The segments of a story in text order, outer before inner; text without scenario is not covered."""
        spans, texts = read(story)
        if not texts or not english(self.network, texts):
            return ()
        seen = self.evidence(texts)
        seen = seen._replace(switch=seen.switch - self.decision.stay)
        emission = seen.emission.copy()
        emission[:, self.none] -= self.decision.doubt
        path = self.path(texts, emission, seen)
        told = 1 - chances(emission, seen.switch, seen.enter)[:, self.none]
        found = []
        for run in self.arrange(self.relabelled(path, texts, emission)):
            some = [texts[at] for at in run.own]
            shares = self.shares(some, emission[list(run.own)]) * float(told[list(run.own)].mean())
            labels = self.labels(run.label, shares)
            if labels[0].weight < (
                self.decision.sure if len(some) > 1 else max(self.decision.sure, self.decision.mention)
            ):
                continue
            why = deciding_words(self.network, some, run.label)
            found.append(Segment(spans[run.first].start, spans[run.last - 1].stop, labels, run.group, self.name, why))
        return tuple(sorted(found, key=lambda one: (one.start, -one.stop)))

    def path(self, texts: Sequence[str], emission: Array, seen: Evidence) -> list[int]:
        """A label a sentence, which says where segments begin and end."""
        return best(emission, seen.switch, seen.enter)

    def relabelled(self, path: Sequence[int], texts: Sequence[str], emission: Array) -> list[int]:
        """The path with every run judged as a whole."""
        found: list[int] = []
        for run in plain_runs(path):
            label = run.label
            if label != self.none:
                own = slice(run.first, run.last)
                label = int(self.shares(texts[own], emission[own]).argmax())
            found += [label] * (run.last - run.first)
        return found

    def shares(self, texts: Sequence[str], emission: Array, weight: float | None = None) -> Array:
        """The chance of each scenario for some sentences that tell one together; *None* has none."""
        scores = self.judged(texts, emission, self.decision.whole_weight if weight is None else weight)
        scores[self.none] = -np.inf
        return np.asarray(np.exp(log_softmax(scores / self.decision.caution)))

    def judged(self, texts: Sequence[str], emission: Array, weight: float) -> Array:
        """Scores of the labels (C,): what the chain's evidence adds up to, and the words of all sentences together."""
        scores = log_softmax(self.decision.chain_weight * emission.sum(axis=0))
        if self.judge is not None:
            whole = self.judge.scores(texts)
            missing = np.full(
                len(scores) - len(whole), float(np.sort(whole)[-2])
            )  # scenarios a user added have no weights there
            scores = scores + weight * np.append(whole, missing)
        return scores

    def labels(self, first: int, shares: Array) -> tuple[Label, ...]:
        """The labels of a segment by weight; its own comes first, related ones are kept at a lower weight than others."""
        names = self.network.labels
        weights = {first: float(shares[first])}
        for at in np.argsort(-shares, kind="stable")[:12]:
            if at == first:
                continue
            weight = float(shares[at])
            if related(names[first], names[at]):
                weight = weights[first] * (weight / max(weights[first], 1e-12)) ** (1 / self.decision.soften)
            weights[int(at)] = min(weight, weights[first])
        ranked = sorted(weights, key=lambda at: (-weights[at], at != first, names[at]))
        kept = [at for at in ranked if at == first or weights[at] >= self.least][: self.most]
        return tuple(Label(names[at], round(weights[at], 4)) for at in kept)

    def arrange(self, path: Sequence[int]) -> list[Run]:
        """A row of labels as runs: short separators closed, inner runs nested, parts of one segment grouped."""
        runs = plain_runs(path)
        closed: list[Run] = []
        for at, run in enumerate(runs):
            before, after = (closed[-1] if closed else None), (runs[at + 1] if at + 1 < len(runs) else None)
            if (
                run.label == self.none and before and after and before.label == after.label != self.none
                and run.last - run.first <= self.decision.separator
            ):  # fmt: skip
                closed[-1] = before._replace(last=run.last)
            elif before and before.label == run.label:
                closed[-1] = before._replace(last=run.last, own=before.own + run.own)
            else:
                closed.append(run)
        told = [run for run in closed if run.label != self.none]
        return self.nest(told) if self.nested else told

    def nest(self, runs: list[Run]) -> list[Run]:
        """Join the parts of a scenario around another (the inner stays, inside); number the groups of parts set apart."""
        found: list[Run] = []
        at = 0
        while at < len(runs):
            run = runs[at]
            inner: list[Run] = []
            while at + 2 < len(runs) and runs[at + 2].label == run.label and touching(run, runs[at + 1], runs[at + 2]):
                inner.append(runs[at + 1])
                run = run._replace(last=runs[at + 2].last, own=run.own + runs[at + 2].own)
                at += 2
            found += [run, *inner]
            at += 1
        counts: dict[int, int] = {}
        for run in found:
            counts[run.label] = counts.get(run.label, 0) + 1
        return [run._replace(group=f"g{run.label}") if counts[run.label] > 1 else run for run in found]


def touching(before: Run, inner: Run, after: Run) -> bool:
    """Do three runs follow one another without a gap?"""
    return before.last == inner.first and inner.last == after.first


def plain_runs(path: Sequence[int]) -> list[Run]:
    """Equal neighbours as runs.

    >>> [(run.first, run.last, run.label) for run in plain_runs([7, 7, 0, 3])]
    [(0, 2, 7), (2, 3, 0), (3, 4, 3)]
    """
    runs: list[Run] = []
    for at, label in enumerate(path):
        if runs and runs[-1].label == label:
            runs[-1] = Run(runs[-1].first, at + 1, label, (*runs[-1].own, at))
        else:
            runs.append(Run(at, at + 1, label, (at,)))
    return runs


def read(story: Story) -> tuple[tuple[Sentence, ...], list[str]]:
    """The sentences of a story as spans and texts; cut by rule where the story has none."""
    spans = story.sentences or cut(story.text)
    spans = tuple(one for one in spans if one.stop > one.start)
    return spans, [story.of(one) for one in spans]


def english(network: PhraseNetwork, texts: Sequence[str]) -> bool:
    """Are enough of the words known (looking at the first 200 sentences)?"""
    words = [stem(word) for text in texts[:200] for word in WORD.findall(text.lower().replace("’", "'"))]
    letters = sum(letter.isalpha() for text in texts[:200] for letter in text)
    latin = sum(len(word) for word in words)
    if not words or latin < letters / 2:
        return False
    return sum(word in network.place for word in words) >= KNOWN * len(words)
