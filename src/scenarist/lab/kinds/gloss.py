"""Answers to one question -> groups of the same meaning (Bennett, *manual matching*: one gloss for all that mean the same).

Every answer has a box for its gloss, a word or two; answers with the same gloss are one group. Our verb groups suggest: the box holds the
first WordNet group that the main verb shares with other answers. Raw answers and glosses are both kept.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Group, Groups
from scenarist.reading.main_verb import main_verb
from scenarist.reading.wordnet import match

MOST = 60


@lru_cache(maxsize=512)
def suggested(texts: tuple[str, ...]) -> tuple[str, ...]:
    """A gloss for each answer: its main verb, or the commonest verb among the answers that means the same.

    >>> suggested(("She ate the soup.", "They had eaten.", "He slept."))
    ('eat', 'eat', 'sleep')
    """
    verbs = [main_verb(text) or text.split()[0].lower() for text in texts]
    order = [verb for verb, _ in Counter(verbs).most_common()]
    shared = (next((other for other in order if match(verb, other)), verb) for verb in verbs)
    return tuple(word.replace("_", " ") for word in shared)


class Gloss(PageKind):
    """Which answers mean the same?"""

    name = "gloss"
    asks = (Group,)
    script = "gloss.js"
    inputs: Mapping[str, str] = {"texts": "the different answers to one question", "context": "the question"}
    outputs: Mapping[str, str] = {"glosses": "answer = gloss, one pair an answer"}
    template = """
<details><summary>The question they answered</summary>{% for line in context %}<p class="story">{{ line }}</p>{% endfor %}</details>
<p>Give each answer a word for what it means. Answers with the same word are one group; be generous. The words that stand there are suggestions.</p>
<ol class="glosses" id="glosses">{% for text in texts %}<li><label for="g{{ loop.index0 }}" data-text="answer">{{ text }}</label>
<input type="text" id="g{{ loop.index0 }}" name="gloss" maxlength="{{ most }}" autocomplete="off" list="words" value="{{ (value.glosses[loop.index0] if value.glosses is defined and loop.index0 < value.glosses|length else words[loop.index0]) }}"></li>{% endfor %}</ol>
<datalist id="words">{% for word in distinct %}<option value="{{ word }}"></option>{% endfor %}</datalist>
<p id="groups" role="status" class="soft"></p>"""

    def hotkeys(self, settings: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Within a box."""
        return (("Enter", "next answer"), ("Ctrl+D", "the same word as the answer above"))

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The answers with suggestions."""
        assert isinstance(question, Group)
        words = suggested(question.texts)
        return {
            "texts": question.texts,
            "context": question.context,
            "words": words,
            "distinct": sorted(set(words)),
            "most": MOST,
        }

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """A gloss for every answer."""
        assert isinstance(question, Group)
        glosses = [" ".join(gloss.split()).lower() for gloss in form.all("gloss")]
        if len(glosses) != len(question.texts):
            raise NotAccepted(
                f"There are {len(question.texts)} answers and {len(glosses)} words; please open the page again.",
                "gloss",
            )
        for number, gloss in enumerate(glosses, start=1):
            if not gloss:
                raise NotAccepted(f"Answer {number} has no word yet.", "gloss")
            if len(gloss) > MOST:
                raise NotAccepted(f"The word of answer {number} is longer than {MOST} characters.", "gloss")
        return LabAnswer(Groups(tuple(glosses)))

    def again(self, form: FormFields) -> dict[str, Any]:
        """The words as they were sent."""
        return {"glosses": form.all("gloss")}

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """The words of an earlier answer."""
        return {"glosses": list(answer.answer.names) if isinstance(answer.answer, Groups) else []}

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """Pairs."""
        names = answer.answer.names if isinstance(answer.answer, Groups) else ()
        texts = question.texts if isinstance(question, Group) else ()
        return {"glosses": "; ".join(f"{text} = {name}" for text, name in zip(texts, names, strict=False))}

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The suggestions, here and there another word."""
        words = [control.value for control in form.named("gloss")]
        return {"gloss": [draw.choice(words) if draw.random() < 0.1 else word for word in words]}
