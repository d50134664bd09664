"""Where -> Segments: the light detector, and the library's words where it sees nothing sure; the one way to segments of `read` and
`detect`.

The light detector learned from tellings that name what they tell; everyday stories often do not. Stretches of text in which it is not sure
are asked of the library (`learning/library/scenario_words.py`): a chain of scripts with a cost for every switch says which script is
told where.
How likely such a segment is right is said by a logistic regression over how strongly and how evenly its sentences speak for the script and
how far the other scripts are behind (`resources/detector/library.json`; fitted by `training/library/sureness.py` on judged stories and on
text that tells no script); the light detector is a second witness where it sees the same. What is less likely than ``least_sure`` is no
segment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scenarist.learning.library.alignment import ready_script
from scenarist.learning.library.meaning import word_roots
from scenarist.learning.library.scenario_words import carried_words
from scenarist.models.scenarios.detector import Detector, english, plain_runs, read
from scenarist.networks.label_chain import Array, best
from scenarist.networks.layers import sigmoid
from scenarist.reading.stems import WORD
from scenarist.store.home import inside, resource
from scenarist.story import Label, Segment, Sentence, Story

SURE = 0.4
"""What the light detector says with so much weight is kept as it is."""
SWITCH = -6.0
"""What another script costs, in nats."""
NOTHING = 0.8
"""What a sentence says that belongs to no script, in nats."""
COMPARED = 6
"""So many scripts, the likeliest by their words, are compared with the sentences event by event;"""
MEANING = 1.0
"""the likeness of a sentence to the nearest event counts so much."""
LIGHT = 6.0
"""What the light detector sees in a run counts so many nats at most in choosing its script."""
SUPPORT = 1.5
"""A sentence speaks for a script from so many nats on."""
STRONG, TELLING = 1.2, 0.7
"""Words that speak for a script with so many nats are counted."""
SHARPNESS = 0.5
"""How sharply scripts are told apart where it is asked how many are as likely as the first."""
NOBODY = 0.9
"""A stretch in which nobody is spoken of tells its likeliest script only where that is so sure."""
PERSON = re.compile(r"\b(?:i|we|you|he|she|they|me|us|him|them|my|our|your|his|her|their)\b", re.IGNORECASE)
NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")
"""A name within a sentence."""
MENTION = 3
"""Fewer sentences tell no script that the light detector does not see."""
FEATURES = ("mean", "lead", "likeness", "support", "height", "strong", "telling", "sole", "thin", "bias")
"""Nats a sentence; lead over the next script; nearness to its events; the share of sentences that speak for it; how far it stands above all
scripts; strong and telling words; how few scripts are as likely; no chain of words holds."""


def somebody(texts: Sequence[str]) -> bool:
    """Do some sentences speak of a person: by a pronoun, or by a name?

    >>> somebody(["A stone fell."]), somebody(["The stone hit Tom."]), somebody(["She left."])
    (False, True, True)
    """
    return any(PERSON.search(text) or NAME.search(text) for text in texts)


class ScriptRun(NamedTuple):
    """Sentences (half open) that tell a script of the library, as its words have it."""

    first: int
    last: int
    script: int


class RunEvidence(NamedTuple):
    """The scripts that a run may tell, best first, with their scores, and what speaks for the first (features)."""

    scripts: tuple[int, ...]
    scores: tuple[float, ...]
    features: Array


class Witness(NamedTuple):
    """What else speaks for a run: ``thin`` where no chain of words holds, and the segments of the light detector."""

    thin: bool
    light: Sequence[Segment]

    def light_weights(self, start: int, stop: int) -> dict[str, float]:
        """How sure the light detector is of scenarios within a stretch: those that are first labels of half of it at least."""
        weights: dict[str, float] = {}
        for segment in self.light:
            if min(stop, segment.stop) - max(start, segment.start) >= (stop - start) / 2:
                weights[segment.names[0]] = max(weights.get(segment.names[0], 0.0), segment.labels[0].weight)
        return weights


@cache
def sureness() -> Array:
    """The weights of the features."""
    weights: Mapping[str, float] = json.loads(resource("detector/library.json").read_text(encoding="utf-8"))["weights"]
    return np.array([weights[name] for name in FEATURES])


class LibraryDetector(Detector):
    """The light detector and the library's words."""

    name = "library-detector"
    trained_on = (*Detector.trained_on, "minilm")
    numbers = "detector"

    def __init__(self, most: int = 5, least: float = 0.1, taught: bool = False, least_sure: float = 0.3) -> None:
        """``most``, ``least`` and ``taught`` as those of `detector`; ``least_sure``: what is less likely right is no segment."""
        super().__init__(most=most, least=least, taught=taught)
        self.least_sure = least_sure
        self.words = carried_words()

    def reads(self) -> list[Path]:
        """The light detector's files, the library's words and what words mean."""
        return [*inside(resource("detector")), resource("scripts/index.npz"), resource("meaning/words.npz")]

    def segments(self, story: Story) -> tuple[Segment, ...]:
        """The light detector's sure segments, and the library's between them."""
        spans, texts = read(story)
        light = super().segments(story)
        if not texts or not english(self.network, texts):
            return ()
        sure = [segment for segment in light if segment.labels[0].weight >= SURE]
        free = [not any(one.start <= span.start < one.stop for one in sure) for span in spans]
        scores = self.words.scores(texts)
        found = list(sure)
        for first, last in stretches(free):
            runs = script_runs(scores[first:last], first)
            for run in runs or whole_run(scores, first, last):
                segment = self.segment(spans, texts, scores, run, Witness(not runs, light))
                if segment is not None:
                    found.append(segment)
        return tuple(sorted(found, key=lambda segment: (segment.start, -segment.stop)))

    def segment(
        self, spans: Sequence[Sentence], texts: Sequence[str], scores: Array, run: ScriptRun, witness: Witness
    ) -> Segment | None:
        """The segment of a run, None where it is not sure enough."""
        if run.last - run.first < MENTION:
            return None
        start, stop = spans[run.first].start, spans[run.last - 1].stop
        light = witness.light_weights(start, stop)
        evidence = self.run_evidence(texts[run.first : run.last], scores[run.first : run.last], witness.thin, light)
        sure = float(sigmoid(evidence.features @ sureness()))
        sure = 1 - (1 - sure) * (1 - light.get(self.words.names[evidence.scripts[0]], 0.0))
        if sure < self.least_sure or (sure < NOBODY and not somebody(texts[run.first : run.last])):
            return None
        names, size = self.words.names, np.sqrt(run.last - run.first)
        labels: list[Label] = []
        for script, score in zip(evidence.scripts, evidence.scores, strict=True):
            weight = sure * float(np.exp((score - evidence.scores[0]) / size)) * (0.5 if labels else 1.0)
            if (not labels or weight >= self.least) and len(labels) < self.most:
                labels.append(Label(names[script], round(weight, 4)))
        why = self.telling_words(texts[run.first : run.last], evidence.scripts[0])
        return Segment(start, stop, tuple(labels), "", self.name, why)

    def run_evidence(
        self, texts: Sequence[str], scores: Array, thin: bool = False, light: Mapping[str, float] | None = None
    ) -> RunEvidence:
        """What some sentences say of the scripts that they may tell together; ``scores`` (sentences, scripts)."""
        whole, size = scores.sum(0), len(texts)
        seen = {self.words.number[name]: weight for name, weight in (light or {}).items() if name in self.words.number}
        near = {
            int(script): ready_script(self.words.names[script]).meant(texts).max(1)
            for script in (*np.argsort(-whole, kind="stable")[:COMPARED], *seen)
        }
        total = {
            script: float(whole[script]) + MEANING * float(likeness.sum()) + LIGHT * seen.get(script, 0.0)
            for script, likeness in near.items()
        }
        order = sorted(total, key=lambda script: -total[script])
        first = order[0]
        rows = sorted({self.words.row[stem] for text in texts for stem in word_roots(text) if stem in self.words.row})
        gains = self.words.gains[rows, first]
        features = [
            whole[first] / size, (total[first] - total[order[1]]) / np.sqrt(size), near[first].mean(),
            (scores[:, first] >= SUPPORT).mean(), (whole[first] - whole.mean()) / max(float(whole.std()), 1e-6),
            (gains >= STRONG).sum() / size, (gains >= TELLING).sum() / np.sqrt(size),
            1 / np.exp(SHARPNESS * (whole - whole.max())).sum(), float(thin), 1.0,
        ]  # fmt: skip
        return RunEvidence(tuple(order), tuple(total[script] for script in order), np.array(features))

    def telling_words(self, texts: Sequence[str], script: int) -> tuple[str, ...]:
        """The words that decided, strongest first, as they stand in the text."""
        gains: dict[str, float] = {}
        for text in texts:
            for word in sorted({*WORD.findall(text.lower())}):
                rows = [self.words.row[stem] for stem in word_roots(word) if stem in self.words.row]
                if rows and (gain := float(self.words.gains[rows, script].max())) > 0.5:
                    gains.setdefault(word, gain)
        return tuple(sorted(gains, key=lambda word: (-gains[word], word))[:5])


def stretches(free: Sequence[bool]) -> list[tuple[int, int]]:
    """Where neighbours are free: (first, last), half open.

    >>> stretches([True, False, True, True])
    [(0, 1), (2, 4)]
    """
    found: list[tuple[int, int]] = []
    for place, is_free in enumerate(free):
        if is_free and found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        elif is_free:
            found.append((place, place + 1))
    return found


def whole_run(scores: Array, first: int, last: int) -> list[ScriptRun]:
    """A stretch too thin for the chain, as one telling of its likeliest script: how sure that is decides whether it is a segment."""
    return [ScriptRun(first, last, int(scores[first:last].sum(0).argmax()))]


def script_runs(scores: Array, offset: int = 0) -> list[ScriptRun]:
    """The scripts that a stretch of sentences tells, by a chain with *none* as a further label."""
    emission = np.concatenate([scores, np.full((len(scores), 1), NOTHING, np.float32)], axis=1)
    path = best(emission, np.full(len(scores), SWITCH), np.zeros(emission.shape[1]))
    nothing = scores.shape[1]
    return [
        ScriptRun(run.first + offset, run.last + offset, run.label) for run in plain_runs(path) if run.label != nothing
    ]
