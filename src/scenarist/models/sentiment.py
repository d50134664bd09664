"""Choice -> Guesses: the ending whose feeling matches the story's (Mostafazadeh et al. 2016, section 5, models 4 and 5).

*Sentiment-full* compares with the mean over the story's sentences, *sentiment-last* with the last one. The paper rates
sentences from 1 to 5 with a tree network; we take VADER's compound value, cut into the same five classes (``classes=0``
keeps it continuous). With five classes many endings tie; ties count half.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from scenarist.errors import BadInput, missing_extra
from scenarist.models.endings import EndingModel


@cache
def analyser() -> Any:
    """VADER, from the extra `stories`."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ModuleNotFoundError as error:
        raise missing_extra("vaderSentiment", "stories", "The sentiment baseline") from error
    return SentimentIntensityAnalyzer()


def feeling(text: str) -> float:
    """How a sentence feels, -1 to 1."""
    return float(analyser().polarity_scores(text)["compound"])


class Sentiment(EndingModel):
    """Endings by the distance of their feeling from the story's."""

    name = "sentiment"

    def __init__(self, of: str = "full", classes: int = 5, see: str = "story") -> None:
        super().__init__(see)
        if of not in ("full", "last"):
            raise BadInput(f"sentiment: `of` is full or last, not {of!r}.")
        self.of, self.classes = of, classes

    def rate(self, text: str) -> float:
        """A sentence's feeling, in classes where asked."""
        value = feeling(text)
        if not self.classes:
            return value
        return min(self.classes - 1, int((value + 1.0) / 2.0 * self.classes)) / (self.classes - 1) * 2.0 - 1.0

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        if not context:
            return [self.rate(ending) for ending in endings]
        told = context if self.of == "full" else context[-1:]
        mood = sum(self.rate(sentence) for sentence in told) / len(told)
        return [-abs(self.rate(ending) - mood) for ending in endings]
