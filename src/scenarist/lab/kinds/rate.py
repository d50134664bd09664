"""A statement -> a step of a scale: how surprising, how likely, how much worth telling (the probes; CSK, *SEM 2024)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Rate


def scale_steps(question: Rate) -> list[tuple[str, str]]:
    """Each step with its name: every step is named, or the two ends are.

    >>> scale_steps(Rate("It rained.", "How likely is that?", (), 1, 3, ("not at all", "very")))
    [('1', 'not at all'), ('2', ''), ('3', 'very')]
    """
    numbers = [str(number) for number in range(question.low, question.high + 1)]
    names = dict(zip(numbers, question.ends, strict=False))
    if len(question.ends) == 2 and len(numbers) > 2:
        names = {numbers[0]: question.ends[0], numbers[-1]: question.ends[1]}
    return [(number, names.get(number, "")) for number in numbers]


class RatePage(PageKind):
    """How far does this hold?"""

    name = "rate"
    asks = (Rate,)
    inputs: Mapping[str, str] = {"context": "texts above", "text": "what is rated", "ask_for": "the question"}
    outputs: Mapping[str, str] = {"rating": "the chosen step of the scale, a number"}
    template = """
{% for sentence in context %}<p class="story" data-text="context">{{ sentence }}</p>{% endfor %}
<p class="story"><strong data-text="rated">{{ rated }}</strong></p>
<fieldset{% if problem %} aria-describedby="problem"{% endif %}><legend data-text="ask">{{ ask_for }}</legend>
{% for number, name in steps %}<label class="choice"><input type="radio" name="answer" value="{{ number }}"
{% if value.answer == number %} checked{% endif %} required> {{ number }}{% if name %}: {{ name }}{% endif %}</label>{% endfor %}
</fieldset>"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The statement and the scale."""
        assert isinstance(question, Rate)
        return {
            "context": question.context, "rated": question.text, "ask_for": question.ask_for, "steps": scale_steps(question),
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """A step of the scale."""
        assert isinstance(question, Rate)
        value = form.get("answer")
        if value not in [number for number, _ in scale_steps(question)]:
            raise NotAccepted(f"Please choose a number from {question.low} to {question.high}.")
        return LabAnswer(value)

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Any step; now and then none, which the page refuses."""
        if draw.random() < 0.02:
            return {"answer": [""]}
        return {"answer": [draw.choice([control.value for control in form.named("answer")])]}
