"""ClozeStory -> Item: which of two endings is right? (Mostafazadeh et al. 2016, section 4; Sharma et al. 2018.)

``see="ending"`` hides the four sentences: what a solver, or a person, knows from the endings alone. ``see="last"`` shows
only the fourth sentence. Departure: the paper says nothing of files without answers; ``blind=True`` sets their questions
with an empty key, so that predictions can be written and scored elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scenarist.corpora.storycloze import ClozeStory
from scenarist.errors import BadInput
from scenarist.question import Choice, Item

VIEWS = ("story", "last", "ending")


class StoryClozeExam:
    """Four sentences, two endings."""

    name = "storycloze"
    metrics = ("accuracy",)
    view = "cloze"
    """What it asks of a corpus with several views, such as toy."""

    def __init__(self, see: str = "story", blind: bool = False) -> None:
        if see not in VIEWS:
            raise BadInput(f"storycloze: `see` is one of {', '.join(VIEWS)}, not {see!r}.")
        self.see, self.blind = see, blind

    def settings(self) -> Mapping[str, object]:
        """The switches, for the signature."""
        return {"see": self.see}

    def set(self, stories: Iterable[ClozeStory]) -> Iterator[Item]:
        """One item a story; the item's group is its context, which 2016 and 2018 share."""
        for story in stories:
            check(story)
            if story.answer is None and not self.blind:
                raise BadInput(
                    f"story {story.id!r} has no answer (column AnswerRightEnding). Set the exam blind to write its questions: "
                    "scenarist exam storycloze --set blind=true"
                )
            context = {"story": story.context, "last": story.context[-1:], "ending": ()}[self.see]
            key = "" if story.answer is None else str(story.answer)
            yield Item(story.id, Choice(tuple(context), story.endings), key, group=" ".join(story.context))


def check(story: ClozeStory) -> None:
    """Refuse a story that cannot be asked: one without two endings, an empty sentence, or two endings that are the same."""
    if not isinstance(story, ClozeStory):
        raise BadInput(
            f"storycloze takes stories with two endings (storycloze-2016, storycloze-2018, toy), not {type(story).__name__}."
        )
    for number, sentence in enumerate(story.context, start=1):
        if not sentence.strip():
            raise BadInput(f"story {story.id!r}: expected four sentences, but sentence {number} is empty.")
    if not all(ending.strip() for ending in story.endings):
        raise BadInput(f"story {story.id!r}: an ending is empty.")
    if story.endings[0].strip() == story.endings[1].strip():
        raise BadInput(
            f"story {story.id!r}: both endings are the same ({story.endings[0]!r}); one of them must be wrong."
        )
