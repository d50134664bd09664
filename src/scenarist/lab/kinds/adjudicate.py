"""A story with several people's segments -> gold segments (Wanzare et al. 2019, section 3.3).

What people agree on is merged before (`corpora/adjudication.py`) and shown as settled; only open decisions are asked. A segment that one
person alone marked is accepted or discarded; where people differ, any of their labels is taken, at least one. Segments cannot be moved
and no other label can be given. The question holds the story with everybody's segments; merging it again gives the same decisions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scenarist.corpora.adjudication import DIFFERENT, MergedStory, Offer, decide, merge
from scenarist.errors import BadInput
from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.base import FormFields, LabAnswer, NotAccepted, PageKind
from scenarist.lab.kinds.mark_scenarios import numbers_of
from scenarist.question import AnyQuestion, Segments, Where
from scenarist.story import Story

merged_story = lru_cache(maxsize=512)(merge)


class Adjudicate(PageKind):
    """Which of the annotators' labels are right?"""

    name = "adjudicate"
    asks = (Where,)
    inputs: Mapping[str, str] = {"story": "the text with the segments of all annotators"}
    outputs: Mapping[str, str] = {"segments": "the gold segments", "taken": "decision: the offers that were taken"}
    template = """
{% if heading %}<h2>{{ heading }}</h2>{% endif %}
<p>{{ merged }} of {{ annotations }} annotations agreed and were merged. {% if decisions %}{{ decisions|length }} {{ "decision is" if decisions|length == 1 else "decisions are" }} left.{% else %}Nothing is left to decide.{% endif %}</p>
<details open><summary>The text</summary><ol class="sentences">{% for sentence in sentences %}<li value="{{ loop.index }}"><span class="soft">{{ loop.index }}</span>
<span>{{ sentence.text }}{% for label in sentence.labels %} <span class="tag">{{ label }}</span>{% endfor %}</span></li>{% endfor %}</ol></details>
{% for decision in decisions %}{% set row = loop.index0 %}<fieldset data-text="decision"><legend>{{ loop.index }}. {{ "One person alone marked this. Is it right?" if decision.kind == "alone" else "People gave different labels. Which hold?" }}</legend>
{% for offer in decision.offers %}{% set mark = row ~ "." ~ loop.index0 %}<blockquote><mark>{{ offer.text }}</mark> <span class="soft">({{ offer.numbers }})</span></blockquote>
{% if decision.kind == "alone" %}<label class="choice"><input type="radio" name="d{{ row }}" value="{{ loop.index0 }}"{% if value["d" ~ row] is defined and loop.index0|string in value["d" ~ row] %} checked{% endif %}> <strong>{{ offer.label }}</strong>: accept <span class="soft">({{ offer.people }})</span></label>
{% else %}<label class="choice"><input type="checkbox" name="d{{ row }}" value="{{ loop.index0 }}"{% if value["d" ~ row] is defined and loop.index0|string in value["d" ~ row] %} checked{% endif %}> <strong>{{ offer.label }}</strong> <span class="soft">({{ offer.people }})</span></label>{% endif %}{% endfor %}
{% if decision.kind == "alone" %}<label class="choice"><input type="radio" name="d{{ row }}" value="none"{% if value["d" ~ row] is defined and "none" in value["d" ~ row] %} checked{% endif %}> discard it</label>{% endif %}
</fieldset>{% endfor %}"""

    def show(self, question: AnyQuestion | None, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The text with what is settled, and the decisions."""
        assert isinstance(question, Where)
        merged = merged_story(question.story)
        names = people_of(question.story)
        return {
            "heading": question.story.title, "annotations": merged.annotations, "merged": merged.merged,
            "sentences": [
                {"text": question.story.of(sentence), "labels": labels_in(merged, sentence.start, sentence.stop)}
                for sentence in question.story.sentences
            ],
            "decisions": [
                {"kind": decision.kind, "offers": [offered(question.story, offer, names) for offer in decision.offers]}
                for decision in merged.decisions
            ],
        }  # fmt: skip

    def read(self, form: FormFields, question: AnyQuestion | None, settings: Mapping[str, Any]) -> LabAnswer:
        """What was taken of each decision, and the gold that it gives."""
        assert isinstance(question, Where)
        merged = merged_story(question.story)
        taken: dict[str, list[int]] = {}
        for number, decision in enumerate(merged.decisions):
            values = form.all(f"d{number}")
            if not values:
                hint = "take one label, the other, or both" if decision.kind == DIFFERENT else "accept or discard it"
                raise NotAccepted(f"Decision {number + 1} is open: please {hint}.", f"d{number}")
            taken[decision.id] = [int(value) for value in values if value.isdigit()]
        try:
            gold = decide(merged, taken)
        except BadInput as error:
            raise NotAccepted(str(error)) from error
        chosen = "; ".join(f"{name}: {' '.join(map(str, places)) or 'none'}" for name, places in taken.items())
        return LabAnswer(Segments(gold.segments), (("taken", chosen),))

    def again(self, form: FormFields) -> dict[str, Any]:
        """The ticks as they were sent."""
        return {name: form.all(name) for name, _ in form.pairs if name.startswith("d")}

    def value(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, Any]:
        """The ticks of an earlier answer."""
        chosen = [part.rpartition(": ")[2].split() for part in answer.get("taken").split("; ") if part]
        return {f"d{number}": places for number, places in enumerate(chosen)}

    def columns(self, answer: LabAnswer, question: AnyQuestion | None) -> dict[str, str]:
        """The gold in words."""
        segments = answer.answer.segments if isinstance(answer.answer, Segments) else ()
        return {
            "segments": "; ".join(f"{', '.join(segment.names)}: {segment.start}-{segment.stop}" for segment in segments),
            "taken": answer.get("taken"),
        }  # fmt: skip

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """Any decision that the page takes."""
        names = dict.fromkeys(control.name for control in form.fields if control.type in ("radio", "checkbox"))
        return {name: [draw.choice(form.named(name)).value] for name in names}


def people_of(story: Story) -> dict[str, str]:
    """Annotators as the adjudicator sees them: by letter, not by who they are."""
    known = sorted(
        {value for name, value in story.notes if name == "annotator"} | {segment.by for segment in story.segments}
    )
    return {
        person: f"annotator {chr(ord('A') + number)}" for number, person in enumerate(name for name in known if name)
    }


def offered(story: Story, offer: Offer, names: Mapping[str, str]) -> dict[str, str]:
    """An offer as it is shown."""
    numbers = [numbers_of(story, start, stop) for start, stop in offer.spans]
    several = len(numbers) > 1 or "-" in numbers[0].partition(":")[0]
    return {
        "label": offer.label,
        "text": " … ".join(story.text[start:stop] for start, stop in offer.spans),
        "numbers": ("sentences " if several else "sentence ") + ", ".join(numbers),
        "people": ", ".join(names.get(person, "annotator") for person in offer.people),
    }


def labels_in(merged: MergedStory, start: int, stop: int) -> list[str]:
    """The settled labels of a stretch."""
    return sorted(
        {
            name
            for segment in merged.story.segments
            if segment.start < stop and start < segment.stop
            for name in segment.names
        }
    )
