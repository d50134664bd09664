"""An activity, or a caption with its clip -> its steps in order: explained to a child (Bisk et al. 2019), or told as one does it (DeScript).

Settings, beside those of `compose`: ``least`` steps; ``new_words`` (1: a step that says nothing beyond the caption is not taken, since what
is missing is asked for). A clip or a picture is the second line of the context, an address: a link opens it in a window of its own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from scenarist.corpora.library import Library
from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted
from scenarist.lab.kinds.compose import ComposeTexts, parts_of
from scenarist.question import AnyQuestion, Compose
from scenarist.reading.stems import STOP, stems

BASIC = (
    "take a {tool} out of the drawer", "put it on the table", "hold it with one hand", "use the {tool} slowly and carefully",
    "put everything into a large bowl", "turn the stove on to medium heat", "wait about five minutes", "ask a grown-up to help you with the hot pan",
    "wash your hands with soap", "stir it with a spoon until it is smooth", "hold the bowl so that it does not slip", "turn the stove off again",
    "get a clean plate", "throw away what you do not need", "cut it into small pieces with a knife on a cutting board",
)  # fmt: skip
"""What a simulated writer knows of the kitchen."""
TOOLS = ("spoon", "knife", "whisk", "spatula", "fork", "strainer", "peeler", "pan", "pot", "cutting board")


class ListSteps(ComposeTexts):
    """How is it done, step by step?"""

    name = "steps"
    unique = False
    label = "Step {number}"
    inputs: Mapping[str, str] = {
        "ask_for": "what to explain",
        "context": "the caption or activity, and where its clip is",
    }
    outputs: Mapping[str, str] = {"steps": "the steps in order, joined by |"}
    template = """
{% for sentence in context[:1] %}<h2 data-text="context">{{ sentence }}</h2>{% endfor %}
{% if clip %}<p><a href="{{ clip }}" target="_blank" rel="noopener noreferrer external">See how it is done</a> <span class="soft">(opens another window)</span></p>{% endif %}
""" + ComposeTexts.template.replace("{% for sentence in context %}", "{% for sentence in () %}", 1)

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The caption, its clip, and a box a step."""
        assert isinstance(question, Compose)
        clip = question.context[1] if len(question.context) > 1 else ""
        return {**super().show(question, settings), "clip": clip if clip.startswith(("https://", "http://")) else ""}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The steps; what says no more than the caption is not taken where more is asked for."""
        assert isinstance(question, Compose)
        answer = super().read(form, question, settings)
        said = {stem for line in question.context[:1] for stem in stems(line)}
        fresh = [bool({*stems(step)} - STOP - said) for step in parts_of(answer)]
        if settings.get("new_words", 0) and not any(fresh):
            raise NotAccepted(
                "These steps say no more than the instruction. Say what it leaves out: which tool, how to hold it, when it is done.",
                "text",
            )
        return answer

    def faults(self, texts: Sequence[str], title: str, question: Compose) -> list[str]:
        """A step twice, or a step without a word."""
        empty = [text for text in texts if text and not any(letter.isalpha() for letter in text)]
        problems = [f"{empty[0]!r} is no step: please write words."] if empty else []
        return [*problems, *super().faults(texts, title, question)]

    def compare(self, answer: LabAnswer, earlier: Sequence[LabAnswer], form: FormFields) -> None:
        """The same list for two activities is no answer."""
        if any(parts_of(other) == parts_of(answer) for other in earlier):
            raise NotAccepted("You sent these steps before, for something else. Please tell this one.", "text")

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """The steps in one cell."""
        return {"steps": " | ".join(parts_of(answer))}

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The events of the library's script where it has one, some of them left out; else what everybody knows of the kitchen."""
        boxes = len(form.named("text"))
        activity = (page.marked("context") or [""])[0]
        known = scripted_steps().get(activity.lower())
        if known:
            phrases = [phrase for phrase in known if draw.random() < 0.8] or list(known)
            return {"text": (phrases if len(phrases) >= LEAST_TOLD else list(known))[:boxes]}
        steps = draw.sample(BASIC, min(boxes, draw.randint(3, 5)))
        tool = draw.choice(TOOLS)
        return {
            "text": [
                *(step.format(tool=tool) for step in steps[:-1]),
                f"{activity or 'finish'} with the {tool} until it is done",
            ]
        }


LEAST_TOLD = 6
"""A simulated teller says as many steps, where the script has them."""


@lru_cache(maxsize=1)
def scripted_steps() -> dict[str, tuple[str, ...]]:
    """Activity -> the phrases of its written script, for simulated people."""
    return {
        script.scenario.lower(): tuple(
            dict.fromkeys(re.sub(r"[{}]", "", event.wordings[0]) for event in script.events if event.wordings)
        )
        for script in Library()
    }
