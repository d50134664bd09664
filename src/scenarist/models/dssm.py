"""Choice -> Guesses: Deep Structured Semantic Model (Huang et al. 2013; Mostafazadeh et al. 2016, section 5, model 9).

Two networks, one for the four sentences and one for the ending: counts of letter trigrams -> 1000 -> 300, tanh, cosine
(models/dssm_network.py). Trained on stories to prefer the told ending to wrong ones: the endings of the batch's other stories and, by
``wrong``, endings made for this story (learning/negatives.py). Departures: log counts, dropout, Adam, and ``names="masked"``, which
writes every person's name as one word in training and asking alike: else the network learns to match names, which both endings share.
``networks="release"`` takes those of `training/storycloze/dssm_grid.py`, which chose the recipe; ``networks="own"`` learns from the
stories given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from scenarist.errors import BadInput
from scenarist.learning.negatives import KINDS, Negatives
from scenarist.models.endings import EndingModel, choice, ranked
from scenarist.question import AnyQuestion, Prediction
from scenarist.story import sentence_texts


@cache
def released() -> tuple[Any, Any]:
    """The released letters and networks."""
    from scenarist.models.dssm_network import unpack
    from scenarist.models.story_adapters import parts

    return unpack(parts("dssm")[0])


class Dssm(EndingModel):
    """Letter trigrams, two networks, cosine."""

    name = "dssm"
    learns = "stories"

    def __init__(
        self, hidden: int = 1000, size: int = 300, epochs: int = 8, batch: int = 256, rate: float = 5e-4, scale: float = 10.0,
        dropout: float = 0.3, least: int = 3, names: str = "masked", wrong: Sequence[str] = (), made: float = 1.0, others: bool = True,
        networks: str = "own", see: str = "story", seed: int = 13,
    ) -> None:  # fmt: skip
        super().__init__(see)
        if names not in ("masked", "kept"):
            raise BadInput(f"dssm: `names` is masked or kept, not {names!r}.")
        if networks not in ("own", "release"):
            raise BadInput(f"dssm: `networks` is own or release, not {networks!r}.")
        for kind in wrong:
            if kind not in KINDS:
                raise BadInput(f"dssm: a kind of wrong ending is one of {', '.join(KINDS)}, not {kind!r}.")
        self.hidden, self.size, self.epochs, self.batch, self.rate = hidden, size, epochs, batch, rate
        self.scale, self.dropout, self.least, self.names = scale, dropout, least, names
        self.wrong, self.made, self.others, self.networks, self.seed = tuple(wrong), made, others, networks, seed
        if networks == "release":
            self.learns = "nothing"

    def reads(self) -> list[Path]:
        """The released networks, where it takes them."""
        from scenarist.models.story_adapters import release_file

        return [release_file("dssm.safetensors")] if self.networks == "release" else []

    def fit(self, data: Iterable[Any]) -> Dssm:
        """Learn from stories of two or more sentences."""
        if self.networks == "release":
            return self
        from scenarist.models.dssm_network import Letters, Recipe, learn

        stories = [told for story in data if len(told := list(sentence_texts(story))) > 1]
        if len(stories) < 2:
            raise BadInput(f"dssm: expected stories to learn from, got {len(stories)}.")
        self.letters_ = Letters(stories, self.least, self.names == "masked")
        if not self.letters_.known:
            raise BadInput("dssm: the stories hold no letter trigram often enough; set `least` lower.")
        made = []
        if self.wrong:
            maker = Negatives(self.seed).fit(stories)
            for at, kind in enumerate(self.wrong):  # a kind that is named twice is made twice, by another turn
                turn = self.wrong[:at].count(kind)
                found = [maker.make(told, kind, turn) for told in stories]
                made.append(self.letters_.counts([[one.text] if one else [] for one in found]))
        size = min(self.batch, len(stories))
        recipe = Recipe(self.hidden, self.size, self.epochs, size, self.rate, self.scale, self.dropout, self.others, self.made)
        counts = self.letters_.counts
        self.towers_ = learn(
            self.letters_, counts([told[:-1] for told in stories]), counts([told[-1:] for told in stories]), made, recipe, self.seed
        )
        return self

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        import torch

        if self.networks == "release":
            self.letters_, self.towers_ = released()
        if not hasattr(self, "towers_"):
            raise BadInput(f"{self.name} has learned nothing yet: call fit(stories), or name a training corpus in the table.")
        asked = [choice(question, self.name) for question in questions]
        counts = self.letters_.counts
        with torch.no_grad():
            stories = self.towers_[0](counts([self.seen(one.context) for one in asked])).numpy()
            endings = iter(self.towers_[1](counts([[text] for one in asked for text in one.choices])).numpy())
        return [
            ranked([self.scale * float(story @ next(endings)) for _ in one.choices], self.name)
            for one, story in zip(asked, stories, strict=True)
        ]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]
