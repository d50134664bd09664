"""Several people's answers to one question -> how far they agree: the scaled entropy of Bennett's study.

Bennett et al. (*gaps in stories*), "Agreement metric": minus the entropy of the answers over its largest possible
value, log N for N people. 0: all said the same; about -1: all said something else. The naive entropy of a small
sample is too low; DeDeo et al. 2013 correct it by the bootstrap: twice the naive estimate minus the mean entropy of
resamples. That mean has a closed form (each answer's count in a resample is binomial), so it is computed exactly here
instead of by drawing: same estimator, no noise, no seed. The corrected value may pass log N, and agreement then falls
below -1 (two people, two answers: -1.5); it is not clipped unless ``clip``. Questions answered by fewer than two
people are left out, as in the paper.

Two annotators (or key and prediction) of one story -> do they agree? Kappa, raw agreement, span agreement.

Wanzare et al. 2019, section 3.2, sentence by sentence: *kappa* (Cohen 1960) with the whole label set of a sentence as
its category, so that it is 1 only where the sets are identical; *raw agreement*, the share of sentences on which at
least one label is shared (two sentences without a label agree: their Figure 1 adds up to Table 2 only so); *span
agreement* over segments that share a token and a label. The paper gives no formula for the last; ``overlap`` (the
default) is the mean share of tokens that a pair has in common, ``pooled`` pools the tokens of all pairs, ``matched``
is the share of segments that find a partner.

``agree(a, b, item)`` compares two people's predictions, ``mark`` a prediction with the key.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.metrics.sentence_labels import NONE, Unit, guess_units, is_none
from scenarist.question import Guess, Item, Prediction, Segments, Where
from scenarist.story import Segment, Story

CORRECTIONS = ("bootstrap", "none")


def entropy(counts: Iterable[int]) -> float:
    """The naive entropy of a sample in nats.

    >>> round(entropy([5, 5]), 4)
    0.6931
    """
    numbers = [number for number in counts if number > 0]
    total = sum(numbers)
    return max(0.0, -math.fsum(number / total * math.log(number / total) for number in numbers)) if total else 0.0


def resampled_entropy(counts: Sequence[int]) -> float:
    """The mean naive entropy over all bootstrap resamples of a sample, exactly."""
    size = sum(counts)
    if size == 0:
        return 0.0
    times = np.arange(1, size + 1)
    terms = -(times / size) * np.log(times / size)  # what an answer adds that is drawn so often
    choose = np.array([math.lgamma(size + 1) - math.lgamma(t + 1) - math.lgamma(size - t + 1) for t in times])
    mean = 0.0
    for number in counts:
        if 0 < number < size:
            share = number / size
            chances = np.exp(choose + times * math.log(share) + (size - times) * math.log1p(-share))
            mean += float(chances @ terms)
    return mean


def corrected_entropy(counts: Sequence[int]) -> float:
    """Entropy with the bootstrap correction of DeDeo et al. 2013.

    >>> round(corrected_entropy([1, 1]) / math.log(2), 4)
    1.5
    """
    return 2 * entropy(counts) - resampled_entropy(counts)


def scaled_agreement(answers: Iterable[Hashable], correction: str = "bootstrap", clip: bool = False) -> float:
    """Minus the entropy of answers over log N; 0 is full agreement.

    >>> scaled_agreement(["run", "run", "run"])
    0.0
    """
    counts = list(Counter(answers).values())
    people = sum(counts)
    if people < 2:
        raise BadInput(f"scaled agreement needs the answers of at least two people, got {people}.")
    found = corrected_entropy(counts) if correction == "bootstrap" else entropy(counts)
    value = -found / math.log(people) + 0.0
    return max(-1.0, value) if clip else value


class EntropyAgreement:
    """The mean scaled agreement over items; a prediction is a ``poll`` (one guess a person)."""

    name = "entropy_agreement"
    higher = True
    proportion = False
    averages = True

    def __init__(self, correction: str = "bootstrap", clip: bool = False) -> None:
        if correction not in CORRECTIONS:
            raise BadInput(
                f"entropy_agreement: correction must be one of {', '.join(CORRECTIONS)}, got {correction!r}."
            )
        self.correction, self.clip = correction, clip

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"correction": self.correction, "scale": "log-n", "clip": self.clip}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: its agreement and 1; nothing where fewer than two people answered."""
        answers = [guess.answer for guess in prediction.guesses] if prediction else []
        if len(answers) < 2:
            return {"agreement": 0.0, "n": 0.0}
        return {"agreement": scaled_agreement(answers, self.correction, self.clip), "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean over items."""
        return divide(count(totals, "agreement"), count(totals, "n"))


class Agreement:
    """Base: key and prediction, or two predictions, as two annotators."""

    name: str
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"unit": "sentence", "none": "label"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """The prediction against the key."""
        return self.agree(Prediction(item.id, (Guess(item.key),)), prediction, item)

    def agree(self, a: Prediction | None, b: Prediction | None, item: Item | None = None) -> Mapping[str, float]:
        """Two people's answers to one item."""
        if item is None:
            raise BadInput(f"{self.name}: agree(a, b, item) needs the item, whose story has the sentences to compare.")
        return self.counts(item, a, b)

    def counts(self, item: Item, a: Prediction | None, b: Prediction | None) -> Mapping[str, float]:
        """The counts of one item."""
        raise NotImplementedError

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Agreement over what was compared; 1 where there was nothing to compare."""
        return divide(count(totals, "same"), count(totals, "n"), empty=1.0)


def paired(item: Item, a: Prediction | None, b: Prediction | None) -> list[tuple[Unit | None, Unit | None]]:
    """Both annotators' units side by side; None for somebody who gave no answer."""
    ours: Sequence[Unit | None] = guess_units(item, a) or []
    theirs: Sequence[Unit | None] = guess_units(item, b) or []
    return list(zip_longest(ours, theirs))


class RawAgreement(Agreement):
    """The share of sentences that share at least one label."""

    name = "raw_agreement"

    def counts(self, item: Item, a: Prediction | None, b: Prediction | None) -> Mapping[str, float]:
        """Agreeing sentences and sentences."""
        pairs = paired(item, a, b)
        same = sum(
            x is not None and y is not None and bool(x.labels & y.labels or not (x.labels or y.labels))
            for x, y in pairs
        )
        return {"same": float(same), "n": float(len(pairs))}


class Kappa(Agreement):
    """Cohen's kappa over label sets: agreement beyond what the two annotators' own frequencies give by chance.

    Counts are kept by category (``a:``, ``b:``), so documents pool as in one table. Where chance alone explains
    everything (both always use one same category) kappa is 1 by definition here; scikit-learn gives no number.
    """

    name = "kappa"
    proportion = False
    bounds = (-1.0, 1.0)

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"categories": "label-sets", **super().settings()}

    def counts(self, item: Item, a: Prediction | None, b: Prediction | None) -> Mapping[str, float]:
        """Agreeing sentences, sentences, and each annotator's use of each category."""
        found = {"same": 0.0, "n": 0.0}
        for pair in paired(item, a, b):
            names = [category(unit) for unit in pair]
            for who, name in zip("ab", names, strict=True):
                found[f"{who}:{name}"] = found.get(f"{who}:{name}", 0.0) + 1
            found["same"] += names[0] == names[1]
            found["n"] += 1
        return found

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """(observed - expected) / (1 - expected)."""
        n = count(totals, "n")
        observed = divide(count(totals, "same"), n, empty=1.0)
        names = {name[2:] for name in totals if name[:2] in ("a:", "b:")}
        products = [count(totals, f"a:{name}") * count(totals, f"b:{name}") for name in sorted(names)]
        chance = divide(np.sum(products, axis=0) if products else np.zeros(n.shape), n**2)
        certain = np.isclose(chance, 1.0) | (n == 0)
        return np.where(certain, observed, divide(observed - chance, np.where(certain, 1.0, 1.0 - chance)))


def category(unit: Unit | None) -> str:
    """A label set as one category; no answer is a category that nobody else has."""
    if unit is None:
        return "(no answer)"
    return " + ".join(sorted(unit.labels)) or NONE


class SpanAgreement(Agreement):
    """Agreement on the extent of segments that share a token and a label."""

    name = "span_agreement"

    def __init__(self, measure: str = "overlap") -> None:
        if measure not in ("overlap", "pooled", "matched"):
            raise BadInput(f"span_agreement: measure must be one of overlap, pooled, matched, got {measure!r}.")
        self.measure = measure

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"measure": self.measure, "unit": "token"}

    def counts(self, item: Item, a: Prediction | None, b: Prediction | None) -> Mapping[str, float]:
        """Shared tokens over all tokens of each pair, or segments with a partner over segments."""
        if not isinstance(item.question, Where):
            raise BadInput(f"span_agreement: item {item.id!r} asks no 'where' question, so it has no segments.")
        words = words_of(item.question.story)
        ours, theirs = labelled_spans(a, words), labelled_spans(b, words)
        pairs = [(x, y) for label, x in ours for other, y in theirs if label == other and x & y]
        if self.measure == "matched" or (a is None) != (b is None):
            partners = sum(any(label == other and x & y for other, y in theirs) for label, x in ours)
            partners += sum(any(label == other and x & y for other, y in ours) for label, x in theirs)
            return {"same": float(partners), "n": float(len(ours) + len(theirs))}
        if self.measure == "pooled":
            return {"same": float(sum(len(x & y) for x, y in pairs)), "n": float(sum(len(x | y) for x, y in pairs))}
        return {"same": sum(len(x & y) / len(x | y) for x, y in pairs), "n": float(len(pairs))}


def words_of(story: Story) -> list[tuple[int, int]]:
    """Start and stop of each token, or of each word between spaces where the story is not tokenised."""
    if story.tokens:
        return [(token.start, token.stop) for token in story.tokens]
    return [found.span() for found in re.finditer(r"\S+", story.text)]


def labelled_spans(prediction: Prediction | None, words: Sequence[tuple[int, int]]) -> list[tuple[str, frozenset[int]]]:
    """The segments of an answer as (label, tokens), one for each label.

    Parts of one segment (``group``) are put together, and so are segments of one label that overlap (section 3.3).
    """
    if prediction is None or not prediction.guesses or not isinstance(prediction.guesses[0].answer, Segments):
        return []
    spans: dict[tuple[str, str], frozenset[int]] = {}
    for at, segment in enumerate(prediction.guesses[0].answer.segments):
        for name in segment.names:
            if not is_none(name):
                where = (name, segment.group or f"#{at}")
                spans[where] = spans.get(where, frozenset()) | tokens_in(segment, words)
    merged: list[tuple[str, frozenset[int]]] = []
    for (name, _), tokens in spans.items():
        touching = [one for one in merged if one[0] == name and one[1] & tokens]
        merged = [one for one in merged if one not in touching]
        merged.append((name, tokens.union(*(span for _, span in touching))))
    return [(name, tokens) for name, tokens in merged if tokens]


def tokens_in(segment: Segment, words: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The indices of the tokens that share a character with a segment."""
    return frozenset(at for at, (start, stop) in enumerate(words) if start < segment.stop and segment.start < stop)
