"""Choice -> Guesses: by what a text's surface says, nothing else: the rows that an exam of choices is audited with.

``by``: the ``longest`` or the ``shortest`` text (words, then characters), the one of the ``frequent`` or the ``rare`` words (mean log
frequency in the training stories, one added to each count). Position is `constant`. What a row knows of stories is what it gains over
the best of these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from scenarist.errors import BadInput
from scenarist.models.endings.base import EndingModel, words
from scenarist.story import Story

BY = ("longest", "shortest", "frequent", "rare")


class ChoiceSurface(EndingModel):
    """Length or frequency of the choices."""

    name = "choice-surface"

    def __init__(self, by: str = "longest") -> None:
        super().__init__("ending")
        if by not in BY:
            raise BadInput(f"{self.name}: `by` is one of {', '.join(BY)}, not {by!r}.")
        self.by = by
        self.learns = "stories" if by in ("frequent", "rare") else "nothing"

    def fit(self, data: Iterable[Any]) -> ChoiceSurface:
        """Count the words of stories, where frequency is asked."""
        self.counts_: Counter[str] = Counter()
        if self.learns == "stories":
            for story in data:
                if isinstance(story, Story):
                    self.counts_.update(words(story.text))
            if not self.counts_:
                raise BadInput(f"{self.name}: no word was found in the training stories.")
        return self

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        """A number for each text."""
        way = 1.0 if self.by in ("longest", "frequent") else -1.0
        if self.learns == "nothing":
            return [way * (len(words(text)) + len(text) / 1000) for text in endings]
        if not hasattr(self, "counts_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus.")
        return [way * self.frequency(text) for text in endings]

    def frequency(self, text: str) -> float:
        """Mean log frequency of the words."""
        tokens = words(text)
        return sum(math.log(1 + self.counts_[token]) for token in tokens) / max(1, len(tokens))
