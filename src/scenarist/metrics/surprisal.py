"""Item x Prediction -> how surprising the key was, and how much the guesses say.

Surprisal is the mean of -ln P(key) (Bisk et al. 2019, section 5, nats). Information content is the mean of -log
P(guess) under corpus frequencies, whatever the key (Chambers 2017, Table 3): it tells a solver that repeats *said*
from one that commits itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.question import Item, Prediction


class Surprisal:
    """Mean -ln P(key) in nats; lower is better.

    P(key) is ``key_logp`` where the runner asked for it, else the key's own guess. A key with no probability, or a
    missing prediction, counts at ``floor``: an infinite mean could be neither stored nor compared.
    """

    name = "surprisal"
    higher = False
    proportion = False
    averages = True

    def __init__(self, floor: float = 1e-12) -> None:
        if not 0 < floor < 1:
            raise BadInput(f"surprisal: floor must be a probability between 0 and 1, got {floor}.")
        self.floor = floor

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"unit": "nats", "floor": self.floor}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: its surprisal, whether it hit the floor, and 1 for the item itself."""
        logp = None
        if prediction is not None:
            logp = prediction.key_logp
            if logp is None:
                logp = next((guess.logp for guess in prediction.guesses if guess.answer == item.key), None)
        least = math.log(self.floor)
        rated = logp is not None and logp > least
        return {"nats": -(logp if logp is not None and rated else least), "floored": float(not rated), "n": 1.0}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean over items."""
        return divide(count(totals, "nats"), count(totals, "n"))


class InformationContent:
    """Mean information of the first k guesses under corpus frequencies, in bits (``base=2``) or nats (``base="e"``).

    The paper does not name its base nor how many predictions it averages over; both stand in the signature. ``fit``
    takes the answers of a corpus (events as ``verb:role``). An answer the corpus never had counts as seen once.

    >>> metric = InformationContent(k=1).fit(["say:subj", "say:subj", "say:subj", "flee:subj"])
    >>> round(metric.bits("flee:subj"), 1), round(metric.bits("say:subj"), 3)
    (2.0, 0.415)
    """

    name = "information_content"
    higher = True
    proportion = False
    averages = True
    learns = "answers"

    def __init__(self, k: int = 10, base: float | str = 2, counts: Mapping[str, float] | None = None) -> None:
        if k < 1:
            raise BadInput(f"information_content: k must be at least 1, got {k}.")
        self.k = k
        self.base = math.e if base == "e" else float(base)
        self.counts_: dict[str, float] = dict(counts or {})
        self.total_ = sum(self.counts_.values())

    def fit(self, answers: Iterable[str]) -> InformationContent:
        """Count the answers of a corpus."""
        self.counts_ = {answer: float(number) for answer, number in Counter(answers).items()}
        self.total_ = sum(self.counts_.values())
        return self

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"k": self.k, "base": "e" if self.base == math.e else self.base, "counted": int(self.total_)}

    def bits(self, answer: str) -> float:
        """Information of one answer."""
        if self.total_ <= 0:
            raise BadInput(
                "information_content needs the frequencies of a corpus: make it with counts={'say:subj': 120, ...} or "
                "call .fit(answers) with the events of the training corpus first."
            )
        return max(0.0, -math.log(max(self.counts_.get(answer, 0.0), 1.0) / self.total_, self.base))

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: the information of its first guesses, and how many there were."""
        guesses = prediction.guesses[: self.k] if prediction else ()
        return {"bits": sum(self.bits(str(guess.answer)) for guess in guesses), "n": float(len(guesses))}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The mean over guesses."""
        return divide(count(totals, "bits"), count(totals, "n"))
