"""ColdItem -> Item: which of two events is a cause (an effect) of a third? (Joshi et al. 2024, *COLD*.)

``see="choices"`` hides the premise: what the choices alone tell. The bootstrap draws premises, since many items share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scenarist.corpora.cold import ColdItem
from scenarist.errors import BadInput
from scenarist.question import Choice, Item

VIEWS = ("premise", "choices")


class ColdExam:
    """A premise, two choices."""

    name = "cold"
    metrics = ("accuracy",)

    def __init__(self, see: str = "premise") -> None:
        if see not in VIEWS:
            raise BadInput(f"cold: `see` is one of {', '.join(VIEWS)}, not {see!r}.")
        self.see = see

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {"see": self.see}

    def set(self, stories: Iterable[ColdItem]) -> Iterator[Item]:
        """One item each; the activity is told, and stands among the item's tags."""
        for cold in stories:
            if not isinstance(cold, ColdItem):
                raise BadInput(f"cold takes the corpus cold, not {type(cold).__name__}.")
            context = (cold.premise,) if self.see == "premise" else ()
            question = Choice(context, cold.choices, cold.relation, cold.activity)
            group = f"{cold.activity}: {cold.premise}"
            yield Item(cold.id, question, str(cold.answer), group, tags=(cold.activity, cold.relation))
