"""Sentences of a text -> those that do not belong to it (which sentences have nothing to do with the activity?).

The answer is a group for each sentence, *related* or *unrelated*; nothing ticked needs a word that all belong together.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Group, Groups
from scenarist.reading.stems import STOP, stems

RELATED, UNRELATED = "related", "unrelated"


class TickSentences(PageKind):
    """Which sentences have nothing to do with the activity?"""

    name = "tick"
    asks = (Group,)
    inputs: Mapping[str, str] = {"context": "the activity", "texts": "the sentences, in order"}
    outputs: Mapping[str, str] = {
        "unrelated": "numbers of the sentences that have nothing to do with it, from 1",
        "all_belong": "yes where it was said that all belong to it",
    }
    template = """
{% for line in context %}<p class="note">The activity: <strong data-text="context">{{ line }}</strong></p>{% endfor %}
<fieldset{% if problem %} aria-describedby="problem"{% endif %}><legend>{{ text or "Tick each sentence that has nothing to do with it." }}</legend>
{% for sentence in texts %}<label class="choice"><input type="checkbox" name="answer" value="{{ loop.index0 }}"{% if value.ticked is defined and loop.index0|string in value.ticked %} checked{% endif %}>
<span class="soft">{{ loop.index }}</span> <span class="over" data-text="sentence">{{ sentence }}</span></label>{% endfor %}</fieldset>
<p><label><input type="checkbox" name="all" value="yes"{% if value.all_belong is defined and value.all_belong == "yes" %} checked{% endif %}> All sentences have to do with it</label></p>"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The activity and the sentences."""
        assert isinstance(question, Group)
        return {"context": question.context, "texts": question.texts}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """A group for each sentence."""
        assert isinstance(question, Group)
        ticked, everything = set(form.all("answer")), form.get("all") == "yes"
        if not ticked <= {str(number) for number in range(len(question.texts))}:
            raise NotAccepted("A sentence was ticked that is not there; please open the page again.")
        if ticked and everything:
            raise NotAccepted("You ticked sentences and also said that all belong: please take back one of the two.")
        if not ticked and not everything:
            raise NotAccepted("Nothing is ticked. If all sentences have to do with the activity, tick the last box.")
        if len(ticked) == len(question.texts):
            raise NotAccepted("You ticked every sentence. Please leave those that have to do with the activity.")
        names = tuple(UNRELATED if str(number) in ticked else RELATED for number in range(len(question.texts)))
        return LabAnswer(Groups(names), (("all_belong", "yes"),) if everything else ())

    def again(self, form: FormFields) -> dict[str, Any]:
        """The ticks as they were sent."""
        return {"ticked": form.all("answer"), "all_belong": form.get("all")}

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """The ticks of an earlier answer."""
        return {"ticked": ticked_of(answer), "all_belong": answer.get("all_belong")}

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """The numbers of what was ticked."""
        numbers = " ".join(str(int(number) + 1) for number in ticked_of(answer))
        return {"unrelated": numbers, "all_belong": answer.get("all_belong")}

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The sentence that shares fewest words with the others and with the activity; now and then nothing."""
        sentences = page.marked("sentence")
        words = [set(stems(sentence)) - STOP for sentence in sentences]
        activity = {stem for line in page.marked("context") for stem in stems(line)}
        if draw.random() < 0.1 or len(sentences) < 3:
            return {"answer": [], "all": ["yes"]}
        shared = [
            len(own & (activity | {word for other in words if other is not own for word in other})) / max(1, len(own))
            for own in words
        ]
        place = min(range(len(words)), key=lambda number: (shared[number], draw.random()))
        return {"answer": [str(place)], "all": []}


def ticked_of(answer: LabAnswer) -> list[str]:
    """The places that are not related."""
    names = answer.answer.names if isinstance(answer.answer, Groups) else ()
    return [str(number) for number, name in enumerate(names) if name == UNRELATED]
