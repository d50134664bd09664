"""A text and a scale -> a step of it: does this make sense as a story (Mostafazadeh et al. 2016, section 4.2), how likely is it (the probes)?

A person who gives one answer to everything is asked once whether she means it; who does goes on with a tick, and the reviewer sees it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.imagined import imagine_rating
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.question import AnyQuestion, Rate

SAME = 9
"""Earlier answers that are all the same as this one: then somebody is asked whether she means it."""


class RatePage(PageKind):
    """How far does this hold?"""

    name = "rate"
    asks = (Rate,)
    scale = True
    inputs: Mapping[str, str] = {"text": "what is rated", "context": "texts above it", "steps": "the scale"}
    outputs: Mapping[str, str] = {
        "rating": "the chosen step",
        "sure": "yes where one answer to everything was confirmed",
    }
    template = """
{% for sentence in context %}<p class="story" data-text="context">{{ sentence }}</p>{% endfor %}
{% for sentence in lines %}<p class="story{% if context %} note{% endif %}" data-text="rated">{{ sentence }}</p>{% endfor %}
<fieldset{% if problem %} aria-describedby="problem"{% endif %}><legend data-text="ask">{{ ask_for }}</legend>
{% for step, label in steps %}<label class="choice"><input type="radio" name="answer" value="{{ step }}"
{% if value.answer == step %} checked{% endif %} required> <strong>{{ step }}</strong>{% if label %} <span data-text="step">{{ label }}</span>{% endif %}</label>{% endfor %}
</fieldset>
{% if problem and "the same" in problem %}<label class="choice"><input type="checkbox" name="sure" value="yes"> I read them all, and I mean it.</label>{% endif %}"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Text and scale."""
        assert isinstance(question, Rate)
        return {
            "context": question.context,
            "lines": question.text.split("\n"),
            "ask_for": question.ask_for,
            "steps": scale_steps(question),
        }

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """The step."""
        assert isinstance(question, Rate)
        value = form.get("answer")
        if value not in [number for number, _ in scale_steps(question)]:
            raise NotAccepted(f"Please choose a number from {question.low} to {question.high}.")
        return LabAnswer(value, (("sure", "yes"),) if form.get("sure") == "yes" else ())

    def compare(self, answer: LabAnswer, earlier: Sequence[LabAnswer], form: FormFields) -> None:
        """One answer to everything is asked about, each so many pages."""
        if not earlier or len(earlier) % SAME or answer.get("sure") == "yes":
            return
        if all(other.answer == answer.answer for other in earlier):
            raise NotAccepted(
                f"You gave the same answer to all {len(earlier)} texts before this one. Please read this text again. "
                "If you mean it, tick the box below and send it once more."
            )

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """What somebody would say who knows everyday life from the library, with a slip now and then; or none at all."""
        if draw.random() < 0.02:
            return {"answer": [""]}
        steps = [control.value for control in form.named("answer")]
        sure = {"sure": ["yes"]} if form.named("sure") else {}
        return {"answer": [imagine_rating(page.marked("context") + page.marked("rated"), steps, draw)], **sure}


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
