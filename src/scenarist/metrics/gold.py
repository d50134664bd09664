"""Item x Prediction -> F1, precision and recall over the sentences that tell a scenario: the row "Gold" of Table 6 (Wanzare et al. 2019).

The upper bound of a classifier that need not know what *None* is: sentences whose key is *None* are left out.
"""

from __future__ import annotations

from scenarist.metrics.labels import F1, LabelRecall, Precision


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
