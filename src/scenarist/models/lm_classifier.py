"""Choice -> Guesses: SmolLM2 tuned on stories, then on labelled endings (cf. GPT, Radford et al. 2018: 86.5 on the 2016 test set).

``adapter="folds"``: ten adapters of rank 4, each trained on the validation set without one fold of contexts; a question is
answered by the one that has never seen its context, be it a question of the validation set or a new one. ``adapter="all"``: one
trained on all of the validation set, for new stories.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.models.endings import fold_of
from scenarist.models.lm_endings import Asked, Remembering, last_logits, story_tree
from scenarist.models.story_adapters import adapter, story_files, story_network


class LmClassifier(Remembering):
    """The labelled classifier."""

    name = "lm-classifier"

    def __init__(self, adapter: str = "folds", see: str = "story") -> None:
        super().__init__(see)
        if adapter not in ("folds", "all"):
            raise BadInput(f"lm-classifier: `adapter` is folds or all, not {adapter!r}.")
        self.adapter = adapter

    def reads(self) -> list[Path]:
        """SmolLM2, the adapters for stories, the labelled ones."""
        return story_files("labelled" if self.adapter == "all" else "folds")

    def key(self) -> tuple[object, ...]:
        return (self.name, self.adapter)

    def many(self, asked: Sequence[Asked]) -> list[list[float]]:
        net = story_network(1)
        if self.adapter == "all":
            chosen = adapter("labelled")
            return last_logits(net, [story_tree(net, *one) for one in asked], chosen, chosen)
        out: list[list[float]] = [[] for _ in asked]
        for fold in range(10):
            mine = [at for at, (context, _) in enumerate(asked) if fold_of(context) == fold]
            if mine:
                chosen = adapter("folds", str(fold))
                found = last_logits(net, [story_tree(net, *asked[at]) for at in mine], chosen, chosen)
                for at, row in zip(mine, found, strict=True):
                    out[at] = row
        return out
