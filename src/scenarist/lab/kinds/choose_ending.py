"""Four sentences and two endings -> an index: the Story Cloze Test as people sit it (Mostafazadeh et al. 2016, section 4.1).

The page of `choose` with its own question. Who is simulated takes the ending that belongs to the script of the story.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.imagined import imagine_rating
from scenarist.lab.kinds.base import LabAnswer
from scenarist.lab.kinds.plain import Choose
from scenarist.question import AnyQuestion, Choice


class ChooseEnding(Choose):
    """Which ending is right?"""

    name = "choose-ending"
    scale = True
    inputs: Mapping[str, str] = {"context": "four sentences", "choices": "two endings"}
    outputs: Mapping[str, str] = {"ending": "index of the chosen ending, from 0"}

    def lines(self, answer: LabAnswer, question: AnyQuestion | None) -> Sequence[tuple[str, str]]:
        """The story with the ending that was chosen."""
        if not isinstance(question, Choice) or not isinstance(answer.answer, str):
            return super().lines(answer, question)
        return [*(("", sentence) for sentence in question.context), ("chosen", question.choices[int(answer.answer)])]

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The ending that goes with the story as far as the library knows, any of them otherwise."""
        values = [control.value for control in form.named("answer")]
        context = page.marked("context")
        fitting = [
            value
            for value, ending in zip(values, page.marked("choice"), strict=True)
            if imagine_rating([*context, ending], ("0", "1"), draw) == "1"
        ]
        return {"answer": [draw.choice(fitting or values)]}
