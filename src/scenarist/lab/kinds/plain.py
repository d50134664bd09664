"""Pages that go with every study: something to read (`notice`), to choose from (`choose`), to write (`write`)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Choice, Compose


class Notice(PageKind):
    """Something to read."""

    name = "notice"
    button = "Go on"
    template = ""
    outputs: Mapping[str, str] = {"read": "always yes: the page was read"}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """It was read."""
        return LabAnswer("yes")


class Choose(PageKind):
    """One of several: a check of comprehension, an attention check, an ending."""

    name = "choose"
    asks = (Choice,)
    button = "Save and go on"
    inputs: Mapping[str, str] = {"context": "texts above the choices", "choices": "what to choose from"}
    outputs: Mapping[str, str] = {"choice": "index of the chosen text, from 0"}
    template = """
{% for sentence in context %}<p class="story" data-text="context">{{ sentence }}</p>{% endfor %}
<fieldset{% if problem %} aria-describedby="problem"{% endif %}><legend>{{ text or ask }}</legend>
{% for choice in choices %}<label class="choice"><input type="radio" name="answer" value="{{ loop.index0 }}"
{% if value.answer == loop.index0|string %} checked{% endif %} required> <span data-text="choice">{{ choice }}</span></label>{% endfor %}
</fieldset>"""

    def hotkeys(self, settings: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """Digits would collide with nothing; the arrows of the radio buttons are enough."""
        return ()

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Context and choices."""
        assert isinstance(question, Choice)
        return {"context": question.context, "choices": question.choices, "ask": settings.get("ask", "Which one?")}

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The index."""
        assert isinstance(question, Choice)
        value = form.get("answer")
        if value not in [str(number) for number in range(len(question.choices))]:
            raise NotAccepted("Please choose one of them.")
        return LabAnswer(value)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Any of them; who is asked again takes the next one."""
        controls = form.named("answer")
        before = next((place for place, control in enumerate(controls) if control.checked), None)
        return {
            "answer": [draw.choice(controls).value if before is None else controls[(before + 1) % len(controls)].value]
        }


class Write(PageKind):
    """Free text: closing questions, a remark."""

    name = "write"
    asks = (Compose,)
    inputs: Mapping[str, str] = {"ask_for": "what to write"}
    outputs: Mapping[str, str] = {"text": "what was written"}
    template = """
{% for sentence in context %}<p class="story">{{ sentence }}</p>{% endfor %}
<label for="answer">{{ ask_for }}</label>
<textarea id="answer" dir="auto" name="answer" rows="4" maxlength="{{ most }}"{% if needed %} required{% endif %}
{% if problem %} aria-describedby="problem" aria-invalid="true"{% endif %}>{{ value.answer }}</textarea>"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What to write."""
        assert isinstance(question, Compose)
        return {
            "ask_for": question.ask_for, "context": question.context, "most": question.most or 2000,
            "needed": bool(settings.get("needed", 0)),
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The text; it may be empty where the study says nothing else."""
        assert isinstance(question, Compose)
        text = form.text("answer", question.most or 2000)
        if settings.get("needed", 0) and not text:
            raise NotAccepted("Please write something.")
        return LabAnswer(text)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """A remark."""
        return {"answer": [draw.choice(["", "No remarks.", "It was fine, thank you."])]}
