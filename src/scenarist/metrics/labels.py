"""Item x Prediction -> precision, recall and F1 of labels, with Wanzare's top-n rule and proportional credit.

Wanzare et al. 2019, section 5.1: a sentence with n labels in the key is asked for the n best predicted ones (top-n
rule). Each key label is worth 1/n, found or missed; each wrong label is worth 1. The bath sentence: two labels in the
key, two predicted, one of them right: 0.5 true positive, 0.5 false negative, 1 false positive. Labels that tie at the
cut count at their expectation.

*None* (``none=``). The paper asks for one label where the key is *None*, but its Table 6 shows recall unchanged
(0.54) when those sentences are left out, which cannot be if *None* earns true positives. So the default is ``empty``:
*None* is the absence of a label; a label predicted there is a false positive, and a sentence rightly left empty earns
nothing. ``label``: *None* is a label like any other. ``ignore``: sentences whose key is *None* are left out (the row
"Gold" of Table 6).

Averages: ``micro`` (the paper), ``macro`` (unweighted mean over all labels that key or prediction use, as
scikit-learn's).

Item x Prediction -> F1, precision and recall over the sentences that tell a scenario: the row "Gold" of Table 6 (Wanzare et al. 2019).

The upper bound of a classifier that need not know what *None* is: sentences whose key is *None* are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scenarist.contracts import Totals
from scenarist.errors import BadInput
from scenarist.metrics.base import count, divide
from scenarist.metrics.sentence_labels import NONE, Unit, answer_units, guess_units
from scenarist.question import Item, Prediction

WORTH = ("tp", "fp", "fn")


def chosen(unit: Unit, n: int, none: bool) -> dict[str, float]:
    """The n best labels with the chance of each to be among them; ties at the cut share what is left.

    >>> chosen(Unit({"a": 0.9, "b": 0.4, "c": 0.4}), 2, none=False)
    {'a': 1.0, 'b': 0.5, 'c': 0.5}
    """
    if not unit.weights:
        return {NONE: 1.0} if none else {}
    taken: dict[str, float] = {}
    for level in sorted(set(unit.weights.values()), reverse=True):
        seats = n - sum(taken.values())
        if seats <= 1e-9:
            break
        tied = sorted(name for name, weight in unit.weights.items() if weight == level)
        taken.update({name: min(1.0, seats / len(tied)) for name in tied})
    return taken


class Labelled:
    """Base of precision, recall and F1 over the labels of sentences."""

    name: str
    higher = True
    proportion = True

    def __init__(self, average: str = "micro", none: str = "empty", wrong: str = "whole", top: str = "n") -> None:
        for given, known, what in (
            (average, ("micro", "macro"), "average"),
            (none, ("empty", "label", "ignore"), "none"),
            (wrong, ("whole", "proportional"), "wrong"),
            (top, ("n", "all"), "top"),
        ):
            if given not in known:
                raise BadInput(f"{self.name}: {what} must be one of {', '.join(known)}, got {given!r}.")
        self.average, self.none, self.wrong, self.top = average, none, wrong, top

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {
            "average": self.average,
            "none": self.none,
            "top": self.top,
            "wrong": self.wrong,
            "unit": "sentence",
            "ties": "expected",
        }

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: true and false positives and false negatives, by label where the average is macro."""
        keys = answer_units(item, item.key)
        guesses: Sequence[Unit | None] = guess_units(item, prediction) or [None] * len(keys)
        counts = dict.fromkeys(WORTH, 0.0)
        for key, guess in zip(keys, guesses, strict=True):
            for sort, label, worth in self.worth(key, guess):
                name = f"{sort}:{label}" if self.average == "macro" else sort
                counts[name] = counts.get(name, 0.0) + worth
        return counts

    def worth(self, key: Unit, guess: Unit | None) -> list[tuple[str, str, float]]:
        """One sentence: what each label of key and guess adds; ``guess`` is None where nothing was predicted at all."""
        if not key.labels and self.none == "ignore":
            return []
        wanted = key.labels or (frozenset({NONE}) if self.none == "label" else frozenset())
        n = max(1, len(wanted)) if self.top == "n" else max(1, len(guess.weights) if guess else 1)
        taken = chosen(guess, n, none=self.none == "label") if guess is not None else {}
        share = 1.0 / len(wanted) if wanted else 1.0
        found = [("tp", label, share * taken.get(label, 0.0)) for label in sorted(wanted)]
        missed = [("fn", label, share * (1.0 - taken.get(label, 0.0))) for label in sorted(wanted)]
        price = share if self.wrong == "proportional" else 1.0
        false = [("fp", label, price * chance) for label, chance in taken.items() if label not in wanted]
        return [one for one in (*found, *missed, *false) if one[2]]

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """The ratio of the sums, or the mean of the labels' ratios."""
        if self.average == "micro":
            sums = [count(totals, sort) for sort in WORTH]
            return np.where(sum(sums) == 0, 1.0, self.ratio(*sums))  # nothing to find and nothing claimed is perfect
        labels = sorted({name.partition(":")[2] for name in totals if ":" in name})
        shape = np.shape(count(totals, "tp"))
        if not labels:
            return np.ones(shape)
        tp, fp, fn = (np.stack([count(totals, f"{sort}:{label}") for label in labels]) for sort in WORTH)
        present = (tp + fp + fn) > 0  # (labels, ...): in a bootstrap replicate some labels do not occur
        return divide((self.ratio(tp, fp, fn) * present).sum(axis=0), present.sum(axis=0))

    def ratio(self, tp: npt.NDArray[Any], fp: npt.NDArray[Any], fn: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The measure itself."""
        raise NotImplementedError


class Precision(Labelled):
    """True positives over all predicted."""

    name = "precision"

    def ratio(self, tp: npt.NDArray[Any], fp: npt.NDArray[Any], fn: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """tp / (tp + fp)."""
        return divide(tp, tp + fp)


class LabelRecall(Labelled):
    """True positives over all in the key."""

    name = "recall"

    def ratio(self, tp: npt.NDArray[Any], fp: npt.NDArray[Any], fn: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """tp / (tp + fn)."""
        return divide(tp, tp + fn)


class F1(Labelled):
    """The harmonic mean of precision and recall, from the proportional counts."""

    name = "f1"

    def ratio(self, tp: npt.NDArray[Any], fp: npt.NDArray[Any], fn: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """2 tp / (2 tp + fp + fn)."""
        return divide(2 * tp, 2 * tp + fp + fn)


class NoneF1(F1):
    """F1 of finding the sentences that tell no scenario: *None* against everything else."""

    name = "none_f1"

    def worth(self, key: Unit, guess: Unit | None) -> list[tuple[str, str, float]]:
        """One sentence: *None* in the key, in the guess, in both."""
        wanted, given = not key.labels, guess is not None and not guess.labels
        sort = {(True, True): "tp", (True, False): "fn", (False, True): "fp"}.get((wanted, given))
        return [(sort, NONE, 1.0)] if sort else []

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"average": self.average, "unit": "sentence"}


class SentenceAccuracy:
    """The share of sentences whose best label is one of the key's, *None* for none; ties at their expectation."""

    name = "sentence_accuracy"
    higher = True
    proportion = True

    def settings(self) -> Mapping[str, object]:
        """What stands in the signature."""
        return {"none": "label", "unit": "sentence", "ties": "expected"}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """One item: right sentences and sentences."""
        keys = answer_units(item, item.key)
        right = 0.0
        for key, guess in zip(keys, guess_units(item, prediction) or [], strict=False):
            wanted = key.labels or {NONE}
            right += sum(chance for label, chance in chosen(guess, 1, none=True).items() if label in wanted)
        return {"right": right, "n": float(len(keys))}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        """Right sentences over sentences."""
        return divide(count(totals, "right"), count(totals, "n"))


class GoldF1(F1):
    """F1 over labelled sentences."""

    name = "gold_f1"

    def __init__(self, average: str = "micro", wrong: str = "whole", top: str = "n") -> None:
        super().__init__(average, "ignore", wrong, top)


class GoldPrecision(Precision):
    """Precision over labelled sentences."""

    name = "gold_precision"

    def __init__(self, average: str = "micro", wrong: str = "whole", top: str = "n") -> None:
        super().__init__(average, "ignore", wrong, top)


class GoldRecall(LabelRecall):
    """Recall over labelled sentences."""

    name = "gold_recall"

    def __init__(self, average: str = "micro", wrong: str = "whole", top: str = "n") -> None:
        super().__init__(average, "ignore", wrong, top)
