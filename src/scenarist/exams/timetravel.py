"""Rewriting -> two Items: the original ending fits the story as it was, the edited one the counterfactual (Qin et al. 2019).

The same two endings are asked about twice, so no liking for an ending can answer both: see the metrics `strict` and `interaction`. The
paper has endings written; asking which is likelier is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scenarist.corpora.timetravel import Rewriting
from scenarist.errors import BadInput
from scenarist.question import Choice, Item


class TimeTravelExam:
    """Two beginnings, two endings."""

    name = "timetravel"
    metrics = ("interaction", "strict", "accuracy")

    def settings(self) -> Mapping[str, object]:
        """Nothing to switch."""
        return {}

    def set(self, stories: Iterable[Rewriting]) -> Iterator[Item]:
        """Two items a rewriting, the choices in the same order; the bootstrap draws stories."""
        for story in stories:
            if not isinstance(story, Rewriting):
                raise BadInput(f"timetravel takes the corpus timetravel, not {type(story).__name__}.")
            if story.original == story.edited:
                raise BadInput(f"story {story.id!r}: the edited ending is the original one.")
            endings = (story.original, story.edited)
            for key, second in enumerate((story.initial, story.counterfactual)):
                name = ("initial", "counterfactual")[key]
                question = Choice((story.premise, second), endings)
                yield Item(f"{story.id}:{name}", question, str(key), story.story, tags=(name,))
