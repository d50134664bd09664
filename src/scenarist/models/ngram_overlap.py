"""Choice -> Guesses: the ending that shares more n-grams with the story (Mostafazadeh et al. 2016, section 5, model 2).

Smoothed BLEU of Lin and Och (2004): precisions of 1- to 4-grams, one added to count and total above unigrams, words only. The
paper does not say how it treats an ending's being shorter than the story; without a brevity penalty we come to its figure
(47.8 against 47.7 on the validation set), with one (``brevity=True``) to 55.9, because the penalty favours the longer ending.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from scenarist.models.endings import EndingModel

TOKEN = re.compile(r"\w+(?:['’]\w+)?")


def grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram occurs."""
    return Counter(tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


def smoothed_bleu(candidate: Sequence[str], reference: Sequence[str], most: int = 4, brevity: bool = True) -> float:
    """Sentence BLEU with one added above unigrams.

    >>> smoothed_bleu("a b c d".split(), "a b c d".split())
    1.0
    """
    logs = 0.0
    for n in range(1, most + 1):
        ours, theirs = grams(candidate, n), grams(reference, n)
        shared = sum(min(count, theirs[gram]) for gram, count in ours.items())
        total = sum(ours.values())
        more = 0 if n == 1 else 1
        if shared + more == 0 or total + more == 0:
            return 0.0
        logs += math.log((shared + more) / (total + more)) / most
    short = min(0.0, 1.0 - len(reference) / max(1, len(candidate))) if brevity else 0.0
    return math.exp(logs + short)


class NgramOverlap(EndingModel):
    """Smoothed BLEU of an ending against the story."""

    name = "ngram-overlap"

    def __init__(self, most: int = 4, brevity: bool = False, see: str = "story") -> None:
        super().__init__(see)
        self.most, self.brevity = most, brevity

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        reference = TOKEN.findall(" ".join(context).lower())
        return [smoothed_bleu(TOKEN.findall(ending.lower()), reference, self.most, self.brevity) for ending in endings]
