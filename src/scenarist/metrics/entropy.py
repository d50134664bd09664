"""Several people's answers to one question -> how far they agree: the scaled entropy of Bennett's study.

Bennett et al. (*gaps in stories*), "Agreement metric": minus the entropy of the answers over its largest possible
value, log N for N people. 0: all said the same; about -1: all said something else. The naive entropy of a small
sample is too low; DeDeo et al. 2013 correct it by the bootstrap: twice the naive estimate minus the mean entropy of
resamples. That mean has a closed form (each answer's count in a resample is binomial), so it is computed exactly here
instead of by drawing: same estimator, no noise, no seed. The corrected value may pass log N, and agreement then falls
below -1 (two people, two answers: -1.5); it is not clipped unless ``clip``. Questions answered by fewer than two
people are left out, as in the paper.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.ratio import count, divide
from scenarist.question import Item, Prediction

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
